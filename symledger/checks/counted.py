"""FLOP formulas against counted operations: equal to the unit, at every point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from sympy import Expr, Symbol

from symledger.checks.counting import Count, count
from symledger.checks.exact import value, whole
from symledger.checks.trial import Trial
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence, worst_of
from symledger.ir.ops import Const, Contract, Pairs
from symledger.ir.tensor import CallBack, Program, Pullback, Tensor
from symledger.readings.numpy.interpreter import Machine

SAME = 1e-9
"""How far a counting run may be from the run on floats: only the order of additions differs."""

LONGEST = 6
"""Masks are tabulated at all lengths up to this one."""

Pick = Callable[[Count], int]


def operations(
    trials: Sequence[Trial], counts: Sequence[Count], formula: Expr, quantity: str, pick: Pick,
    claim: str,
) -> Evidence:  # fmt: skip
    """Compare a FLOP formula with the operations counted in each trial.

    Args:
        trials: the runs, for their sizes.
        counts: what was counted in each of them.
        formula: the FLOPs as a formula.
        quantity: what the formula is called.
        pick: which number of a count it stands for.
        claim: what the claim is called that they are as many.
    """
    pairs = [
        (value(formula, trial.sizes), pick(counted))
        for trial, counted in zip(trials, counts, strict=True)
    ]
    wrong = [f"the formula gives {a}, {b} were counted" for a, b in pairs if a != b]
    wrong += [
        f"the counting run is {counted.deviation:.1e} from the run on floats"
        for counted in counts
        if not counted.deviation <= SAME
    ]
    return Evidence(
        quantity, Claim(claim), tuple(trial.point for trial in trials), trials[0].seed,
        worst_of(float(abs(a - b)) for a, b in pairs), not wrong, "; ".join(wrong),
    )  # fmt: skip


def forward_and_backward(
    trials: Sequence[Trial], formulas: Mapping[str, Expr], skip_masked: bool = False
) -> Iterator[Evidence]:
    """Count every trial once and compare it with each formula.

    ``formulas`` holds some of ``flops.forward``, ``flops.backward`` and the same with
    ``.pointwise``. With ``skip_masked`` contractions leave out the pairs that a mask hides, and
    nothing else is counted.
    """
    counts = [count(trial, skip_masked) for trial in trials]
    for quantity, formula in formulas.items():
        way, kind = _described(quantity)
        contracting = kind == "contraction"
        claim = f"contractions {way}" if contracting else f"pointwise {way}"
        claim = f"visible {claim}" if contracting and skip_masked else claim
        found = operations(trials, counts, formula, quantity, picked(quantity), claim)
        masked = contracting and trials[0].program.masks
        yield replace(found, causal=("exact" if skip_masked else "full") if masked else "")


def _described(quantity: str) -> tuple[str, str]:
    way = "forward" if quantity.startswith("flops.forward") else "backward"
    return way, "pointwise" if quantity.endswith(".pointwise") else "contraction"


def picked(quantity: str) -> Pick:
    """Return which number of a count a quantity is.

    >>> picked("flops.backward.pointwise")(Count({}, {"pointwise": 7}, 0.0))
    7
    """
    way, kind = _described(quantity)
    return lambda counted: (counted.forward if way == "forward" else counted.backward)[kind]


def pairs(program: Program, pull: Pullback | None = None) -> Evidence | None:
    """Compare every count of pairs with the true entries of its mask table, at several lengths.

    None where nothing is masked; a mask that never hides a pair is refused. There are never fewer
    keys than queries, nor than a window is long: the formulas of masks assume it.
    """
    tensors = [*_forward(program), *(_backward(pull) if pull else ())]
    contracts = [t for t in tensors if isinstance(t.op, Contract) and t.op.pairs]
    points: dict[str, dict[str, int]] = {}
    wrong: list[str] = []
    for t in contracts:
        assert isinstance(t.op, Contract)
        assert t.op.pairs
        hides = False
        for sizes in _lengths(t.args[2], t.op.pairs, program.definitions):
            table = Machine(sizes).execute(t.args[2], [])
            stated, true = value(t.op.pairs.count, sizes), int((table == 0).sum())
            points[str(sizes)] = {str(symbol): n for symbol, n in sizes.items()}
            hides = hides or true < table.size
            if stated != true:
                wrong.append(f"at {points[str(sizes)]} {stated} pairs are stated, {true} are true")
        if not hides:
            wrong.append(f"the mask of {t} hides nothing")
    if not contracts:
        return None
    return Evidence(
        "flops.forward", Claim("pairs"),
        tuple(points.values()), 0, str(len(wrong)), not wrong, "; ".join(wrong[:3]),
    )  # fmt: skip


def _lengths(
    mask: Tensor, pairs: Pairs, definitions: Mapping[Symbol, Expr]
) -> Iterator[dict[Symbol, int]]:  # fmt: skip
    """Small sizes at which there are as many keys as the count is stated for.

    There are at least as many as queries, as a window is long, and as count in another way; a size
    that those here decide is what they make it.
    """
    assert isinstance(mask.op, Const)
    symbols = set().union(*(n.free_symbols for n in (*mask.shape, mask.op.value, pairs.count)))
    least = [mask.shape[0], *(n for n in (pairs.window, pairs.inside) if n is not None)]
    decided = [definitions[symbol] for symbol in symbols if symbol in definitions]
    if len(decided) > 1:  # they have to agree, so that what decides them is tried
        symbols |= set().union(*(stated.free_symbols for stated in decided))
    free = sorted(symbols - set(mask.op.indices), key=str)
    for lengths in product(range(1, LONGEST + 1), repeat=len(free)):
        sizes = dict(zip(free, lengths, strict=True))
        keys = whole(mask.shape[1], sizes)
        fits = pairs.most is None or keys <= whole(pairs.most, sizes)
        if fits and max(whole(n, sizes) for n in least) <= keys and _as_defined(sizes, definitions):
            yield sizes


def _as_defined(sizes: Mapping[Symbol, int], definitions: Mapping[Symbol, Expr]) -> bool:
    """Whether sizes that others decide are what these make them, as far as all of them are met."""
    return all(
        whole(stated, sizes) == sizes[symbol] for symbol, stated in definitions.items()
        if {symbol, *stated.free_symbols} <= set(sizes)
    )  # fmt: skip


def _forward(program: Program) -> Iterator[Tensor]:
    for body in program.bodies:
        yield from body.tensors


def _backward(pull: Pullback) -> Iterator[Tensor]:
    for t in pull.tensors:
        yield t
        if isinstance(t.op, CallBack):
            for body in t.op.bodies:
                yield from _backward(body)
