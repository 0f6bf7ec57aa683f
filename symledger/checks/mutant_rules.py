"""Rules of the readings, replaced by wrong ones: prices, pull-backs, what is kept, what counts.

Each row takes the place of a function wherever it is used, as an edit of its source would.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sympy import Expr, Integer

from symledger.checks.hunting import killer_of_rules
from symledger.checks.mutants import Mutant
from symledger.core import recompute
from symledger.core.notation import expand, narrow, pad, reduce, scatter
from symledger.core.ops import (
    Call,
    Contract,
    Gather,
    Join,
    Map,
    Max,
    Pad,
    Param,
    Rearrange,
    Repeat,
    Result,
    Scatter,
    Slice,
    Sum,
)  # fmt: skip
from symledger.core.recompute import block_of
from symledger.core.tensor import ONE, Scope, Shape, Tensor
from symledger.readings import flops, params, pullback, saved, tally, traffic

Targets = tuple[tuple[str, dict[str, Any]], ...]

ANY: Targets = (
    ("linear", {}), ("feed_forward", {}), ("layer_norm", {}), ("rotary_positions", {}),
    ("tied_embedding", {}), ("cross_entropy", {}), ("learned_positions", {}),
    ("attention", {"flash": True}), ("cached_attention", {}), ("mini_gpt", {}),
    ("checkpointed_block", {}),
)  # fmt: skip
"""Targets that together use every rule of the catalogue."""

PADDED: Targets = (("axiom_pad", {}),)
FUSED: Targets = (("softmax", {}), ("layer_norm", {}))

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
    """Yield every wrong rule."""
    for rule in (*PRICES, *PULLBACKS, *KEPT, *COUNTED):
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
    sizes = pullback.index_sizes(t)
    return next(n for index, n in sizes.items() if index not in t.op.out)  # type: ignore[union-attr]  # a Contract


def _price(
    mistake: str, kind: type[Any], price: Callable[[Tensor, Expr], Expr], name: str = "pointwise"
) -> Rule:
    return Rule("price", mistake, flops, name, priced(kind, price), kind.__name__)


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
    Rule("price", "what is fused is free", flops, "pointwise",
         lambda right: lambda t: Integer(0) if t.region else right(t), "Fused"),
)  # fmt: skip


# ------------------------------------------------------------------------------------- pull-backs


def gradient_of(kind: type[Any], gradient: Wrong) -> Callable[[Any], Wrong]:
    """The pull-back of one operation replaced, that of all others right."""
    return lambda right: lambda t, g, place: (
        gradient(t, g, place) if isinstance(t.op, kind) else right(t, g, place)
    )


def _forgotten_factor(t: Tensor, g: Tensor, place: int) -> Tensor:
    return pullback.unbroadcast(g, t.args[place].shape)


def _first_rows(g: Tensor, shape: Shape) -> Tensor:
    """The gradient of one of the places that a tensor was broadcast to."""
    for axis in range(g.rank - len(shape)):
        g = narrow(g, axis, 0, 1)
    return reduce(g, tuple(range(g.rank - len(shape))))


def _start_of(t: Tensor, g: Tensor, place: int) -> Tensor:
    assert isinstance(t.op, Join)
    return narrow(g, t.op.axis, 0, t.args[place].shape[t.op.axis])


def _padded(t: Tensor, g: Tensor, place: int) -> Tensor:
    assert isinstance(t.op, Slice)
    return pad(g, t.op.axis, 0, t.args[0].shape[t.op.axis])


def _unpadded(t: Tensor, g: Tensor, place: int) -> Tensor:
    assert isinstance(t.op, Pad)
    return narrow(g, t.op.axis, 0, t.args[0].shape[t.op.axis])


def _first_only(t: Tensor, g: Tensor, place: int) -> Tensor:
    assert isinstance(t.op, Sum)
    for axis in t.op.axes:
        g = pad(g, axis, 0, t.args[0].shape[axis])
    return g


def _averaged(t: Tensor, g: Tensor, place: int) -> Tensor:
    averaged: Tensor = expand(g * (t.size / t.args[0].size), t.args[0].shape)
    return averaged


def _overwritten(right: Any) -> Wrong:
    """A second gradient of the same tensor takes the place of the first."""

    def add(walk: Any, tensor: Tensor, gradient: Tensor) -> None:
        if tensor in walk.needed:
            walk.gradients[tensor] = gradient

    return add


def _dead_code_left_out(right: Any) -> Wrong:
    """A backward program that runs again only what some gradient depends on."""
    return lambda walk: replace(right(walk), again=())


def _opened(right: Any) -> Wrong:
    """A backward program that does not know what is fused."""

    def back(walk: Any, tensors: Sequence[Tensor], within: Scope | None = None) -> None:
        for t in reversed(tensors):
            if t in walk.gradients and t.args and not isinstance(t.op, Call | Result):
                walk._extend(t, walk._rule(t, walk.gradients[t]))

    return back


def _rule(mistake: str, kind: type[Any], gradient: Wrong, targets: Targets = ANY) -> Rule:
    return Rule("pull-back", mistake, pullback, "_of_argument", gradient_of(kind, gradient),
                kind.__name__, targets)  # fmt: skip


PULLBACKS = (
    _rule("a Map passes its gradient on", Map, _forgotten_factor),
    _rule("a Sum's gradient goes to the first element", Sum, _first_only),
    _rule("a Sum's gradient is divided among the elements", Sum, _averaged),
    _rule("a Slice's gradient is put at the start", Slice, _padded),
    _rule("a Pad's gradient is taken from the start", Pad, _unpadded, PADDED),
    Rule("pull-back", "a fused body is pulled back operation by operation", pullback._Walk,
         "_back", _opened, "Fused", FUSED),
    Rule("pull-back", "a fused body sends its first gradient back alone", pullback._Walk,
         "_fused", lambda right: lambda walk, region: list(right(walk, region))[:1],
         "Fused", FUSED),
    _rule("every part of a Join gets its start", Join, _start_of),
    _rule("a Gather's gradient is gathered twice", Gather, lambda t, g, place: scatter(
        g * 2, t.args[1], t.args[0].shape, t.op.batch)),
    Rule("pull-back", "a Contract takes the other operand's rule", pullback, "_of_argument",
         lambda right: lambda t, g, place: (
             right(t, g, 1 - place) if isinstance(t.op, Contract) else right(t, g, place)
         ), "Contract"),
    Rule("pull-back", "the sum over broadcast axes is forgotten", pullback, "unbroadcast",
         lambda right: _first_rows, "Broadcast"),
    Rule("pull-back", "a second use overwrites the gradient of the first", pullback._Walk, "_add",
         _overwritten),
    Rule("pull-back", "nothing is differentiable but the first leaf", pullback, "_differentiable",
         lambda right: lambda leaf: False),
    Rule("pull-back", "a recomputed block is not run again", recompute, "block_of",
         lambda right: lambda t, outer, within=None: None, "Recompute"),
    Rule("pull-back", "the last product of a recomputed block is not run again", pullback._Walk,
         "run", _dead_code_left_out, "Recompute"),
)  # fmt: skip


# ------------------------------------------------------------------------------- what is kept


def _with_weights(right: Any) -> Wrong:
    def kept(pull: Any) -> Any:
        found = right(pull)
        mentioned = {arg for t in pull.tensors for arg in t.args if isinstance(arg.op, Param)}
        weights = tuple(sorted(mentioned, key=lambda t: t.order))
        return replace(found, roots=(*weights, *found.roots))

    return kept


def _less(right: Any) -> Wrong:
    def kept(pull: Any) -> Any:
        found = right(pull)
        return replace(found, roots=found.roots[1:])

    return kept


def _with_blocks(right: Any) -> Wrong:
    """Recomputed blocks that keep what they compute all the same."""

    def kept(pull: Any) -> Any:
        inside = (t for t in pull.program.tensors if t.args and block_of(t, pull.scope))
        found = right(pull)
        return replace(found, roots=(*found.roots, *inside))

    return kept


def carried(times: Callable[[Expr], Expr]) -> Callable[[Any], Wrong]:
    """The size of a carried state, but of another number of tensors."""
    return lambda right: lambda state, n: times(n) * state.result.size


def _whole_regions(right: Any) -> Wrong:
    """Fused bodies that keep whatever they compute."""

    def kept(pull: Any) -> Any:
        fused = (t for t in pull.program.tensors if t.region and t.args)
        found = right(pull)
        return replace(found, roots=tuple(dict.fromkeys((*found.roots, *fused))))

    return kept


KEPT = (
    Rule("saved", "a fused body keeps all that it computes", saved, "kept", _whole_regions,
         "Fused", FUSED),
    Rule("saved", "weights are included", saved, "kept", _with_weights),
    Rule("saved", "the first tensor is forgotten", saved, "kept", _less),
    Rule("saved", "a recomputed block keeps what is in it", saved, "kept", _with_blocks),
    Rule("saved", "views are counted apart from what they show", saved, "root",
         lambda right: lambda t: t),
    Rule("saved", "what repeated bodies hand on is counted in each, twice", saved.KeptState,
         "size", carried(lambda n: 2 * n), "Call"),
    Rule("saved", "what repeated bodies hand on is not counted", saved.KeptState,
         "size", carried(lambda n: Integer(0)), "Call"),
    Rule("saved", "the last of what is handed on is counted too", saved.KeptState,
         "size", carried(lambda n: n + 1), "Call"),
)  # fmt: skip


# ------------------------------------------------------------------------------- what is counted


def once(right: Any) -> Wrong:
    """A tally in which a repeated body counts once."""
    return lambda program, price, times=ONE: right(program, price)


def _free_again(right: Any) -> Wrong:
    """A tally in which what is run again costs nothing."""

    def tallied(program: Any, price: Any, times: Expr = ONE) -> tally.Tally:
        again = set(getattr(program, "again", ()))
        found: tally.Tally = right(program, lambda t: tally.ZERO if t in again else price(t), times)
        return found

    return tallied


def _tied_twice(right: Any) -> Wrong:
    return lambda program, weight, scope, own, first: right(
        program, weight, scope, weight.size, True
    )


def _no_biases(right: Any) -> Wrong:
    return lambda program: params._weights(
        program, lambda body, t: isinstance(t.op, Param) and t.rank > 1
    )


def _first_item(right: Any) -> Wrong:
    def tallied(program: Any, bytes_of: Any) -> tally.Tally:
        found = right(program, bytes_of)
        return tally.Tally(found.scope, found.items[1:])

    return tallied


def _one_weight_set(right: Any) -> Wrong:
    """Parameters in which a repeated body counts once."""

    def weights(program: Any, counts: Any, *size: Any) -> tally.Tally:
        found = right(program, counts, *size)
        items = (i if isinstance(i, tally.Amount) else tally.Tally(i.scope, i.items)
                 for i in found.items)  # fmt: skip
        return tally.Tally(found.scope, tuple(items))

    return weights


COUNTED = (
    Rule("count", "one layer stands for the whole model: work", tally, "tally", once, "Call"),
    Rule("count", "what is run again is free", tally, "tally", _free_again, "Recompute"),
    Rule("count", "one layer stands for the whole model: weights", params, "_weights",
         _one_weight_set, "Call"),
    Rule("count", "a tied weight counts at each use", params, "_amount", _tied_twice, "Param"),
    Rule("count", "vectors are no parameters", params, "params", _no_biases, "Param"),
    Rule("count", "an input is not read", traffic, "traffic", _first_item),
    Rule("count", "the first operation moves nothing", traffic, "unfused_traffic", _first_item),
    Rule("count", "a cache holds keys or values", traffic, "state", _first_item),
)  # fmt: skip
