"""Layers with tables of their own, the last of which may use keys and values of earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from sympy import Expr, Integer

from symledger.ir.tensor import Tensor
from symledger.models.shared.fed import FedBlock
from symledger.models.shared.windows import ZERO
from symledger.notation.component import Component
from symledger.notation.verbs import narrow, repeat, scan, view

Alone = Literal["none", "full", "windowed", "both"]
"""Of which kinds there is a single layer that has keys and values of its own, where some share."""
WINDOWED = "windowed_block"


@dataclass
class Stack:
    """The layers of one model, and of their rows those that were not used yet.

    ``kinds`` are its blocks by name, each with how many layers have keys and values of their own,
    and how many use those of another; ``late`` makes the latter of the former. Of the layers that
    lend nothing the ``first`` ones of a kind may be other blocks.
    """

    kinds: Mapping[str, tuple[FedBlock, Expr, Expr]]
    late: Callable[[FedBlock], FedBlock]
    rows: Tensor | None
    alone: Alone = "none"
    recompute: bool = False
    first: Mapping[str, tuple[FedBlock, Expr]] = field(default_factory=dict)
    used: Expr = ZERO

    def through(self, x: Tensor) -> Tensor:
        """Send vectors through all layers; of each kind that lends, the last one gives."""
        lent: dict[str, list[Tensor]] = {}
        for name, (one, own, borrowing) in self.kinds.items():
            if borrowing == 0:
                x = self.begun(one, own, name, x)
                continue
            if self.alone not in ("both", "windowed" if name == WINDOWED else "full"):
                x = self.begun(one, own - 1, name, x)
            *lent[name], x = self.once(one, f"lending_{name}", x)
        for name, kv in lent.items():
            one, _, borrowing = self.kinds[name]
            x = self.repeated(self.late(one), borrowing, f"late_{name}", x, *kv)
        return x

    def begun(self, block: FedBlock, times: Expr, name: str, x: Tensor) -> Tensor:
        """Apply layers that lend nothing, the first of which may be others."""
        if name in self.first:
            other, number = self.first[name]
            x = self.repeated(other, number, f"sparse_{name}", x)
            times = times - number
        return self.repeated(block, times, name, x)

    def taken(self, times: Expr) -> tuple[Tensor, ...]:
        """Return the rows of the next layers."""
        if self.rows is None:
            return ()
        self.used, start = self.used + times, self.used
        return (narrow(self.rows, 0, start, times),)

    def repeated(
        self, block: Component, times: Expr, name: str, x: Tensor, *kv: Tensor
    ) -> Tensor:  # fmt: skip
        """Apply a layer several times, each time with rows of its own."""
        if self.rows is None:
            return repeat(block, times, x, *kv, name=name, recompute=self.recompute)
        (x,) = scan(block, times, (x,), *kv, name=name, over=self.taken(times),
                    recompute=self.recompute)  # fmt: skip
        return x

    def once(self, block: FedBlock, name: str, x: Tensor) -> tuple[Tensor, ...]:
        """Apply a layer that lends its keys and values; return these and what it gives."""
        lends = replace(block, attention=replace(block.own, lends=True))
        rows = [view("one B T p -> (one B) T p", each) for each in self.taken(Integer(1))]
        return lends.apply(x, *rows, name=name, recompute=self.recompute)
