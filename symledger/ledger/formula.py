"""Formulas: one quantity of one target as a derivation, from its lines to its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any

from sympy import Expr, Integer

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.algebra.assumptions import Assumed
from symledger.algebra.parsing import parse_size
from symledger.errors import BadInput, nearest, shown
from symledger.ledger.lines import Line
from symledger.ledger.quantities import Quantity, Readings, quantity_of
from symledger.ledger.steps import Leading, Step, derive_steps, leading
from symledger.readings.flops import Causal


@dataclass(frozen=True, eq=False)
class Formula:
    """One quantity of one target: a closed form, its derivation, and its value where bound.

    ``expr`` is the general form; ``corollary`` holds under the assumptions; ``leading`` is the
    corollary's. A ratio (an intensity) has a ``divisor`` and no leading form.
    """

    id: str
    quantity: Quantity
    readings: Readings
    assumed: Assumed
    divisor: Formula | None = None

    @property
    def unit(self) -> str:
        """The unit of the value."""
        return self.quantity.unit

    @property
    def line(self) -> Line:
        """What it adds up (the numerator), as a tree of lines."""
        return self.readings.line(self.quantity.name)

    @property
    def general(self) -> Terms:
        """The general form (of the numerator) as a polynomial."""
        return self.readings.total(self.quantity.name)

    @cached_property
    def corollary_terms(self) -> Terms:
        """The form under the assumptions (of the numerator) as a polynomial."""
        return substitute(self.general, self.equations)

    @cached_property
    def equations(self) -> dict[Any, Terms]:
        """The assumptions that this formula is affected by."""
        own = {s for monomial in self.general for s, _ in monomial}
        if self.divisor:
            own |= {s for monomial in self.divisor.general for s, _ in monomial}
        return {s: p for s, p in self.assumed.equations.items() if s in own}

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions in canonical text: ``d_ff = 4*d``."""
        return tuple(f"{s.name} = {algebra.canonical(p)}" for s, p in self.equations.items())

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

    @property
    def error(self) -> Fraction | None:
        """The relative error of the leading form at the configuration, None while unbound."""
        main = None if self.leading is None else self.leading.value(self.assumed.bindings)
        return None if main is None or not self.exact else (self.exact - main) / self.exact

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The derivation, every step verified."""
        return derive_steps(self.line, self.equations)

    def opened_to(self, depth: int) -> tuple[Step, ...]:
        """The derivation with the levels of the tree opened only so far."""
        return tuple(s for i, s in enumerate(self.steps) if i < depth or not s.opens)

    @cached_property
    def hash(self) -> str:
        """A fingerprint of the canonical general form, to tell stale evidence by."""
        whole = algebra.canonical(self.general)
        if self.divisor:
            whole += " / " + algebra.canonical(self.divisor.general)
        return sha256(whole.encode()).hexdigest()[:16]

    def subs(self, values: Mapping[Any, int] | None = None, **named: int) -> Expr:
        """Return the corollary with numbers for some symbols, given by name or as symbols.

        Raises:
            BadInput: a symbol is not in it, or a number is not a size.

        >>> from symledger import derive
        >>> derive("linear").params.subs(d_in=768)
        769*d_out
        """
        given = {str(symbol): n for symbol, n in {**(values or {}), **named}.items()}
        symbols = {s.name: s for s in self.corollary.free_symbols}
        unknown = next((name for name in given if name not in symbols), None)
        if unknown is not None:
            raise BadInput(f"{shown(unknown)} is not a symbol of {self.id}. "
                           + nearest(unknown, symbols))  # fmt: skip
        sizes = {symbols[name]: Integer(parse_size(name, str(n))) for name, n in given.items()}
        return self.corollary.xreplace(sizes)

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
        charged = self.leading.charged
        return {
            "expr": algebra.canonical(self.leading.terms),
            "latex": algebra.latex(self.leading.terms),
            "bound": self.leading.written(algebra.canonical, "Max") if charged else "0",
            "bound_value": None if bound is None and charged else str(bound or 0),
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
    quantity = quantity_of(name)
    over = make_formula(owner, quantity.over, readings, assumed) if quantity.over else None
    readings.total(name)  # what cannot be read is refused here, where it is asked for
    return Formula(f"{owner}.{name}", quantity, readings, assumed, over)


def causal_variants(
    owner: str, name: str, readings: Readings, assumed: Assumed
) -> dict[Causal, Formula]:
    """Return a FLOP formula under every causal convention, where that makes a difference."""
    if not readings.has_pairs or not name.startswith(("flops", "macs")) or "pointwise" in name:
        return {}
    kinds: tuple[Causal, ...] = ("full", "half", "exact")
    return {kind: make_formula(owner, name, readings.under(causal=kind), assumed) for kind in kinds}
