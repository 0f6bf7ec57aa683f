"""Programs: tensors, what makes them, and the operations that hold programs in turn.

These types mention each other, so that they stand in one file: a tensor is made by an operation,
an operation may repeat a program, and a program is a graph of tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count
from operator import attrgetter
from typing import Any, Protocol

from sympy import Expr, Symbol

from symledger.ir import ops, scalars
from symledger.ir.naming import snake
from symledger.ir.scalars import Scalar
from symledger.ir.shapes import Shape, as_size, broadcast, product, show
from symledger.ir.sizing import Sizing
from symledger.sizes import Size

IN_ORDER = attrgetter("order")
_clock = count()


class Defining(Protocol):
    """What is asked of a component here."""

    def defined(self) -> Mapping[Size, Expr]:
        """Return the sizes that others decide, and how."""


@dataclass(frozen=True, eq=False)
class Scope:
    """One use of a component inside another: where a tensor was made, and the tree of lines.

    ``recompute`` says that the backward pass runs it again instead of keeping what it computed;
    ``early``, that it does so no further than to the last value that it needs; ``discards``, that
    what it gives is not kept either, and is there again before what reads it is gone back through.
    ``entered`` is what it was called with, as its ``forward`` names it; ``steps``, what that named.
    """

    name: str
    component: Defining | None = None
    parent: Scope | None = None
    recompute: bool = False
    early: bool = False
    discards: bool = False
    entered: dict[str, Tensor] = field(default_factory=dict)
    steps: dict[str, Tensor] = field(default_factory=dict)
    order: int = field(default_factory=_clock.__next__)

    @property
    def path(self) -> tuple[str, ...]:
        """The names from the outermost component down to here, the outermost left out."""
        return (*self.parent.path, self.name) if self.parent else ()

    @property
    def kind(self) -> str:
        """The class of the component, as names in formulas are written; of none, nothing."""
        return snake(type(self.component).__name__) if self.component else ""


@dataclass(eq=False)
class Region:
    """The tensors of one fused body: what entered, what came out, and how to go back."""

    pullback: Callable[..., Mapping[str, Tensor]]
    named: dict[str, Tensor] = field(default_factory=dict)
    outputs: tuple[Tensor, ...] = ()

    @property
    def together(self) -> tuple[str, ...]:
        """The arguments of which a kernel computes all gradients, or none: a component says so."""
        of = getattr(self.pullback, "__self__", None)
        return tuple(getattr(of, "gradients_together", ()))


OUTSIDE = Scope("")
SCOPE: ContextVar[Scope] = ContextVar("scope", default=OUTSIDE)
REGION: ContextVar[Region | None] = ContextVar("region", default=None)
"""Where tensors are being made (see ``building``)."""


@dataclass(eq=False)  # frozen, each would take half as long again to make: there are thousands
class Tensor:
    """A symbolic tensor: the operation that makes it, from what, and its shape. None is changed.

    ``storage`` says what its elements are, ``state`` how many positions of its axis 1 are kept
    between decoding steps, where any are.
    """

    op: Op
    args: tuple[Tensor, ...]
    shape: Shape
    storage: ops.Storage = "value"
    state: Expr | None = None
    scope: Scope = field(default_factory=SCOPE.get)
    region: Region | None = field(default_factory=REGION.get)
    order: int = field(default_factory=_clock.__next__)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @cached_property
    def size(self) -> Expr:
        """The number of elements."""
        return product(self.shape)

    def __repr__(self) -> str:
        return f"{type(self.op).__name__}{show(self.shape)}"

    def __add__(self, other: Tensor | Expr | int) -> Tensor:
        return binary(scalars.ADD, self, other)

    def __sub__(self, other: Tensor | Expr | int) -> Tensor:
        return binary(scalars.SUBTRACT, self, other)

    def __mul__(self, other: Tensor | Expr | int) -> Tensor:
        return binary(scalars.MULTIPLY, self, other)

    def __truediv__(self, other: Tensor | Expr | int) -> Tensor:
        return binary(scalars.DIVIDE, self, other)

    def __neg__(self) -> Tensor:
        return pointwise(scalars.NEGATE, self)

    def __rsub__(self, other: Expr | int) -> Tensor:
        return pointwise(Scalar((scalars.X,), as_size(other) - scalars.X), self)

    def __rtruediv__(self, other: Expr | int) -> Tensor:
        return pointwise(Scalar((scalars.X,), as_size(other) / scalars.X), self)

    __radd__ = __add__
    __rmul__ = __mul__


def binary(code: Scalar, left: Tensor, right: Tensor | Expr | int) -> Tensor:
    """Apply two-argument scalar code to a tensor and a tensor or a constant."""
    if isinstance(right, Tensor):
        return pointwise(code, left, right)
    return pointwise(code.with_constant(as_size(right)), left)


def pointwise(code: Scalar, *args: Tensor, storage: ops.Storage = "value") -> Tensor:
    """Apply scalar code to every element, broadcasting as NumPy does.

    Raises:
        ShapeError: two axes that stand above each other have different lengths, neither 1.
    """
    shape = args[0].shape
    for arg in args[1:]:
        shape = broadcast(shape, arg.shape)
    return Tensor(ops.Map(code), args, shape, storage)


@dataclass(frozen=True)
class Call(ops.Repetition):
    """A program applied ``times`` times to its own results: layers in depth, steps in time.

    Its first ``states`` inputs are carried: each application gets what the one before gave as its
    first results. Of the next ``slices`` inputs, application i gets the slice at i along ``axis``
    (in ``reverse``, the last slice first); further inputs are the same every time. Each
    application has weights of its own, or all share one set. ``times`` may be an ``average``: of
    several such repetitions one is longer than another. Where it ``ends``, nothing takes its states
    after the last application, and going back, that one is told of no gradient of them.

    The tensor of a Call is its first state after the last application; a Result takes others.
    """

    body: Program
    times: Expr
    shared: bool = False
    states: int = 1
    slices: int = 0
    axis: int = 0
    reverse: bool = False
    average: bool = False
    ends: bool = False

    @property
    def carried(self) -> tuple[Tensor, ...]:
        """The inputs of the body that are carried."""
        return self.body.inputs[: self.states]

    @property
    def sliced(self) -> tuple[Tensor, ...]:
        """The inputs of the body that are slices."""
        return self.body.inputs[self.states : self.states + self.slices]


@dataclass(frozen=True)
class CallBack:
    """A Call pulled back: its body's backward program, run in reverse order of application.

    It takes the gradients of all states, then those of stacked results. ``first`` is the program
    of the first application where that one differs: no gradient is asked for what enters it. So is
    ``last`` that of the last one, where no gradient of states arrives, and ``only`` that of the
    first one where it is the last as well: what it does is what both do beyond what all do.
    """

    call: Tensor
    body: Pullback
    first: Pullback | None = None
    last: Pullback | None = None
    only: Pullback | None = None

    @property
    def bodies(self) -> tuple[Pullback, ...]:
        """The programs that there are."""
        return tuple(x for x in (self.body, self.first, self.last, self.only) if x)


@dataclass(frozen=True)
class Result:
    """One of several results of a Call, or of the gradients of a CallBack.

    Of a Call, what its body gives as ``leaf``: last, or stacked along ``axis`` from all
    applications. Of a CallBack, the gradient of a ``leaf`` of its body: of a carried input, else
    added up over all applications, or stacked along ``axis``.
    """

    leaf: Tensor
    axis: int | None = None


Op = ops.Primitive | Call | CallBack | Result


@dataclass(frozen=True, eq=False)
class Program(Sizing):
    """A graph of tensors from inputs to outputs, in the order in which they were made.

    ``idle`` are weights and results that are there, and that nothing uses.
    """

    scope: Scope
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    idle: tuple[Tensor, ...] = ()

    @cached_property
    def tensors(self) -> tuple[Tensor, ...]:
        """Every tensor that the outputs depend on, inputs and what is idle included, in order."""
        return reachable((*self.outputs, *self.inputs, *self.idle))

    @cached_property
    def unused(self) -> frozenset[Tensor]:
        """The tensors that no output depends on, but for what enters."""
        used = reachable((*self.outputs, *self.inputs)) if self.idle else self.tensors
        return frozenset(self.tensors) - frozenset(used)

    @cached_property
    def _kinds(self) -> dict[type, list[Tensor]]:
        found: dict[type, list[Tensor]] = {}
        for t in self.tensors:
            found.setdefault(type(t.op), []).append(t)
        return found

    def of(self, *kinds: type[Any]) -> list[Tensor]:
        """Return the tensors that some kinds of operations make, in order.

        Large networks have thousands of tensors, and most questions are about few of them.
        """
        found = [made for kind, made in self._kinds.items() if issubclass(kind, kinds)]
        return sorted(chain.from_iterable(found), key=IN_ORDER)

    @cached_property
    def params(self) -> tuple[Tensor, ...]:
        """The weights, each object once; those of repeated bodies are in their bodies."""
        return tuple(self.of(ops.Param))

    @cached_property
    def calls(self) -> tuple[Tensor, ...]:
        """The repeated bodies."""
        return tuple(self.of(Call))

    @property
    def masks(self) -> bool:
        """Whether some contraction runs over masked pairs, at any depth."""
        contracts = self.everywhere(ops.Contract)
        return any(isinstance(t.op, ops.Contract) and t.op.pairs for t in contracts)

    @cached_property
    def has_unknown(self) -> bool:
        """Whether of some function only the name is known, at any depth."""
        maps = self.everywhere(ops.Map)
        return any(isinstance(t.op, ops.Map) and not t.op.code.is_known for t in maps)

    @cached_property
    def owners(self) -> dict[Tensor, Scope]:
        """The component that each weight belongs to: the first one that uses it."""
        found: dict[Tensor, Scope] = {}
        for tensor in self.tensors:
            for arg in tensor.args:
                if isinstance(arg.op, ops.Param):
                    found.setdefault(arg, tensor.scope)
        for weight in self.params:  # one that is only returned
            found.setdefault(weight, weight.scope)
        return found

    def path(self, leaf: Tensor) -> str:
        """The dotted name of a weight, as in ``block.attention.Q.W``."""
        name = leaf.op.name if isinstance(leaf.op, ops.Param | ops.Input | ops.Const) else ""
        return ".".join((*self.owners.get(leaf, leaf.scope).path, name))

    @cached_property
    def bodies(self) -> tuple[Program, ...]:
        """This program and the bodies of its calls, at any depth."""
        inner = (c.op.body for c in self.calls if isinstance(c.op, Call))
        return (self, *(p for body in inner for p in body.bodies))

    def everywhere(self, *kinds: type[Any]) -> list[Tensor]:
        """The tensors of some kinds here and in all bodies."""
        return [t for body in self.bodies for t in body.of(*kinds)]

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes that there are, in all bodies, each once."""
        return tuple(dict.fromkeys(t.shape for body in self.bodies for t in body.tensors))

    @cached_property
    def entering(self) -> tuple[Expr, ...]:
        """The size symbols in the shapes of what enters, by name."""
        found = {s for t in self.inputs for length in t.shape for s in length.free_symbols}
        return tuple(sorted(found, key=str))

    @cached_property
    def definitions(self) -> dict[Symbol, Expr]:
        """The sizes that others decide, as the component states it."""
        stated = self.scope.component.defined() if self.scope.component else {}
        return {symbol: e for symbol, e in stated.items() if symbol in self.symbols}


@dataclass(frozen=True, eq=False)
class Pullback:
    """The backward program: from the gradients of the outputs to those of the leaves.

    It is written over the forward program's own tensors; those that it mentions must be kept.
    ``again`` are the tensors of recomputed blocks, built once more, and gradients that a kernel
    computes with others: all of them are computed, whether a gradient depends on them or not.
    """

    program: Program
    seeds: tuple[Tensor, ...]
    gradients: dict[Tensor, Tensor] = field(default_factory=dict)
    again: tuple[Tensor, ...] = ()

    @property
    def scope(self) -> Scope:
        """The component whose backward program this is."""
        return self.program.scope

    @cached_property
    def tensors(self) -> tuple[Tensor, ...]:
        """The tensors of the backward program alone, in order, seeds left out."""
        known = set(self.program.tensors) | set(self.seeds)
        ends = (*self.gradients.values(), *self.again)
        return tuple(t for t in reachable(ends, known) if t not in known)


def reachable(
    ends: tuple[Tensor, ...], stop: set[Tensor] | frozenset[Tensor] = frozenset()
) -> tuple[Tensor, ...]:
    """Return the tensors that ``ends`` depend on, in the order in which they were made.

    The walk does not go beyond the tensors in ``stop``. The named steps of a fused body belong to
    it even where only its stated pull-back uses them (a log-sum-exp, say).
    """
    seen: set[Tensor] = set()
    fused: set[Region] = set()
    stack = list(ends)
    while stack:
        tensor = stack.pop()
        if tensor not in seen:
            seen.add(tensor)
            if tensor not in stop:
                stack.extend(tensor.args)
                if tensor.region and tensor.region not in fused:
                    fused.add(tensor.region)
                    stack.extend(tensor.region.named.values())
    return tuple(sorted(seen, key=IN_ORDER))


def is_leaf(tensor: Tensor) -> bool:
    """Whether a tensor comes from outside the program: data, a weight or a table."""
    return isinstance(tensor.op, ops.Leaf)
