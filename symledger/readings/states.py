"""What is kept between decoding steps? What definitions mark as kept, and whether it grows."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Symbol

from symledger.ir.ops import Input
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Program, Tensor


def states(program: Program) -> Iterator[Tensor]:
    """Yield what is kept between decoding steps."""
    for body in program.bodies:
        yield from (t for t in body.tensors if t.state is not None)


def of_positions(program: Program) -> frozenset[Tensor]:
    """Return what is kept for each position (keys, values); all else stays as long as it is.

    So does the last position alone, and what is left over of groups.
    """
    counting = _counting(program)
    return frozenset(
        t for t in states(program)
        if t.shape[1].free_symbols and t.shape[1].free_symbols <= counting
        and (not is_window(t) or _is_length(t.state))
    )  # fmt: skip


def positions(t: Tensor) -> Expr:
    """Return how many positions there are, whether kept or not."""
    return t.shape[1]


def is_window(t: Tensor) -> bool:
    """Whether only the last positions are kept."""
    return bool(t.state != t.shape[1])


def _is_length(kept: Expr | None) -> bool:
    """Whether so many positions are a window: a size, or a number above one."""
    return kept is not None and bool(kept.is_Atom) and kept != ONE


def _counting(program: Program) -> set[Symbol]:
    """Return the sizes that count positions, as axis 1 of what enters does.

    So do those in a multiple along another axis (two frames of sound a position), those that are
    defined from others, and those that stand with others where something was remembered: S − T.
    """
    found: set[Symbol] = set()
    for t in program.inputs:
        for axis, length in enumerate(t.shape[1:], 1):
            found |= length.free_symbols if axis == 1 or not length.is_Symbol else set()
    for symbol, e in program.definitions.items():
        found |= {symbol} if e.free_symbols & found else set()
    for body in program.bodies:
        for t in body.tensors:
            if isinstance(t.op, Input) and t.op.remembered and len(t.shape) > 1:
                before = t.shape[1].free_symbols
                found |= before if before & found else set()
    return found
