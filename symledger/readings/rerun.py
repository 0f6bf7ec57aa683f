"""When is a block run again? Before it is gone back through, or before what reads it is.

A block whose results are kept is run again when it is its turn. One that discards them is run
again as soon as something that reads one of them is gone back through, and stands in there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symledger.errors import DefinitionError
from symledger.ir import ops
from symledger.ir.tensor import Scope, Tensor
from symledger.notation.recompute import run_again


class Rerun:
    """The second runs of blocks in one walk backwards."""

    def __init__(self) -> None:
        self.members: dict[Scope, list[Tensor]] = {}
        self.block: dict[Tensor, Scope] = {}
        self.copies: dict[Scope, dict[Tensor, Tensor]] = {}

    def note(self, blocks: Mapping[Tensor, Scope | None]) -> None:
        """Note the blocks that discard what they give."""
        for t, block in blocks.items():
            if block is not None and block.discards:
                self.members.setdefault(block, []).append(t)
                self.block[t] = block

    def run(self, block: Scope, tensors: Sequence[Tensor]) -> dict[Tensor, Tensor]:
        """Run a block again, unless it was because something reads its results."""
        if block not in self.copies:
            own = set(tensors)
            entering = (x for t in tensors for x in t.args if x not in own)
            self.copies[block] = run_again(tensors, {x: self.now(x) for x in entering})
        return self.copies[block]

    def now(self, x: Tensor) -> Tensor:
        """Return what a tensor is going back: itself, or that of a block's second run."""
        below = x
        while isinstance(below.op, ops.View) and below not in self.block:
            below = below.args[0]
        block = self.block.get(below)
        if block is None or not below.args:
            return x
        copies = self.run(block, self.members[block])
        return _seen_as(x, below, copies.get(below, below))

    def reading(self, t: Tensor) -> Tensor:
        """Return an operation that reads what there is going back, if that reads anything."""
        if not self.block or not _is_read(t):
            return t
        args = tuple(map(self.now, t.args))
        if args == t.args:
            return t
        return Tensor(t.op, args, t.shape, t.storage, scope=t.scope)


def turns_of(
    tensors: Sequence[Tensor], blocks: Mapping[Tensor, Scope | None]
) -> dict[Scope, Tensor]:  # fmt: skip
    """At which of its tensors each block is gone back through: all that reads it was before.

    Raises:
        DefinitionError: something reads it that it reads itself.
    """
    first: dict[Scope, Tensor] = {}
    last: dict[Scope, Tensor] = {}
    for t in tensors:
        block = blocks[t]
        if block is not None and t.args:
            first.setdefault(block, t)
            last[block] = t
    place = {t: i for i, t in enumerate(tensors)}
    turns: dict[Scope, Tensor] = dict(first)
    for t in tensors:
        block = blocks[t]
        if block is not None and t.args and any(
            x.args and blocks.get(x) is not block and place.get(x, -1) > place[first[block]]
            for x in t.args
        ):
            turns[block] = last[block]
    for t in tensors:
        for x in t.args:
            block = blocks.get(x)
            if block and blocks[t] is not block and place[t] < place[turns.get(block, x)]:
                raise DefinitionError(
                    f"{block.name} cannot be run again: what it computes is read by something that "
                    "it reads itself."
                )
    return turns


def _is_read(t: Tensor) -> bool:
    """Whether going back through an operation reads what it was given."""
    match t.op:
        case ops.Contract() | ops.Max():
            return True
        case ops.Map(code):
            given = set(code.args)
            return any(given & set(code.slope(i).args) for i in range(len(t.args)))
        case _:
            return False


def _seen_as(x: Tensor, old: Tensor, new: Tensor) -> Tensor:
    """See what stands in for a tensor as that is seen."""
    if x is old:
        return new
    return Tensor(x.op, (_seen_as(x.args[0], old, new),), x.shape, x.storage, scope=x.scope)
