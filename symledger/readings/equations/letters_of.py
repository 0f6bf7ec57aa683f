"""Which letters the axes of a tensor should have: those of its making, its uses, its sizes."""

from __future__ import annotations

from typing import assert_never

from symledger.ir import ops
from symledger.ir.sizing import index_sizes
from symledger.ir.tensor import Call, CallBack, Op, Result, Tensor
from symledger.readings.equations.letters import Axis, lower, merged, plain
from symledger.readings.equations.outline import Sheet, groups_of


class Axes:
    """The letters wanted for the axes of the tensors of a sheet, each asked for once."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.known: dict[Tensor, tuple[Axis, ...]] = {}

    def of(self, t: Tensor) -> tuple[Axis, ...]:
        """The letters wanted for the axes of a tensor: of its making, its uses, its sizes."""
        if t not in self.known:
            made, uses, part = self._made_of(t), self.sheet.wanted.get(t, ()), along(t.op)
            here = tuple(axis for i, axis in enumerate(made) if i != part)
            here = here if part is None else (*here[:part], (), *here[part:])
            like = [self.of(self.sheet.like[t])] if t in self.sheet.like else []
            sources = [*like, lower(here), lower(uses), plain(t.shape), made, uses]
            self.known[t] = merged(t.shape, sources)
        return self.known[t]

    def _made_of(self, t: Tensor) -> tuple[Axis, ...]:
        """The letters that the operation behind a tensor has for its axes."""
        applied = self.sheet.application(t)
        if applied is not None:
            return next((self.of(x) for x in applied.args if x.shape == t.shape), ())
        match t.op:
            case ops.Contract(_, _, out):
                wanted = self.of_indices(t)
                return tuple(wanted[n] for n in out)
            case ops.Rearrange(_, right, _, _):
                return merged(t.shape, [groups_of(t.op, right), self._moved(t, t.op)])
            case ops.Map() | ops.Repeat() | ops.Join():
                return merged(t.shape, [self.of(x) for x in t.args])
            case ops.Windows(axis):
                inner = self.of(t.args[0])
                return (*inner[:axis], (), (), *inner[axis + 1 :])
            case ops.Solve():
                return self.of(t.args[1])
            case ops.Overlap(axis):
                inner = self.of(t.args[0])
                return (*inner[:axis], (), *inner[axis + 2 :])
            case ops.Sum() | ops.Max() | ops.MaxIndex() | ops.Slice() | ops.Pad():
                return self.of(t.args[0])
            case ops.Input() | ops.Param() | ops.Const() | ops.Gather() | ops.Scatter():
                return ()
            case Call() | CallBack() | Result():
                return ()
            case _:
                assert_never(t.op)

    def of_indices(self, t: Tensor) -> dict[str, Axis]:
        """The letters wanted for each index of a Contract: a merged axis keeps its parts."""
        assert isinstance(t.op, ops.Contract)
        found: dict[str, Axis] = {n: ((n, length),) for n, length in index_sizes(t).items()}
        for x, names in zip(t.args, (t.op.left, t.op.right), strict=False):
            if x not in self.sheet.names:
                axes = zip(names, self.of(x), strict=True)
                found |= {n: axis for n, axis in axes if len(axis) > 1}
        return found

    def _moved(self, t: Tensor, op: ops.Rearrange) -> tuple[Axis, ...]:
        names = {g[0]: a for g, a in zip(op.left, self.of(t.args[0]), strict=True) if len(g) == 1}
        return tuple(names.get(g[0], ()) if len(g) == 1 else () for g in op.right)


def along(op: Op) -> int | None:
    """The axis that an operation takes a part of, or makes of parts."""
    return op.axis if isinstance(op, ops.Slice | ops.Pad | ops.Join) else None
