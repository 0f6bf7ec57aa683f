"""Conditions as users write them: ``params <= 7e9 and d >= 2*h``, read and never evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.parsing import parse_expression
from symledger.errors import BadInput, quoted
from symledger.inverse.amounts import UNITS, WRITTEN, parse_amount

Operator = Literal["<=", "<", ">=", ">", "==", "!="]
COMPARISON = re.compile(r"(<=|>=|==|!=|<|>|=)")
DOTTED = re.compile(r"(?<![A-Za-z_])[A-Za-z_]+(?:\.[A-Za-z_]+)+|params")
MIRRORED: Mapping[str, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==",
                                    "!=": "!="}  # fmt: skip


@dataclass(frozen=True)
class Condition:
    """What must hold: of some polynomials the largest, compared with zero."""

    branches: tuple[Terms, ...]
    operator: Operator
    text: str = ""


@dataclass(frozen=True)
class Reader:
    """What is known where a condition is read: symbols; polynomials and units of quantities."""

    symbols: Mapping[str, Symbol]
    quantity: Callable[[str], tuple[Terms, ...]]
    unit: Callable[[str], str]

    def read(self, text: str) -> list[Condition]:
        """Read comparisons joined by ``and``.

        Raises:
            BadInput: it holds anything else, or names what is not there.
        """
        return [self._comparison(part.strip(), text) for part in re.split(r"\band\b", text)]

    def _comparison(self, part: str, whole: str) -> Condition:
        pieces = COMPARISON.split(part)
        if len(pieces) != 3 or not pieces[0].strip() or not pieces[2].strip():
            raise BadInput(
                f"{quoted(part or whole)} is no comparison: write one as in params <= 7e9, and "
                "join several by and."
            )
        left, operator, right = (piece.strip() for piece in pieces)
        operator = "==" if operator == "=" else operator
        units = {self.unit(name) for side in (left, right) for name in named(side)}
        if len(units) > 1:
            raise BadInput(f"{quoted(part)} compares quantities of different units.")
        a, b = (self._side(side, units, part) for side in (left, right))
        if len(b) > 1:
            a, b, operator = b, a, MIRRORED[operator]
        if len(b) > 1:
            raise BadInput(f"{quoted(part)} compares two quantities that are each the largest of "
                           "several formulas: compare each with an amount.")  # fmt: skip
        differences = tuple(algebra.subtract(one, b[0]) for one in a)
        return Condition(differences, operator, part)  # type: ignore[arg-type]  # COMPARISON has no other

    def _side(self, side: str, units: set[str], part: str) -> tuple[Terms, ...]:
        if WRITTEN.fullmatch(side):
            return (self._amount(side, units, part),)
        names = named(side)
        if names == [side]:
            return self.quantity(side)
        known, single = dict(self.symbols), {}
        text = side
        for i, name in enumerate(names):
            found = self.quantity(name)
            if len(found) > 1:
                raise BadInput(f"{quoted(part)} adds to {name}, the largest of several formulas: "
                               "compare it by itself.")  # fmt: skip
            known[f"quantity_{i}"] = symbol = Symbol(f"quantity_{i}")
            single[symbol] = found[0]
            text = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", f"quantity_{i}", text)
        return (algebra.substitute(algebra.terms(parse_expression(text, known)), single),)

    def _amount(self, text: str, units: set[str], part: str) -> Terms:
        unit = next(iter(units), "parameters")
        if unit not in UNITS:
            raise BadInput(f"{quoted(part)} is about {unit}, a ratio: compare amounts.")
        return algebra.constant(parse_amount(text, unit)) if text != "0" else {}


def named(side: str) -> list[str]:
    """Return the quantities that a side of a comparison names."""
    return list(dict.fromkeys(DOTTED.findall(side)))


def quantities_of(texts: Sequence[str]) -> list[str]:
    """Return the quantities that conditions name, in order."""
    return list(dict.fromkeys(name for text in texts for name in named(text)))
