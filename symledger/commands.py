"""Commands whose help begins with an example, and groups that know near misses."""

from __future__ import annotations

from typing import Any

import click

from symledger.errors import BadInput, nearest

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Command(click.Command):
    """A command whose help begins with an example."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, the example before everything else."""
        if self.epilog:
            formatter.write(f"Example: {self.epilog}\n\n")
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)


class Group(click.Group):
    """The program: its help begins with an example too, and it knows near misses."""

    command_class = Command

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
                f"{name[:80]} is not a command. {nearest(name, self.commands)}"
            ) from error
