"""One execution of a program, forward and backward, on random arrays at small sizes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol

from symledger.checks.exact import whole
from symledger.ir.ops import Input, Param, Rearrange
from symledger.ir.shapes import Shape
from symledger.ir.tensor import Program, Pullback, Tensor
from symledger.readings.numpy.arithmetic import FLOATS, Arithmetic
from symledger.readings.numpy.interpreter import Machine, Made
from symledger.readings.numpy.sources import own_leaves, random_leaves
from symledger.readings.numpy.values import Values

Array = NDArray[Any]


class Recorder(Machine):
    """A machine that writes down the shape of every array it makes, beside its tensor."""

    def __init__(self, sizes: Mapping[Symbol, int], arithmetic: Arithmetic = FLOATS) -> None:
        super().__init__(sizes, arithmetic)
        self.made: list[tuple[Tensor, tuple[int, ...]]] = []

    def execute(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation, and record what came out."""
        result = super().execute(t, args)
        self.made.append((t, np.shape(result)))
        return result


class Remembering(Recorder):
    """A machine that keeps what it makes, beside the arrays that it was made of."""

    def __init__(self, sizes: Mapping[Symbol, int], arithmetic: Arithmetic = FLOATS) -> None:
        super().__init__(sizes, arithmetic)
        self.known: dict[tuple[Hashable, ...], tuple[Sequence[Array], Any]] = {}
        self.held: dict[tuple[Tensor, tuple[int, ...]], Array] = {}

    def execute(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation, once."""
        return self.once(t, args, lambda: self.make(t, args))

    def once(self, what: Hashable, args: Sequence[Array], make: Callable[[], Made]) -> Made:
        """Return what was made of these very arrays, or make it; so no identity is used again."""
        key = (what, *map(id, args))
        if key not in self.known:
            self.known[key] = (args, make())
        found: Made = self.known[key][1]
        return found

    def make(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation, and hold what no gradient goes back through."""
        made = super().execute(t, args)
        if isinstance(t.op, Rearrange) and t.op.stops:
            self.held.setdefault((t, self.place), made)
        return made


class Again(Machine):
    """A machine that takes what another one made of the same arrays, and makes the rest.

    Where one array among many is another one, that is what depends on it. What no gradient goes
    back through stays as it was: a gradient is that of a function in which it does not move.
    """

    def __init__(self, before: Remembering) -> None:
        super().__init__(before.sizes, before.arithmetic)
        self.before = before

    def execute(self, t: Tensor, args: list[Array]) -> Array:
        """Return what is known or held, or execute one operation."""
        held = self.before.held.get((t, self.place))
        if held is not None:
            return held
        known = self.before.known.get((t, *map(id, args)))
        return self.before.make(t, args) if known is None else known[1]

    def once(self, what: Hashable, args: Sequence[Array], make: Callable[[], Made]) -> Made:
        """Return what is known, or make it."""
        known = self.before.known.get((what, *map(id, args)))
        return make() if known is None else known[1]


@dataclass(frozen=True, eq=False)
class Trial:
    """A program, its backward program, sizes, and a seed: everything else follows from these.

    ``seeds`` are the gradients that arrive at the outputs, random like the leaves.
    """

    program: Program
    pull: Pullback
    sizes: dict[Symbol, int]
    seed: int = 0

    @property
    def point(self) -> dict[str, int]:
        """The sizes by name."""
        return {str(symbol): n for symbol, n in self.sizes.items()}

    @cached_property
    def machine(self) -> Recorder:
        """The machine that made ``values`` and ``gradients``."""
        return Recorder(self.sizes)

    @cached_property
    def leaves(self) -> dict[Tensor, Array]:
        """Inputs and weights, those of repeated bodies stacked by application.

        Matrices are divided by the root of their length, so that nothing grows with depth.
        """
        drawn = random_leaves(self.program, self.machine.length, np.random.default_rng(self.seed))
        for leaf, array in drawn.items():
            if isinstance(leaf.op, Param) and leaf.rank > 1:
                drawn[leaf] = array / array.shape[-2] ** 0.5
        return drawn

    @cached_property
    def seeds(self) -> dict[Tensor, Array]:
        """The incoming gradients."""
        rng = np.random.default_rng(self.seed + 1)
        return {t: rng.standard_normal(self.shape(t)) for t in self.pull.seeds}

    @cached_property
    def values(self) -> Values:
        """The arrays of the forward pass."""
        return self.machine.run(self.program, self.leaves)

    @cached_property
    def gradients(self) -> dict[Tensor, Array]:
        """What the backward pass gives for each leaf."""
        return self.machine.back(self.pull, self.values, self.seeds)

    def shape(self, t: Tensor) -> tuple[int, ...]:
        """Return a tensor's symbolic shape, evaluated exactly at these sizes."""
        return self._shape(t.shape)

    def _shape(self, shape: Shape) -> tuple[int, ...]:
        known = self._lengths
        for length in shape:
            if length not in known:
                known[length] = whole(length, self.sizes)
        return tuple(known[length] for length in shape)

    @cached_property
    def _lengths(self) -> dict[Expr, int]:
        """The lengths of axes that were asked for so far."""
        return {}

    @cached_property
    def shapes(self) -> dict[Tensor, tuple[int, ...]]:
        """The symbolic shapes of the leaves, evaluated here."""
        return {leaf: self._shape(shape) for leaf, shape in own_leaves(self.program)}

    @property
    def varied(self) -> tuple[Tensor, ...]:
        """The leaves that have a gradient: real numbers from outside, weights if trained."""
        return tuple(leaf for leaf in self.leaves if _is_varied(leaf))


def _is_varied(leaf: Tensor) -> bool:
    match leaf.op:
        case Param(_, trainable):
            return trainable
        case Input() as op:
            return op.varies
        case _:
            return False


def every(values: Values) -> Iterator[Values]:
    """Yield the arrays of an execution and of all applications of its repeated bodies."""
    yield values
    for applications in values.inner.values():
        for inner in applications:
            yield from every(inner)
