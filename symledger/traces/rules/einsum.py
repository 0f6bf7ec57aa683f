"""Contractions by a pattern, kept whole: any number of tensors, two at a time."""

from __future__ import annotations

from typing import Any

from symledger.ir.scalars import MULTIPLY
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.verbs import einsum as contracted
from symledger.notation.verbs import reduce
from symledger.traces.rules.table import At, Made, rule
from symledger.traces.rules.views import permuted, reshaped

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
Named = tuple[Tensor, tuple[str, ...]]
"""A tensor and the names of its axes."""


@rule("einsum")
def einsum(at: At, equation: str, operands: Any) -> Made:
    """Multiply along shared indices and sum those that the result lacks.

    Two at a time, from the left, as PyTorch does where ``opt_einsum`` is not installed.
    """
    entering, out = _read(at, equation, operands)
    rest = [_alone(at, x, names, entering, out) for x, names in entering]
    while len(rest) > 1:
        (a, b), others = rest[:2], rest[2:]
        kept = {*out, *(n for _, names in others for n in names)}
        rest = [_two(at, a, b, kept), *others]
    x, names = rest[0]
    gone = tuple(i for i, n in enumerate(names) if n not in out)
    x = reduce(x, gone) if gone else x
    names = tuple(n for n in names if n in out)
    x = permuted(x, [names.index(n) for n in out if n in names])
    return reshaped(at, x, at.shape)


def _read(at: At, equation: str, operands: Any) -> tuple[list[Named], tuple[str, ...]]:
    """Return the tensors with the names of their axes, and those of the result."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    sides = left.split(",")
    free = [c for c in LETTERS if c not in equation]
    most = max(x.rank - len(s.replace("...", "")) for x, s in zip(operands, sides, strict=True))
    dots = tuple(free[:most])
    named = []
    for x, side in zip(operands, sides, strict=True):
        lead = x.rank - len(side.replace("...", ""))
        names = opened(side, dots[most - lead :])
        if len(set(names)) != len(names):
            raise at.refused(f"a diagonal in {equation!r} is not understood: take it before.")
        named.append((x, names))
    if not arrow:
        every = [n for _, names in named for n in names]
        once = sorted(n for n in set(every) if every.count(n) == 1 and n not in dots)
        return named, (*dots, *once)
    return named, opened(right, dots)


def opened(side: str, dots: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of a side, with names in place of the dots."""
    before, _, after = side.partition("...")
    return (*before, *dots, *after) if "..." in side else tuple(side)


def _alone(
    at: At, x: Tensor, names: tuple[str, ...], every: list[Named], out: tuple[str, ...]
) -> Named:  # fmt: skip
    """Leave out axes of length 1 that are longer elsewhere; they are broadcast."""
    longer = {n for other, its in every for n, size in zip(its, other.shape, strict=True)
              if size != ONE}  # fmt: skip
    gone = [i for i, n in enumerate(names) if x.shape[i] == ONE and n in longer]
    kept = [i for i in range(x.rank) if i not in gone]
    x = reshaped(at, x, tuple(x.shape[i] for i in kept))
    return x, tuple(names[i] for i in kept)


def _two(at: At, a: Named, b: Named, kept: set[str]) -> Named:
    """Contract two tensors: lone axes are summed first."""
    (x, mine), (y, its) = (_summed(p, q, kept) for p, q in ((a, b), (b, a)))
    shared = [n for n in mine if n in its]
    out = tuple(n for n in dict.fromkeys((*mine, *its)) if n in kept)
    if all(n in kept for n in shared):
        return _product(at, (x, mine), (y, its), out), out
    pattern = f"{' '.join(mine)}, {' '.join(its)} -> {' '.join(out)}"
    return contracted(pattern, x, y), out


def _summed(a: Named, b: Named, kept: set[str]) -> Named:
    x, names = a
    gone = tuple(i for i, n in enumerate(names) if n not in kept and n not in b[1])
    return (reduce(x, gone) if gone else x), tuple(n for n in names if n in kept or n in b[1])


def _product(at: At, a: Named, b: Named, out: tuple[str, ...]) -> Tensor:
    """Multiply without a sum: both are laid along all axes."""
    x, y = (_laid(at, named, out) for named in (a, b))
    return pointwise(MULTIPLY, x, y)


def _laid(at: At, a: Named, out: tuple[str, ...]) -> Tensor:
    x, names = a
    order = [names.index(n) for n in out if n in names]
    x = permuted(x, order) if order != list(range(x.rank)) else x
    rest = iter(x.shape)
    return reshaped(at, x, tuple(next(rest) if n in names else ONE for n in out))
