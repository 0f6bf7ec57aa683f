"""Formulas: every quantity of a target as a derivation, from its program to its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

from sympy import Expr, Integer

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.assumptions import Assumed
from symledger.conventions import Causal, Conventions
from symledger.core.ops import Contract
from symledger.core.program import Program, Pullback
from symledger.core.tensor import Scope
from symledger.derivation import Leading, Step, derive_steps, leading
from symledger.ledger import Line, ledger
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.params import params, trained_params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.readings.tally import Amount, Tally
from symledger.readings.traffic import state, traffic, unfused_traffic


class Readings:
    """The program of a target under conventions, and its tallies, each made once when asked for.

    ``guard`` stands around what runs a definition's own code (a stated pull-back).
    """

    def __init__(
        self, program: Program, conventions: Conventions,
        guard: Callable[[], AbstractContextManager[None, None]] = nullcontext,
    ) -> None:  # fmt: skip
        self.program = program
        self.conventions = conventions
        self._made: dict[tuple[str, str], Tally] = {}
        self.guard = guard

    @cached_property
    def back(self) -> Pullback:
        """The backward program."""
        with self.guard():
            return pullback(self.program, self.conventions.input_gradient, self.conventions.frozen)

    @property
    def bytes_of(self) -> dict[Any, Expr]:
        """Bytes of an element, by storage class."""
        return {name: Integer(n) for name, n in self.conventions.storage_bytes.items()}

    @cached_property
    def has_pairs(self) -> bool:
        """Whether some contraction runs over masked pairs: the causal convention matters then."""
        return any(
            isinstance(t.op, Contract) and t.op.pairs
            for body in self.program.bodies for t in body.tensors
        )  # fmt: skip


    def contractions(self, direction: Literal["forward", "backward"]) -> Tally:
        """The FLOPs of one pass, under the causal convention; many quantities are made of them."""
        key = (direction, self.conventions.causal)
        if key not in self._made:
            program = self.program if direction == "forward" else self.back
            self._made[key] = contraction_flops(program, self.conventions.causal)
        return self._made[key]

    def under(self, causal: Causal) -> Readings:
        """Return these readings under another causal convention, what was made once shared."""
        other = Readings(self.program, replace(self.conventions, causal=causal))
        other._made = self._made
        other.__dict__["back"] = self.back
        return other


def together(scope: Scope, *tallies: tuple[str, Tally]) -> Tally:
    """Put tallies of one unit together, each under its own name."""
    return Tally(scope, tuple(Tally(Scope(n, None, scope), t.items, t.times) for n, t in tallies))


def scaled(tally: Tally, factor: int) -> Tally:
    """Multiply every amount of a tally by a number."""
    return Tally(tally.scope, tuple(
        scaled(item, factor) if isinstance(item, Tally)
        else Amount(item.scope, factor * item.own, item.label, item.shape, item.note)
        for item in tally.items
    ), tally.times)  # fmt: skip


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
        Quantity("memory.parameters", "bytes", "the weights", _parameters),
        Quantity("memory.gradients", "bytes", "a gradient for every trained weight", _gradients),
        Quantity("memory.optimizer", "bytes", "the optimizer's state", _optimizer),
        Quantity("memory.saved", "bytes", "activations kept for the backward pass", _saved),
        Quantity("memory.training", "bytes", "weights, gradients, optimizer and activations",
                 _training_memory),
        Quantity("memory.kv_cache", "bytes", "keys and values kept between decoding steps",
                 lambda r: state(r.program, r.bytes_of)),
        Quantity("traffic.forward", "bytes",
                 "inputs, weights and outputs moved once: a lower bound",
                 lambda r: traffic(r.program, r.bytes_of)),
        Quantity("traffic.unfused", "bytes", "every operation reads and writes",
                 lambda r: unfused_traffic(r.program, r.bytes_of)),
        Quantity("intensity.forward", "FLOP/byte", "forward FLOPs for each byte moved",
                 _flops_forward, over="traffic.forward"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Formula:
    """One quantity of one target: a closed form, its derivation, and its value where bound.

    ``expr`` is the general form; ``corollary`` holds under the assumptions; ``leading`` is the
    corollary's. A ratio (an intensity) has a ``divisor`` and no leading form.
    """

    id: str
    quantity: Quantity
    line: Line
    assumed: Assumed
    conventions: Conventions
    divisor: Formula | None = None

    @property
    def unit(self) -> str:
        """The unit of the value."""
        return self.quantity.unit

    @property
    def general(self) -> Terms:
        """The general form (of the numerator) as a polynomial."""
        return self.line.total

    @cached_property
    def corollary_terms(self) -> Terms:
        """The form under the assumptions (of the numerator) as a polynomial."""
        return substitute(self.general, self.equations)

    @property
    def equations(self) -> dict[Any, Terms]:
        """The assumptions that this formula is affected by."""
        own = {s for monomial in self.general for s, _ in monomial}
        if self.divisor:
            own |= {s for monomial in self.divisor.general for s, _ in monomial}
        return {s: p for s, p in self.assumed.equations.items() if s in own}

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions in canonical text: ``d_ff = 4*d``."""
        return tuple(f"{s} = {algebra.canonical(p)}" for s, p in self.equations.items())

    @property
    def expr(self) -> Expr:
        """The general form."""
        above = algebra.expression(self.general)
        return above / self.divisor.expr if self.divisor else above

    @property
    def corollary(self) -> Expr:
        """The form under the assumptions."""
        above = algebra.expression(self.corollary_terms)
        return above / self.divisor.corollary if self.divisor else above

    @cached_property
    def leading(self) -> Leading | None:
        """The dominating terms of the corollary, where there is such a form."""
        return None if self.divisor else leading(self.corollary_terms, self.assumed.bindings)

    @cached_property
    def exact(self) -> Fraction | None:
        """The value as an exact fraction, None while a symbol is unbound."""
        found = algebra.value(self.corollary_terms, self.assumed.bindings)
        if self.divisor is None or found is None:
            return found
        below = self.divisor.exact
        return found / below if below else None

    @property
    def value(self) -> int | Fraction | None:
        """The value: a whole number, a fraction for a ratio, None while a symbol is unbound."""
        found = self.exact
        return int(found) if found is not None and found.denominator == 1 else found

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The derivation, every step verified."""
        return derive_steps(self.line, self.equations)

    def opened_to(self, depth: int) -> tuple[Step, ...]:
        """The derivation with the levels of the tree opened only so far."""
        return tuple(s for i, s in enumerate(self.steps) if i < depth or not s.opens)

    @property
    def hash(self) -> str:
        """A fingerprint of the canonical general form, to tell stale evidence by."""
        whole = algebra.canonical(self.general)
        if self.divisor:
            whole += " / " + algebra.canonical(self.divisor.general)
        return sha256(whole.encode()).hexdigest()[:16]

    def subs(self, values: Mapping[Any, int] | None = None, **named: int) -> Expr:
        """Return the corollary with numbers for some symbols, given by name or as symbols.

        >>> from symledger import derive
        >>> derive("linear").params.subs(d_in=768)
        769*d_out
        """
        given = {str(symbol): n for symbol, n in {**(values or {}), **named}.items()}
        at = {s: Integer(given[s.name]) for s in self.corollary.free_symbols if s.name in given}
        return self.corollary.xreplace(at)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"

    @property
    def latex(self) -> str:
        """The corollary in LaTeX."""
        above = algebra.latex(self.corollary_terms)
        if self.divisor:
            return rf"\frac{{{above}}}{{{algebra.latex(self.divisor.corollary_terms)}}}"
        return above

    def __repr__(self) -> str:
        found = self.value
        number = f"{found:,}" if isinstance(found, int) else str(found)
        shown = "" if found is None else f" = {number}"
        return f"<{self.id}: {self.text}{shown} {self.unit}>"

    @property
    def text(self) -> str:
        """The corollary in plain Unicode."""
        above = algebra.text(self.corollary_terms)
        if self.divisor:
            return f"({above}) / ({algebra.text(self.divisor.corollary_terms)})"
        return above

    def canonical(self, polynomial: Terms, below: Terms | None) -> str:
        """Write a form in Python syntax, over its divisor where there is one."""
        above = algebra.canonical(polynomial)
        return above if below is None else f"({above})/({algebra.canonical(below)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the promised JSON object of this formula; whole numbers travel as strings."""
        below = self.divisor
        return {
            "id": self.id, "unit": self.unit, "meaning": self.quantity.meaning,
            "expr": self.canonical(self.general, below.general if below else None),
            "corollary": self.canonical(
                self.corollary_terms, below.corollary_terms if below else None
            ),
            "latex": self.latex,
            "value": None if self.value is None else str(self.value),
            "leading": self._leading_dict(),
            "assumptions": list(self.assumptions),
            "hash": self.hash,
        }  # fmt: skip

    def _leading_dict(self) -> dict[str, Any] | None:
        if self.leading is None:
            return None
        at = self.assumed.bindings
        bound = self.leading.bound(at)
        main, exact = algebra.value(self.leading.terms, at), self.exact
        each = [algebra.canonical(charge) for charge in self.leading.charged]
        undecided = each[0] if len(each) == 1 else f"Max({', '.join(each)})" if each else "0"
        return {
            "expr": algebra.canonical(self.leading.terms),
            "latex": algebra.latex(self.leading.terms),
            "bound": algebra.canonical(bound[0]) if bound else undecided,
            "bound_value": str(bound[1]) if bound else None if each else "0",
            "value": None if main is None else str(main),
            "error": None if main is None or not exact else _ratio(exact - main, exact),
        }


def _ratio(part: Fraction, whole: Fraction) -> str:
    """Write part/whole, not reduced where both are whole numbers: ``320/131392``."""
    if part == 0 or part.denominator * whole.denominator != 1:
        return str(part / whole)
    return f"{part}/{whole}"


def make_formula(owner: str, name: str, readings: Readings, assumed: Assumed) -> Formula:
    """Read one quantity of a target."""
    quantity = QUANTITIES[name]
    over = make_formula(owner, quantity.over, readings, assumed) if quantity.over else None
    line = ledger(quantity.read(readings))
    return Formula(f"{owner}.{name}", quantity, line, assumed, readings.conventions, over)


def causal_variants(
    owner: str, name: str, readings: Readings, assumed: Assumed
) -> dict[Causal, Formula]:
    """Return a FLOP formula under every causal convention, where that makes a difference."""
    if not readings.has_pairs or not name.startswith(("flops", "macs")) or "pointwise" in name:
        return {}
    kinds: tuple[Causal, ...] = ("full", "half", "exact")
    return {kind: make_formula(owner, name, readings.under(kind), assumed) for kind in kinds}
