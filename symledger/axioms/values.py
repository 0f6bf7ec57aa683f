"""Axioms of what makes numbers: leaves, contractions, scalar code, sums, the largest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer, Piecewise, Symbol, oo

from symledger import sizes
from symledger.axioms.axiom import Axiom
from symledger.ir.ops import (
    Const,
    Contract,
    Input,
    Map,
    Max,
    MaxIndex,
    Pairs,
    Param,
    Solve,
    Sum,
)
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import apply, einsum, join, maximum, param, solve, table, total


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
class Largest(Axiom):
    """The largest element of each row; its gradient goes to where it stood."""

    ops: ClassVar[tuple[type[Any], ...]] = (Max, MaxIndex)
    about: ClassVar[tuple[str, ...]] = ("Max", "MaxIndex")
    signature: ClassVar[str] = "B d -> B one"
    title: ClassVar[str] = "the largest element along the last axis, and where it stands"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=maximum(x))


@dataclass(frozen=True)
class Solved(Axiom):
    """A triangle of equations, solved row by row."""

    T: Expr = sizes.T

    ops: ClassVar[tuple[type[Any], ...]] = (Solve,)
    about: ClassVar[tuple[str, ...]] = ("Solve",)
    signature: ClassVar[str] = "T d -> T d"
    title: ClassVar[str] = "what a triangle of ones and of what stands below them takes to a tensor"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=solve(param("M", self.T, self.T), x))
