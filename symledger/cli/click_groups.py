"""Commands whose help begins with an example, and groups that know near misses."""

from __future__ import annotations

import re
from typing import Any

import click
from click.core import ParameterSource

from symledger.cli.streams import watched
from symledger.errors import BadInput, nearest, quoted, shown
from symledger.user_code import blamed

NEGATIVE = re.compile(r"-\.?[0-9]")
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Command(click.Command):
    """A command whose help begins with an example; asked for by ``-h`` too, wherever it stands."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"context_settings": SETTINGS, **kwargs})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; an option that is given an empty text is refused, as one is left out.

        Raises:
            BadInput: there is one.
        """
        rest = super().parse_args(ctx, args)
        for option in (p for p in self.params if isinstance(p, click.Option) and p.name):
            said = ctx.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
            value = ctx.params.get(option.name)
            if said and isinstance(value, str) and not value.strip():
                raise BadInput(f"{option.opts[0]} is given nothing: say what, or leave it out.")
        return rest

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, the example before everything else."""
        if self.epilog:
            formatter.write(f"Example: {self.epilog}\n\n")
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)


class Counting(Command):
    """A command whose argument is a number: a negative one is no option, and is refused as one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take what begins like a negative number for the argument."""
        negative = [arg for arg in args if NEGATIVE.match(arg)]
        if negative and "--" not in args:
            args = [*(arg for arg in args if arg not in negative), "--", *negative]
        return super().parse_args(ctx, args)


class Folder(click.Path):
    """A folder by its path, which no folder can have if the system does not take it for one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse what is the name of nothing: with a zero in it, or half a character."""
        try:
            return super().convert(value, param, ctx)
        except ValueError:
            self.fail(f"{quoted(str(value))} is no name that a folder could have.", param, ctx)


class Group(click.Group):
    """The program: its help begins with an example too, and it knows near misses."""

    command_class = Command

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the arguments, which may print a help that nobody reads to its end."""
        with watched():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, which returns its exit code if that is not 0."""
        with watched(), blamed():
            return super().invoke(ctx)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, the example before everything else."""
        if self.epilog:
            formatter.write(f"Example: {self.epilog}\n\n")
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a subcommand; an unknown one is refused with the nearest."""
        name = args[0]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise BadInput(
                f"{shown(name)} is not a command. {nearest(name, self.commands)}"
            ) from error
