"""The commands that ask backwards: which sizes stay within a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from symledger.cli.click_groups import Command
from symledger.cli.common import CAUSAL, DTYPE, RECIPE, print_json, split_settings, width
from symledger.cli.language import shown_in, spoken
from symledger.errors import BadInput

if TYPE_CHECKING:
    from symledger.accounts.account import Account

AMOUNTS = {
    "budget": ("bytes", "memory.training"), "params": ("parameters", "params"),
    "flops": ("FLOP", "flops.training"),
}  # fmt: skip
"""What each amount is of, and the quantity that is meant unless another one is named."""


def counted(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of what is derived, and of how things are counted."""
    for option in reversed((
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                     help="Give a symbol a value or make a choice; may be repeated."),
        click.option("--assume", multiple=True, metavar='"d_ff = 4*d"',
                     help="Assume an equation between symbols; may be repeated."),
        RECIPE, DTYPE,
        click.option("--optimizer", help="What keeps states beside the weights; adam unless told."),
        CAUSAL,
        click.option("--freeze", multiple=True, metavar="WEIGHT",
                     help="A weight that is not trained, by dotted name (* allowed)."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    )):  # fmt: skip
        command = option(command)
    return command


def derived(target: str, settings: dict[str, str], said: dict[str, Any]) -> Account:
    """Derive a target under the options that ``counted`` gives."""
    from symledger.accounts.account import derive

    return derive(target, settings, said["assume"], said["dtype"], said["optimizer"],
                  said["causal"], None, said["freeze"] or None, said["recipe"])  # fmt: skip


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
    from symledger.inverse.amounts import parse_amount
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
