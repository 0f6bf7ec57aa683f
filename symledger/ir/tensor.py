"""Tensors: the nodes of a program, written with the operators that model code uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from typing import TYPE_CHECKING

from sympy import Expr, Integer, Mul

from symledger.errors import ShapeError
from symledger.ir import scalars
from symledger.ir.ops import Map, Op, Storage
from symledger.ir.scalars import Scalar

if TYPE_CHECKING:
    from symledger.ir.region import Region
    from symledger.notation.component import Component

Shape = tuple[Expr, ...]
ONE = Integer(1)
_clock = count()


@dataclass(frozen=True, eq=False)
class Scope:
    """One use of a component inside another: where a tensor was made, and the tree of lines.

    ``recompute`` says that the backward pass runs it again instead of keeping what it computed.
    ``entered`` is what it was called with, as its ``forward`` names it; ``steps``, what that named.
    """

    name: str
    component: Component | None = None
    parent: Scope | None = None
    recompute: bool = False
    entered: dict[str, Tensor] = field(default_factory=dict)
    steps: dict[str, Tensor] = field(default_factory=dict)
    order: int = field(default_factory=_clock.__next__)

    @property
    def path(self) -> tuple[str, ...]:
        """The names from the outermost component down to here, the outermost left out."""
        return (*self.parent.path, self.name) if self.parent else ()


OUTSIDE = Scope("")
_scope: ContextVar[Scope] = ContextVar("scope", default=OUTSIDE)
_region: ContextVar[Region | None] = ContextVar("region", default=None)


_weights: ContextVar[list[Tensor] | None] = ContextVar("weights", default=None)


@contextmanager
def noting_weights() -> Iterator[list[Tensor]]:
    """Note every weight that is made in this block."""
    made: list[Tensor] = []
    token = _weights.set(made)
    try:
        yield made
    finally:
        _weights.reset(token)


def note_weight(weight: Tensor) -> None:
    """Note a weight, while a component is traced."""
    made = _weights.get()
    if made is not None:
        made.append(weight)


def current_scope() -> Scope:
    """Return the use of a component whose ``forward`` is running."""
    return _scope.get()


def current_region() -> Region | None:
    """Return the fused body that is being recorded, if any."""
    return _region.get()


class inside:  # noqa: N801  # used like a function, thousands of times: a generator takes thrice as long
    """Record the tensors made in this block as belonging to ``scope`` (and to a fused region)."""

    def __init__(self, scope: Scope, region: Region | None = None) -> None:
        self.scope, self.region = scope, region

    def __enter__(self) -> None:
        self.tokens = _scope.set(self.scope), _region.set(_region.get() or self.region)

    def __exit__(self, *error: object) -> None:
        scope_token, region_token = self.tokens
        _scope.reset(scope_token)
        _region.reset(region_token)


@dataclass(eq=False)  # frozen, each would take half as long again to make: there are thousands
class Tensor:
    """A symbolic tensor: the operation that makes it, from what, and its shape. None is changed.

    ``storage`` says what its elements are, ``state`` how many positions of its axis 1 are kept
    between decoding steps, where any are.
    """

    op: Op
    args: tuple[Tensor, ...]
    shape: Shape
    storage: Storage = "value"
    state: Expr | None = None
    scope: Scope = field(default_factory=_scope.get)
    region: Region | None = field(default_factory=_region.get)
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


@cache
def product(lengths: Shape) -> Expr:
    """Return the product of some lengths; most shapes occur many times."""
    return Mul(*lengths)


def as_size(value: Expr | int) -> Expr:
    """Return a whole number as the SymPy integer that it is; leave an expression as it is."""
    return Integer(value) if isinstance(value, int) else value


def binary(code: Scalar, left: Tensor, right: Tensor | Expr | int) -> Tensor:
    """Apply two-argument scalar code to a tensor and a tensor or a constant."""
    if isinstance(right, Tensor):
        return pointwise(code, left, right)
    return pointwise(code.with_constant(as_size(right)), left)


def pointwise(code: Scalar, *args: Tensor, storage: Storage = "value") -> Tensor:
    """Apply scalar code to every element, broadcasting as NumPy does.

    Raises:
        ShapeError: two axes that stand above each other have different lengths, neither 1.
    """
    shape = args[0].shape
    for arg in args[1:]:
        shape = broadcast(shape, arg.shape)
    return Tensor(Map(code), args, shape, storage)


def broadcast(left: Shape, right: Shape) -> Shape:
    """Return the common shape of two tensors aligned at their last axes."""
    if left == right:
        return left
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    lead = len(longer) - len(shorter)
    pairs = zip(longer[lead:], shorter, strict=True)
    merged = tuple(_common(a, b, left, right) for a, b in pairs)
    return longer[:lead] + merged


def _common(a: Expr, b: Expr, left: Shape, right: Shape) -> Expr:
    if a is b or b is ONE or a == b:
        return a
    if a is ONE:
        return b
    raise ShapeError(
        f"{show(left)} and {show(right)} do not fit together: {a} stands above {b}. "
        "Axes are aligned from the last one; they must be equal, or one of them 1."
    )


def show(shape: Shape) -> str:
    """Write a shape for a person: ``[B T d]``."""
    return "[" + " ".join(str(length).replace(" ", "") for length in shape) + "]"
