"""Commands that derive a target, trace a module, and compare two."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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
    SCHEDULE,
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

FORMATS = ("text", "json", "latex", "markdown", "python")


def displayed(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command be asked how what was derived is shown: of what, how deep, in which format."""
    for option in reversed((
        click.option("--quantity", "quantities", multiple=True, metavar="NAME",
                     help="Show only this quantity, line by line; may be repeated."),
        click.option("--format", "form", type=click.Choice(FORMATS), default="text",
                     show_default=True),
        click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
        click.option("--depth", type=click.IntRange(1, 9), default=2, show_default=True,
                     help="How many levels of the tree to open."),
    )):  # fmt: skip
        command = option(command)
    return command


@click.command(cls=Command, epilog="symledger derive mini_gpt --set d=128 --set tied=false")
@click.argument("target")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Give a symbol a value or make a choice; may be repeated.")
@click.option("--assume", multiple=True, metavar='"d_ff = 4*d"',
              help="Assume an equation between symbols; may be repeated.")
@displayed
@RECIPE
@DTYPE
@OPTIMIZER
@GRADIENTS
@COUNTERS
@CAUSAL
@click.option("--freeze", multiple=True, metavar="WEIGHT",
              help="A weight that is not trained, by dotted name (* allowed); may be repeated.")
@click.option("--no-input-gradient", is_flag=True, help="Ask for no gradient of float inputs.")
@RECOMPUTE
@WEIGHTS
@CACHE
@PRODUCTS
@STEP
@FIRST
@ACCUMULATE
@LORA
@SCHEDULE
@spoken
def derive(target: str, settings: tuple[str, ...], assume: tuple[str, ...],
           quantities: tuple[str, ...], form: str, as_json: bool, depth: int, recipe: str | None,
           dtype: str | None, optimizer: str | None, gradients: str | None, counters: bool,
           causal: str | None, freeze: tuple[str, ...], no_input_gradient: bool,
           recompute: str | None, weights: str | None, cache: str | None, products: str | None,
           step: str | None, first: bool, accumulate: bool, lora: str | None, schedule: str | None,
           language: str | None) -> None:  # fmt: skip
    """Derive the formulas of TARGET.

    TARGET is a name of `symledger list`, a layer of torch.nn as in "Linear(768, 3072)", the
    config.json of a model (a path, or - for standard input), path/to/model.py:ClassName, or a
    trace that `symledger trace --save` wrote.
    """
    from symledger.accounts.account import derive as derive_account

    account = derive_account(
        target, split_settings(settings), assume, dtype, optimizer, causal,  # type: ignore[arg-type]  # checked by Conventions
        False if no_input_gradient else None, freeze or None, recipe, recompute, gradients,
        counters or None, weights, step, first or None, accumulate or None, lora, schedule,
        cache, products,
    )  # fmt: skip
    for name in quantities:
        account[name]
    shown_as(account, quantities, "json" if as_json else form, depth, language)


def shown_as(
    account: Account, quantities: tuple[str, ...], form: str, depth: int, language: str | None
) -> None:
    """Print what was derived, in one of ``FORMATS``."""
    if form == "text":
        from symledger.report.layout import show

        if account.target.constructor and not quantities and not account.conventions.weights:
            from symledger.report.answer import page
        else:
            from symledger.report.page import page
        show(page(account, quantities, depth, width(), shown_in(language)))
    elif form == "json":
        print_json(account.to_dict(quantities))
    else:
        from importlib import import_module

        write = import_module(f"symledger.report.{form}").write
        sys.stdout.write(write(account, quantities or ("params",), depth))


@click.command(cls=Command, epilog='symledger trace my_model.py:GPT --input "ids: int64 (B, T)"')
@click.argument("module", default="")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Give an argument of the constructor, or a length of what enters, a value; may "
                   "be repeated.")
@click.option("--config", default="", metavar="FILE",
              help="The config.json that the module is built of, as those of transformers are.")
@click.option("--input", "inputs", multiple=True, metavar='"ids: int64 (B, T)"',
              help="A tensor that enters: its name in forward, type and lengths; may be repeated.")
@click.option("--symbol", "symbols", multiple=True, metavar="ARGUMENT=SYMBOL",
              help="Write a symbol for an argument, as in n_embd=d; may be repeated.")
@click.option("--eval", "evaluating", is_flag=True,
              help="Trace it in evaluation mode, and not as it is built.")
@click.option("--save", default="", metavar="FILE",
              help="Save the trace, as in model.trace.json: a target that needs no PyTorch.")
@click.option("--verify", default="", metavar="FILE",
              help="Run the module of a saved trace at the sizes that are set, and compare; with "
                   "--save, the trace is saved with this point.")
@displayed
@DTYPE
@OPTIMIZER
@STEP
@FIRST
@ACCUMULATE
@SCHEDULE
@spoken
def trace(module: str, settings: tuple[str, ...], config: str, inputs: tuple[str, ...],
          symbols: tuple[str, ...], evaluating: bool, save: str, verify: str,
          quantities: tuple[str, ...], form: str, as_json: bool, depth: int, dtype: str | None,
          optimizer: str | None, step: str | None, first: bool, accumulate: bool,
          schedule: str | None, language: str | None) -> None:  # fmt: skip
    """Trace MODULE, a model written in PyTorch, and derive its formulas.

    MODULE is path/to/model.py:ClassName, package.module:ClassName or transformers:ClassName. It
    is built and run on tensors without elements, at many sizes. It needs PyTorch (the extra torch).
    """
    from symledger.cli.trace import traced, verified

    if bool(module) == bool(verify):
        raise BadInput("name what is to be traced, as in my_model.py:GPT, or with --verify a saved "
                       "trace.")  # fmt: skip
    said = split_settings(settings)
    run = {"dtype": dtype, "optimizer": optimizer, "step": step, "first": first or None,
           "accumulate": accumulate or None}
    account = verified(verify, said, config, save, schedule, run) if verify else traced(
        module, said, inputs, symbols, not evaluating, config, save, schedule, run
    )
    for name in quantities:
        account[name]
    shown_as(account, quantities, "json" if as_json else form, depth, language)


@click.command(cls=Command, epilog="symledger compare llama-2-7b llama-3-8b")
@click.argument("left")
@click.argument("right")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Give a size or a choice to both; may be repeated.")
@click.option("--quantity", "quantities", multiple=True, metavar="NAME",
              help="Compare this quantity; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@RECIPE
@DTYPE
@CAUSAL
@spoken
def compare(left: str, right: str, settings: tuple[str, ...], quantities: tuple[str, ...],
            as_json: bool, recipe: str | None, dtype: str | None,
            causal: str | None, language: str | None) -> None:  # fmt: skip
    """Compare two targets: which sizes differ, and which term each difference comes from.

    LEFT and RIGHT are what `derive` takes: names, layers, or paths to a config.json.
    """
    from symledger.accounts.compare import compare as compare_targets

    found = compare_targets(
        left, right, split_settings(settings), quantities, dtype=dtype, causal=causal,
        recipe=recipe,
    )  # fmt: skip
    if as_json:
        print_json(found.to_dict())
    else:
        from symledger.report.comparison import page
        from symledger.report.layout import show

        show(page(found, width(), shown_in(language)))
