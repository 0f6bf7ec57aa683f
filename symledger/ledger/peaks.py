"""Peaks: the most bytes that are in memory at once, as the largest of several polynomials.

Each is what is alive at one moment: weights and states, which are there throughout, and what the
reading ``live`` finds. A moment of which the difference to another one is proven not to be
positive is left out; all others stay, and at a configuration one of them is the largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sympy import Expr, Max

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.algebra.assumptions import Assumed
from symledger.algebra.comparing import largest
from symledger.errors import BadInput
from symledger.ir.tensor import Call, Program
from symledger.ledger.at_moment import AtMoment, AtStep, moment_dict
from symledger.ledger.formula import Formula
from symledger.ledger.lines import Line
from symledger.ledger.quantities import Quantity, Readings, asked
from symledger.ledger.stepping import TRAINED, InStep, in_memory, in_step, walked
from symledger.ledger.updates import way_of
from symledger.readings.live.held import BACKWARD, FORWARD, MANY

if TYPE_CHECKING:  # what is alive when is looked at only where a peak is asked for
    from symledger.readings.live.kinds import Alive
    from symledger.readings.live.moments import Moment

Few = Mapping[Expr, int]


@dataclass(frozen=True)
class Passes:
    """What a peak is looked for in: which passes, and which quantities are there throughout.

    ``decodes`` is set for one decoding step; ``remembers``, where what decoding keeps is held;
    ``steps``, where the optimizer's step is looked at (beside the passes, if there are any).
    """

    ways: tuple[str, ...]
    throughout: tuple[str, ...] = TRAINED
    remembers: bool = False
    decodes: bool = False
    steps: bool = False


PROGRAM, EAGER = "program", "eager"
SCHEDULES = (PROGRAM, EAGER)
"""By which rules values live and die: those of a definition's program, or as PyTorch runs it."""
SERVING = ("memory.parameters",)
SERVED = ("memory.peak.prefill", "memory.peak.decode")
PASSES = {
    "memory.peak.forward": Passes((FORWARD,)),
    "memory.peak.backward": Passes((BACKWARD,)),
    "memory.peak.step": Passes((), steps=True),
    "memory.peak.train": Passes((FORWARD, BACKWARD), steps=True),
    "memory.peak.prefill": Passes((FORWARD,), SERVING, remembers=True),
    "memory.peak.decode": Passes((FORWARD,), SERVING, remembers=True, decodes=True),
}
MEANINGS = {
    "memory.peak.forward": "the most in memory at once in the forward pass of training",
    "memory.peak.backward": "the most in memory at once in the backward pass",
    "memory.peak.step": "the most in memory at once while the optimizer updates the weights",
    "memory.peak.train": "the most in memory at once in both passes and in the optimizer's step",
    "memory.peak.prefill": "the most in memory at once where tokens are read, nothing trained",
    "memory.peak.decode": "the most in memory at once where the last of T tokens is decoded",
}


def _refused(readings: Readings) -> Any:
    raise BadInput("a peak is the largest of several moments: each has its own amounts.")


PEAKS: dict[str, Quantity] = {
    name: asked(name, "bytes", MEANINGS[name], _refused) for name in PASSES
}
"""Asked for by name only: nothing else depends on them."""


@dataclass(frozen=True)
class Depth:
    """How often a body is repeated where a peak holds: so often at least, or just so often."""

    times: Terms
    exactly: int | None
    least: int = MANY

    @property
    def number(self) -> int:
        """How often it is repeated, or how often at least."""
        return self.least if self.exactly is None else self.exactly

    @property
    def canonical(self) -> str:
        """The condition in Python syntax: ``L >= 4``."""
        sign = ">=" if self.exactly is None else "=="
        return f"{algebra.canonical(self.times)} {sign} {self.number}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Peak(Formula):
    """The largest of what is in memory at several moments, which are in the order of time.

    Its lines and steps are those of the moment that is the ``largest`` at the configuration.
    ``depths`` say how often bodies are repeated for it to hold, ``schedule`` by which rules values
    live and die.
    """

    moments: tuple[AtMoment, ...]
    depths: tuple[Depth, ...]
    schedule: str = PROGRAM

    @cached_property
    def largest(self) -> AtMoment | None:
        """The moment at which most is in memory at the configuration; None while not known."""
        if any(m.exact is None for m in self.moments):
            return None
        return max(self.moments, key=lambda m: m.exact or 0)

    @property
    def _shown(self) -> AtMoment:
        return self.largest or self.moments[0]

    @property
    def line(self) -> Line:
        """What is in memory at the largest moment."""
        return self._shown.line

    @property
    def general(self) -> Terms:
        """The general form of the largest moment."""
        return self._shown.general

    @cached_property
    def remaining(self) -> tuple[AtMoment, ...]:
        """The moments that may be the largest under the assumptions."""
        return tuple(m for _, m in largest((m.corollary_terms, m) for m in self.moments))

    @property
    def step(self) -> str:
        """How the optimizer's step is run; nothing where that is not looked at."""
        c = self.readings.conventions
        return way_of(c.optimizer, c.step) if PASSES[self.quantity.name].steps else ""

    @property
    def equations(self) -> dict[Any, Terms]:
        """The assumptions that any of the moments is affected by."""
        return {s: p for m in self.moments for s, p in m.equations.items()}

    @property
    def expr(self) -> Expr:
        """The general form."""
        return Max(*(m.expr for m in self.moments))

    @property
    def corollary(self) -> Expr:
        """The form under the assumptions."""
        return Max(*(m.corollary for m in self.remaining))

    @property
    def leading(self) -> None:
        """None: a maximum has no leading form."""
        return

    @property
    def exact(self) -> Fraction | None:
        """The value, None while a symbol is unbound."""
        return self.largest.exact if self.largest else None

    @property
    def text(self) -> str:
        """The form under the assumptions, in plain Unicode."""
        return of_several([m.text for m in self.remaining], "max({})", ", ")

    @property
    def latex(self) -> str:
        """The form under the assumptions, in LaTeX."""
        return of_several([m.latex for m in self.remaining], r"\max({})", r",\; ")

    @cached_property
    def hash(self) -> str:
        """A fingerprint of the general form."""
        return sha256(self._canonical([m.general for m in self.moments]).encode()).hexdigest()[:16]

    @staticmethod
    def _canonical(forms: list[Terms]) -> str:
        return of_several(sorted({algebra.canonical(p) for p in forms}), "Max({})", ", ")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object: that of a formula, and every moment."""
        return {
            "id": self.id, "unit": self.unit, "meaning": self.quantity.meaning,
            "schedule": self.schedule,
            **({"step": self.step} if self.step else {}),
            "expr": self._canonical([m.general for m in self.moments]),
            "corollary": self._canonical([m.corollary_terms for m in self.remaining]),
            "latex": self.latex,
            "value": None if self.value is None else str(self.value),
            "leading": None,
            "assumptions": list(self.assumptions),
            "hash": self.hash,
            "holds_where": [depth.canonical for depth in self.depths],
            "moments": [moment_dict(m, m in self.remaining) for m in self.moments],
        }  # fmt: skip


def of_several(each: list[str], form: str, between: str) -> str:
    """Write the largest of several; of one, itself."""
    return each[0] if len(each) == 1 else form.format(between.join(each))


def make_peak(owner: str, name: str, readings: Readings, assumed: Assumed) -> Peak:
    """Derive a peak of a target.

    Raises:
        BadInput: the target lacks such passes, or it is not derived for what it repeats.
    """
    passes, quantity, identity = PASSES[name], PEAKS[name], f"{owner}.{name}"
    program = readings.decoding_in_types if passes.decodes else readings.program
    few = known_to_be_few(program, assumed)
    each = [
        *_in_passes(identity, quantity, readings, assumed, passes, few),
        *(in_step(identity, quantity, readings, assumed, few, not passes.ways)
          if passes.steps else ()),
    ]  # fmt: skip
    if not each:
        raise BadInput(f"{owner} has no {name}: nothing is computed there.")
    if passes.ways and passes.steps:
        each = [m for _, m in largest((m.general, m) for m in each)]
        each.sort(key=lambda m: m.moment.number)
    conditions = next((m.conditions for m in each if isinstance(m, InStep)), ())
    depths = (
        *depths_of(program, few, assumed), *(Depth(p, None, 0) for p in conditions),
    )  # fmt: skip
    return Peak(identity, quantity, readings, assumed, moments=tuple(each), depths=depths)


def _in_passes(
    identity: str, quantity: Quantity, readings: Readings, assumed: Assumed, passes: Passes,
    few: Few,
) -> Iterator[AtMoment]:  # fmt: skip
    """Yield the moments of passes that may be the largest of these."""
    c = readings.conventions
    throughout = passes.throughout if passes.remembers else in_memory(c)
    prices = frozenset(readings.prices.items())
    key = passes, frozenset(few.items()), prices, c.accumulate
    alive, found = readings.once(key, lambda: _looked(readings, passes, few))
    for m in found:
        yield AtStep(identity, quantity, readings, assumed, alive=alive, moment=m,
                     throughout=throughout)  # fmt: skip


def _looked(readings: Readings, passes: Passes, few: Few) -> tuple[Alive, tuple[Moment, ...]]:
    """Look at some passes: what is alive, and the moments that may be the largest."""
    from symledger.readings.live.kinds import Alive
    from symledger.readings.live.moments import moments

    adding = readings.conventions.accumulate
    timeline = walked(readings, few, passes.remembers, passes.decodes, adding)
    alive = Alive(timeline, readings.prices)
    return alive, moments(timeline, alive.bytes_of, passes.ways)


def depths_of(program: Program, few: Few, assumed: Assumed) -> tuple[Depth, ...]:
    """How often bodies are repeated for a peak to hold: four times at least, or as is known."""
    return tuple(
        Depth(substitute(algebra.terms(n), assumed.equations), few.get(n))
        for n in repetitions(program) if not n.is_Integer
    )


def repetitions(program: Program) -> tuple[Expr, ...]:
    """How often bodies are repeated, each number once."""
    calls = (c.op for b in program.bodies for c in b.calls)
    return tuple(dict.fromkeys(op.times for op in calls if isinstance(op, Call)))


def known_to_be_few(program: Program, assumed: Assumed) -> dict[Expr, int]:
    """How often bodies are repeated, where that is known to be less than four times."""
    found: dict[Expr, int] = {}
    for body in program.bodies:
        for call in body.calls:
            assert isinstance(call.op, Call)
            times = substitute(algebra.terms(call.op.times), assumed.equations)
            n = algebra.value(times, assumed.bindings)
            if n is not None and n < MANY and n.denominator == 1:
                found[call.op.times] = int(n)
    return found
