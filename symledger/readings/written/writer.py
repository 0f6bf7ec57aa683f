"""Tensors as right sides of equations, operation by operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from sympy import Add, Expr, Symbol

from symledger.core import scalars
from symledger.core.ops import (
    Call,
    CallBack,
    Const,
    Contract,
    Gather,
    Input,
    Join,
    Map,
    Max,
    MaxIndex,
    Op,
    Overlap,
    Pad,
    Param,
    Rearrange,
    Repeat,
    Result,
    Scatter,
    Slice,
    Sum,
    Windows,
)  # fmt: skip
from symledger.core.scalars import GRADIENT, Scalar
from symledger.core.tensor import ONE, Shape, Tensor
from symledger.readings.pullback import index_sizes
from symledger.readings.written.letters import (
    NOWHERE,
    ZERO,
    Axis,
    Index,
    axis_of,
    choose,
    letters,
    lower,
    merged,
    plain,
)
from symledger.readings.written.outline import (
    Applied,
    Sheet,
    groups_of,
)  # fmt: skip
from symledger.readings.written.scalar import scalar
from symledger.readings.written.spelling import ATOM, TERMS, Notation, Piece

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


class Writer:
    """Writes tensors in one notation."""

    def __init__(self, sheet: Sheet, notation: Notation) -> None:
        self.sheet, self.to = sheet, notation
        self.known: dict[Tensor, tuple[Axis, ...]] = {}
        self.sizes = frozenset[str]()

    def define(self, name: str, t: Tensor) -> Equation:
        """Write the equation that defines a tensor under a name."""
        expand, avoided = self.sheet.names.get(t) == name, None
        self.sizes = frozenset()
        while self.sizes != avoided:
            avoided = self.sizes
            indices = choose(self.axes(t), avoided)
            right = self.piece(t, indices, letters(indices) | avoided, expand).text
            left = self.to.indexed(name, self.shown(indices))
        return Equation(name, left, right, t.shape)

    def scalar(self, e: Expr, given: Mapping[Symbol, Piece]) -> Piece:
        """Write a scalar expression; the sizes that it mentions are no index letters then."""
        self.sizes |= {str(s) for s in e.free_symbols if s not in given}
        return scalar(e, given, self.to)

    def size(self, e: Expr) -> str:
        """Write a size."""
        return self.scalar(e, {}).text

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
        indices = choose(self.axes(t), self.sizes)
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
        if isinstance(t.op, Rearrange) and t.op.left == t.op.right:
            return self.bare(t.args[0])
        if isinstance(t.op, Map) and is_linear(t.op.code):
            pieces = [self.bare(x) for x in t.args]
            given = {s: p for s, p in zip(t.op.code.args, pieces, strict=True) if p is not None}
            if len(given) == len(pieces):
                return self.scalar(t.op.code.value, given)
        return None

    def shown(self, at: Sequence[Index]) -> list[str]:
        """Spell indices, those of axes of length 1 left out."""
        return [self.index(i) for i in at if i != NOWHERE]

    def index(self, i: Index) -> str:
        """Spell one index."""
        if i.parts:
            text = self.to.group([self.index(p) for p, _ in i.parts])
        else:
            text = self.to.letter(i.text) if len(i.text) == 1 else i.text
        if i.offset == 0:
            return text
        letter = Symbol("_letter")
        return self.scalar(letter + i.offset, {letter: Piece(text)}).text

    def place(self, i: Index) -> str:
        """Spell an index where a number has to stand: the only place of an axis of length 1."""
        return self.index(i) or self.to.number(0)

    def axes(self, t: Tensor) -> tuple[Axis, ...]:
        """The letters wanted for the axes of a tensor: of its making, its uses, its sizes."""
        if t not in self.known:
            made, uses, part = self.made_of(t), self.sheet.wanted.get(t, ()), along(t.op)
            here = tuple(axis for i, axis in enumerate(made) if i != part)
            here = here if part is None else (*here[:part], (), *here[part:])
            like = [self.axes(self.sheet.like[t])] if t in self.sheet.like else []
            sources = [*like, lower(here), lower(uses), plain(t.shape), made, uses]
            self.known[t] = merged(t.shape, sources)
        return self.known[t]

    def made_of(self, t: Tensor) -> tuple[Axis, ...]:
        """The letters that the operation behind a tensor has for its axes."""
        applied = self.sheet.application(t)
        if applied is not None:
            return next((self.axes(x) for x in applied.args if x.shape == t.shape), ())
        match t.op:
            case Contract(_, _, out):
                wanted = self._index_axes(t)
                return tuple(wanted[n] for n in out)
            case Rearrange(_, right, _):
                return merged(t.shape, [groups_of(t.op, right), self._moved(t, t.op)])
            case Map() | Repeat() | Join():
                return merged(t.shape, [self.axes(x) for x in t.args])
            case Windows(axis):
                inner = self.axes(t.args[0])
                return (*inner[:axis], (), (), *inner[axis + 1 :])
            case Overlap(axis):
                inner = self.axes(t.args[0])
                return (*inner[:axis], (), *inner[axis + 2 :])
            case Sum() | Max() | MaxIndex() | Slice() | Pad():
                return self.axes(t.args[0])
            case Input() | Param() | Const() | Gather() | Scatter():
                return ()
            case Call() | CallBack() | Result():
                return ()
            case _:
                assert_never(t.op)

    def _index_axes(self, t: Tensor) -> dict[str, Axis]:
        """The letters wanted for each index of a Contract: a merged axis keeps its parts."""
        assert isinstance(t.op, Contract)
        found: dict[str, Axis] = {n: ((n, length),) for n, length in index_sizes(t).items()}
        for x, names in zip(t.args, (t.op.left, t.op.right), strict=False):
            if x not in self.sheet.names:
                axes = zip(names, self.axes(x), strict=True)
                found |= {n: axis for n, axis in axes if len(axis) > 1}
        return found

    def _moved(self, t: Tensor, op: Rearrange) -> tuple[Axis, ...]:
        names = {g[0]: a for g, a in zip(op.left, self.axes(t.args[0]), strict=True) if len(g) == 1}
        return tuple(names.get(g[0], ()) if len(g) == 1 else () for g in op.right)

    def operation(self, t: Tensor, at: Sequence[Index], live: frozenset[str]) -> Piece:
        """Write one element of the result of an operation."""
        match t.op:
            case Contract() as op:
                return self._contract(op, t, at, live)
            case Map(code):
                return self._map(code, t, at, live)
            case Sum(axes):
                return self._bound(self.to.sigma, axes, t, at, live)
            case Max():
                return self._bound(self.to.largest, (t.rank - 1,), t, at, live)
            case MaxIndex():
                return self._bound(self.to.where_largest, (t.rank - 1,), t, at, live)
            case Repeat():
                return self._argument(t.args[0], at, live)
            case Rearrange() as op:
                return self.piece(t.args[0], self._rearranged(op, at), live)
            case Slice(axis, start, _):
                return self._argument(t.args[0], self._placed(t.args[0], at, axis, -start), live)
            case Pad(axis, start, _):
                inner = self._argument(t.args[0], self._placed(t.args[0], at, axis, start), live)
                here = self.inside(at[axis], start, t.args[0].shape[axis], t.shape[axis])
                return self.to.product([self.to.bracket(here), inner]) if here else inner
            case Windows() as op:
                return self._windows(op, t, at, live)
            case Overlap() as op:
                return self._overlap(op, t, at, live)
            case Join(axis):
                return self._join(t, at, axis, live)
            case Gather(batch):
                rows, index = t.args
                row = Index(self.piece(index, at[: index.rank], live).text)
                return self._argument(rows, (*at[:batch], row, *at[index.rank :]), live)
            case Scatter(batch):
                return self._scatter(t, at, batch, live)
            case Const() as op:
                places = zip(op.indices, at, strict=True)
                return self.scalar(op.value, {s: self._atom(self.place(i)) for s, i in places})
            case Input(name) | Param(name):
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
        self, op: Contract, t: Tensor, at: Sequence[Index], live: frozenset[str]
    ) -> Piece:
        sizes = index_sizes(t)
        summed = [n for n in sizes if n not in op.out]
        wanted = self._index_axes(t)
        own = choose([axis_of(wanted[n], sizes[n]) for n in summed], live)
        place = {**dict(zip(op.out, at, strict=True)), **dict(zip(summed, own, strict=True))}
        live = live | letters(own)
        factors = [
            self.piece(x, [place[n] for n in names], live)
            for x, names in zip(t.args, (op.left, op.right), strict=False)
        ]
        return self.to.bound(self.to.sigma, self.shown(own), self.to.product(factors))

    def _map(self, code: Scalar, t: Tensor, at: Sequence[Index], live: frozenset[str]) -> Piece:
        pairs = list(zip(code.args, t.args, strict=True))
        if code == scalars.ADD:
            pairs.sort(key=lambda pair: self.sheet.returned(pair[1]))
        given = {s: self._argument(x, at, live) for s, x in pairs}
        if code.slope_of and code.slope_of not in SPELLED_OUT:
            _, inner = given.values()
            prime = self.to.called(self.to.prime(code.slope_of), inner.text)
            return self.to.product([given[GRADIENT], prime])
        if code.name not in SPELLED_OUT:
            (inner,) = given.values()
            return self.to.function(code.name, inner.text)
        return self.scalar(code.value, given)

    def _bound(
        self, symbol: str, axes: tuple[int, ...], t: Tensor, at: Sequence[Index],
        live: frozenset[str],
    ) -> Piece:  # fmt: skip
        own = choose([self.axes(t.args[0])[axis] for axis in axes], live)
        chosen = dict(zip(axes, own, strict=True))
        places = [chosen.get(axis, i) for axis, i in enumerate(at)]
        body = self.piece(t.args[0], places, live | letters(own))
        return self.to.bound(symbol, self.shown(own), body)

    def _rearranged(self, op: Rearrange, at: Sequence[Index]) -> list[Index]:
        place: dict[str, Index] = {}
        for group, i in zip(groups_of(op, op.right), at, strict=True):
            if len(group) == 1:
                place[group[0][0]] = i
            elif [n for _, n in group] == [n for _, n in i.parts] and i.offset == 0:
                place |= {name: part for (name, _), (part, _) in zip(group, i.parts, strict=True)}
            else:
                place |= self._split(group, self.index(i))
        return [
            NOWHERE if not group else place[group[0][0]] if len(group) == 1
            else Index(parts=tuple((place[name], n) for name, n in group))
            for group in groups_of(op, op.left)
        ]  # fmt: skip

    def _split(self, group: Axis, text: str) -> dict[str, Index]:
        """The indices of the parts of an axis, from one letter: whole quotients and remainders."""
        whole, found, below = Symbol("_whole"), {}, ONE
        given = {whole: self._atom(text)}
        for position, (name, n) in reversed(list(enumerate(group))):
            part = Piece(self.to.floor(self.scalar(whole / below, given).text))
            if below == ONE:
                part = Piece(text)
            if position:
                part = self.to.function("mod", self.to.comma.join((part.text, self.size(n))))
            found[name] = Index(part.text)
            below = below * n
        return found

    def _placed(self, x: Tensor, at: Sequence[Index], axis: int, start: Expr) -> list[Index]:
        """The index of an argument that stands at ``start`` in an axis of the result."""
        i = at[axis]
        if i == NOWHERE:
            i = Index(self.size(-start))
        elif x.shape[axis] != ONE:
            i = i.moved(-start)
        return [*at[:axis], i, *at[axis + 1 :]]

    def inside(self, i: Index, start: Expr, length: Expr, whole: Expr) -> str:
        """The condition that an index lies in a part of an axis; nothing where it always does."""
        first, end = (self.size(e) for e in (start, (start + length).expand()))
        at, less, least = self.index(i), self.to.relation("<"), self.to.relation("<=")
        if length == whole:
            return ""
        if length == ONE:
            return f"{at} {self.to.relation('==')} {first}"
        if start == 0:
            return f"{at} {less} {end}"
        if (start + length - whole).expand() == 0:
            return f"{first} {least} {at}"
        return f"{first} {least} {at} {less} {end}"

    def _join(self, t: Tensor, at: Sequence[Index], axis: int, live: frozenset[str]) -> Piece:
        branches, start = [], ZERO
        for x in t.args:
            inner = self._argument(x, self._placed(x, at, axis, start), live)
            start = (start + x.shape[axis]).expand()
            end = self.size(start)
            branches.append((inner.text, f"{self.index(at[axis])} {self.to.relation('<')} {end}"))
        branches[-1] = (branches[-1][0], "")
        return self.to.cases(branches)

    def _place(self, op: Windows | Overlap, position: Index, offset: Index) -> Piece:
        """Where in its axis an element of a window stands."""
        o, k = letters_of = Symbol("_o"), Symbol("_k")
        known = {s: i for s, i in zip(letters_of, (position, offset), strict=True) if i != NOWHERE}
        given = {s: self._atom(self.index(i)) for s, i in known.items()}
        place = (o if o in known else ZERO) * op.stride + (k if k in known else ZERO) * op.dilation
        return self.scalar(place - op.padding, given)

    def _atom(self, text: str) -> Piece:
        return Piece(text, ATOM if self.to.is_atom(text) else TERMS)

    def _windows(
        self, op: Windows, t: Tensor, at: Sequence[Index], live: frozenset[str]
    ) -> Piece:
        x, axis = t.args[0], op.axis
        place = self._place(op, *at[axis : axis + 2]).text
        index = NOWHERE if x.shape[axis] == ONE else Index(place)
        inner = self._argument(x, [*at[:axis], index, *at[axis + 2 :]], live)
        if op.padding == 0 and not op.past:
            return inner
        least, less = self.to.relation("<="), self.to.relation("<")
        here = f"{self.place(NOWHERE)} {least} {place} {less} {self.size(x.shape[axis])}"
        if op.fill == 0:
            return self.to.product([self.to.bracket(here), inner])
        return self.to.cases([(inner.text, here), (self.size(op.fill), "")])

    def _overlap(
        self, op: Overlap, t: Tensor, at: Sequence[Index], live: frozenset[str]
    ) -> Piece:
        x, axis = t.args[0], op.axis
        own = choose(self.axes(x)[axis : axis + 2], live)
        place = self._place(op, *own).text
        here = self.to.bracket(f"{place} {self.to.relation('==')} {self.place(at[axis])}")
        inner = self._argument(x, [*at[:axis], *own, *at[axis + 1 :]], live | letters(own))
        return self.to.bound(self.to.sigma, self.shown(own), self.to.product([here, inner]))

    def _scatter(self, t: Tensor, at: Sequence[Index], batch: int, live: frozenset[str]) -> Piece:
        rows, index = t.args
        own = choose(self.axes(index)[batch:], live)
        places = [*at[:batch], *own]
        picked = self.piece(index, places, live | letters(own)).text
        here = self.to.bracket(f"{picked} {self.to.relation('==')} {self.place(at[batch])}")
        row = self._argument(rows, [*places, *at[batch + 1 :]], live | letters(own))
        return self.to.bound(self.to.sigma, self.shown(own), self.to.product([here, row]))


def along(op: Op) -> int | None:
    """The axis that an operation takes a part of, or makes of parts."""
    return op.axis if isinstance(op, Slice | Pad | Join) else None


def is_linear(code: Scalar) -> bool:
    """Whether scalar code only adds its arguments up, times constants."""
    terms = Add.make_args(code.value)
    return all(term.as_independent(*code.args, as_Add=False)[1] in code.args for term in terms)

