"""Programs with one tensor changed: everything that depends on it is built again.

The body of a repetition stays as it is, but its backward program may be where the change is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symledger.ir.building import inside
from symledger.ir.tensor import CallBack, Program, Pullback, Region, Tensor

Change = Callable[[Tensor, tuple[Tensor, ...]], Tensor]
"""Makes another tensor from one and its (rewritten) arguments."""


class Rewriting:
    """A copy of a program, and of its backward program, in which one tensor was changed."""

    def __init__(self, at: Tensor, change: Change) -> None:
        self.at = at
        self.change = change
        self.made: dict[Tensor, Tensor] = {}
        self.regions: dict[Region, Region] = {}

    def program(self, old: Program) -> Program:
        """Return the copy of a program."""
        self._all(old.tensors)
        for region, copy in self.regions.items():
            copy.named.update({name: self.made[t] for name, t in region.named.items()})
            copy.outputs = self._all(region.outputs)
        ends = (self._all(old.inputs), self._all(old.outputs), self._all(old.idle))
        return Program(old.scope, *ends)

    def pullback(self, old: Pullback, program: Program) -> Pullback:
        """Return the copy of a backward program, over the copy of its program."""
        seeds = self._all(old.seeds)
        self._all(old.tensors)
        found = {self.made.get(leaf, leaf): self._one(g) for leaf, g in old.gradients.items()}
        return Pullback(program, seeds, found, self._all(old.again))

    def _body(self, old: Pullback) -> Pullback:
        """Return the copy of the backward program of a repeated body, which itself stays."""
        inner = Rewriting(self.at, self.change)
        kept = {x for body in old.program.bodies for x in body.tensors}
        inner.made = {x: x for x in (*kept, *old.seeds)}
        return inner.pullback(old, old.program)

    def _again(self, t: Tensor, args: tuple[Tensor, ...]) -> Tensor:
        """Build a tensor again; one that goes back through a repetition, through its copy."""
        if not isinstance(t.op, CallBack):
            return again(t, args)
        first, last, only = (self._body(x) if x else None for x in (
            t.op.first, t.op.last, t.op.only))  # fmt: skip
        op = CallBack(self._one(t.op.call), self._body(t.op.body), first, last, only)
        return again(t, args, op=op)

    def _all(self, tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(self._one(t) for t in tensors)

    def _one(self, t: Tensor) -> Tensor:
        if t not in self.made:
            args = self._all(t.args)
            with inside(t.scope, self._region(t.region)):
                self.made[t] = (self.change if t is self.at else self._again)(t, args)
        return self.made[t]

    def _region(self, old: Region | None) -> Region | None:
        """The copy of a fused region; its tensors are named when all have been made."""
        return None if old is None else self.regions.setdefault(old, Region(old.pullback))


def again(t: Tensor, args: tuple[Tensor, ...], **other: Any) -> Tensor:
    """Build a tensor again, on other arguments or with something else changed about it."""
    as_it_was = {"op": t.op, "shape": t.shape, "storage": t.storage, "state": t.state}
    return Tensor(args=args, **{**as_it_was, **other})
