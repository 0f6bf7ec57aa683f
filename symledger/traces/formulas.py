"""Formulas of a trace as JSON data, and back: text in our own notation, what that lacks as objects.

Polynomials and quotients are text that ``algebra.parsing`` reads. Floors, roots, high powers and
numbers with a point are objects of one key, ``{"floor": "8*d/3"}``, ``{"power": ["d/h", "-1/2"]}``,
``{"sum": […]}``, ``{"product": […]}``, ``{"real": "0.5"}``. Nothing is ever evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from sympy import Add, Expr, Float, Integer, Mul, Pow, Rational, Symbol, floor

from symledger.algebra.parsing import LARGEST, parse_expression
from symledger.errors import BadInput

FRACTION = re.compile(r"-?[0-9]{1,6}(/[1-9][0-9]{0,5})?")
REAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,3})?")
SEVERAL = 100
"""The longest sum or product that is written as an object."""
NESTED = 12


def written(e: Expr) -> Any:
    """Return a formula as JSON data: a whole number, a text, or an object."""
    if isinstance(e, Integer) and abs(int(e)) <= LARGEST:
        return int(e)
    text = str(e)
    try:
        if parse_expression(text, {s.name: s for s in e.free_symbols}) == e:
            return text
    except BadInput:
        pass
    if isinstance(e, Add | Mul):
        name = "sum" if isinstance(e, Add) else "product"
        return {name: [written(part) for part in sorted(e.args, key=str)]}
    if isinstance(e, Pow) and isinstance(e.exp, Rational):
        return {"power": [written(e.base), str(e.exp)]}
    if isinstance(e, floor):
        return {"floor": written(e.args[0])}
    if isinstance(e, Float):
        return {"real": repr(float(e))}
    raise BadInput(f"the formula {e} cannot be written into a trace.")


class Formulas:
    """Reads formulas over some symbols; the same text is read once."""

    def __init__(self, symbols: Mapping[str, Symbol]) -> None:
        self.symbols = symbols
        self._read: dict[str, Expr] = {}

    def read(self, data: Any, depth: int = 0) -> Expr:
        """Return a formula.

        Raises:
            BadInput: it is not written as one, or names what is no size here.
        """
        if isinstance(data, str):
            if data not in self._read:
                self._read[data] = parse_expression(data, self.symbols)
            return self._read[data]
        if isinstance(data, int) and not isinstance(data, bool):
            if abs(data) > LARGEST:
                raise BadInput("a whole number goes up to 10^18.")
            return Integer(data)
        if not isinstance(data, dict) or len(data) != 1:
            raise BadInput("a formula is a whole number, a text, or an object of one key.")
        if depth > NESTED:
            raise BadInput(f"a formula is nested {NESTED} deep at most.")
        ((name, inner),) = data.items()
        return self._object(name, inner, depth + 1)

    def _object(self, name: str, inner: Any, depth: int) -> Expr:
        match name, inner:
            case "floor", _:
                return floor(self.read(inner, depth))
            case "power", [base, str() as power] if FRACTION.fullmatch(power):
                return self._power(self.read(base, depth), Rational(power))
            case ("sum" | "product"), list() if 1 < len(inner) <= SEVERAL:
                parts = [self.read(part, depth) for part in inner]
                return Add(*parts) if name == "sum" else Mul(*parts)
            case "real", str() if len(inner) <= 40 and REAL.fullmatch(inner):
                if not math.isfinite(float(inner)):
                    raise BadInput("a number with a point is finite.")
                return Float(float(inner))
        raise BadInput(
            'an object is {"floor": …}, {"power": [base, "p/q"]}, {"sum": […]}, {"product": […]} '
            'or {"real": "0.5"}.'
        )

    def _power(self, base: Expr, power: Rational) -> Expr:
        if abs(power) > 64 or power.q > 16 or (power < 0 and base == 0):
            raise BadInput(f"that power is not allowed: {power}.")
        if base.is_number and abs(power) > 8:
            raise BadInput(f"powers of numbers go up to 8, not {power}.")
        return base**power
