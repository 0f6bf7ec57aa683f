"""Tensors as right sides of equations, operation by operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from sympy import Add

from symledger.ir import ops, scalars
from symledger.ir.scalars import GRADIENT, Scalar
from symledger.ir.shapes import ONE, Shape
from symledger.ir.sizing import index_sizes
from symledger.ir.tensor import Call, CallBack, Result, Tensor
from symledger.readings.equations.indices import Places
from symledger.readings.equations.letters import NOWHERE, ZERO, Index, axis_of, choose, letters
from symledger.readings.equations.letters_of import Axes
from symledger.readings.equations.outline import Applied, Sheet
from symledger.readings.equations.scalar import bound, product
from symledger.readings.equations.text import Notation, Piece

SPELLED_OUT = {"", "+", "-", "*", "/", "exp", "log", "square"}
"""Functions that are written by their value; the others by their name."""


@dataclass(frozen=True)
class Equation:
    """One line of mathematics: what is defined, by what, and its shape."""

    name: str
    left: str
    right: str
    shape: Shape

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


class Writer(Places):
    """Writes tensors in one notation."""

    def __init__(self, sheet: Sheet, notation: Notation) -> None:
        super().__init__(notation)
        self.sheet, self.wanted = sheet, Axes(sheet)

    def define(self, name: str, t: Tensor) -> Equation:
        """Write the equation that defines a tensor under a name."""
        expand, avoided = self.sheet.names.get(t) == name, None
        self.sizes = frozenset()
        while self.sizes != avoided:
            avoided = self.sizes
            indices = choose(self.wanted.of(t), avoided)
            right = self.piece(t, indices, letters(indices) | avoided, expand).text
            left = self.to.indexed(name, self.shown(indices))
        return Equation(name, left, right, t.shape)

    def piece(
        self, t: Tensor, at: Sequence[Index], live: frozenset[str], expand: bool = False
    ) -> Piece:
        """Write one element of a tensor; a named one by its name."""
        name = self.sheet.names.get(t)
        if name is not None and not expand:
            return Piece(self.to.indexed(name, self.shown(at)))
        made = self.sheet.application(t)
        if made is not None:
            return Piece(self.to.element(self.call(made), self.shown(at)))
        return self.operation(t, at, live)

    def call(self, made: Applied) -> str:
        """Write an applied component without indices: the whole array that it gives."""
        times = self.size(made.times) if made.times is not None else ""
        times = self.to.through(times) if made.each else times
        name = self.to.operator(made.name, times, made.back, made.label)
        return self.to.applied(name, [self.whole(x, len(made.args) == 1) for x in made.args])

    def whole(self, t: Tensor, alone: bool = True) -> str:
        """Write a whole array: by its name, or by its elements where it takes indices to say."""
        bare = self.bare(t)
        if bare is not None:
            return bare.text
        indices = choose(self.wanted.of(t), self.sizes)
        value = self.piece(t, indices, letters(indices) | self.sizes).text
        said = self.to.mapping(self.shown(indices), value)
        return said if alone else self.to.parens(said)

    def bare(self, t: Tensor) -> Piece | None:
        """Write an array without indices, if it is a name, applied, or a sum of such."""
        name, made = self.sheet.names.get(t), self.sheet.application(t)
        if name is not None:
            return Piece(self.to.indexed(name, ()))
        if made is not None:
            return Piece(self.call(made))
        if isinstance(t.op, ops.Rearrange) and t.op.left == t.op.right:
            return self.bare(t.args[0])
        if isinstance(t.op, ops.Map) and is_linear(t.op.code):
            pieces = [self.bare(x) for x in t.args]
            given = {s: p for s, p in zip(t.op.code.args, pieces, strict=True) if p is not None}
            if len(given) == len(pieces):
                return self.scalar(t.op.code.value, given)
        return None

    def operation(self, t: Tensor, at: Sequence[Index], live: frozenset[str]) -> Piece:
        """Write one element of the result of an operation."""
        match t.op:
            case ops.Contract() as op:
                return self._contract(op, t, at, live)
            case ops.Map(code):
                return self._map(code, t, at, live)
            case ops.Sum(axes):
                return self._bound(self.to.sigma, axes, t, at, live)
            case ops.Max():
                return self._bound(self.to.largest, (t.rank - 1,), t, at, live)
            case ops.MaxIndex():
                return self._bound(self.to.where_largest, (t.rank - 1,), t, at, live)
            case ops.Repeat():
                return self._argument(t.args[0], at, live)
            case ops.Rearrange() as op:
                return self.piece(t.args[0], self.rearranged(op, at), live)
            case ops.Slice(axis, start, _):
                return self._argument(t.args[0], self.placed(t.args[0], at, axis, -start), live)
            case ops.Pad(axis, start, _):
                inner = self._argument(t.args[0], self.placed(t.args[0], at, axis, start), live)
                here = self.inside(at[axis], start, t.args[0].shape[axis], t.shape[axis])
                return product(self.to, [self.to.bracket(here), inner]) if here else inner
            case ops.Windows() as op:
                return self._windows(op, t, at, live)
            case ops.Overlap() as op:
                return self._overlap(op, t, at, live)
            case ops.Solve(back):
                name = self.to.operator("solve", "", back)
                given = [self.whole(x, alone=False) for x in t.args]
                return Piece(self.to.element(self.to.applied(name, given), self.shown(at)))
            case ops.Join(axis):
                return self._join(t, at, axis, live)
            case ops.Gather(batch):
                rows, index = t.args
                row = Index(self.piece(index, at[: index.rank], live).text)
                return self._argument(rows, (*at[:batch], row, *at[index.rank :]), live)
            case ops.Scatter() as op:
                return self._scatter(op, t, at, live)
            case ops.Const() as op:
                places = zip(op.indices, at, strict=True)
                return self.scalar(op.value, {s: self.atom(self.place(i)) for s, i in places})
            case ops.Input(name) | ops.Param(name):
                return Piece(self.to.indexed(name, self.shown(at)))
            case Call() | CallBack() | Result():
                raise AssertionError("written as an applied component")
            case _:
                assert_never(t.op)

    def _argument(self, x: Tensor, at: Sequence[Index], live: frozenset[str]) -> Piece:
        """Write an argument that is broadcast: its axes of length 1 take no index."""
        lead = len(at) - x.rank
        places = [NOWHERE if n == ONE else i for n, i in zip(x.shape, at[lead:], strict=True)]
        return self.piece(x, places, live)

    def _contract(
        self, op: ops.Contract, t: Tensor, at: Sequence[Index], live: frozenset[str]
    ) -> Piece:
        sizes = index_sizes(t)
        summed = [n for n in sizes if n not in op.out]
        wanted = self.wanted.of_indices(t)
        own = choose([axis_of(wanted[n], sizes[n]) for n in summed], live)
        place = {**dict(zip(op.out, at, strict=True)), **dict(zip(summed, own, strict=True))}
        live = live | letters(own)
        factors = [
            self.piece(x, [place[n] for n in names], live)
            for x, names in zip(t.args, (op.left, op.right), strict=False)
        ]
        return bound(self.to, self.to.sigma, self.shown(own), product(self.to, factors))

    def _map(self, code: Scalar, t: Tensor, at: Sequence[Index], live: frozenset[str]) -> Piece:
        pairs = list(zip(code.args, t.args, strict=True))
        if code == scalars.ADD:
            pairs.sort(key=lambda pair: self.sheet.returned(pair[1]))
        given = {s: self._argument(x, at, live) for s, x in pairs}
        if code.slope_of and code.slope_of not in SPELLED_OUT:
            _, inner = given.values()
            prime = self.to.called(self.to.prime(code.slope_of), inner.text)
            return product(self.to, [given[GRADIENT], prime])
        if code.name not in SPELLED_OUT:
            (inner,) = given.values()
            return self.to.function(code.name, inner.text)
        return self.scalar(code.value, given)

    def _bound(
        self, symbol: str, axes: tuple[int, ...], t: Tensor, at: Sequence[Index],
        live: frozenset[str],
    ) -> Piece:  # fmt: skip
        own = choose([self.wanted.of(t.args[0])[axis] for axis in axes], live)
        chosen = dict(zip(axes, own, strict=True))
        places = [chosen.get(axis, i) for axis, i in enumerate(at)]
        body = self.piece(t.args[0], places, live | letters(own))
        return bound(self.to, symbol, self.shown(own), body)

    def _join(self, t: Tensor, at: Sequence[Index], axis: int, live: frozenset[str]) -> Piece:
        branches, start = [], ZERO
        for x in t.args:
            inner = self._argument(x, self.placed(x, at, axis, start), live)
            start = (start + x.shape[axis]).expand()
            end = self.size(start)
            branches.append((inner.text, f"{self.index(at[axis])} {self.to.relation('<')} {end}"))
        branches[-1] = (branches[-1][0], "")
        return self.to.cases(branches)

    def _windows(
        self, op: ops.Windows, t: Tensor, at: Sequence[Index], live: frozenset[str]
    ) -> Piece:
        x, axis = t.args[0], op.axis
        place = self.within(op, *at[axis : axis + 2]).text
        index = NOWHERE if x.shape[axis] == ONE else Index(place)
        inner = self._argument(x, [*at[:axis], index, *at[axis + 2 :]], live)
        if op.padding == 0 and not op.past:
            return inner
        least, less = self.to.relation("<="), self.to.relation("<")
        here = f"{self.place(NOWHERE)} {least} {place} {less} {self.size(x.shape[axis])}"
        if op.fill == 0:
            return product(self.to, [self.to.bracket(here), inner])
        return self.to.cases([(inner.text, here), (self.size(op.fill), "")])

    def _overlap(
        self, op: ops.Overlap, t: Tensor, at: Sequence[Index], live: frozenset[str]
    ) -> Piece:
        x, axis = t.args[0], op.axis
        own = choose(self.wanted.of(x)[axis : axis + 2], live)
        place = self.within(op, *own).text
        here = self.to.bracket(f"{place} {self.to.relation('==')} {self.place(at[axis])}")
        inner = self._argument(x, [*at[:axis], *own, *at[axis + 1 :]], live | letters(own))
        return bound(self.to, self.to.sigma, self.shown(own), product(self.to, [here, inner]))

    def _scatter(
        self, op: ops.Scatter, t: Tensor, at: Sequence[Index], live: frozenset[str]
    ) -> Piece:
        batch, (rows, index) = op.batch, t.args
        own = choose(self.wanted.of(index)[batch:], live)
        places = [*at[:batch], *own]
        picked = self.piece(index, places, live | letters(own)).text
        met = f"{picked} {self.to.relation('==')} {self.place(at[batch])}"
        row = self._argument(rows, [*places, *at[batch + 1 :]], live | letters(own))
        if op.taken != "sum":
            symbol = self.to.largest if op.taken == "largest" else self.to.where_largest
            return bound(self.to, symbol, [*self.shown(own), met], row)
        here = self.to.bracket(met)
        return bound(self.to, self.to.sigma, self.shown(own), product(self.to, [here, row]))


def is_linear(code: Scalar) -> bool:
    """Whether scalar code only adds its arguments up, times constants."""
    terms = Add.make_args(code.value)
    return all(term.as_independent(*code.args, as_Add=False)[1] in code.args for term in terms)
