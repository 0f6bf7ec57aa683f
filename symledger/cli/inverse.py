"""The commands that ask backwards: which sizes stay within a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from symledger.cli.click_groups import Command
from symledger.cli.common import (
    ACCUMULATE,
    CAUSAL,
    COUNTERS,
    DTYPE,
    FIRST,
    GRADIENTS,
    LORA,
    OPTIMIZER,
    RECIPE,
    RECOMPUTE,
    STEP,
    WEIGHTS,
    print_json,
    split_settings,
    width,
)
from symledger.cli.language import shown_in, spoken
from symledger.errors import BadInput

if TYPE_CHECKING:
    from symledger.accounts.account import Account

def counted(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of what is derived, and of how things are counted."""
    for option in reversed((
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                     help="Give a symbol a value or make a choice; may be repeated."),
        click.option("--assume", multiple=True, metavar='"d_ff = 4*d"',
                     help="Assume an equation between symbols; may be repeated."),
        RECIPE, DTYPE, OPTIMIZER, GRADIENTS, COUNTERS, CAUSAL, RECOMPUTE, WEIGHTS,
        STEP, FIRST, ACCUMULATE, LORA,
        click.option("--freeze", multiple=True, metavar="WEIGHT",
                     help="A weight that is not trained, by dotted name (* allowed)."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    )):  # fmt: skip
        command = option(command)
    return command


def derived(target: str, settings: dict[str, str], said: dict[str, Any]) -> Account:
    """Derive a target under the options that ``counted`` gives."""
    from symledger.accounts.account import derive

    return derive(target, settings, **told(said))


def told(said: dict[str, Any]) -> dict[str, Any]:
    """Return options as ``derive`` takes them; one that was not said is left to a recipe."""
    names = {"freeze": "frozen"}
    return {names.get(name, name): value or None for name, value in said.items()
            if name != "assume"} | {"assume": said["assume"]}  # fmt: skip


@click.command(cls=Command, epilog="symledger solve gpt2 --for B --budget 80GB")
@click.argument("target")
@click.option("--for", "size", required=True, metavar="SIZE",
              help="The size that is asked for: B, d, L, T, ….")
@click.option("--budget", metavar="BYTES", help="Bytes to stay within, as in 80GB or 24GiB.")
@click.option("--params", metavar="COUNT", help="Parameters to stay within, as in 7e9 or 7B.")
@click.option("--flops", metavar="COUNT", help="FLOPs to stay within, as in 1e21.")
@click.option("--quantity", metavar="NAME",
              help="What is to stay within: memory.training, params or flops.training unless told.")
@counted
@spoken
def solve(target: str, size: str, quantity: str | None, language: str | None, as_json: bool,
          settings: tuple[str, ...], **said: Any) -> None:  # fmt: skip
    """Find the largest SIZE at which TARGET stays within a budget, exactly.

    TARGET is what `derive` takes. The answer is a whole number, with its two neighbours.
    """
    from symledger.inverse.amounts import AMOUNTS, parse_amount
    from symledger.inverse.solve import solve as solved

    given = {name: said.pop(name) for name in AMOUNTS}
    kind, text = _one(given)
    unit, usual = AMOUNTS[kind]
    amount = parse_amount(text, unit)
    account = derived(target, _others(size, settings), said)
    name = quantity or usual
    found = account[name].unit
    if found not in (unit, "MAC" if unit == "FLOP" else unit):
        raise BadInput(f"--{kind} is an amount of {unit}, and {name} is one of {found}.")
    solution = solved(account, size, name, amount)
    if as_json:
        print_json(solution.to_dict())
        return
    from symledger.report.layout import show
    from symledger.report.solution import page

    show(page(solution, width(), shown_in(language)))


def _one(given: dict[str, str | None]) -> tuple[str, str]:
    """Return the amount that was said.

    Raises:
        BadInput: none was, or several were.
    """
    named = [(name, text) for name, text in given.items() if text is not None]
    if len(named) != 1:
        raise BadInput("say one amount to stay within: --budget 80GB, --params 7e9 or "
                       "--flops 1e21.")  # fmt: skip
    return named[0]


def _others(size: str, settings: tuple[str, ...]) -> dict[str, str]:
    """Return what was set, which is not what is asked for.

    Raises:
        BadInput: it is.
    """
    found = split_settings(settings)
    if size in found:
        raise BadInput(f"{size} is asked for, and cannot be set as well: leave out --set {size}.")
    return found


@click.command(cls=Command, epilog='symledger sweep gpt2 --set d=768:4096:64 --set L=12:48 '
                                   '--where "params <= 7e9" --minimize flops.training')
@click.argument("target")
@click.option("--where", multiple=True, metavar='"params <= 7e9"',
              help="Keep what meets comparisons, joined by and; may be repeated.")
@click.option("--minimize", default="", metavar="QUANTITY",
              help="Sort by this quantity, the smallest first.")
@click.option("--to", default="", metavar="FILE.csv", help="Write what was kept into a file.")
@click.option("--rows", type=click.IntRange(1), default=None, metavar="N",
              help="How many rows to keep: 10^7 unless told, and 1,000 where they are sorted.")
@click.option("--limit", default=None, metavar="N",
              help="Look only at so many configurations, the first ones.")
@counted
@spoken
def sweep(target: str, where: tuple[str, ...], minimize: str, to: str, rows: int | None,
          limit: str | None, language: str | None, as_json: bool,
          settings: tuple[str, ...], **said: Any) -> None:  # fmt: skip
    """Evaluate TARGET at every configuration of a grid, and keep those within conditions.

    A size with a range (--set d=1024:8192:128, its end included) or a list (--set h=8,16,32) is
    swept; what is set to one value holds for all.
    """
    from symledger.cli.progress import done, progress
    from symledger.inverse.amounts import parse_amount
    from symledger.inverse.sweep.axes import check_count, split
    from symledger.inverse.sweep.sweep import Asked
    from symledger.inverse.sweep.sweep import sweep as swept

    most = None if limit is None else parse_amount(limit, "parameters")
    axes, single = split(split_settings(settings))
    check_count(axes, most)
    account = derived(target, single, said)
    try:
        found = swept(account, axes, Asked(where, minimize, to, most, rows),
                      lambda looked, points: progress(f"{looked:,} of {points:,}"))  # fmt: skip
    finally:
        done()
    if as_json:
        print_json(found.to_dict())
        return
    from symledger.report.layout import show
    from symledger.report.swept import page

    show(page(found, width(), shown_in(language)))


@click.command(cls=Command, epilog="symledger fit gpt2 --budget 24GB --set B=16")
@click.argument("target")
@click.option("--budget", required=True, metavar="BYTES", help="What there is, as in 24GB.")
@click.option("--quantity", metavar="NAME", help="What has to fit: memory.training unless told.")
@counted
@spoken
def fit(target: str, budget: str, quantity: str | None, language: str | None, as_json: bool,
        settings: tuple[str, ...], **said: Any) -> None:  # fmt: skip
    """Say whether TARGET fits a budget of bytes, by how much, and what is to be cut."""
    from symledger.inverse.amounts import NEEDED, parse_amount
    from symledger.inverse.fit import fit as fitted

    amount = parse_amount(budget, "bytes")
    account = derived(target, split_settings(settings), said)
    name = quantity or NEEDED
    if account[name].unit != "bytes":
        raise BadInput(f"--budget is an amount of bytes, and {name} is one of "
                       f"{account[name].unit}.")  # fmt: skip
    found = fitted(account, amount, name)
    if as_json:
        print_json(found.to_dict())
        return
    from symledger.report.fitted import page
    from symledger.report.layout import show

    show(page(found, width(), shown_in(language)))
