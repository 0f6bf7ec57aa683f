"""How is a program written down? In index notation, from the patterns that it is made of.

Each named step of a component is one equation, over its inputs, weights, tables and other steps.
What a child computes is written as that child applied to what enters it: ``softmax(scores)``.
Going back, ∂y is the gradient of y, and f* the pull-back of a child f: it takes the gradient of
what f gave to the gradient of what entered f. An index is a letter, a group ``(hk)`` of letters
merged into one axis, or a letter moved along; an axis of length 1 has none.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from string import ascii_lowercase
from typing import assert_never

from sympy import Add, Expr, Symbol

from symledger.core import scalars
from symledger.core.component import snake
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
    Pad,
    Param,
    Rearrange,
    Repeat,
    Result,
    Scatter,
    Slice,
    Sum,
)  # fmt: skip
from symledger.core.program import Program, Pullback, is_leaf
from symledger.core.scalars import GRADIENT, Scalar
from symledger.core.tensor import ONE, Scope, Shape, Tensor, product
from symledger.errors import DefinitionError
from symledger.readings.pullback import index_sizes, pullback
from symledger.readings.scalar_text import (
    ATOM,
    LATEX,
    TERMS,
    TEXT,
    Notation,
    Piece,
    scalar,
)  # fmt: skip

__all__ = [
    "LATEX", "TEXT", "Equation", "Notation", "backward_equations", "equations", "table_equations",
]  # fmt: skip

ZERO = ONE * 0
LONG = 30
"""Characters from which on a value that is used twice gets a (Greek) letter of its own."""
FORWARD, BACKWARD = "αβγδε", "ζηθκλξ"
"""Letters for such values, on the way there and back."""
FRESH = ascii_lowercase[8:] + ascii_lowercase[:8]
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


@dataclass(frozen=True)
class Index:
    """Where in an axis: a letter or another text, moved by an offset, or a group of indices."""

    text: str = ""
    offset: Expr = ZERO
    parts: tuple[tuple[Index, Expr], ...] = ()

    def moved(self, by: Expr) -> Index:
        """The index so much further along."""
        return replace(self, offset=(self.offset + by).expand())


NOWHERE = Index()
"""The index of an axis of length 1: none."""
Axis = tuple[tuple[str, Expr], ...]
"""The letters wanted for an axis ("" where any will do) with their lengths; none for length 1."""


@dataclass(frozen=True)
class Applied:
    """A component applied to tensors: ``times`` times, or pulled back to one of its inputs."""

    name: str
    args: tuple[Tensor, ...]
    times: Expr | None = None
    back: bool = False
    label: str = ""


@dataclass
class Child:
    """A component used inside the one that is written down: what enters it and what it gives."""

    entering: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)


@dataclass
class Sheet:
    """What equations may mention: names, applied components, and letters wanted for axes."""

    names: dict[Tensor, str] = field(default_factory=dict)
    applied: dict[Tensor, Applied] = field(default_factory=dict)
    like: dict[Tensor, Tensor] = field(default_factory=dict)
    wanted: dict[Tensor, tuple[Axis, ...]] = field(default_factory=dict)

    def name(self, t: Tensor, name: str) -> None:
        """Give a tensor a name, with a prime where another one has it already."""
        while any(n == name and not _same_table(t, other) for other, n in self.names.items()):
            name += "′"
        self.names.setdefault(t, name)

    def note_uses(self, tensors: Iterable[Tensor]) -> None:
        """Take the letters of an axis from the patterns that use it."""
        for t in tensors:
            if isinstance(t.op, Contract):
                pairs = list(zip(t.args, (t.op.left, t.op.right), strict=False))
                axes: dict[str, Axis] = {n: ((n, size),) for n, size in index_sizes(t).items()}
                for x, names in pairs:
                    if isinstance(x.op, Rearrange) and x not in self.names:
                        groups = zip(names, _groups(x.op, x.op.right), strict=True)
                        axes |= {n: group for n, group in groups if len(group) > 1}
                for x, names in pairs:
                    self.wanted.setdefault(x, tuple(axes[n] for n in names))
            elif isinstance(t.op, Rearrange):
                self.wanted.setdefault(t.args[0], _groups(t.op, t.op.left))

    def application(self, t: Tensor) -> Applied | None:
        """The component applied that a tensor is the result of, where it is one."""
        if isinstance(t.op, Call):
            return Applied(call_name(t.op.body.scope), t.args, t.op.times)
        if isinstance(t.op, CallBack):
            return _call_back(t.op.call, t.args, 0)
        if isinstance(t.op, Result):
            back = t.args[0].op
            assert isinstance(back, CallBack)
            assert isinstance(back.call.op, Call)
            position = back.call.op.body.inputs.index(t.op.leaf)
            return _call_back(back.call, t.args[0].args, position)
        return self.applied.get(t)

    def returned(self, t: Tensor) -> bool:
        """Whether a gradient comes from children alone: such terms are written last."""
        if isinstance(t.op, Map) and t.op.code == scalars.ADD:
            return all(self.returned(x) for x in t.args)
        made = self.applied.get(t)
        return made is not None and made.back

    def parts(self, t: Tensor) -> tuple[Tensor, ...]:
        """The tensors that the right side of a tensor's definition mentions."""
        made = self.application(t)
        if made is not None:
            return made.args
        return t.args[:2] if isinstance(t.op, Contract) else t.args


def _call_back(call: Tensor, incoming: tuple[Tensor, ...], position: int) -> Applied:
    """A repeated body pulled back to one of its inputs."""
    assert isinstance(call.op, Call)
    scope, inputs = call.op.body.scope, call.op.body.inputs
    label = labels(scope, inputs)[position] if len(inputs) > 1 else ""
    return Applied(call_name(scope), incoming, call.op.times, True, label)


def _same_table(a: Tensor, b: Tensor) -> bool:
    if not (isinstance(a.op, Const) and isinstance(b.op, Const) and a.shape == b.shape):
        return a is b
    return a is b or bool(a.op.value == b.op.value)


def _groups(op: Rearrange, groups: tuple[tuple[str, ...], ...]) -> tuple[Axis, ...]:
    sizes = dict(op.sizes)
    return tuple(tuple((n, sizes[n]) for n in group if sizes[n] != ONE) for group in groups)


class Outline:
    """A program as one component in it sees it: its own tensors, and its children as units."""

    def __init__(self, program: Program, scope: Scope) -> None:
        self.scope = scope
        bodies = (p for p in program.bodies if p.scope is scope or self._own(p.tensors))
        found = next(bodies, None)
        if found is None:
            raise DefinitionError(f"{scope.name} is not a component of {program.scope.name}.")
        self.body = found
        self.tensors = self._own(self.body.tensors)
        outside = {x: None for t in self.tensors for x in t.args if not self.holds(x)}
        self.entering = (
            self.body.inputs if self.body.scope is scope else tuple(sorted(outside, key=_entering))
        )
        self.children: dict[Scope, Child] = {}
        for t in self.tensors:
            self._connect(t)
        for t in (*self.body.outputs, *scope.steps.values()):
            self._gives(t)

    def holds(self, t: Tensor) -> bool:
        """Whether a tensor was made in this component or a child of it."""
        return t.scope is self.scope or self.child(t) is not None

    def child(self, t: Tensor) -> Scope | None:
        """The child that a tensor was made in, at whatever depth."""
        at: Scope | None = t.scope
        while at is not None and at.parent is not self.scope:
            at = at.parent
        return at

    def _own(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return tuple(t for t in tensors if self.holds(t))

    def _connect(self, t: Tensor) -> None:
        inside = self.child(t)
        for x in t.args:
            if self.child(x) is not inside:
                self._gives(x)
                if inside is not None:
                    found = self.children.setdefault(inside, Child()).entering
                    found[:] = sorted({*found, x}, key=_entering)

    def _gives(self, t: Tensor) -> None:
        inside = self.child(t)
        if inside is not None and t.args:
            found = self.children.setdefault(inside, Child()).outputs
            found[:] = sorted({*found, t}, key=lambda x: x.order)

    def sheet(self) -> Sheet:
        """Name what equations of this component may mention."""
        sheet = Sheet()
        for t, label in zip(self.entering, labels(self.scope, self.entering), strict=True):
            sheet.name(t, label)
        for t in self.tensors:
            inside = self.child(t)
            if isinstance(t.op, Param) and inside is not None:
                sheet.name(t, f"{t.op.name}_{inside.name}")
            elif is_leaf(t) and inside is None and (t.shape or not isinstance(t.op, Const)):
                sheet.name(t, known_name(t))
        for name, t in self.scope.steps.items():
            if t not in sheet.names:
                sheet.name(t, name)
        for inner, child in self.children.items():
            for t in child.outputs:
                sheet.applied[t] = Applied(output_name(inner, child, t), tuple(child.entering))
        sheet.note_uses(t for t in self.tensors if self.child(t) is None)
        return sheet


def _entering(t: Tensor) -> tuple[bool, int]:
    return isinstance(t.op, Param), t.order


def labels(scope: Scope, entering: Sequence[Tensor]) -> list[str]:
    """Name what enters a component as its ``forward`` does, where that can be told."""
    if scope.parent is None:
        return [t.op.name if isinstance(t.op, Input) else "" for t in entering]
    parameters = inspect.signature(scope.component.forward).parameters if scope.component else {}
    needed = [n for n, p in parameters.items() if p.default is inspect.Parameter.empty]
    for known in (needed, list(parameters)):
        if len(known) == len(entering):
            return known
    return [known_name(t) or f"x{i}" for i, t in enumerate(entering)]


def known_name(t: Tensor) -> str:
    """A tensor's name where it was made."""
    if isinstance(t.op, Input | Param | Const):
        return t.op.name
    return next((name for name, step in t.scope.steps.items() if step is t), "")


def call_name(scope: Scope) -> str:
    """The name that a child is written by: no number, and not that of a step beside it."""
    beside = scope.parent.steps if scope.parent else {}
    if scope.name.isidentifier() and scope.name not in beside:
        return scope.name
    return f"{snake(type(scope.component).__name__)}_{scope.name}"


def output_name(scope: Scope, child: Child, t: Tensor) -> str:
    """The name of a child, with that of its result where it gives several."""
    if len(child.outputs) == 1:
        return call_name(scope)
    return f"{call_name(scope)}.{next((n for n, s in scope.steps.items() if s is t), 'y')}"


class Writer:
    """Writes tensors in one notation."""

    def __init__(self, sheet: Sheet, notation: Notation) -> None:
        self.sheet, self.to = sheet, notation
        self.known: dict[Tensor, tuple[Axis, ...]] = {}
        self.sizes = frozenset[str]()

    def define(self, name: str, t: Tensor) -> Equation:
        """Write the equation that defines a tensor under a name."""
        self.sizes = frozenset(s.name for s in self.constants(t))
        indices = choose(self.axes(t), self.sizes)
        expand = self.sheet.names.get(t) == name
        right = self.piece(t, indices, letters(indices) | self.sizes, expand).text
        left = self.to.indexed(name, self.shown(indices))
        return Equation(name, left, right, t.shape)

    def constants(self, t: Tensor) -> set[Symbol]:
        """The sizes that stand in a definition, whose letters are no indices then."""
        found: set[Symbol] = set()
        if isinstance(t.op, Map):
            found |= t.op.code.value.free_symbols - set(t.op.code.args)
        elif isinstance(t.op, Const):
            found |= t.op.value.free_symbols - set(t.op.indices)
        elif isinstance(t.op, Slice | Pad):
            found |= (t.op.start + t.op.length).free_symbols
        elif isinstance(t.op, Join):
            found |= set().union(*(x.shape[t.op.axis].free_symbols for x in t.args))
        inner = (x for x in self.sheet.parts(t) if x not in self.sheet.names)
        return found.union(*(self.constants(x) for x in inner))

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
        times = scalar(made.times, {}, self.to).text if made.times is not None else ""
        name = self.to.operator(made.name, times, made.back, made.label)
        return f"{name}({', '.join(self.whole(x, len(made.args) == 1) for x in made.args)})"

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
                return scalar(t.op.code.value, given, self.to)
        return None

    def shown(self, at: Sequence[Index]) -> list[str]:
        """Spell indices, those of axes of length 1 left out."""
        return [self.index(i) for i in at if i != NOWHERE]

    def index(self, i: Index) -> str:
        """Spell one index."""
        if i.parts:
            inner = (" " if self.to.latex else "").join(self.index(p) for p, _ in i.parts)
            i = replace(i, text=f"({inner})")
        if i.offset == 0:
            return i.text
        letter = Symbol("_letter")
        return scalar(letter + i.offset, {letter: Piece(i.text)}, self.to).text

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
                return merged(t.shape, [_groups(t.op, right), self._moved(t, t.op)])
            case Map() | Repeat() | Join():
                return merged(t.shape, [self.axes(x) for x in t.args])
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
            case Join(axis):
                return self._join(t, at, axis, live)
            case Gather(batch):
                rows, index = t.args
                row = Index(self.piece(index, at[: index.rank], live).text)
                return self._argument(rows, (*at[:batch], row, *at[index.rank :]), live)
            case Scatter(batch):
                return self._scatter(t, at, batch, live)
            case Const() as op:
                places = {s: self.index(i) or "0" for s, i in zip(op.indices, at, strict=True)}
                given = {s: Piece(i, ATOM if len(i) == 1 else TERMS) for s, i in places.items()}
                return scalar(op.value, given, self.to)
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
        slope_of = slopes().get(code)
        if slope_of is not None:
            _, inner = given.values()
            prime = Piece(self.to.prime(slope_of) + self.to.parens(inner.text))
            return self.to.product([given[GRADIENT], prime])
        if code.name not in SPELLED_OUT:
            (inner,) = given.values()
            return self.to.function(code.name, inner.text)
        return scalar(code.value, given, self.to)

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
        for group, i in zip(_groups(op, op.right), at, strict=True):
            if len(group) == 1:
                place[group[0][0]] = i
            elif [n for _, n in group] == [n for _, n in i.parts] and i.offset == 0:
                place |= {name: part for (name, _), (part, _) in zip(group, i.parts, strict=True)}
            else:
                place |= self._split(group, self.index(i))
        return [
            NOWHERE if not group else place[group[0][0]] if len(group) == 1
            else Index(parts=tuple((place[name], n) for name, n in group))
            for group in _groups(op, op.left)
        ]  # fmt: skip

    def _split(self, group: Axis, text: str) -> dict[str, Index]:
        """The indices of the parts of an axis, from one letter: whole quotients and remainders."""
        whole, found, below = Symbol("_whole"), {}, ONE
        given = {whole: Piece(text, ATOM if len(text) == 1 or text[0] == "(" else TERMS)}
        for position, (name, n) in reversed(list(enumerate(group))):
            part = Piece(self.to.floor(scalar(whole / below, given, self.to).text))
            if below == ONE:
                part = Piece(text)
            if position:
                size = scalar(n, {}, self.to).text
                part = self.to.function("mod", f"{part.text}, {size}")
            found[name] = Index(part.text)
            below = below * n
        return found

    def _placed(self, x: Tensor, at: Sequence[Index], axis: int, start: Expr) -> list[Index]:
        """The index of an argument that stands at ``start`` in an axis of the result."""
        i = at[axis]
        if i == NOWHERE:
            i = Index(scalar(-start, {}, self.to).text)
        elif x.shape[axis] != ONE:
            i = i.moved(-start)
        return [*at[:axis], i, *at[axis + 1 :]]

    def inside(self, i: Index, start: Expr, length: Expr, whole: Expr) -> str:
        """The condition that an index lies in a part of an axis; nothing where it always does."""
        first, end = (scalar(e, {}, self.to).text for e in (start, (start + length).expand()))
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
            end = scalar(start, {}, self.to).text
            branches.append((inner.text, f"{self.index(at[axis])} {self.to.relation('<')} {end}"))
        branches[-1] = (branches[-1][0], "")
        return self.to.cases(branches)

    def _scatter(self, t: Tensor, at: Sequence[Index], batch: int, live: frozenset[str]) -> Piece:
        rows, index = t.args
        own = choose(self.axes(index)[batch:], live)
        places = [*at[:batch], *own]
        picked = self.piece(index, places, live | letters(own)).text
        here = self.to.bracket(f"{picked} {self.to.relation('==')} {self.index(at[batch]) or '0'}")
        row = self._argument(rows, [*places, *at[batch + 1 :]], live | letters(own))
        return self.to.bound(self.to.sigma, self.shown(own), self.to.product([here, row]))


def along(op: Op) -> int | None:
    """The axis that an operation takes a part of, or makes of parts."""
    return op.axis if isinstance(op, Slice | Pad | Join) else None


def plain(shape: Shape) -> tuple[Axis, ...]:
    """The letters that sizes suggest: b for B; h for h, but no letter for the last axis's d."""
    last = len(shape) - 1
    return tuple(
        ((str(n).lower() if str(n).isupper() or place < last else "", n),)
        for place, n in enumerate(shape)
    )


def lower(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The letters of patterns that stand for an index, not (B, T) for a size."""
    return tuple(axis if all(name.islower() for name, _ in axis) else () for axis in axes)


def axis_of(wanted: Axis, length: Expr) -> Axis:
    """The letters of an axis of that length, given what a pattern wants."""
    return merged((length,), [lower((wanted,)), plain((length,)), (wanted,)])[0]


def merged(shape: Shape, sources: Sequence[tuple[Axis, ...]]) -> tuple[Axis, ...]:
    """For each axis, the first source that wants letters; sources are aligned at the last axis."""
    found: list[Axis] = []
    for place, n in enumerate(shape, start=-len(shape)):
        offered = [s[place] for s in sources if len(s) >= -place]
        usable = (a for a in offered if a and all(len(name) == 1 for name, _ in a))
        fitting = (((a[0][0], n),) if len(a) == 1 else a for a in usable if fits(a, n))
        found.append(() if n == ONE else next(fitting, (("", n),)))
    return tuple(found)


def fits(axis: Axis, length: Expr) -> bool:
    """Whether an axis is one letter, or its parts make up that length."""
    return len(axis) == 1 or bool(product(tuple(n for _, n in axis)) == length)


def choose(axes: Sequence[Axis], live: frozenset[str] = frozenset()) -> list[Index]:
    """Choose letters that are free: those wanted first, then from i on."""
    wanted = [name.lower() for axis in axes for name, _ in axis]
    taken, chosen = set(live), [""] * len(wanted)
    for place, letter in enumerate(wanted):
        if letter not in taken:
            chosen[place] = letter
            taken.add(letter)
    free = (letter for letter in FRESH if letter not in taken)
    given = iter([letter or next(free) for letter in chosen])
    own = [tuple((Index(next(given)), n) for _, n in axis) for axis in axes]
    return [
        NOWHERE if not parts else parts[0][0] if len(parts) == 1 else Index(parts=parts)
        for parts in own
    ]


def letters(indices: Iterable[Index]) -> frozenset[str]:
    """The letters that indices are made of."""
    return frozenset(p.text for i in indices for p in ([q for q, _ in i.parts] or [i]) if p.text)


def is_linear(code: Scalar) -> bool:
    """Whether scalar code only adds its arguments up, times constants."""
    terms = Add.make_args(code.value)
    return all(term.as_independent(*code.args, as_Add=False)[1] in code.args for term in terms)


@cache
def slopes() -> dict[Scalar, str]:
    """Gradient × slope of each function that is written by its name and has no simpler slope."""
    named = {n: scalars.function(n) for n in scalars.FUNCTIONS if n not in SPELLED_OUT}
    return {code.slope(0): n for n, code in named.items() if code.slope_in_result is None}


Target = tuple[str, Tensor]
"""What an equation is asked for: a name and the tensor that it names."""


def written(
    sheet: Sheet, targets: Sequence[Target], notation: Notation, greek: str = FORWARD
) -> tuple[Equation, ...]:
    """Write the equations, each after those of the values that it mentions by a Greek letter."""
    uses, order = Counter[Tensor](), list[Tensor]()
    for _, t in targets:
        _count(sheet, t, uses, order)
    measure, free, own = Writer(sheet, TEXT), list(greek), dict[Tensor, str]()
    for t in order:
        again = uses[t] > 1 and t not in sheet.names and not isinstance(t.op, Rearrange)
        if again and free and len(measure.whole(t)) > LONG:
            own[t] = sheet.names[t] = free.pop(0)
    writer, done = Writer(sheet, notation), set[str]()
    found = []
    for name, t in targets:
        before = [(own[x], x) for x in (*_below(sheet, t, own), t) if x in own]
        for title, x in (*before, (name, t)):
            if title not in done:
                done.add(title)
                found.append(writer.define(title, x))
        sheet.names.setdefault(t, name)
    return tuple(found)


def _count(sheet: Sheet, t: Tensor, uses: Counter[Tensor], order: list[Tensor]) -> None:
    for x in sheet.parts(t):
        uses[x] += 1
        if uses[x] == 1 and x not in sheet.names and sheet.parts(x):
            _count(sheet, x, uses, order)
            order.append(x)


def _below(sheet: Sheet, t: Tensor, own: dict[Tensor, str]) -> Iterator[Tensor]:
    for x in sheet.parts(t):
        if x in own or x not in sheet.names:
            yield from _below(sheet, x, own)
            if x in own:
                yield x


def equations(
    program: Program, scope: Scope | None = None, notation: Notation = TEXT
) -> tuple[Equation, ...]:
    """Write down what a component computes: one equation for each of its named steps, in order.

    A long value that is used twice comes before, under a Greek letter. ``scope`` may be that of
    any component in the program; it is the outermost one where nothing is said.
    """
    outline = Outline(program, scope or program.scope)
    sheet, targets, seen = outline.sheet(), list[Target](), set(outline.entering)
    for name, t in outline.scope.steps.items():
        if t.args:
            targets.append((name if t in seen else sheet.names[t], t))
            seen.add(t)
    return written(sheet, targets, notation)


def table_equations(
    program: Program, scope: Scope | None = None, notation: Notation = TEXT
) -> tuple[Equation, ...]:
    """Write down the tables that a component computes: its causal mask, its sines and cosines."""
    outline = Outline(program, scope or program.scope)
    tables = {t: n for t, n in outline.sheet().names.items() if isinstance(t.op, Const)}
    targets = {name: t for t, name in tables.items() if t not in outline.entering}
    return written(Sheet(), list(targets.items()), notation)


def backward_equations(pull: Pullback, notation: Notation = TEXT) -> tuple[Equation, ...]:
    """Write down the gradients of a component's inputs and of its own weights.

    Before them come the gradients of those named steps through which they go, last step first.
    A fused component's are those of the pull-back that it states.
    """
    outline = Outline(pull.program, pull.scope)
    leaves = [
        t for t in sorted(pull.gradients, key=lambda t: (isinstance(t.op, Param), t.order))
        if t in outline.entering or t.scope is pull.scope
    ]  # fmt: skip
    if hasattr(pull.scope.component, "pullback"):
        sheet, targets = stated(outline, pull, leaves)
    else:
        sheet, targets = Reverse(outline).run(leaves)
    return written(sheet, targets, notation, BACKWARD)


def stated(
    outline: Outline, pull: Pullback, leaves: Sequence[Tensor]
) -> tuple[Sheet, list[Target]]:
    """The gradients of a fused component, as it states them."""
    sheet = outline.sheet()
    for seed, y in zip(pull.seeds, pull.program.outputs, strict=True):
        sheet.name(seed, f"∂{sheet.names[y]}")
        sheet.like[seed] = y
    for leaf in leaves:
        sheet.like.setdefault(pull.gradients[leaf], leaf)
    return sheet, [(f"∂{sheet.names[t]}", pull.gradients[t]) for t in leaves]


class Reverse:
    """A component's backward pass over its own operations, its children as units.

    The program is cut at named steps and at what children give: those become inputs, and what
    defines a step or enters a child becomes an output. The pull-back of the cut program has an
    incoming gradient at each cut: ∂step for a step, and for what enters a child f its f*.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline, self.forward, self.sheet = outline, outline.sheet(), Sheet()
        self.cut: dict[Tensor, Tensor] = {}
        self.made: dict[Tensor, Tensor] = {}
        self.gradients: dict[Tensor, Tensor] = {}
        self.step_of: dict[Tensor, Tensor] = {}

    def run(self, leaves: Sequence[Tensor]) -> tuple[Sheet, list[Target]]:
        """Return what the gradients may mention, and the gradients that lead to the leaves."""
        for t in (*self.outline.entering, *self.outline.tensors):
            self._cut(t)
        self.sheet.note_uses((*self.cut.values(), *self.made.values()))
        children = self.outline.children.items()
        entering = [(inner, x) for inner, child in children for x in child.entering]
        used = {x for t in (*self.cut.values(), *self.made.values()) for x in t.args}
        used |= {self.cut[x] for _, x in entering}
        again = [t for t in self.outline.body.outputs if self.cut[t] in used]
        ends = [*self.made.values(), *(self.cut[t] for t in (*again, *(x for _, x in entering)))]
        inputs = tuple(t for t in self.cut.values() if isinstance(t.op, Input))
        pull = pullback(Program(self.outline.scope, inputs, tuple(ends)))
        for t, new in self.cut.items():
            if new in pull.gradients:
                self.gradients[t] = pull.gradients[new]
                self.sheet.like.setdefault(pull.gradients[new], new)
        self.sheet.like |= zip(pull.seeds, ends, strict=True)
        seeds = iter(pull.seeds)
        for t in self.made:
            self._name(next(seeds), t)
        for t in again:
            self.sheet.names[next(seeds)] = f"∂{self.forward.names[t]}_out"
        for inner, x in entering:
            self.sheet.applied[next(seeds)] = self._back(inner, x)
        return self.sheet, self._targets(leaves)

    def _cut(self, t: Tensor) -> None:
        name, inside = self.forward.names.get(t), self.outline.child(t)
        given = t in self.forward.applied
        if inside is not None and not given and not isinstance(t.op, Param):
            return
        new = t
        if t.args and not given and t not in self.outline.entering:
            new = replace(t, args=tuple(self.cut[x] for x in t.args))
            if name is not None:
                self.made[t], self.sheet.names[new] = new, name
        if given or t in self.made:
            new = replace(t, op=Input(""), args=(), region=None)
        self.cut[t] = new
        if name is not None:
            self.sheet.names[new] = name
        elif given:
            made = self.forward.applied[t]
            self.sheet.applied[new] = replace(made, args=tuple(self.cut[x] for x in made.args))
        if t in self.made:
            self.sheet.like[new] = self.made[t]

    def _name(self, gradient: Tensor, step: Tensor) -> Tensor:
        self.sheet.names[gradient] = f"∂{self.forward.names[step]}"
        self.step_of[gradient] = step
        return gradient

    def _back(self, inner: Scope, x: Tensor) -> Applied:
        """The pull-back of a child to one of the tensors that enter it."""
        child = self.outline.children[inner]
        incoming = []
        for y in child.outputs:
            if y in self.forward.names:
                seed = Tensor(Input("gradient"), (), y.shape, scope=self.outline.scope)
                incoming.append(self._name(seed, y))
            elif y in self.gradients:
                incoming.append(self.gradients[y])
        named = dict(zip(child.entering, labels(inner, child.entering), strict=True))
        several = sum(has_gradient(e) for e in child.entering) > 1
        label = named[x] if several else ""
        return Applied(call_name(inner), tuple(incoming), back=True, label=label)

    def _targets(self, leaves: Sequence[Tensor]) -> list[Target]:
        """The gradients of the leaves, and before them of the steps that they go through."""
        through, seen = set[Tensor](), set[Tensor]()
        stack = [self.gradients[t] for t in leaves]
        while stack:
            x = stack.pop()
            if x in seen:
                continue
            seen.add(x)
            stack += self.sheet.parts(x)
            step = self.step_of.get(x)
            if step in self.gradients:
                through.add(step)
                stack.append(self.gradients[step])
        steps = sorted(through, key=lambda t: -t.order)
        return [(f"∂{self.forward.names[t]}", self.gradients[t]) for t in (*steps, *leaves)]


def has_gradient(t: Tensor) -> bool:
    """Whether a gradient can be asked for a tensor."""
    return t.storage in ("value", "statistic") and not isinstance(t.op, Const)
