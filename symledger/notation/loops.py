"""Bodies that are applied again and again: once to one state, or along an axis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sympy import Expr

from symledger.errors import BadInput, ShapeError
from symledger.ir.building import current_scope, inside, noting_idle
from symledger.ir.ops import Input
from symledger.ir.shapes import ONE, as_size, show
from symledger.ir.tensor import Call, Program, Result, Scope, Tensor
from symledger.notation.recompute import together, use_of

if TYPE_CHECKING:
    from symledger.notation.component import Component


def repeat(component: Component, times: Expr | int, *inputs: Tensor, name: str,
           shared: bool = False, recompute: bool = False, average: bool = False,
           ) -> Tensor:  # fmt: skip
    """Apply a component ``times`` times: its first input is carried, the others stay the same.

    With ``recompute`` nothing inside an application is kept; the backward pass runs it again.
    ``times`` need not be whole where it is an ``average``: all counts are linear in it.

    Raises:
        ShapeError: the body does not give back one tensor of the shape that it carries.
    """
    number, rest, early = together(name, as_size(times))
    if number > 1:
        segments = Segments(component, inputs, name, shared, early)
        return segments.applied(as_size(times), number, rest)
    body = _body(component, name, inputs, recompute or number > 0, early)
    if len(body.outputs) != 1:
        raise _not_carried(component, inputs[:1], body.outputs)
    op = Call(body, as_size(times), shared, average=average)
    return _called(component, op, inputs)


@dataclass(frozen=True)
class Segments:
    """Applications of a component that are run again so many together.

    Where these are run no further than to what is needed, the last of them is another one than
    those before: each is a part of its own then.
    """

    component: Component
    inputs: tuple[Tensor, ...]
    name: str
    shared: bool
    early: bool

    def applied(self, times: Expr, number: int, rest: int) -> Tensor:
        """Apply it ``times`` times: so many together, and the ``rest`` behind them.

        Raises:
            BadInput: all applications share their weights, of which two parts would hold some.
        """
        if rest and self.shared:
            raise BadInput(
                f"{self.name} is applied {times} times with the same weights, which is no multiple "
                f"of {number}: run a number of them again together that divides it."
            )
        state = self.inputs[0]
        if times != rest:
            state = self._repeated((times - rest) / number, number, state, "segment")
        return self._repeated(ONE, rest, state, "last_segment") if rest else state

    def _repeated(self, times: Expr, number: int, state: Tensor, name: str) -> Tensor:
        """Apply a segment of so many applications ``times`` times."""
        inputs = (state, *self.inputs[1:])
        scope = Scope(name, None, current_scope(), recompute=True, early=self.early)
        formals = _formals(inputs)
        with noting_idle() as idle, inside(scope):
            given = self._segment(scope, number, formals)
        body = Program(scope, formals, (given,), tuple(idle))
        return _called(self.component, Call(body, times, self.shared), inputs)

    def _segment(self, scope: Scope, number: int, formals: tuple[Tensor, ...]) -> Tensor:
        if not self.early or self.shared:
            body = _body(self.component, self.name, formals, False)
            return _called(self.component, Call(body, as_size(number), self.shared), formals)
        state = formals[0]
        for i in range(number):
            inner = Scope(f"{self.name}_{i + 1}", self.component, scope)
            (state,) = self.component.apply_in(inner, (state, *formals[1:]))
        return state


def scan(component: Component, times: Expr, states: tuple[Tensor, ...], *same: Tensor, name: str,
         over: tuple[Tensor, ...] = (), axis: int = 0, shared: bool = False,
         reverse: bool = False, recompute: bool = False, kept: bool = False, ends: bool = False,
         ) -> tuple[Tensor, ...]:  # fmt: skip
    """Apply a component along an axis: carry states, take slices, stack results.

    It takes the states, a slice of each tensor of ``over`` without that axis, and the ``same``
    tensors every time. It gives the new states, then what is stacked along a new ``axis``.
    Return the states after the last application, and the stacked results. With ``kept`` the
    first of these states is kept between decoding steps. It ``ends`` where nothing takes them.

    Raises:
        ShapeError: the body does not give back its states, or there are not as many slices as
            applications.
    """
    times = as_size(times)
    for x in over:
        if x.shape[axis] != times:
            raise ShapeError(f"axis {axis} of {show(x.shape)} has no {times} slices to go along.")
    slices = tuple(replace(x, shape=x.shape[:axis] + x.shape[axis + 1 :]) for x in over)
    body = _body(component, name, (*states, *slices, *same), recompute)
    op = Call(body, times, shared, len(states), len(over), axis, reverse, ends=ends)
    call = _called(component, op, (*states, *over, *same))
    call = replace(call, state=call.shape[1]) if kept else call
    last, each = body.outputs[: len(states)], body.outputs[len(states) :]
    return (
        *(Tensor(Result(y), (call,), y.shape, y.storage) for y in last),
        *(
            Tensor(Result(y, axis), (call,), (*y.shape[:axis], times, *y.shape[axis:]), y.storage)
            for y in each
        ),
    )


def _formals(inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(Tensor(Input(f"x{i}"), (), x.shape, x.storage) for i, x in enumerate(inputs))


def _body(
    component: Component, name: str, inputs: tuple[Tensor, ...], recompute: bool,
    early: bool = False,
) -> Program:  # fmt: skip
    """Build the program of one application."""
    scope = use_of(component, name, recompute)
    scope = replace(scope, early=True) if early else scope
    formals = _formals(inputs)
    with noting_idle() as idle:
        outputs = component.apply_in(scope, formals)
    return Program(scope, formals, outputs, tuple(idle))


def _called(component: Component, op: Call, inputs: tuple[Tensor, ...]) -> Tensor:
    before, after = inputs[: op.states], op.body.outputs[: op.states]
    if [x.shape for x in before] != [y.shape for y in after]:
        raise _not_carried(component, before, op.body.outputs)
    return Tensor(op, inputs, after[0].shape)


def _not_carried(
    component: Component, states: tuple[Tensor, ...], given: tuple[Tensor, ...]
) -> ShapeError:
    carries, gives = (", ".join(show(x.shape) for x in tensors) for tensors in (states, given))
    return ShapeError(
        f"{type(component).__name__} cannot be repeated: it carries {carries} but gives {gives}."
    )
