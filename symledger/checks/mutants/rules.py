"""Rules of the readings, replaced by wrong ones; here are the prices.

Each row takes the place of a function wherever it is used, as an edit of its source would.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from sympy import Expr, Integer

from symledger.checks.mutants.hunting import killer_of_rules
from symledger.checks.mutants.mutant import Mutant
from symledger.ir.ops import (
    Contract,
    Gather,
    Map,
    Max,
    Pad,
    Rearrange,
    Repeat,
    Scatter,
    Slice,
    Solve,
    Sum,
)
from symledger.ir.sizing import index_sizes
from symledger.ir.tensor import Tensor
from symledger.readings import flops

Targets = tuple[tuple[str, dict[str, Any]], ...]

ANY: Targets = (
    ("linear", {}), ("feed_forward", {}), ("layer_norm", {}), ("rotary_positions", {}),
    ("tied_embedding", {}), ("cross_entropy", {}), ("learned_positions", {}),
    ("attention", {"flash": True}), ("cached_attention", {}), ("mini_gpt", {}),
    ("checkpointed_block", {}),
)  # fmt: skip
"""Targets that together use every rule of the catalogue."""

FUSED: Targets = (("softmax", {}), ("layer_norm", {}))
SOLVED: Targets = (("axiom_solve", {}),)

Wrong = Callable[..., Any]


@dataclass(frozen=True)
class Rule:
    """A wrong rule: what it is about, and what it makes of the right one.

    ``holder`` is the module or class that holds the right one under ``name``; ``about`` names the
    operation whose rule it is, where it is one alone; ``targets`` use it.
    """

    kind: str
    mistake: str
    holder: Any
    name: str
    wrong: Callable[[Any], Any]
    about: str = ""
    targets: Targets = ANY


def mutants() -> Iterator[Mutant]:
    """Yield every wrong price."""
    return of_rules(PRICES)


def of_rules(rules: Iterable[Rule]) -> Iterator[Mutant]:
    """Yield the mutants that wrong rules are."""
    for rule in rules:
        yield Mutant(rule.kind, rule.mistake, partial(hunt, rule), rule.about)


def hunt(rule: Rule) -> str:
    """Return the first check that refuses its targets under a wrong rule."""
    with replaced(rule.holder, rule.name, rule.wrong):
        return killer_of_rules(rule.targets)


@contextmanager
def replaced(holder: Any, name: str, wrong: Callable[[Any], Any]) -> Iterator[None]:
    """Put a wrong rule wherever a right one is known by its name."""
    right = vars(holder)[name]
    known = [m for key, m in sys.modules.items() if key.startswith("symledger")]
    holders = [holder, *(m for m in known if m is not holder and vars(m).get(name) is right)]
    made = wrong(right)
    for each in holders:
        setattr(each, name, made)
    try:
        yield
    finally:
        for each in holders:
            setattr(each, name, right)


# ---------------------------------------------------------------------------------------- prices


def priced(kind: type[Any], price: Callable[[Tensor, Expr], Expr]) -> Callable[[Any], Wrong]:
    """The price of one operation replaced, that of all others right."""
    return lambda right: lambda t, *causal: (
        price(t, right(t, *causal)) if isinstance(t.op, kind) else right(t, *causal)
    )


def _summed(t: Tensor) -> Expr:
    """The length of an index that a Contract sums over."""
    sizes = index_sizes(t)
    return next(n for index, n in sizes.items() if index not in t.op.out)  # type: ignore[union-attr]  # a Contract


def _price(
    mistake: str, kind: type[Any], price: Callable[[Tensor, Expr], Expr], name: str = "pointwise",
    targets: Targets = ANY,
) -> Rule:  # fmt: skip
    return Rule("price", mistake, flops, name, priced(kind, price), kind.__name__, targets)


def _charged(mistake: str, causal: str) -> Rule:
    """Pairs that are charged by one convention, whichever is asked for."""
    return Rule("price", mistake, flops, "contraction",
                lambda right: lambda t, asked: right(t, causal), "Pairs")  # fmt: skip


PRICES = (
    _price("a multiply-add counts 1", Contract, lambda t, p: p / 2, "contraction"),
    _price("a summed index is left out", Contract, lambda t, p: p / _summed(t), "contraction"),
    _price("the first index is left out",
           Contract, lambda t, p: p / t.args[0].shape[0], "contraction"),
    _price("additions of a Contract are one fewer an element",
           Contract, lambda t, p: p - t.size, "contraction"),
    _charged("half of all causal pairs, whatever is asked", "half"),
    _charged("all causal pairs, whatever is asked", "full"),
    _price("a lookup is a product with one-hot rows",
           Gather, lambda t, p: 2 * t.size * t.args[0].shape[0], "contraction"),
    _price("a Map has one line more", Map, lambda t, p: p + t.size),
    _price("a Map has one line fewer", Map, lambda t, p: p - t.size),
    _price("a Map costs 1 an element", Map, lambda t, p: t.size),
    _price("a Sum is free", Sum, lambda t, p: Integer(0)),
    _price("a Sum costs an addition for each result", Sum, lambda t, p: t.size),
    _price("a Sum starts with its first element", Sum, lambda t, p: p - t.size),
    _price("a Max compares N times", Max, lambda t, p: p + t.size),
    _price("a Max is free", Max, lambda t, p: Integer(0)),
    _price("a Scatter is free", Scatter, lambda t, p: Integer(0)),
    _price("a Scatter costs 1 a row of the table", Scatter, lambda t, p: t.size),
    _price("a Repeat costs 1 an element", Repeat, lambda t, p: t.size),
    _price("a view costs 1 an element", Rearrange, lambda t, p: t.size),
    _price("a Gather costs 1 an element", Gather, lambda t, p: t.size),
    _price("a Slice costs a copy", Slice, lambda t, p: t.size),
    _price("a Pad adds zeros up", Pad, lambda t, p: t.size),
    _price("a Solve is free", Solve, lambda t, p: Integer(0), targets=SOLVED),
    _price("a Solve reads the whole square", Solve, lambda t, p: 2 * t.shape[-2] * t.size,
           targets=SOLVED),
    Rule("price", "what is fused is free", flops, "pointwise",
         lambda right: lambda t: Integer(0) if t.region else right(t), "Fused"),
)  # fmt: skip
