"""What is the shape ledger? Every input, weight, table, named step, output and gradient.

A row says what a tensor is called, what it is, which shape it has, and in which component. A
repeated body is listed once: its rows stand for ``times`` tensors of that shape each (a shared
set of weights is there once).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from sympy import Expr

from symledger.ir.ops import Const, Input, Param
from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import Call, Program, Pullback, Scope, Tensor, is_leaf

Kind = Literal["input", "weight", "table", "step", "output", "gradient"]


@dataclass(frozen=True)
class ShapeRow:
    """One tensor: its name, what it is, its shape, its component, and how often it is there."""

    name: str
    kind: Kind
    shape: Shape
    path: tuple[str, ...] = ()
    times: Expr = ONE

    @property
    def dotted(self) -> str:
        """The name with the components that it is in: ``block.attention.Q.W``."""
        return ".".join((*self.path, self.name))


def shapes(program: Program, pull: Pullback | None = None) -> tuple[ShapeRow, ...]:
    """Return the shape ledger: inputs; each component's weights, tables and steps; outputs.

    Given the backward program, the gradients that it gives follow; those of the weights of a
    repeated body are stacked along a leading axis, one for each application.
    """
    rows = [_leaf(t, ()) for t in program.inputs]
    for use in sorted(_uses(program, ONE, ONE), key=lambda use: use.scope.order):
        rows += _component(use, program)
    rows += (ShapeRow(_step(program, y), "output", y.shape) for y in program.outputs)
    return (*rows, *(_gradients(pull) if pull else ()))


@dataclass(frozen=True)
class _Use:
    """One use of a component: in which program, how often, and with how many sets of weights."""

    scope: Scope
    body: Program
    times: Expr
    sets: Expr


def _uses(program: Program, times: Expr, sets: Expr) -> Iterator[_Use]:
    """Yield every use of a component, those inside repeated bodies included."""
    found: dict[Scope, None] = {program.scope: None}
    for t in program.tensors:
        at: Scope | None = t.scope
        above: list[Scope] = []
        while at is not None and at is not program.scope:
            above.append(at)
            at = at.parent
        if at is not None:
            found |= dict.fromkeys(above)
    yield from (_Use(scope, program, times, sets) for scope in found)
    for t in program.calls:
        if isinstance(t.op, Call):
            own = ONE if t.op.shared else t.op.times
            yield from _uses(t.op.body, times * t.op.times, sets * own)


def _component(use: _Use, whole: Program) -> Iterator[ShapeRow]:
    """Yield the weights, tables, noise and steps of one component."""
    scope, body = use.scope, use.body
    own = [t for t in body.tensors if is_leaf(t) and body.owners.get(t, t.scope) is scope]
    names: set[str] = set()
    for row in dict.fromkeys(_leaf(t, scope.path) for t in own if isinstance(t.op, Const)):
        name = row.name
        while name in names:  # another table: written with a prime, as in equations
            name += "′"
        names.add(name)
        yield replace(row, name=name, times=use.times)
    for t in own:
        if t not in body.inputs and not isinstance(t.op, Const):
            times = use.sets if isinstance(t.op, Param) else use.times
            yield replace(_leaf(t, scope.path), times=times)
    for name, t in scope.steps.items():
        outside = scope is whole.scope and t in whole.outputs
        if not is_leaf(t) and not outside:
            yield ShapeRow(name, "step", t.shape, scope.path, use.times)


def _leaf(t: Tensor, path: tuple[str, ...]) -> ShapeRow:
    assert isinstance(t.op, Input | Param | Const)
    kind: Kind = "input"
    if not isinstance(t.op, Input):
        kind = "weight" if isinstance(t.op, Param) else "table"
    return ShapeRow(t.op.name, kind, t.shape, path)


def _step(program: Program, y: Tensor) -> str:
    return next((name for name, t in program.scope.steps.items() if t is y), "")


def _gradients(pull: Pullback) -> Iterator[ShapeRow]:
    """Yield the gradient of each leaf: the inputs' first, then the weights'."""
    paths: dict[Tensor, tuple[str, ...]] = {}
    for body in pull.program.bodies:
        for t in body.params:
            paths.setdefault(t, body.owners.get(t, t.scope).path)
    ordered = sorted(pull.gradients, key=lambda t: (isinstance(t.op, Param), t.order))
    for t in ordered:
        row = _leaf(t, paths.get(t, ()))
        yield replace(row, kind="gradient", shape=pull.gradients[t].shape)
