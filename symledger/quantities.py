"""Quantities: every question that can be asked of a program, and the reading that answers it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal

from sympy import Expr, Integer

from symledger.algebra import Terms
from symledger.conventions import Conventions
from symledger.core.program import Program, Pullback
from symledger.core.tensor import Scope
from symledger.errors import BadInput
from symledger.ledger import Line, ledger, total
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.params import active_params, has_routed, params, trained_params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.readings.tally import Amount, Tally
from symledger.readings.traffic import state, traffic, unfused_traffic


class Readings:
    """The program of a target under conventions, and its tallies, each made once when asked for.

    ``guard`` stands around what runs a definition's own code (a stated pull-back); ``decoding``
    records the program of one decoding step.
    """

    def __init__(
        self, program: Program, conventions: Conventions,
        guard: Callable[[], AbstractContextManager[None, None]] = nullcontext,
        decoding: Callable[[], Program | None] = lambda: None,
    ) -> None:  # fmt: skip
        self.program = program
        self._decoding = decoding
        self.conventions = conventions
        self._made: dict[tuple[str, str], Tally] = {}
        self._tallies: dict[tuple[str, Conventions], Tally] = {}
        self._totals: dict[tuple[str, Conventions], Terms] = {}
        self._lines: dict[tuple[str, Conventions], Line] = {}
        self.guard = guard

    @cached_property
    def back(self) -> Pullback:
        """The backward program."""
        with self.guard():
            return pullback(self.program, self.conventions.input_gradient, self.conventions.frozen)

    @cached_property
    def decoding(self) -> Program:
        """The program of one decoding step.

        Raises:
            BadInput: nothing is decoded here.
        """
        step = self._decoding()
        if step is None:
            name = self.program.scope.name
            raise BadInput(f"{name} does not decode token by token: it has no flops.decode.")
        return step

    @property
    def bytes_of(self) -> dict[Any, Expr]:
        """Bytes of an element, by storage class."""
        return {name: Integer(n) for name, n in self.conventions.storage_bytes.items()}

    @cached_property
    def has_pairs(self) -> bool:
        """Whether some contraction runs over masked pairs: the causal convention matters then."""
        return self.program.masks

    @cached_property
    def has_routed(self) -> bool:
        """Whether some experts are not used for every token: some parameters are not active."""
        return has_routed(self.program)

    def contractions(self, direction: Literal["forward", "backward"]) -> Tally:
        """The FLOPs of one pass, under the causal convention; many quantities are made of them."""
        key = (direction, self.conventions.causal)
        if key not in self._made:
            program = self.program if direction == "forward" else self.back
            self._made[key] = contraction_flops(program, self.conventions.causal)
        return self._made[key]

    def tally(self, quantity: str) -> Tally:
        """The amounts of a quantity, as they are read."""
        key = (quantity, self.conventions)
        if key not in self._tallies:
            self._tallies[key] = QUANTITIES[quantity].read(self)
        return self._tallies[key]

    def total(self, quantity: str) -> Terms:
        """The sum of the amounts of a quantity, multiplied out."""
        key = (quantity, self.conventions)
        if key not in self._totals:
            self._totals[key] = total(self.tally(quantity))
        return self._totals[key]

    def line(self, quantity: str) -> Line:
        """The amounts of a quantity as a tree of lines."""
        key = (quantity, self.conventions)
        if key not in self._lines:
            self._lines[key] = ledger(self.tally(quantity))
        return self._lines[key]

    def under(self, **changed: Any) -> Readings:
        """Return these readings under other conventions of counting, what was made once shared.

        ``frozen`` and ``input_gradient`` are no such conventions: the backward program is another.
        """
        other = copy(self)
        other.conventions = replace(self.conventions, **changed)
        return other


def together(scope: Scope, *tallies: tuple[str, Tally]) -> Tally:
    """Put tallies of one unit together, each under its own name."""
    return Tally(scope, tuple(Tally(Scope(n, None, scope), t.items, t.times) for n, t in tallies))


def scaled(tally: Tally, factor: int) -> Tally:
    """Multiply every amount of a tally by a number."""
    times = cache(lambda own: factor * own)  # amounts are often alike

    def each(tally: Tally) -> Tally:
        return Tally(tally.scope, tuple(
            each(item) if isinstance(item, Tally)
            else Amount(item.scope, times(item.own), item.label, item.shape, item.note)
            for item in tally.items
        ), tally.times)  # fmt: skip

    return each(tally)


@dataclass(frozen=True)
class Quantity:
    """A question with a unit, and the reading that answers it.

    ``over`` is the quantity that the answer is divided by (an intensity).
    """

    name: str
    unit: str
    meaning: str
    read: Callable[[Readings], Tally]
    over: str = ""


def _flops_forward(r: Readings) -> Tally:
    return r.contractions("forward")


def _flops_backward(r: Readings) -> Tally:
    return r.contractions("backward")


def _training_flops(r: Readings) -> Tally:
    parts = ("forward", _flops_forward(r)), ("backward", _flops_backward(r))
    return together(r.program.scope, *parts)


def _macs(read: Callable[[Readings], Tally]) -> Callable[[Readings], Tally]:
    def halved(r: Readings) -> Tally:
        tally = read(r)
        return Tally(tally.scope, tally.items, tally.times / 2)

    return halved


def _parameters(r: Readings) -> Tally:
    return scaled(params(r.program), r.conventions.value_bytes)


def _gradients(r: Readings) -> Tally:
    return scaled(trained_params(r.program, r.conventions.frozen), r.conventions.value_bytes)


def _optimizer(r: Readings) -> Tally:
    return scaled(trained_params(r.program, r.conventions.frozen), r.conventions.state_bytes)


def _saved(r: Readings) -> Tally:
    return saved(r.back, r.bytes_of)


def _training_memory(r: Readings) -> Tally:
    return together(
        r.program.scope, ("parameters", _parameters(r)), ("gradients", _gradients(r)),
        ("optimizer", _optimizer(r)), ("saved activations", _saved(r)),
    )  # fmt: skip


QUANTITIES: dict[str, Quantity] = {
    q.name: q
    for q in (
        Quantity("params", "parameters", "unique parameters", lambda r: params(r.program)),
        Quantity("params.active", "parameters", "used for one token: k of E routed experts",
                 lambda r: active_params(r.program)),
        Quantity("flops.forward", "FLOP", "forward pass, contractions", _flops_forward),
        Quantity("flops.forward.pointwise", "FLOP", "forward pass, everything else",
                 lambda r: pointwise_flops(r.program)),
        Quantity("flops.backward", "FLOP", "backward pass, contractions", _flops_backward),
        Quantity("flops.backward.pointwise", "FLOP", "backward pass, everything else",
                 lambda r: pointwise_flops(r.back)),
        Quantity("flops.training", "FLOP", "forward and backward, contractions", _training_flops),
        Quantity("macs.forward", "MAC", "forward pass in multiply-adds", _macs(_flops_forward)),
        Quantity("macs.backward", "MAC", "backward pass in multiply-adds", _macs(_flops_backward)),
        Quantity("macs.training", "MAC", "both passes in multiply-adds", _macs(_training_flops)),
        Quantity("flops.decode", "FLOP",
                 "the last of T tokens decoded, the others remembered; contractions",
                 lambda r: contraction_flops(r.decoding, r.conventions.causal)),
        Quantity("memory.parameters", "bytes", "the weights", _parameters),
        Quantity("memory.gradients", "bytes", "a gradient for every trained weight", _gradients),
        Quantity("memory.optimizer", "bytes", "the optimizer's state", _optimizer),
        Quantity("memory.saved", "bytes", "activations kept for the backward pass", _saved),
        Quantity("memory.training", "bytes", "weights, gradients, optimizer and activations",
                 _training_memory),
        Quantity("memory.kv_cache", "bytes", "keys and values kept between decoding steps",
                 lambda r: state(r.program, r.bytes_of)),
        Quantity("traffic.forward", "bytes",
                 "inputs, weights, outputs moved once; picked rows of a table each time",
                 lambda r: traffic(r.program, r.bytes_of)),
        Quantity("traffic.unfused", "bytes", "every operation reads and writes",
                 lambda r: unfused_traffic(r.program, r.bytes_of)),
        Quantity("intensity.forward", "FLOP/byte", "forward FLOPs for each byte moved",
                 _flops_forward, over="traffic.forward"),
    )
}  # fmt: skip
