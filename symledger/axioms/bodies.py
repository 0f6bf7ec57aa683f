"""Axioms of bodies: one with a pull-back of its own, repeated ones, one that is run again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.axioms.axiom import Axiom
from symledger.ir.region import Values
from symledger.ir.tensor import Call, CallBack, Result, Scope, Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, param, repeat, scan, total


def repeated(t: Tensor) -> Iterator[Call]:
    """Yield the repetition that a tensor is, or that it is the pull-back of."""
    op = t.op.call.op if isinstance(t.op, CallBack) else t.op
    if isinstance(op, Call):
        yield op


def runs_again(scope: Scope | None) -> bool:
    """Whether a place in a program lies in a block that is run again."""
    return scope is not None and (scope.recompute or runs_again(scope.parent))


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
