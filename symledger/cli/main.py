"""The command line. Nothing heavy is imported until a command needs it."""

from __future__ import annotations

import os
import sys

import click

from symledger.cli import streams
from symledger.cli.click_groups import SETTINGS, Counting, Group
from symledger.cli.common import print_json, split_settings, width
from symledger.cli.derived import compare, derive, trace
from symledger.cli.inverse import fit, solve, sweep
from symledger.cli.language import shown_in, spoken
from symledger.cli.site import site
from symledger.errors import LONGEST, BadInput, SymledgerError, escaped, shown
from symledger.version import VERSION

LISTED = ("components", "models", "layers")
ENTRIES = ("bibtex", "biblatex")
CITED = ("text", "bibtex", "biblatex", "latex", "markdown", "json")


@click.group(cls=Group, context_settings=SETTINGS, invoke_without_command=True,
             epilog="symledger derive mini_gpt")
@click.pass_context
@click.version_option(VERSION, prog_name="symledger")
def cli(ctx: click.Context) -> None:
    """Closed-form parameter, memory and FLOP formulas of neural networks.

    Every formula is derived, and every number is checked by something that shares no code with
    it. Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 3 unknown target or formula.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@cli.command(cls=Counting, epilog="symledger explain 2362368")
@click.argument("number")
@click.option("--in", "inside", default="", metavar="TARGET",
              help="Look only in this target: a name, or path/to/model.py:ClassName.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Give a size or a choice that is known; may be repeated.")
@click.option("--unit", type=click.Choice(("parameters", "bytes", "flop")), default=None,
              help="What the number counts; parameters, unless the number's own unit says more.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@spoken
def explain(number: str, inside: str, settings: tuple[str, ...], unit: str | None,
            as_json: bool, language: str | None) -> None:  # fmt: skip
    """Say where NUMBER comes from: 2362368, 2,362,368, 124M, 9.01MiB."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # it multiplies no matrices: none to start
    from symledger.explain.answer import explain as explain_number

    found = explain_number(number, inside, split_settings(settings), unit or "")
    if as_json:
        print_json(found.to_dict())
    else:
        from symledger.report.explanation import page
        from symledger.report.layout import show

        show(page(found, width(), shown_in(language)))


@cli.command(epilog="symledger cite mini_gpt.params --format bibtex")
@click.argument("formula", metavar="ID|TAG")
@click.option("--format", "form", type=click.Choice(CITED), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--site-url", default="", metavar="ADDRESS",
              help="The address of a site that shows the formulas; no address is printed without.")
@click.option("--long", is_flag=True,
              help="Let an entry for a bibliography print the formula and all that is said of it.")
def cite(formula: str, form: str, as_json: bool, site_url: str, long: bool) -> None:
    """Write a citation of a formula, named by its ID or by its permanent TAG.

    ID is as in mini_gpt.params, of a configuration as in gpt3-175b.params, or of a trace as in
    model.trace.json.params; TAG as in SL-4F7K.
    """
    from symledger.citing.citation import cite as cite_formula

    form = "json" if as_json else form
    if long and form not in ENTRIES:
        raise BadInput(f"--long is about entries of a bibliography ({' and '.join(ENTRIES)}), and "
                       f"{form} says everything already. Leave it out.")  # fmt: skip
    found = cite_formula(formula, site_url)
    if form == "json":
        print_json(found.to_dict())
    elif form == "text":
        from symledger.report.citation import page
        from symledger.report.layout import show

        show(page(found, width()))
    else:
        from symledger.report import citation

        sys.stdout.write(getattr(citation, form)(found, *[long] * (form in ENTRIES)))


@cli.command("list", epilog="symledger list models")
@click.argument("kinds", nargs=-1, metavar="[components|models|layers …]",
                type=click.Choice(LISTED))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@spoken
def list_targets(kinds: tuple[str, ...], as_json: bool, language: str | None) -> None:
    """List everything that can be derived by name, or only some kinds of it.

    Published configurations of models are listed with their sources.
    """
    from symledger.report import listing

    shown = kinds or LISTED
    if as_json:
        print_json(listing.to_dict(shown))
    else:
        from symledger.report.layout import show

        show(listing.page(width(), shown, shown_in(language)))


@cli.command(epilog="symledger check mini_gpt")
@click.argument("targets", nargs=-1, metavar="[TARGET …]")
@click.option("--trace", "trace", is_flag=True,
              help="Trace the implementation that families are read for, and compare polynomials.")
@click.option("--types", "types", is_flag=True,
              help="Draw configurations at random, and compare them with the implementation: a "
                   "TARGET is a model_type.")
@click.option("--number", type=click.IntRange(1, 10_000), default=5, show_default=True,
              help="How many configurations of each type are drawn.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Draw other ones.")
@click.option("--shard", default="1/1", metavar="N/M", show_default=True,
              help="Draw for one part of the types alone.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(targets: tuple[str, ...], trace: bool, types: bool, number: int, seed: int, shard: str,
          as_json: bool) -> int:  # fmt: skip
    """Check formulas against what shares no code with them; without a TARGET, all of them.

    Exit code 1 if any check failed.
    """
    import gc

    gc.enable()
    if types and trace:
        raise BadInput("--trace and --types are two checks: ask for one of them.")
    if types:
        from symledger.cli.check_types import run as run_types

        return run_types(targets, number, seed, shard, as_json)
    if (number, seed, shard) != (5, 0, "1/1"):
        raise BadInput("--number, --seed and --shard say which configurations --types draws.")
    if trace:
        from symledger.cli.check_trace import run as run_traced

        return run_traced(targets, as_json)
    from symledger.cli.check import run

    return run(targets, as_json)


@cli.command(epilog="symledger record --stale")
@click.argument("targets", nargs=-1, metavar="[TARGET …]")
@click.option("--stale", is_flag=True, help="Leave out what is fresh.")
@click.option("--why", default="", metavar="REASON", help="Why formulas with a tag were removed.")
@click.option("--now", "successor", default="", metavar="OWNER",
              help="The owner, or the formula, that takes the place of those.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def record(targets: tuple[str, ...], stale: bool, why: str, successor: str,
           as_json: bool) -> int:  # fmt: skip
    """Record anew what the package says of TARGETs; without any, everything.

    TARGET is a name of the catalogue, a published configuration, or a kind of record: evidence,
    demonstrations, tags, formulas, index, sizes, scripts, sought, reference, traced, alive,
    defaults, types, messages, mutants; names beside kinds mean these kinds of those alone. All
    cores work; after an interruption the same command goes on. What cannot be made here, without
    PyTorch say, keeps its record. Exit code 1 if any check failed.
    """
    from symledger.extras import EXTRAS, require

    require(EXTRAS["docs"], "nothing can be recorded")
    from symledger.cli.record import record as record_targets

    return record_targets(targets, stale, as_json, why, successor)


for command in (derive, trace, compare, solve, sweep, fit, site):
    cli.add_command(command)


def main() -> None:
    """Run the command line; every refusal is one clear message on stderr and an exit code."""
    streams.prepare()
    code, said = outcome()
    streams.leave(code, said)


def outcome() -> tuple[int, str]:
    """Run the command line; return the exit code, and what is to be said of a refusal."""
    try:
        code = cli.main(standalone_mode=False)
        with streams.watched():
            sys.stdout.flush()
        return code if isinstance(code, int) else 0, ""
    except SymledgerError as error:
        return error.exit_code, refusal(error.kind, str(error))
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f" Try `{context.command_path} --help`." if context else ""
        return 2, refusal("Usage", brief(error.format_message()) + hint)
    except (click.Abort, KeyboardInterrupt):
        return 130, refusal("Stopped", "interrupted.")
    except streams.ReaderGone:
        return streams.READER_GONE, ""
    except OSError as error:  # a full disk, say
        return 2, refusal("Output", f"the result could not be written: {error.strerror}.")


def brief(message: str) -> str:
    """Show what Click quotes of the command line as everything else that was given is shown."""
    given = {part for word in sys.argv[1:] for part in (word, *word.partition("=")[::2])}
    for text in sorted(given, key=len, reverse=True):
        for quote in (repr(text)[1:-1], text) if len(escaped(text)) > LONGEST else ():
            message = message.replace(quote, shown(text))
    return message


def refusal(kind: str, message: str) -> str:
    """Write why something is refused; what cannot be seen is escaped, lines stay lines."""
    return f"{kind}: " + "\n".join(map(escaped, message.split("\n"))) + "\n"
