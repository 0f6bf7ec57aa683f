"""Blocks that are run again going back, in rounds of a loop: around all of them, or within each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symledger.traces.graph import Block
from symledger.tracing.runs.recording import Step

Extents = Mapping[int, tuple[int, int]]
"""Of each block, by its number, the places of its first step and of its last one."""


def extents(steps: Sequence[Step], order: Sequence[int]) -> Extents:
    """Return where blocks begin and end among the steps whose place matters."""
    found: dict[int, tuple[int, int]] = {}
    for k, number in enumerate(order):
        for b in steps[number].within:
            found[b.number] = found.get(b.number, (k, k))[0], k
    return found


class Regions:
    """The blocks of one loop's rounds.

    A block may stand around all rounds, or wholly within one; then every round has it.
    """

    def __init__(self, found: Extents, first: int, period: int) -> None:
        self.extents, self.first, self.period = found, first, period

    def around(self, step: Step, i: int) -> tuple[Block, ...]:
        """Return the blocks of a step of round i that reach beyond that round."""
        return tuple(b for b in step.within if not self._is_inside(b, i))

    def inside(self, step: Step, i: int) -> tuple[Block, ...]:
        """Return the blocks of a step of round i that are within that round."""
        return tuple(b for b in step.within if self._is_inside(b, i))

    def _is_inside(self, b: Block, i: int) -> bool:
        start, (first, last) = self.first + i * self.period, self.extents[b.number]
        return start <= first and last < start + self.period

    def follows(self, mine: Step, its: Step, i: int) -> bool:
        """Whether a step of round i is in blocks as one of the zeroth round is."""
        one, other = self.inside(mine, 0), self.inside(its, i)
        return self.around(mine, 0) == self.around(its, i) and (
            [self._form(b, 0) for b in one] == [self._form(b, i) for b in other]
        )

    def _form(self, b: Block, i: int) -> tuple[int, int, bool]:
        """Return where a block is in its round."""
        start, (first, last) = self.first + i * self.period, self.extents[b.number]
        return first - start, last - start, b.early
