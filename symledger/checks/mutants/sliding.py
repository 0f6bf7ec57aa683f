"""Rules of windows, of scans and of masks, replaced by wrong ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sympy import Expr, Integer, Piecewise, Symbol, oo

from symledger.checks.mutants.amounts import carried, once
from symledger.checks.mutants.gradients import gradient_of
from symledger.checks.mutants.mutant import Mutant
from symledger.checks.mutants.rules import Rule, Targets, Wrong, of_rules, priced
from symledger.components.attention import dot_product
from symledger.ir.ops import Overlap, Pairs, View, Windows
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import table
from symledger.notation.windows import overlap, windows
from symledger.readings import flops, params, pullback, saved, tally

WINDOWED: Targets = (
    ("conv1d", {}), ("conv_transpose2d", {}), ("max_pool1d", {}),
)  # fmt: skip
"""Targets that together use every rule of windows."""

SCANNED: Targets = (("gru", {}), ("rnn", {"bidirectional": True}))
"""Targets that go along an axis, step by step, in both directions."""

MASKED: Targets = (("cached_attention", {}), ("mini_gpt", {}))
"""Targets in which some pairs are hidden."""


def mutants() -> Iterator[Mutant]:
    """Yield every wrong rule."""
    return of_rules((*WINDOWS, *SCANS, *MASKS))


# ------------------------------------------------------------------------- windows and scans


def _by_step(found: tally.Tally, program: Any) -> tally.Tally:
    """Parameters in which a set that all applications share counts at each of them."""
    times = {t.op.body.scope: t.op.times for t in program.calls}
    items = (i if isinstance(i, tally.Amount) else tally.Tally(i.scope, i.items, times[i.scope])
             for i in found.items)  # fmt: skip
    return tally.Tally(found.scope, tuple(items))


def _slid(kind: type[Any], **forgotten: Expr) -> Callable[[Any], Wrong]:
    """The gradient of windows (or of windows laid back) that slide in another way."""

    def gradient(t: Tensor, g: Tensor, place: int) -> Tensor:
        op, arg = t.op, t.args[place]
        assert isinstance(op, Windows | Overlap)
        how = {"stride": op.stride, "padding": op.padding, "dilation": op.dilation, **forgotten}
        if isinstance(op, Windows):
            return overlap(g, op.axis, arg.shape[op.axis], **how)
        return windows(g, op.axis, *arg.shape[op.axis : op.axis + 2], **how)

    return gradient_of(kind, gradient)


def _shown(t: Tensor) -> Tensor:
    """The tensor whose storage this one is a view of, if what windows show were stored."""
    while isinstance(t.op, View) and not isinstance(t.op, Windows):
        t = t.args[0]
    return t


def _without_results(stacked: bool) -> Callable[[Any], Wrong]:
    """The gradients of stacked results, or those of the last states, are forgotten."""
    return lambda right: lambda walk, call, taken: right(
        walk, call, [r for r in taken if (getattr(r.op, "axis", None) is None) is stacked]
    )


WINDOWS = (
    *(
        Rule("windows", f"{named} windows forget their {what}", pullback, "_of_argument",
             _slid(kind, **{what: neutral}), kind.__name__, WINDOWED)
        for kind, named in ((Windows, "pulled back,"), (Overlap, "laid back,"))
        for what, neutral in (("stride", ONE), ("padding", Integer(0)), ("dilation", ONE))
    ),
    *(
        Rule("windows", mistake, flops, "pointwise", priced(kind, price), kind.__name__, WINDOWED)
        for mistake, kind, price in (
            ("laying windows back is free", Overlap, lambda t, p: Integer(0)),
            ("laying windows back costs an addition for each result", Overlap,
             lambda t, p: t.size),
            ("seeing through windows costs 1 an element", Windows, lambda t, p: t.size),
        )
    ),
    Rule("windows", "what windows show is kept as often as it is seen", saved, "root",
         lambda right: _shown, "Windows", WINDOWED),
)  # fmt: skip

SCANS = (
    Rule("scan", "the gradients of stacked results are forgotten", pullback._Walk, "_arriving",
         _without_results(stacked=True), "Call", SCANNED),
    Rule("scan", "the gradients of the last states are forgotten", pullback._Walk, "_arriving",
         _without_results(stacked=False), "Call", SCANNED),
    Rule("scan", "gradients of shared weights are added up for free", flops, "_accumulated",
         lambda right: lambda t, leaf: Integer(0), "Call", SCANNED),
    Rule("scan", "one addition more for shared weights", flops, "_accumulated",
         lambda right: lambda t, leaf: right(t, leaf) + t.size, "Call", SCANNED),
    Rule("scan", "every step has weights of its own", params, "_weights",
         lambda right: lambda *args: _by_step(right(*args), args[0]), "Call", SCANNED),
    Rule("scan", "one step stands for all of them", tally, "tally", once, "Call", SCANNED),
    Rule("scan", "the states between steps are not counted", saved.KeptState, "size",
         carried(lambda n: Integer(0)), "Call", SCANNED),
    Rule("scan", "the states between steps are counted twice", saved.KeptState, "size",
         carried(lambda n: 2 * n), "Call", SCANNED),
)  # fmt: skip


# ----------------------------------------------------------------------------------------- masks


def _all_seen(right: Any) -> Wrong:
    """A causal mask that hides nothing, and says so."""
    return lambda T, S: (
        table("mask", lambda t, s: Integer(0), T, S), Pairs("T", "S", T * S)
    )  # fmt: skip


def _unmasked(right: Any) -> Wrong:
    def mixed(core: Any, q: Any, k: Any, v: Any, masked: Any, *rest: Any, **more: Any) -> Any:
        return right(core, q, k, v, (None, None), *rest, **more)

    return mixed


def _shifted(by: int) -> Callable[[Any], Wrong]:
    """A causal mask by which every query sees some positions more, its count left as it is."""

    def wrong(right: Any) -> Wrong:
        def mask(T: Expr, S: Expr) -> Any:
            def visible(t: Symbol, s: Symbol) -> Expr:
                return Piecewise((Integer(0), s <= t + S - T + by), (-oo, True))

            return table("mask", visible, T, S), right(T, S)[1]

        return mask

    return wrong


def _counted_as(count: Callable[[Expr, Expr], Expr]) -> Callable[[Any], Wrong]:
    def wrong(right: Any) -> Wrong:
        return lambda T, S: (right(T, S)[0], Pairs("T", "S", count(T, S)))

    return wrong


MASKS = (
    Rule("mask", "the causal mask hides nothing", dot_product, "causal_mask",
         _all_seen, "Pairs", MASKED),
    Rule("mask", "the causal mask is dropped altogether", dot_product.HeadAttention, "mixed",
         _unmasked, "Pairs", MASKED),
    Rule("mask", "a query does not see itself", dot_product, "causal_mask",
         _shifted(-1), "Pairs", MASKED),
    Rule("mask", "a query sees one position of the future", dot_product, "causal_mask",
         _shifted(1), "Pairs", MASKED),
    Rule("mask", "T(T+1)/2 pairs, cache or not", dot_product, "causal_mask",
         _counted_as(lambda T, S: T * (T + 1) / 2), "Pairs", MASKED),
    Rule("mask", "half of all pairs", dot_product, "causal_mask",
         _counted_as(lambda T, S: T * S / 2), "Pairs", MASKED),
)  # fmt: skip
