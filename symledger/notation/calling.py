"""A component called on inputs of the shapes that its signature states: its program."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from symledger.errors import DefinitionError
from symledger.ir.building import noting_idle, noting_weights
from symledger.ir.naming import snake
from symledger.ir.ops import Input, Storage
from symledger.ir.patterns import ELLIPSIS, Operand, parse
from symledger.ir.shapes import show
from symledger.ir.tensor import Program, Scope, Tensor
from symledger.notation.component import Component, entering, needed, typed
from symledger.sizes import named


def program_of(
    component: Component, inputs: Mapping[str, str] | None = None,
    lengths: Mapping[str, Expr] | None = None, name: str = "",
) -> Program:  # fmt: skip
    """Build a component's program on inputs of the shapes that its signature states.

    A leading ``...`` stands for ``B T``; inputs that ``forward`` can do without are left out,
    unless the component says what its ``whole`` inputs are. ``inputs`` says otherwise: by name,
    the axes of each input that is there; ``lengths`` are those of its free axes that are not
    symbols of that name.

    Raises:
        DefinitionError: the component breaks a rule of the notation.
    """
    scope = Scope(name or snake(type(component).__name__), component)
    operands = dict(zip(needed(component), typed(component).inputs, strict=False))
    inputs = component.whole if inputs is None else inputs
    if inputs is not None:
        operands = {label: parse(f"{axes} ->").inputs[0] for label, axes in inputs.items()}
    leaves = {
        label: input_leaf(component, operand, label, lengths or {})
        for label, operand in operands.items()
    }
    entered = [leaves.get(p.name) for p in entering(component)]
    while entered and entered[-1] is None:
        entered.pop()
    with noting_weights() as made, noting_idle() as idle:
        outputs = component.apply_in(scope, tuple(entered))
    program = Program(scope, tuple(leaves.values()), outputs, tuple(idle))
    used = {weight for body in program.bodies for weight in body.params}
    for weight in made:
        if weight not in used:
            path = ".".join((*weight.scope.path, str(getattr(weight.op, "name", ""))))
            raise DefinitionError(
                f"{type(component).__name__} has a weight {path} {show(weight.shape)} that nothing "
                "uses: it would be counted nowhere. Use it, or leave it out."
            )
    return program


def input_leaf(
    component: Component, operand: Operand, label: str, lengths: Mapping[str, Expr]
) -> Tensor:
    """Make the input that an operand of a signature describes."""
    shape: list[Expr] = []
    for axis in operand.axes:
        if axis == ELLIPSIS:
            shape += [named("B"), named("T")]
        else:
            own = component.size_of(axis)
            shape.append(own if own is not None else lengths.get(axis[0], named(axis[0])))
    below = operand.below and (component.size_of((operand.below,)) or named(operand.below))
    storage: Storage = "index" if operand.below else "value"
    op = Input(label, below or None, chance=label in component.chances)
    return Tensor(op, (), tuple(shape), storage)
