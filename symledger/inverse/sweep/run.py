"""Looking at every configuration of a grid, block after block, on all cores.

Lemma. Let sizes inside rise along a row, and all terms of a polynomial in which one of them occurs
have one sign, in every branch. Then along a row each branch never falls, or none ever rises, and so
does the largest of them. So a comparison with zero by order turns once at most in a row: where it
does is bisected. Each value that is looked at is exact, as it is where every one is. ∎
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from math import prod

import numpy as np

from symledger.inverse.sweep.axes import count
from symledger.inverse.sweep.columns import Array, Block, single
from symledger.inverse.sweep.plan import Plan, Test

CELLS = 2**17
"""How many configurations a block holds: what fits a core's own memory."""
BISECTED = 2**20
"""How many it holds where rows are bisected, of which few are looked at."""
MANY = 64
"""Configurations of a row from which on it is bisected where a condition turns."""
ORDERS = ("<=", "<", ">=", ">")
COMPARE: Mapping[str, Callable[[Array], Array]] = {
    "<=": lambda a: a <= 0, "<": lambda a: a < 0, ">=": lambda a: a >= 0, ">": lambda a: a > 0,
    "==": lambda a: a == 0, "!=": lambda a: a != 0,
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What one block has: how many were looked at and can be, and those that are within."""

    looked: int
    legal: int
    sizes: list[Array] = field(default_factory=list)
    values: dict[str, Array] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many are within."""
        return len(self.sizes[0]) if self.sizes else 0


def found_in(plan: Plan, limit: int | None) -> Iterator[Found]:
    """Yield what each block has, in order: the axis that is longest varies fastest."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    pending: deque[Future[Found]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for block in _blocks(plan, limit):
                pending.append(pool.submit(_look, plan, block))
                if len(pending) >= 4 * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def _blocks(plan: Plan, limit: int | None) -> Iterator[Block]:
    inside = plan.inside
    outer = [i for i in range(len(plan.axes)) if i != inside]
    lengths = [len(plan.axes[i].values) for i in outer]
    along = len(plan.axes[inside].values)
    bisected = all(_turns_once(test, inside) for test in plan.tests[: len(plan.conditions)])
    cells = BISECTED if bisected else CELLS
    width = min(along, cells)
    height = max(cells // width, 1)
    left = count(plan.axes) if limit is None else limit
    for first in range(0, prod(lengths), height):
        rows = np.arange(first, min(first + height, prod(lengths)))
        for start in range(0, along, width):
            stop = min(start + width, along)
            whole = min(left // (stop - start), len(rows))
            rest = min(left - whole * (stop - start), stop - start) if whole < len(rows) else 0
            for some, end in ((rows[:whole], stop), (rows[whole : whole + 1], start + rest)):
                if len(some) and end > start:
                    at = np.unravel_index(some, lengths) if outer else ()
                    index = dict(zip(outer, at, strict=True))
                    yield Block(index, inside, slice(start, end), plan.columns, len(some))
            left -= whole * (stop - start) + rest
            if left <= 0:
                return


def _look(plan: Plan, block: Block) -> Found:
    """Look at one block: what decides whole rows first, and only the rows that are left inside."""
    looked = block.height * block.width
    conditions = len(plan.conditions)
    rules = [lambda b, t=t: t.of(b) for t in plan.tables]
    rules += [lambda b, t=t: _holds(b, t) for t in plan.tests[conditions:]]
    legal, block = _all(block, rules)
    number = int(legal.sum()) * (block.width if legal.shape[1] == 1 else 1)
    if not number:
        return Found(looked, 0)
    for test in plan.tests[:conditions]:
        legal = legal & _holds(block, test)
        rows = np.asarray(legal.any(axis=1))
        if not rows.all():
            block, legal = block.kept(rows), legal[rows]
        if not block.height:
            return Found(looked, number)
    whole = np.broadcast_to(legal, (block.height, block.width))
    return _gathered(plan, block, whole, Found(looked, number))


def _all(block: Block, rules: Sequence[Callable[[Block], Array]]) -> tuple[Array, Block]:
    """Return where all rules hold, and the block without the rows in which they never do."""
    mask: Array = np.ones((block.height, 1), dtype=bool)
    for rule in rules:
        mask = mask & rule(block)
        rows = np.asarray(mask.any(axis=1))
        if not rows.all():
            block, mask = block.kept(rows), mask[rows]
    return mask, block


def _holds(block: Block, test: Test) -> Array:
    """Return where a condition holds: exact, whatever it is evaluated in."""
    if block.width < MANY or not _turns_once(test, block.inside):
        return _evaluated(block, test)
    first = _evaluated(block.at(np.zeros(block.height, dtype=np.int64)), test)
    same, other = np.zeros(block.height, dtype=np.int64), np.full(block.height, block.width)
    while (other - same > 1).any():
        middle = (same + other) // 2
        alike = (_evaluated(block.at(middle), test) == first)[:, 0]
        same, other = np.where(alike, middle, same), np.where(alike, other, middle)
    return np.asarray((np.arange(block.width) < other[:, None]) == first)


def _turns_once(test: Test, inside: int) -> bool:
    """Whether a condition turns once at most along a row."""
    varies = inside in test.polynomial.axes
    return varies and test.operator in ORDERS and test.polynomial.goes_one_way(inside)


def _evaluated(block: Block, test: Test) -> Array:
    """Return where a condition holds, each configuration by itself."""
    compare, s = COMPARE[test.operator], test.polynomial
    if s.fits:
        return compare(block.largest(s, "int64"))
    with np.errstate(all="ignore"):
        about, error = block.largest(s, "float64"), block.error(s)
        clear = np.abs(about) > error
    holds = compare(about)
    if not clear.all():
        _exactly(block, test, holds, ~clear)
    return holds


def _exactly(block: Block, test: Test, holds: Array, unclear: Array) -> None:
    """Compare anew, in whole numbers of any length, what is too close to tell in floating point."""
    rows, along = np.nonzero(unclear)
    inner = along if holds.shape[1] > 1 else np.zeros_like(along)
    value = _at(block, rows, inner).largest(test.polynomial, "object")[:, 0]
    holds[rows, along] = COMPARE[test.operator](value).astype(bool)


def _at(block: Block, rows: Array, along: Array) -> Block:
    """Return some configurations of a block as rows of their own."""
    at = {axis: index[rows] for axis, index in block.rows.items()}
    at[block.inside] = along + block.along.start
    return single(at, block.columns)


def _gathered(plan: Plan, block: Block, mask: Array, found: Found) -> Found:
    rows, along = np.nonzero(mask)
    if not len(rows):
        return found
    chosen = _at(block, rows, along)
    sizes = [
        plan.columns[symbol].values[chosen.rows[i]] for i, symbol in enumerate(plan.freed.free)
    ]
    values = {name: plan.exact(chosen, s) for name, s in plan.quantities.items()}
    return Found(found.looked, found.legal, sizes, values)
