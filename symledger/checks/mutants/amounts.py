"""Wrong rules of what is kept for the backward pass, and of what counts how often."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer

from symledger.checks.mutants.mutant import Mutant
from symledger.checks.mutants.rules import FUSED, Rule, Wrong, of_rules
from symledger.ir.ops import Param
from symledger.ir.shapes import ONE
from symledger.notation.recompute import block_of
from symledger.readings import params, saved, tally, traffic


def mutants() -> Iterator[Mutant]:
    """Yield every wrong rule of what is kept and what counts."""
    return of_rules((*KEPT, *COUNTED))


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
