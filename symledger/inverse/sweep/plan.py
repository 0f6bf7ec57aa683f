"""What a sweep evaluates at every configuration: conditions, legality, quantities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import prod

import numpy as np
from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.algebra.parsing import least
from symledger.errors import BadInput, SymledgerError, shown
from symledger.inverse.depths import Often, formula_in, often
from symledger.inverse.form import Freed, freed, never_falls
from symledger.inverse.legal import legal
from symledger.inverse.rounding import Value, evaluator
from symledger.inverse.sweep.axes import Axis, count
from symledger.inverse.sweep.columns import (
    Array,
    Block,
    Column,
    Columns,
    Kind,
    Scaled,
    column,
    scaled,
    single,
)
from symledger.inverse.sweep.where import Condition, Operator, Reader

LOOKED = 400
"""How many configurations are looked at for two that the target can be of."""
CHECKED = 24
"""How many are derived anew before the sweep begins, and must agree."""
TABLE = 2**23


@dataclass(frozen=True)
class Test:
    """A condition over the grid: a polynomial compared with zero."""

    polynomial: Scaled
    operator: Operator


@dataclass(frozen=True, eq=False)
class Table:
    """Whether a length is whole, for every combination of the axes that it depends on."""

    axes: tuple[int, ...]
    holds: Array

    def of(self, block: Block) -> Array:
        """Return whether it is for a block: one column where nothing varies inside."""
        index = tuple(
            slice(None) if axis == block.inside else block.rows[axis] for axis in self.axes
        )
        if block.inside not in self.axes:
            return np.asarray(self.holds[index])[:, None]
        at = self.axes.index(block.inside)
        last = np.moveaxis(self.holds, at, -1)[..., block.along]
        rows = tuple(block.rows[axis] for axis in self.axes if axis != block.inside)
        return np.asarray(last[rows] if rows else last[None, :])


def _whole(of: Value, over: Symbol, n: int) -> int:
    """Return a rounded size; 0, at which nothing can be, where it is none."""
    found = of({over: n})
    return int(found) if found is not None and found > 0 and found.denominator == 1 else 0


class Plan:
    """A grid of a target, and what is asked of each of its configurations."""

    def __init__(
        self, account: Account, axes: Sequence[Axis], where: Sequence[str], shown_of: Sequence[str]
    ) -> None:  # fmt: skip
        self.account, self.axes = account, tuple(axes)
        for axis in axes:
            if axis.name in account.target.choices:
                raise BadInput(f"{axis.name} is a choice of {shown(account.target.name)}: sweep "
                               "sizes, one choice at a time.")  # fmt: skip
        self.freed: Freed = freed(account, [a.name for a in axes], self._places())
        reader = Reader(self.account.symbols, self.branches, lambda name: str(account[name].unit))
        self.conditions: list[Condition] = [c for text in where for c in reader.read(text)]
        self.quantities: dict[str, Scaled] = {
            name: scaled(self.branches(name), self.columns) for name in shown_of
        }
        self.tests = [
            Test(scaled([self.freed.of(b) for b in c.branches], self.columns), c.operator)
            for c in self.conditions
        ]
        rules = legal(self.freed)
        self.tests += [Test(scaled([w.rest], self.columns), ">=") for w in rules.within]
        self.tables = [*self._rounded(), *(self._table(w.length, w.low) for w in rules.whole)]
        self._check()

    def branches(self, name: str) -> tuple[Terms, ...]:
        """The polynomials of a quantity in the sizes that are swept."""
        formula = formula_in(self.freed, name)
        for one in often(self.freed, formula):
            self._check_often(name, one)
        return self.freed.branches(formula)

    def _check_often(self, name: str, one: Often) -> None:
        """Refuse a peak over depths of which some have a formula of their own.

        Raises:
            BadInput: a body is repeated less often somewhere than the formula is about.
        """
        s = scaled([one.times], self.columns)
        axes = [self.axes[i] for i in sorted(s.axes)]
        if prod(len(axis.values) for axis in axes) > TABLE:
            raise BadInput(f"{' and '.join(a.name for a in axes)} have too many values together.")
        indices = np.indices([len(axis.values) for axis in axes]).reshape(len(axes), -1)
        block = single(dict(zip(sorted(s.axes), indices, strict=True)), self.columns)
        times, scale = block.largest(s, "object")[:, 0], block.evaluated(s.scale, "object")[:, 0]
        if one.depth.exactly is not None or (times < one.depth.least * scale).any():
            where = f"{algebra.canonical(one.depth.times)} >= {one.depth.least}"
            raise BadInput(
                f"{name} of {shown(self.account.target.name)} has other formulas where something "
                f"is repeated less than {one.depth.least} times: sweep "
                f"{' and '.join(a.name for a in axes)} where {where}, and the rest one by one."
            )

    @property
    def inside(self) -> int:
        """The axis that varies fastest: the longest one."""
        return max(range(len(self.axes)), key=lambda i: len(self.axes[i].values))

    @cached_property
    def columns(self) -> Columns:
        """The sizes that vary, each along its axis."""
        found: dict[Symbol, Column] = {
            symbol: column(i, self.axes[i].values) for i, symbol in enumerate(self.freed.free)
        }
        for symbol, e in self.freed.defined.items():
            if len(e.free_symbols) == 1 and never_falls(e):
                (over,) = e.free_symbols
                if over in found:
                    along = found[over]
                    of = evaluator(e)
                    found[symbol] = column(along.axis, [_whole(of, over, int(n))
                                                        for n in along.values])  # fmt: skip
        return found

    def _rounded(self) -> Iterator[Table]:
        """Yield where sizes that are rounded from an axis are sizes."""
        for symbol in self.freed.defined:
            if symbol in self.columns:
                own = self.columns[symbol]
                yield Table((own.axis,), own.values >= least(symbol))

    def _table(self, length: Terms, low: int) -> Table:
        """Look at every combination of what a length depends on."""
        s = scaled([length], self.columns)
        axes = tuple(sorted(s.axes))
        sizes = [len(self.axes[i].values) for i in axes]
        if prod(sizes) > TABLE:
            raise BadInput(
                f"{' and '.join(self.axes[i].name for i in axes)} have {prod(sizes):,} values "
                f"together, each of which decides whether lengths are whole; {TABLE:,} may be."
            )
        every = np.indices(sizes).reshape(len(sizes), -1)
        block = single(dict(zip(axes, every, strict=True)), self.columns)
        kind: Kind = "int64" if s.fits else "object"
        value, scale = block.largest(s, kind)[:, 0], block.evaluated(s.scale, kind)[:, 0]
        can = scale > 0
        holds = can & (value % np.where(can, scale, 1) == 0) & (value >= low * scale)
        return Table(axes, holds.astype(bool).reshape(sizes))

    def point(self, index: int) -> dict[str, int]:
        """The sizes of a configuration by its number, the last axis varying fastest."""
        found = {}
        for axis in reversed(self.axes):
            index, at = divmod(index, len(axis.values))
            found[axis.name] = axis.values[at]
        return dict(reversed(found.items()))

    def _places(self) -> Iterator[Mapping[str, int]]:
        """Yield configurations from all over the grid, each once."""
        points = count(self.axes)
        step = max(int(points * 0.6180339887498949), 1)
        while np.gcd(step, points) != 1:
            step += 1
        for i in range(min(points, LOOKED)):
            yield self.point(i * step % points)

    def _check(self) -> None:
        """Derive some configurations anew.

        Raises:
            BadInput: one is refused, or has another value, than is said here.
        """
        for place in islice(self._places(), CHECKED):
            refused = ""
            try:
                there = self.account.subs(place)
                found = {name: there[name].value for name in self.quantities}
            except SymledgerError as error:
                refused, found = str(error), {}
            here = self.values(place)
            if (here is None) != bool(refused) or (here or {}) != found:
                at = ", ".join(f"{name} = {n}" for name, n in place.items())
                raise BadInput(
                    f"{shown(self.account.target.name)} cannot be swept so: at {at} it is derived "
                    "otherwise than its formulas say" + (f" ({refused})" if refused else ".")
                )

    def values(self, place: Mapping[str, int]) -> dict[str, int] | None:
        """Return the quantities at a configuration; None where the target cannot be of it."""
        block = self.row(place)
        if not all(table.of(block).all() for table in self.tables):
            return None
        bounds = self.tests[len(self.conditions):]
        if any(block.largest(t.polynomial, "object")[0, 0] < 0 for t in bounds):
            return None
        return {name: int(self.exact(block, s)[0]) for name, s in self.quantities.items()}

    def row(self, place: Mapping[str, int]) -> Block:
        """Return the block of one configuration."""
        rows = {i: np.array([axis.values.index(place[axis.name])])
                for i, axis in enumerate(self.axes)}  # fmt: skip
        return single(rows, self.columns)

    def exact(self, block: Block, s: Scaled) -> Array:
        """Return the exact values of a quantity for rows, where nothing varies inside.

        Raises:
            BadInput: one is no whole number.
        """
        kind: Kind = "int64" if s.fits else "object"
        value, scale = block.largest(s, kind)[:, 0], block.evaluated(s.scale, kind)[:, 0]
        if (value % scale != 0).any():
            raise BadInput("a quantity is no whole number at some of these sizes: sweep another.")
        return np.asarray(value // scale)
