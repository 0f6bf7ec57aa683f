"""Does it run? NumPy execution of a program, forward and backward.

Every operation is executed as it is priced: a Contract by one sum of products, a Map line by
line. So the same on arrays of what notices that it is computed with counts this (see ``checks``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, assert_never

import numpy as np
from sympy import Expr, Integer, Symbol

from symledger.errors import DefinitionError
from symledger.ir import ops
from symledger.ir.scalars import Operand, straight_line
from symledger.ir.shapes import Shape
from symledger.ir.tensor import Call, CallBack, Program, Pullback, Result, Tensor
from symledger.readings.numpy.arithmetic import FLOATS, FUNCTIONS, Arithmetic, Array
from symledger.readings.numpy.sources import is_shared, own_leaves
from symledger.readings.numpy.values import Values, gathered, solved, stacked

Sizes = Mapping[Symbol, int]
Made = TypeVar("Made")


class Machine:
    """Runs programs at given sizes."""

    def __init__(self, sizes: Sizes, arithmetic: Arithmetic = FLOATS) -> None:
        self.sizes = {symbol: Integer(n) for symbol, n in sizes.items()}
        self.arithmetic = arithmetic
        self.place: tuple[int, ...] = ()
        """Which application is run: of each Call, from the outermost one on."""
        self._lengths: dict[Expr, int] = {}
        self._constants: dict[Expr, float] = {}
        self._shapes: dict[Tensor, tuple[int, ...]] = {}
        self._own: dict[Program, tuple[Tensor, ...]] = {}

    def length(self, e: Expr) -> int:
        """Return a size as the whole number that it is here.

        Raises:
            DefinitionError: it is not one at these sizes.
        """
        known = self._lengths.get(e)
        if known is None:
            value = e.xreplace(self.sizes)
            if not value.is_Integer:
                raise DefinitionError(f"{e} = {value} is not a whole number at {self.sizes}.")
            known = self._lengths[e] = int(value)
        return known

    def shape(self, shape: Shape) -> tuple[int, ...]:
        """Return a shape in numbers."""
        return tuple(self.length(n) for n in shape)

    def shape_of(self, t: Tensor) -> tuple[int, ...]:
        """Return a tensor's shape in numbers."""
        known = self._shapes.get(t)
        if known is None:
            known = self._shapes[t] = self.shape(t.shape)
        return known

    def constant(self, e: Expr) -> float:
        """Return a constant of scalar code as a number."""
        known = self._constants.get(e)
        if known is None:
            known = self._constants[e] = float(e.xreplace(self.sizes))
        return known

    def run(self, program: Program, leaves: Mapping[Tensor, Array]) -> Values:
        """Execute a program forwards.

        ``leaves`` holds the inputs and weights; those of repeated bodies are stacked along a
        leading axis, one for each application.
        """
        values = Values({}, leaves=leaves)
        for t in program.tensors:
            if isinstance(t.op, ops.Input | ops.Param):
                values.arrays[t] = leaves[t]
            else:
                values.arrays[t] = self._forward(t, [values[arg] for arg in t.args], values)
        return values

    def _forward(self, t: Tensor, args: list[Array], values: Values) -> Array:
        """Execute one operation, a repetition or one of its results, as part of ``values``."""
        if isinstance(t.op, Call):
            return self._call(t, t.op, args, values)
        if isinstance(t.op, Result):
            call = t.args[0].op
            assert isinstance(call, Call)
            return self.result(call, t.op, values.inner[t.args[0]])
        made = self.execute(t, args)
        is_computed = t.storage == "index" and made.dtype.kind in "fb"
        return self.whole_numbers(made) if is_computed else made

    def whole_numbers(self, made: Array) -> Array:
        """Return places that were computed as whole numbers."""
        return self.once("whole numbers", [made], lambda: made.astype(int))

    def once(self, what: Hashable, args: Sequence[Array], make: Callable[[], Made]) -> Made:
        """Make something of arrays; machines that remember make it of the same ones only once.

        Args:
            what: tells apart what is made of the same arrays.
            args: all the arrays that it depends on.
            make: makes it.
        """
        return make()

    def at(self, whole: Array, call: Call, i: int, times: int) -> Array:
        """Return the slice that application ``i`` of a Call takes of a whole."""
        return self._taken(whole, call.axis, times - 1 - i if call.reverse else i)

    def _taken(self, whole: Array, axis: int, place: int) -> Array:
        where = (slice(None),) * axis + (place,)
        taken: Array = self.once(("taken", axis, place), [whole], lambda: whole[where])
        return taken

    def result(self, call: Call, op: Result, applications: list[Values]) -> Array:
        """Return a result of a Call: of its last application, or stacked from all of them."""
        each = [inner[op.leaf] for inner in applications]
        if op.axis is None:
            return each[-1]
        return self.once(("stacked", call.axis, call.reverse), each, lambda: stacked(each, call))

    def _call(self, t: Tensor, call: Call, args: list[Array], values: Values) -> Array:
        body, times, leaves = call.body, self.length(call.times), values.leaves
        entering = dict(zip(body.inputs, args, strict=True))
        wholes = {x: entering[x] for x in call.sliced}
        applications, around = list[Values](), self.place
        values.inner[t] = applications
        for i in range(times):
            self.place = (*around, i)
            entering |= {x: self.at(whole, call, i, times) for x, whole in wholes.items()}
            given = {
                x: leaves[x] if is_shared(x, call) else self._taken(leaves[x], 0, i)
                for x in self._inside(body)
            }
            given |= entering
            inner = self.once(body, [*given.values()], partial(self.run, body, given))
            applications.append(inner)
            entering |= {x: inner[y] for x, y in zip(call.carried, body.outputs, strict=False)}
        self.place = around
        return entering[body.inputs[0]]

    def _inside(self, body: Program) -> tuple[Tensor, ...]:
        """The leaves of a body that are none of its inputs."""
        known = self._own.get(body)
        if known is None:
            own = (leaf for leaf, _ in own_leaves(body) if leaf not in body.inputs)
            known = self._own[body] = tuple(dict.fromkeys(own))
        return known

    def back(
        self, pull: Pullback, values: Values, seeds: Mapping[Tensor, Array]
    ) -> dict[Tensor, Array]:
        """Execute a backward program; return the gradient of each leaf that it gives.

        ``values`` need only hold what the backward program mentions.
        """
        made = Values(dict(seeds), leaves=values.leaves)
        further: dict[Tensor, dict[Tensor, Array]] = {}
        for t in pull.tensors:
            args = [self._find(arg, made.arrays, values) for arg in t.args]
            if isinstance(t.op, CallBack):
                ran = made if t.op.call in made.inner else values
                made.arrays[t], further[t] = self._call_back(t.op, ran, args)
            elif isinstance(t.op, Result) and t.args[0] in further:
                made.arrays[t] = further[t.args[0]][t.op.leaf]
            else:
                made.arrays[t] = self._forward(t, args, made)
        return {leaf: self._find(g, made.arrays, values) for leaf, g in pull.gradients.items()}

    def _find(self, t: Tensor, arrays: dict[Tensor, Array], values: Values) -> Array:
        """An array of this pass, a stored one, or a view or table made again from those."""
        if t in arrays:
            return arrays[t]
        if t in values.arrays:
            return values.arrays[t]
        if isinstance(t.op, ops.View | ops.Repeat | ops.Const):
            return self.execute(t, [self._find(arg, arrays, values) for arg in t.args])
        raise DefinitionError(f"the backward pass needs {t}, which was not kept.")

    def _call_back(
        self, op: CallBack, values: Values, incoming: list[Array]
    ) -> tuple[Array, dict[Tensor, Array]]:
        assert isinstance(op.call.op, Call)
        call, applications = op.call.op, values.inner[op.call]
        states, stacks = incoming[: call.states], incoming[call.states :]
        found: dict[Tensor, list[Array]] = {}
        for i, inner in reversed(list(enumerate(applications))):
            slices = [self.at(g, call, i, len(applications)) for g in stacks]
            if op.last and i == len(applications) - 1:
                pull, seeds = op.only if op.only and i == 0 else op.last, slices
            else:
                pull, seeds = op.first if op.first and i == 0 else op.body, [*states, *slices]
            given = self.back(pull, inner, dict(zip(pull.seeds, seeds, strict=True)))
            given |= {
                leaf: self._none(leaf, slices[0]) for leaf in op.body.gradients
                if op.last and leaf not in given and leaf not in call.carried
            }
            states = [
                given.pop(x) if x in given else self._none(x, g)
                for x, g in zip(call.carried, states, strict=True)
            ]
            for leaf, g in given.items():
                found.setdefault(leaf, []).insert(0, g)
        further = {leaf: self.gathered(leaf, each, call) for leaf, each in found.items()}
        return states[0], further | dict(zip(call.carried, states, strict=True))

    def gathered(self, leaf: Tensor, each: list[Array], call: Call) -> Array:
        """Return the gradient of a leaf of a body from those of all applications."""
        return self.once((call, leaf), each, partial(gathered, leaf, each, call))

    def _none(self, t: Tensor, like: Array) -> Array:
        """The gradient of what nothing depends on."""
        return self.once(("zeros", t), [like], lambda: self.zeros(t.shape, like))

    def execute(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation on arrays."""
        match t.op:
            case ops.Contract() as op:
                return self._contract(op, t, args)
            case ops.Map(code):
                whole = self.shape_of(t)
                wide = [x if x.shape == whole else np.broadcast_to(x, whole) for x in args]
                made = self.lines(code.args, code.value, wide)
                return made if made.shape == whole else np.broadcast_to(made, whole)  # a constant
            case ops.Sum(axes):
                return np.add.reduce(args[0], axis=axes, keepdims=True, initial=self._zero())
            case ops.Repeat():
                return np.broadcast_to(args[0], self.shape_of(t))
            case ops.Max():
                return largest(args[0])
            case ops.MaxIndex():
                return np.asarray(np.argmax(args[0].real, axis=-1, keepdims=True))
            case ops.Rearrange():
                return self._rearrange(t.op, args[0])
            case ops.Slice(axis, start, length):
                first = self.length(start)
                window = slice(first, first + self.length(length))
                return args[0][(slice(None),) * axis + (window,)]
            case ops.Pad(axis, start, _):
                out = self.zeros(t.shape, args[0])
                first = self.length(start)
                window = slice(first, first + args[0].shape[axis])
                out[(slice(None),) * axis + (window,)] = args[0]
                return out
            case ops.Windows(axis, _, padding, _, fill, _):
                first, n = self.length(padding), args[0].shape[axis]
                padded = self._padded(args[0].shape, t.op)
                out = self.filled(padded, self.constant(fill), args[0])
                np.moveaxis(out, axis, 0)[first : first + n] = np.moveaxis(args[0], axis, 0)
                return np.take(out, self._places(t.op, *t.shape[axis : axis + 2]), axis=axis)
            case ops.Overlap(axis, _, padding, _, _):
                first, n = self.length(padding), self.length(t.shape[axis])
                out = self.zeros(self._padded(self.shape(t.shape), t.op), args[0])
                standing = self._places(t.op, *t.args[0].shape[axis : axis + 2])
                seen = np.moveaxis(args[0], (axis, axis + 1), (0, 1))
                np.add.at(np.moveaxis(out, axis, 0), standing, seen)
                return out[(slice(None),) * axis + (slice(first, first + n),)]
            case ops.Join(axis):
                return np.concatenate(args, axis=axis)
            case ops.Solve(back):
                return solved(args[0], args[1], back)
            case ops.Gather(batch):
                return args[0][grid(args[1], batch)]
            case ops.Scatter(taken="largest" | "number") as op:
                return picked(args[0], args[1], self.length(t.shape[0]), op.taken == "number")
            case ops.Scatter(batch):
                out = self.zeros(t.shape, args[0])
                np.add.at(out, grid(args[1], batch), args[0])
                return out
            case ops.Const() as op:
                places = list(np.indices(self.shape(t.shape)))
                made = self.lines(op.indices, op.value, places)
                if t.storage == "index":
                    return np.broadcast_to(made.astype(int), self.shape(t.shape))
                return self.arithmetic.lift(np.broadcast_to(made, self.shape(t.shape)))
            case ops.Input() | ops.Param() | Call() | CallBack() | Result():
                raise DefinitionError(f"{t} is not one operation.")
            case _:
                assert_never(t.op)

    def lines(self, names: tuple[Symbol, ...], value: Expr, args: list[Array]) -> Array:
        """Execute straight-line scalar code."""
        slots: list[Any] = list(args)
        places = all(arg.dtype.kind == "i" for arg in args)
        table = FUNCTIONS if places else self.arithmetic.functions

        def operand(x: Operand) -> Any:
            return slots[x] if isinstance(x, int) else self.constant(x)

        for line in straight_line(names, value):
            slots.append(table[line.op](*(operand(x) for x in line.args)))
        return np.asarray(slots[-1])

    def _contract(self, op: ops.Contract, t: Tensor, args: list[Array]) -> Array:
        names = dict.fromkeys(op.left + op.right)
        letters = {name: chr(ord("a") + i) for i, name in enumerate(names)}
        left, right, out = (
            "".join(letters[name] for name in part) for part in (op.left, op.right, op.out)
        )
        pattern = f"{left},{right}->{out}"
        if op.pairs is None or not self.arithmetic.skip_masked:
            return np.asarray(self.arithmetic.contract(pattern, args[0], args[1]))
        visible = args[2].astype(float) == 0
        row, column = letters[op.pairs.query], letters[op.pairs.key]
        if row not in out:
            row, column, visible = column, row, visible.T
        result = self.zeros(t.shape, args[0])
        for i, seen in enumerate(visible):
            chosen = {row: [i], column: np.flatnonzero(seen)}
            a, b = (_take(x, axes, chosen) for x, axes in ((args[0], left), (args[1], right)))
            part = self.arithmetic.contract(pattern, a, b)
            lengths = zip(out, result.shape, strict=True)
            result[np.ix_(*(chosen.get(axis, np.arange(n)) for axis, n in lengths))] = part
        return result

    def _rearrange(self, op: ops.Rearrange, x: Array) -> Array:
        sizes = {name: self.length(n) for name, n in op.sizes}
        names = [name for group in op.left for name in group]
        opened = x.reshape([sizes[name] for name in names])
        order = [names.index(name) for group in op.right for name in group]
        merged = [math.prod(sizes[name] for name in group) for group in op.right]
        return opened.transpose(order).reshape(merged)

    def _padded(self, shape: tuple[int, ...], op: ops.Windows | ops.Overlap) -> Shape:
        length = shape[op.axis] + 2 * self.length(op.padding)
        length += self.length(op.stride) if op.past else 0
        return tuple(Integer(length if i == op.axis else n) for i, n in enumerate(shape))

    def _places(self, op: ops.Windows | ops.Overlap, positions: Expr, offsets: Expr) -> Array:
        """Where in the padded axis each element of each window stands."""
        starts = np.arange(self.length(positions)) * self.length(op.stride)
        return np.add.outer(starts, np.arange(self.length(offsets)) * self.length(op.dilation))

    def _zero(self) -> Any:
        return self.arithmetic.lift(np.zeros(()))[()]

    def zeros(self, shape: Shape, like: Array) -> Array:
        """Return zeros of the same kind of number as another array."""
        return self.filled(shape, 0.0, like)

    def filled(self, shape: Shape, value: float, like: Array) -> Array:
        """Return copies of a number, of the same kind of number as another array."""
        one = self.arithmetic.lift(np.full((), value))
        return np.full(self.shape(shape), one[()], object if one.dtype == object else like.dtype)


def largest(x: Array) -> Array:
    """The maximum along the last axis; of complex numbers, the one of largest real part."""
    if x.dtype.kind != "c":
        return np.maximum.reduce(x, axis=-1, keepdims=True)
    return np.take_along_axis(x, np.argmax(x.real, axis=-1, keepdims=True), axis=-1)


def picked(rows: Array, index: Array, number: int, which: bool) -> Array:
    """The largest of the rows that come to each place, or which of all rows that is."""
    rows, places = rows.reshape(-1, *rows.shape[index.ndim :]), index.reshape(-1)
    found = []
    for place in range(number):
        here = np.flatnonzero(places == place)
        seen = np.moveaxis(rows[here], 0, -1)
        found.append(here[np.argmax(seen.real, axis=-1)] if which else largest(seen)[..., 0])
    return np.stack(found)


def grid(index: Array, batch: int) -> tuple[Array, ...]:
    """The full index of the rows that ``index`` picks, its first ``batch`` axes going along."""
    places = np.indices(index.shape)[:batch] if batch else ()
    return (*places, index)


def _take(x: Array, axes: str, chosen: Mapping[str, Any]) -> Array:
    for place, axis in enumerate(axes):
        if axis in chosen:
            x = np.take(x, chosen[axis], axis=place)
    return x
