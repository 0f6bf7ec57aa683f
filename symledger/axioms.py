"""The axioms: for every operation a program as small as it can be, to read its rules off.

What an operation costs, how it is pulled back, what is kept of it and which storage it shares is
nowhere stated here: it is read off these programs as off every other, and checked like them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer, Piecewise, Symbol, oo

from symledger import sizes
from symledger.core.component import Component, Steps, steps
from symledger.core.fused import Values
from symledger.core.notation import (
    apply,
    einsum,
    expand,
    gather,
    join,
    maximum,
    narrow,
    pad,
    param,
    repeat,
    scan,
    scatter,
    table,
    total,
    view,
)
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
    Overlap,
    Pad,
    Pairs,
    Param,
    Rearrange,
    Repeat,
    Result,
    Scatter,
    Slice,
    Sum,
    Windows,
)
from symledger.core.tensor import Scope, Tensor
from symledger.core.windows import overlap, positions, windows
from symledger.sizes import Size


class Axiom(Component):
    """A program about ``ops``: the operations that it shows, forward or pulled back.

    ``about`` are the names under which mutants of its rules are recorded.
    """

    ops: ClassVar[tuple[type[Any], ...]] = ()
    about: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def shows(cls, t: Tensor) -> bool:
        """Whether a tensor of some program is made by what this axiom is about."""
        return isinstance(t.op, cls.ops)


def repeated(t: Tensor) -> Iterator[Call]:
    """Yield the repetition that a tensor is, or that it is the pull-back of."""
    op = t.op.call.op if isinstance(t.op, CallBack) else t.op
    if isinstance(op, Call):
        yield op


def runs_again(scope: Scope | None) -> bool:
    """Whether a place in a program lies in a block that is run again."""
    return scope is not None and (scope.recompute or runs_again(scope.parent))


@dataclass(frozen=True)
class Leaf(Axiom):
    """What a program begins with, side by side: an input, a weight, a table."""

    n: Expr = sizes.d

    ops: ClassVar[tuple[type[Any], ...]] = (Input, Param, Const)
    about: ClassVar[tuple[str, ...]] = ("Input", "Param", "Const")
    signature: ClassVar[str] = "d -> y"
    title: ClassVar[str] = "data from outside, a weight, a computed table"

    def forward(self, x: Tensor) -> Steps:
        W = param("W", self.n)
        return steps(y=join([x, W, table("c", lambda i: i, self.n)]))


@dataclass(frozen=True)
class Contraction(Axiom):
    """A sum of products of two tensors over an index that they share."""

    d_in: Expr = sizes.d_in
    d_out: Expr = sizes.d_out

    ops: ClassVar[tuple[type[Any], ...]] = (Contract,)
    about: ClassVar[tuple[str, ...]] = ("Contract",)
    signature: ClassVar[str] = "B d_in -> B d_out"
    title: ClassVar[str] = "a sum of products of two tensors over named indices"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=einsum("b i, i o -> b o", x, param("W", self.d_in, self.d_out)))


@dataclass(frozen=True)
class MaskedContraction(Axiom):
    """A sum of products over pairs, of which those count whose key is not after the query.

    The exponential is there because a mask is a promise: what it hides must count for nothing.
    """

    ops: ClassVar[tuple[type[Any], ...]] = (Contract,)
    about: ClassVar[tuple[str, ...]] = ("Pairs",)
    signature: ClassVar[str] = "T d_k, T d_k -> T T"
    title: ClassVar[str] = "the same where a mask says which pairs of a query and a key count"

    @classmethod
    def shows(cls, t: Tensor) -> bool:
        return isinstance(t.op, Contract) and t.op.pairs is not None

    def forward(self, q: Tensor, k: Tensor) -> Steps:
        n = q.shape[0]

        def visible(t: Symbol, s: Symbol) -> Expr:
            return Piecewise((Integer(0), s <= t), (-oo, True))

        mask = table("mask", visible, n, n)
        scores = einsum("t k, s k -> t s", q, k, Pairs("t", "s", n * (n + 1) / 2), mask)
        return steps(y=apply("exp", scores + mask))


@dataclass(frozen=True)
class Pointwise(Axiom):
    """Scalar code at every element; its slope is made by SymPy from the same line."""

    ops: ClassVar[tuple[type[Any], ...]] = (Map,)
    about: ClassVar[tuple[str, ...]] = ("Map",)
    signature: ClassVar[str] = "B d -> B d"
    title: ClassVar[str] = "scalar code applied to every element"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=apply("silu", x))


@dataclass(frozen=True)
class Broadcast(Axiom):
    """A product with a vector that every row shares: nothing is summed, so it is pointwise."""

    d: Expr = sizes.d

    ops: ClassVar[tuple[type[Any], ...]] = (Map,)
    about: ClassVar[tuple[str, ...]] = ("Broadcast",)
    signature: ClassVar[str] = "B d -> B d"
    title: ClassVar[str] = "the same with an argument that all rows share"

    @classmethod
    def shows(cls, t: Tensor) -> bool:
        return isinstance(t.op, Map) and any(x.shape != t.shape for x in t.args)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=x * param("g", self.d))


@dataclass(frozen=True)
class Summed(Axiom):
    """The sum along an axis."""

    ops: ClassVar[tuple[type[Any], ...]] = (Sum,)
    about: ClassVar[tuple[str, ...]] = ("Sum",)
    signature: ClassVar[str] = "B d -> B one"
    title: ClassVar[str] = "the sum along axes, which stay with length 1"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=total(x))


@dataclass(frozen=True)
class Repeated(Axiom):
    """Copies of a row."""

    B: Expr = sizes.B

    ops: ClassVar[tuple[type[Any], ...]] = (Repeat,)
    about: ClassVar[tuple[str, ...]] = ("Repeat",)
    signature: ClassVar[str] = "d -> B d"
    title: ClassVar[str] = "copies along axes of length 1 or along new ones"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=expand(x, (self.B, *x.shape)))


@dataclass(frozen=True)
class Largest(Axiom):
    """The largest element of each row; its gradient goes to where it stood."""

    ops: ClassVar[tuple[type[Any], ...]] = (Max, MaxIndex)
    about: ClassVar[tuple[str, ...]] = ("Max", "MaxIndex")
    signature: ClassVar[str] = "B d -> B one"
    title: ClassVar[str] = "the largest element along the last axis, and where it stands"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=maximum(x))


@dataclass(frozen=True)
class Rearranged(Axiom):
    """An axis split into heads, which change places with the positions."""

    h: Expr = sizes.h
    d_h: Expr = sizes.d_h

    ops: ClassVar[tuple[type[Any], ...]] = (Rearrange,)
    about: ClassVar[tuple[str, ...]] = ("Rearrange",)
    signature: ClassVar[str] = "T (h d_h) -> h T d_h"
    title: ClassVar[str] = "axes split, permuted, renamed, merged"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view("t (h k) -> h t k", x, h=self.h))


@dataclass(frozen=True)
class Sliced(Axiom):
    """The first positions of a longer axis."""

    T: Expr = sizes.T

    ops: ClassVar[tuple[type[Any], ...]] = (Slice,)
    about: ClassVar[tuple[str, ...]] = ("Slice",)
    signature: ClassVar[str] = "T_max d -> T d"
    title: ClassVar[str] = "a run of positions along an axis"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=narrow(x, 0, 0, self.T))


@dataclass(frozen=True)
class Padded(Axiom):
    """Zeros before the first position."""

    S: Expr = sizes.S

    ops: ClassVar[tuple[type[Any], ...]] = (Pad,)
    about: ClassVar[tuple[str, ...]] = ("Pad",)
    signature: ClassVar[str] = "T d -> n d"
    title: ClassVar[str] = "zeros around a tensor along an axis"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=pad(x, 0, self.S, self.S + x.shape[0]))


@dataclass(frozen=True)
class Joined(Axiom):
    """Two sequences one after the other."""

    ops: ClassVar[tuple[type[Any], ...]] = (Join,)
    about: ClassVar[tuple[str, ...]] = ("Join",)
    signature: ClassVar[str] = "T d, S d -> n d"
    title: ClassVar[str] = "tensors one after the other along an axis"

    def forward(self, x: Tensor, z: Tensor) -> Steps:
        return steps(y=join([x, z], axis=0))


@dataclass(frozen=True)
class Sliding(Axiom):
    """An axis seen through a window that moves along it."""

    T_o: Expr = sizes.T_o
    K: Expr = sizes.K
    s: Expr = sizes.s

    ops: ClassVar[tuple[type[Any], ...]] = (Windows,)
    about: ClassVar[tuple[str, ...]] = ("Windows",)
    signature: ClassVar[str] = "T -> T_o K"
    title: ClassVar[str] = "an axis seen through a sliding window: positions and offsets"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.T_o: positions(sizes.T, sizes.K, sizes.s, Integer(0), Integer(1)),
    }

    def forward(self, x: Tensor) -> Steps:
        return steps(y=windows(x, 0, self.T_o, self.K, self.s))


@dataclass(frozen=True)
class Overlapped(Axiom):
    """Windows laid back over an axis; where they overlap they are added."""

    T: Expr = sizes.T
    T_o: Expr = sizes.T_o
    K: Expr = sizes.K
    s: Expr = sizes.s

    ops: ClassVar[tuple[type[Any], ...]] = (Overlap,)
    about: ClassVar[tuple[str, ...]] = ("Overlap",)
    signature: ClassVar[str] = "T_o K -> T"
    title: ClassVar[str] = "windows laid back over their axis, added where they overlap"
    definitions: ClassVar[dict[Size, Expr]] = Sliding.definitions

    def forward(self, x: Tensor) -> Steps:
        return steps(y=overlap(x, 0, self.T, self.s))


@dataclass(frozen=True)
class Looked(Axiom):
    """A row of a table for each whole number."""

    V: Expr = sizes.V
    d: Expr = sizes.d

    ops: ClassVar[tuple[type[Any], ...]] = (Gather,)
    about: ClassVar[tuple[str, ...]] = ("Gather",)
    signature: ClassVar[str] = "T in V -> T d"
    title: ClassVar[str] = "rows of a table picked by whole numbers"

    def forward(self, tokens: Tensor) -> Steps:
        return steps(y=gather(param("E", self.V, self.d), tokens))


@dataclass(frozen=True)
class Scattered(Axiom):
    """Rows added into a table of zeros."""

    V: Expr = sizes.V

    ops: ClassVar[tuple[type[Any], ...]] = (Scatter,)
    about: ClassVar[tuple[str, ...]] = ("Scatter",)
    signature: ClassVar[str] = "T d, T in V -> V d"
    title: ClassVar[str] = "rows added into a table of zeros at whole numbers"

    def forward(self, x: Tensor, places: Tensor) -> Steps:
        return steps(y=scatter(x, places, (self.V, x.shape[1])))


@dataclass(frozen=True)
class Fused(Axiom):
    """A body with a pull-back of its own, written in the result alone."""

    ops: ClassVar[tuple[type[Any], ...]] = ()
    about: ClassVar[tuple[str, ...]] = ("Fused",)
    signature: ClassVar[str] = "B d -> B d"
    title: ClassVar[str] = "a body that states its own pull-back"

    @classmethod
    def shows(cls, t: Tensor) -> bool:
        return t.region is not None

    def forward(self, x: Tensor) -> Steps:
        e = apply("exp", x)
        return steps(y=e / total(e))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = y (dy − Σ dy y)."""
        return {"x": at.y * (dy - total(dy * at.y))}


@dataclass(frozen=True)
class Step(Component):
    """A map and a nonlinearity: the body that is repeated."""

    d: Expr = sizes.d

    signature: ClassVar[str] = "B d -> B d"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=apply("tanh", einsum("b i, i o -> b o", x, param("W", self.d, self.d))))


@dataclass(frozen=True)
class Layers(Axiom):
    """A body in depth, every application with weights of its own."""

    L: Expr = sizes.L

    ops: ClassVar[tuple[type[Any], ...]] = (Call, CallBack, Result)
    about: ClassVar[tuple[str, ...]] = ("Call", "CallBack", "Result")
    signature: ClassVar[str] = "B d -> B d"
    title: ClassVar[str] = "a body applied L times, each with weights of its own"

    @classmethod
    def shows(cls, t: Tensor) -> bool:
        return any(not call.shared for call in repeated(t))

    def forward(self, x: Tensor) -> Steps:
        return steps(y=repeat(Step(), self.L, x, name="step"))


@dataclass(frozen=True)
class SharedLayers(Axiom):
    """A body in depth, one set of weights for all applications."""

    L: Expr = sizes.L

    ops: ClassVar[tuple[type[Any], ...]] = (Call, CallBack, Result)
    signature: ClassVar[str] = "B d -> B d"
    title: ClassVar[str] = "a body applied L times with one set of weights"

    @classmethod
    def shows(cls, t: Tensor) -> bool:
        return any(call.shared and not call.slices for call in repeated(t))

    def forward(self, x: Tensor) -> Steps:
        return steps(y=repeat(Step(), self.L, x, name="step", shared=True))


@dataclass(frozen=True)
class Cell(Component):
    """One step in time: a map of the state, the slice added, a nonlinearity."""

    d: Expr = sizes.d

    signature: ClassVar[str] = "B d, B d -> B d, B d"

    def forward(self, state: Tensor, x: Tensor) -> Steps:
        z = einsum("b i, i o -> b o", state, param("W", self.d, self.d)) + x
        new = apply("tanh", z)
        return steps(new=new, y=new)


@dataclass(frozen=True)
class Scanned(Axiom):
    """A body over time: a state is carried, slices are taken, results are stacked."""

    ops: ClassVar[tuple[type[Any], ...]] = (Call, CallBack, Result)
    signature: ClassVar[str] = "B d, B T d -> B T d"
    title: ClassVar[str] = "a body applied along an axis, with a state, slices and stacked results"

    @classmethod
    def shows(cls, t: Tensor) -> bool:
        return any(bool(call.slices) for call in repeated(t))

    def forward(self, start: Tensor, x: Tensor) -> Steps:
        _, y = scan(Cell(), x.shape[1], (start,), name="cell", over=(x,), axis=1, shared=True)
        return steps(y=y)


@dataclass(frozen=True)
class RunAgain(Axiom):
    """A body of which only what enters it is kept: it is run again before it is pulled back."""

    ops: ClassVar[tuple[type[Any], ...]] = ()
    about: ClassVar[tuple[str, ...]] = ("Recompute",)
    signature: ClassVar[str] = "B d -> B d"
    title: ClassVar[str] = "a body that is run again in the backward pass"

    @classmethod
    def shows(cls, t: Tensor) -> bool:
        return runs_again(t.scope)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=Step()(x, name="step", recompute=True))
