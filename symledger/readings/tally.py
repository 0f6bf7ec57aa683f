"""What every extensive reading returns: amounts, each where it arises, repeated bodies nested."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sympy import Expr, Integer

from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import Call, CallBack, Program, Pullback, Scope, Tensor

ZERO = Integer(0)


class Amount(NamedTuple):
    """How much of something one tensor accounts for, and in which component.

    A tuple is made in a third of the time, and there are thousands.
    """

    scope: Scope
    own: Expr
    label: str = ""
    shape: Shape | None = None
    note: str = ""


@dataclass(frozen=True)
class Tally:
    """The amounts of a program, and those of its repeated bodies, each ``times`` times."""

    scope: Scope
    items: tuple[Amount | Tally, ...]
    times: Expr = ONE

    @property
    def total(self) -> Expr:
        """The sum of everything, as it was written (not expanded)."""
        parts = (i.own if isinstance(i, Amount) else i.total for i in self.items)
        return self.times * sum(parts, start=ZERO)

    def amounts(self) -> Iterator[Amount]:
        """Yield the amounts of one pass through every body."""
        for item in self.items:
            if isinstance(item, Amount):
                yield item
            else:
                yield from item.amounts()


Price = Callable[[Tensor], Expr]


def tally(program: Program | Pullback, price: Price, times: Expr = ONE) -> Tally:
    """Price every tensor of a program; a repeated body is priced once and counted ``times``."""
    items: list[Amount | Tally] = []
    for t in program.tensors:
        own = price(t)
        if own is not ZERO:  # SymPy has one zero
            items.append(Amount(t.scope, own, type(t.op).__name__, t.shape))
        if isinstance(t.op, Call):
            items.append(tally(t.op.body, price, t.op.times))
        if isinstance(t.op, CallBack):
            call = t.op.call.op
            assert isinstance(call, Call)
            apart = [body for body in (t.op.first, t.op.last) if body]
            items.append(tally(t.op.body, price, call.times - len(apart)))
            items += [tally(body, price) for body in apart]
    return Tally(program.scope, tuple(items), times)
