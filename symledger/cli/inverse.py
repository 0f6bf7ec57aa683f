"""The commands that ask backwards: which sizes stay within a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from symledger.cli.click_groups import Command
from symledger.cli.common import (
    ACCUMULATE,
    CACHE,
    CAUSAL,
    COUNTERS,
    DTYPE,
    FIRST,
    GRADIENTS,
    LORA,
    OPTIMIZER,
    PRODUCTS,
    RECIPE,
    RECOMPUTE,
    STEP,
    WEIGHTS,
    print_json,
    split_settings,
    width,
)
from symledger.cli.language import shown_in, spoken


def counted(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of what is derived, and of how things are counted."""
    for option in reversed((
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                     help="Give a symbol a value or make a choice; may be repeated."),
        click.option("--assume", multiple=True, metavar='"d_ff = 4*d"',
                     help="Assume an equation between symbols; may be repeated."),
        RECIPE, DTYPE, OPTIMIZER, GRADIENTS, COUNTERS, CAUSAL, RECOMPUTE, WEIGHTS, CACHE,
        PRODUCTS, STEP, FIRST, ACCUMULATE, LORA,
        click.option("--freeze", multiple=True, metavar="WEIGHT",
                     help="A weight that is not trained, by dotted name (* allowed)."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    )):  # fmt: skip
        command = option(command)
    return command


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
    from symledger.inverse.public import solve as solved

    given = {name: said.pop(name) for name in ("budget", "params", "flops")}
    solution = solved(target, size, **given, quantity=quantity or "",
                      set=split_settings(settings), **told(said))  # fmt: skip
    if as_json:
        print_json(solution.to_dict())
        return
    from symledger.report.layout import show
    from symledger.report.solution import page

    show(page(solution, width(), shown_in(language)))


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
    from symledger.inverse.public import sweep as swept

    try:
        found = swept(
            target, split_settings(settings), where, minimize, to, rows, limit,
            lambda looked, points: progress(f"{looked:,} of {points:,}"), **told(said),
        )  # fmt: skip
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
@click.option("--quantity", metavar="NAME",
              help="What has to fit: memory.peak.train unless told, or memory.training where no "
                   "peak is derived or nothing is trained.")
@counted
@spoken
def fit(target: str, budget: str, quantity: str | None, language: str | None, as_json: bool,
        settings: tuple[str, ...], **said: Any) -> None:  # fmt: skip
    """Say whether TARGET fits a budget of bytes, by how much, and what is to be cut."""
    from symledger.inverse.public import fit as fitted

    found = fitted(target, budget, quantity or "", set=split_settings(settings), **told(said))
    if as_json:
        print_json(found.to_dict())
        return
    from symledger.report.fitted import page
    from symledger.report.layout import show

    show(page(found, width(), shown_in(language)))
