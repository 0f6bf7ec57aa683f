"""What every extensive reading returns: amounts, each where it arises, repeated bodies nested."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from sympy import Expr, Integer

from symledger.core.ops import Call, CallBack
from symledger.core.program import Program, Pullback
from symledger.core.tensor import ONE, Scope, Shape, Tensor

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


def tally(
    program: Program | Pullback, price: Price, kinds: tuple[type[Any], ...] = (),
    times: Expr = ONE,
) -> Tally:  # fmt: skip
    """Price every tensor of a program; a repeated body is priced once and counted ``times``.

    With ``kinds`` only what these kinds of operations make has a price.
    """
    items: list[Amount | Tally] = []
    for t in program.of(*kinds, Call, CallBack) if kinds else program.tensors:
        own = price(t)
        if own is not ZERO:  # SymPy has one zero
            items.append(Amount(t.scope, own, type(t.op).__name__, t.shape))
        match t.op:
            case Call(body=body, times=number):
                items.append(tally(body, price, kinds, number))
            case CallBack(call=call, body=pull, first=first):
                assert isinstance(call.op, Call)
                number = call.op.times - 1 if first else call.op.times
                items.append(tally(pull, price, kinds, number))
                if first:
                    items.append(tally(first, price, kinds))
    return Tally(program.scope, tuple(items), times)
