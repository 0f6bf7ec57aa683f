"""Quantities: every question that can be asked of a program, and the reading that answers it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, TypeVar, get_args

from sympy import Expr, Integer, Rational, Symbol

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.algebra.assumptions import Assumed
from symledger.errors import BadInput
from symledger.ir.ops import Storage
from symledger.ir.tensor import Program, Pullback, Scope
from symledger.languages.message import Word, word
from symledger.ledger import blocks, caches, quantised
from symledger.ledger.conventions import Conventions
from symledger.ledger.lines import Line, ledger, total
from symledger.ledger.states import price
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.live.held import GRADIENT
from symledger.readings.params import (
    active_params,
    has_routed,
    params,
    trained_params,
    trained_states,
)
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.readings.tally import Amount, Tally, tally
from symledger.readings.touched import touched_experts, weights_read
from symledger.readings.traffic import Bytes, state, traffic, unfused_traffic

Key = tuple[str, Hashable]
Made = TypeVar("Made")
STORAGES: tuple[Storage, ...] = get_args(Storage)
BYTES: Bytes = {name: Symbol(f"_{name}_bytes") for name in STORAGES}
"""The bytes of an element of each storage class, before a type is chosen."""


class Readings:
    """The program of a target under conventions, and its tallies, each made once when asked for.

    ``guard`` stands around what runs a definition's own code (a stated pull-back); ``decoding``
    builds the program of one decoding step, and ``typed`` gives its values their types; ``assumed``
    are sizes, for what only these decide.
    """

    def __init__(
        self, program: Program, conventions: Conventions,
        guard: Callable[[], AbstractContextManager[None, None]] = nullcontext,
        decoding: Callable[[], Program | None] = lambda: None, assumed: Assumed | None = None,
        typed: Callable[[Program], Program] = lambda program: program,
    ) -> None:  # fmt: skip
        self.program = program
        self._decoding, self._typed = decoding, typed
        self.assumed = assumed
        self.conventions = conventions
        self._tallies: dict[Key, Tally] = {}
        self._totals: dict[Key, Terms] = {}
        self._elements: dict[str, Terms] = {}
        self._lines: dict[Key, Line] = {}
        self._made: dict[Hashable, Any] = {}
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
        return self._decoded()

    @cached_property
    def decoding_in_types(self) -> Program:
        """The program of one decoding step, in which every value has the type that it has then.

        Raises:
            BadInput: nothing is decoded here, or which types these are cannot be told.
        """
        return self._typed(self._decoded())

    def _decoded(self) -> Program:
        step = self._decoding()
        if step is None:
            name = self.program.scope.name
            raise BadInput(f"{name} does not decode token by token: it has no flops.decode.")
        return step

    @property
    def bytes_of(self) -> Bytes:
        """Bytes of an element, by storage class."""
        return {name: Rational(self.conventions.storage_bytes[name]) for name in STORAGES}

    @property
    def prices(self) -> Mapping[str, Expr]:
        """Bytes of an element, by storage class, and of a weight's gradient."""
        found = {str(name): n for name, n in self.bytes_of.items()}
        return {**found, GRADIENT: Integer(self.conventions.gradient_bytes)}

    @cached_property
    def has_pairs(self) -> bool:
        """Whether some contraction runs over masked pairs: the causal convention matters then."""
        return self.program.masks

    @cached_property
    def has_routed(self) -> bool:
        """Whether some experts are not used for every token: some parameters are not active."""
        return has_routed(self.program)

    def _key(self, quantity: str) -> Key:
        """What amounts depend on: bytes on every convention, other counts on pairs alone."""
        c = self.conventions
        if quantity_of(quantity).unit != "bytes":
            return quantity, c.causal
        if c.kept.form != "blocks" or self.assumed is None:
            return quantity, c
        return quantity, (c, frozenset(self.assumed.bindings.items()))

    def at(self, assumed: Assumed) -> Readings:
        """Return these readings at other sizes, what was made once shared."""
        other = copy(self)
        other.assumed = assumed
        return other

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Make what depends on the program and on what the key holds, the first time only."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def tally(self, quantity: str) -> Tally:
        """The amounts of a quantity, as they are read."""
        key = self._key(quantity)
        if key not in self._tallies:
            self._tallies[key] = quantity_of(quantity).read(self)
        return self._tallies[key]

    def total(self, quantity: str) -> Terms:
        """The sum of the amounts of a quantity, multiplied out."""
        key = self._key(quantity)
        if key not in self._totals:
            self._totals[key] = self._added_up(quantity_of(quantity))
        return self._totals[key]

    def _added_up(self, quantity: Quantity) -> Terms:
        if quantity.parts:
            times = ((p.times(self.conventions), self.total(p.of)) for p in quantity.parts)
            return algebra.combine(times)
        if not quantity.stored:
            return total(self.tally(quantity.name))
        key = quantity.name + self.conventions.cache
        if key not in self._elements:
            self._elements[key] = total(quantity.stored(self, BYTES))
        bytes_of = self.conventions.storage_bytes
        given = {symbol: algebra.constant(bytes_of[name]) for name, symbol in BYTES.items()}
        return substitute(self._elements[key], given)

    def line(self, quantity: str) -> Line:
        """The amounts of a quantity as a tree of lines."""
        key = self._key(quantity)
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
    if factor == 1:
        return tally
    times = cache(lambda own: factor * own)  # amounts are often alike

    def each(tally: Tally) -> Tally:
        return Tally(tally.scope, tuple(
            each(item) if isinstance(item, Tally)
            else Amount(item.scope, times(item.own), item.label, item.shape, item.note)
            for item in tally.items
        ), tally.times)  # fmt: skip

    return each(tally)


def once(conventions: Conventions) -> int:
    """Return that a part counts once."""
    return 1


@dataclass(frozen=True)
class Part:
    """A quantity, so many times: what another one is made of.

    Where there are several, each has a ``name`` of its own among the lines.
    """

    of: str
    times: Callable[[Conventions], int] = once
    name: str = ""


@dataclass(frozen=True)
class Quantity:
    """A question with a unit, and the reading that answers it.

    ``over`` is the quantity that the answer is divided by (an intensity). ``parts`` are the
    quantities that it is made of, if it is: then their totals are added up, and their amounts are
    put together only where lines are asked for. ``stored`` reads bytes, given those of an element
    of each storage class: its total is read once for all types.
    """

    name: str
    unit: Word
    meaning: Word
    read: Callable[[Readings], Tally]
    over: str = ""
    parts: tuple[Part, ...] = ()
    stored: Callable[[Readings, Bytes], Tally] | None = None


def asked(
    name: str, unit: str, meaning: str, read: Callable[[Readings], Tally], *rest: Any, **more: Any
) -> Quantity:
    """Return a quantity, its unit and its meaning as words of every language."""
    words = word(f"unit.{unit}", unit), word(f"quantity.{name}", meaning)
    return Quantity(name, *words, read, *rest, **more)


def made_of(name: str, unit: str, meaning: str, *parts: Part, over: str = "") -> Quantity:
    """Return a quantity that is made of others: of one so many times, or of several added up."""

    def read(r: Readings) -> Tally:
        amounts = [(p.name, scaled(r.tally(p.of), p.times(r.conventions))) for p in parts]
        return together(r.program.scope, *amounts) if len(parts) > 1 else amounts[0][1]

    return asked(name, unit, meaning, read, over, parts)


def stored(name: str, meaning: str, read: Callable[[Readings, Bytes], Tally]) -> Quantity:
    """Return a quantity that is the bytes of elements."""
    return asked(name, "bytes", meaning, lambda r: read(r, r.bytes_of), stored=read)


def _halved(quantity: str) -> Callable[[Readings], Tally]:
    def read(r: Readings) -> Tally:
        tally = r.tally(quantity)
        return Tally(tally.scope, tally.items, tally.times / 2)

    return read


def _weights(r: Readings) -> Tally:
    c = r.conventions
    if c.weights:
        return params(r.program, quantised.price(c.weights, c.value_bytes))
    return scaled(r.tally("params"), c.value_bytes)


def _kept(r: Readings, bytes_of: Bytes) -> Tally:
    if r.conventions.cache:
        return tally(r.program, caches.price(r.conventions.cache, r.program, bytes_of))
    return state(r.program, bytes_of)


def _gradient_bytes(conventions: Conventions) -> int:
    return conventions.gradient_bytes


def _states(r: Readings) -> Tally:
    c = r.conventions
    if c.kept.form == "each" and not c.counters:
        return scaled(r.tally(TRAINED.name), c.state_bytes)
    if c.kept.form == "blocks":
        return blocks.states(r.program, c.frozen, r.assumed, c.optimizer)
    return trained_states(r.program, c.frozen, price(c))


TRAINED = asked("params.trained", "parameters", "those that a gradient is asked for",
                lambda r: trained_params(r.program, r.conventions.frozen))  # fmt: skip
"""What others are made of; asked for by name only."""
HOW_MANY = {
    "least": "at least: E_t = k of each mixture",
    "most": "at most: E_t = min(E, k·B) of each mixture",
    "expected": "expected, routing uniform and independent: E_t = E·(1 − (1 − k/E)^B)",
}
TOUCHED: dict[str, Quantity] = {
    **{q.name: q for q in (
        asked(f"experts.touched.{how}", "experts", f"experts that a decoding step touches, {said}",
              lambda r: touched_experts(r.decoding)) for how, said in HOW_MANY.items()
    )},
    **{q.name: q for q in (
        stored(f"traffic.weights.{how}", f"weights that a decoding step reads, of experts {said}",
               lambda r, bytes_of: weights_read(r.decoding, bytes_of))
        for how, said in HOW_MANY.items()
    )},
}  # fmt: skip
"""What a decoding step reads of a mixture, which depends on the routing; asked for by name only."""
SERVING = made_of("memory.serving", "bytes", "weights, and what is kept between decoding steps",
                  Part("memory.parameters", name="parameters"),
                  Part("memory.kv_cache", name="kv_cache"))  # fmt: skip
"""What a server holds for B sequences of T tokens; asked for by name only."""
ASKED = {TRAINED.name: TRAINED, SERVING.name: SERVING, **TOUCHED}


def quantity_of(name: str) -> Quantity:
    """Return the quantity of a name."""
    return ASKED[name] if name in ASKED else QUANTITIES[name]


QUANTITIES: dict[str, Quantity] = {
    q.name: q
    for q in (
        asked("params", "parameters", "unique parameters", lambda r: params(r.program)),
        asked("params.active", "parameters", "used for one token: k of E routed experts",
              lambda r: active_params(r.program)),
        asked("flops.forward", "FLOP", "forward pass, contractions",
              lambda r: contraction_flops(r.program, r.conventions.causal)),
        asked("flops.forward.pointwise", "FLOP", "forward pass, everything else",
              lambda r: pointwise_flops(r.program)),
        asked("flops.backward", "FLOP", "backward pass, contractions",
              lambda r: contraction_flops(r.back, r.conventions.causal)),
        asked("flops.backward.pointwise", "FLOP", "backward pass, everything else",
              lambda r: pointwise_flops(r.back)),
        made_of("flops.training", "FLOP", "forward and backward, contractions",
                Part("flops.forward", name="forward"), Part("flops.backward", name="backward")),
        asked("macs.forward", "MAC", "forward pass in multiply-adds", _halved("flops.forward")),
        asked("macs.backward", "MAC", "backward pass in multiply-adds",
              _halved("flops.backward")),
        asked("macs.training", "MAC", "both passes in multiply-adds", _halved("flops.training")),
        asked("flops.decode", "FLOP",
              "the last of T tokens decoded, the others remembered; contractions",
              lambda r: contraction_flops(r.decoding, r.conventions.causal)),
        asked("memory.parameters", "bytes", "the weights", _weights),
        made_of("memory.gradients", "bytes", "a gradient for every trained weight",
                Part(TRAINED.name, _gradient_bytes)),
        asked("memory.optimizer", "bytes", "the optimizer's state", _states),
        stored("memory.saved", "activations kept for the backward pass",
               lambda r, bytes_of: saved(r.back, bytes_of)),
        made_of("memory.training", "bytes", "weights, gradients, optimizer and activations",
                Part("memory.parameters", name="parameters"),
                Part("memory.gradients", name="gradients"),
                Part("memory.optimizer", name="optimizer"),
                Part("memory.saved", name="saved activations")),
        stored("memory.kv_cache", "kept between decoding steps: keys and values, or a state",
               _kept),
        stored("traffic.forward",
               "inputs, weights, outputs moved once; picked rows of a table each time",
               lambda r, bytes_of: traffic(r.program, bytes_of)),
        stored("traffic.unfused", "every operation reads and writes",
               lambda r, bytes_of: unfused_traffic(r.program, bytes_of)),
        made_of("intensity.forward", "FLOP/byte", "forward FLOPs for each byte moved",
                Part("flops.forward"), over="traffic.forward"),
    )
}  # fmt: skip
