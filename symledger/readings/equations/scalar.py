"""Scalar code as text, and what is text already summed and multiplied, in every notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import (
    Add,
    Expr,
    Float,
    Integer,
    Min,
    Mod,
    Mul,
    Piecewise,
    Pow,
    Rational,
    Symbol,
    floor,
    oo,
    pi,
)
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from symledger.errors import DefinitionError
from symledger.ir.scalars import alternatives
from symledger.readings.equations.text import ATOM, ONE, OPEN, PRODUCT, TERMS, Notation, Piece
from symledger.sizes import CommonDivisor, text_of


def scalar(e: Any, given: Mapping[Symbol, Piece], notation: Notation) -> Piece:
    """Write a scalar expression, pieces put in for some of its symbols.

    >>> from symledger.readings.equations.text import TEXT
    >>> from symledger.sizes import d, d_k
    >>> scalar((d + 1) / d_k**2, {}, TEXT).text
    '(d + 1) / d_k²'
    """
    return _Scalar(given, notation).write(e)


class _Scalar:
    def __init__(self, given: Mapping[Symbol, Piece], notation: Notation) -> None:
        self.given, self.to = given, notation
        self.places = {symbol: i for i, symbol in enumerate(given)}

    def write(self, e: Any) -> Piece:
        if e in self.given:
            return self.given[e]
        if isinstance(e, Symbol):
            return Piece(self.to.size(e))
        if isinstance(e, Rational):
            return self.number(e)
        if isinstance(e, Float):
            return Piece(repr(float(e)))
        if isinstance(e, Add):
            ordered = sorted(e.args, key=self.order)
            return total(self.to, [self.signed(term) for term in ordered])
        if isinstance(e, Mul):
            negative, piece = self.signed(e)
            return total(self.to, [(True, piece)]) if negative else piece
        if isinstance(e, Pow):
            return self.power(e.base, e.exp)
        if isinstance(e, Piecewise):
            return self.select(e)
        if isinstance(e, Relational):
            sign = self.to.relation(e.rel_op)
            return Piece(f"{self.write(e.lhs).text} {sign} {self.write(e.rhs).text}", TERMS)
        return self.function(e)

    def function(self, e: Any) -> Piece:
        if e in (oo, -oo):
            infinite = Piece(self.to.infinity)
            return total(self.to, [(True, infinite)]) if e == -oo else infinite
        if e == pi:
            return Piece(self.to.circle)
        inner = [self.write(arg).text for arg in e.args]
        if isinstance(e, Mod):
            return self.to.function("mod", self.to.comma.join(inner))
        if isinstance(e, Min):
            return self.to.function("min", self.to.comma.join(inner))
        if isinstance(e, CommonDivisor):
            return self.to.function("gcd", self.to.comma.join(inner))
        if isinstance(e, floor):
            return Piece(self.to.floor(inner[0]))
        if len(inner) == 1 or isinstance(e, AppliedUndef):
            return self.to.function(type(e).__name__, self.to.comma.join(inner))
        raise DefinitionError(f"{type(e).__name__} cannot be written down.")

    def order(self, term: Expr) -> tuple[bool, bool, bool, int, bool, str]:
        """Arguments in their order, then sizes, then numbers; what is subtracted comes last."""
        places = [self.places[s] for s in term.free_symbols if s in self.places]
        negative = bool(term.could_extract_minus_sign())
        first, plain = min(places, default=0), isinstance(term, Symbol)
        return negative, bool(term.is_Number), not places, first, not plain, text_of(term)

    def signed(self, term: Any) -> tuple[bool, Piece]:
        """A term without its sign: a constant in front, then what is above and below the line."""
        negative = bool(term.could_extract_minus_sign())
        constant, rest = (-term if negative else term).as_independent(*self.given, as_Add=False)
        if rest == 1:
            return negative, self.constant(constant)
        parts = sorted(Mul.make_args(rest), key=self.order)
        below = [1 / f for f in parts if isinstance(f, Pow) and f.exp.could_extract_minus_sign()]
        above = [self.write(f) for f in parts if 1 / f not in below]
        if len(above) == 1 and above[0].level == ATOM and self.to.is_plain(above[0].text):
            constant, under = constant.as_numer_denom()
            below += [under] if under != 1 else []
        if not below:
            return negative, product(self.to, above, constant)
        top = product(self.to, above, constant) if above else self.constant(constant)
        return negative, self.to.quotient(top, self.to.beside([self.write(f) for f in below]))

    def constant(self, e: Any) -> Piece:
        if not isinstance(e, Mul):
            return self.write(e)
        numerator, denominator = e.as_numer_denom()
        if denominator != 1:
            return self.to.quotient(self.constant(numerator), self.constant(denominator))
        factors = sorted(e.args, key=lambda f: (not f.is_Number, text_of(f)))
        return self.to.beside([self.write(f) for f in factors])

    def number(self, e: Rational) -> Piece:
        if e < 0:
            return total(self.to, [(True, self.number(-e))])
        if e.is_Integer:
            return Piece(self.to.number(int(e)))
        digits = len(str(e.q)) - 1
        if e.p == 1 and digits > 2 and e.q == 10**digits:
            return Piece(self.to.exponent(digits))
        return self.to.quotient(*(Piece(self.to.number(int(n))) for n in (e.p, e.q)))

    def power(self, base: Any, exponent: Any) -> Piece:
        if exponent.could_extract_minus_sign():
            return self.to.quotient(Piece(self.to.number(1)), self.write(Pow(base, -exponent)))
        if exponent == Rational(1, 2):
            return self.to.root(self.write(base))
        return self.to.power(self.write(base), self.write(exponent).text)

    def select(self, e: Any) -> Piece:
        (value, condition), *rest = e.args
        if value == 1 and [v for v, _ in rest] == [Integer(0)]:
            return self.to.bracket(self.write(condition).text)
        each = [(v, c) for v, condition in e.args for c in alternatives(condition)]
        return self.to.cases(
            [(self.write(v).text, "" if c == True else self.write(c).text) for v, c in each]  # noqa: E712
        )


def product(to: Notation, factors: Sequence[Piece], constant: Expr = ONE) -> Piece:
    """Write factors beside each other: constants first, what is open to its right last."""
    for f in factors:
        constant = constant * f.constant
    negative = sum(f.negative for f in factors) % 2 == 1
    return _term(to, negative, constant, [f.rest or f for f in factors])


def _term(to: Notation, negative: bool, constant: Expr, rest: Sequence[Piece]) -> Piece:
    """A product with its sign and its constant, which stay known."""
    front = [] if constant == 1 else [scalar(constant, {}, to)]
    whole = to.beside([*front, *rest])
    if constant == 1 and not negative:
        return whole
    text, level = whole.text, whole.level
    if negative:
        text, level = to.negative + text, TERMS
    return Piece(text, level, negative, constant, to.beside(rest))


def total(to: Notation, terms: Sequence[tuple[bool, Piece]]) -> Piece:
    """Write the sum of terms with their signs: (negative, piece)."""
    if len(terms) == 1:
        negative, piece = terms[0]
        turned = negative != piece.negative
        return _term(to, turned, piece.constant, [piece.rest or piece]) if negative else piece
    out = ""
    for negative, piece in terms:
        text = piece.text
        if piece.negative and piece.rest is not None:
            negative, text = not negative, _term(to, False, piece.constant, [piece.rest]).text
        elif negative and piece.level == TERMS:
            text = to.parens(text)
        elif not negative and text.startswith(to.negative):
            negative, text = True, text.removeprefix(to.negative)
        if out:
            out += to.minus if negative else to.plus
        elif negative:
            out = to.negative
        out += text
    return Piece(out, TERMS)


def bound(to: Notation, symbol: str, letters: Sequence[str], body: Piece) -> Piece:
    """Write Σ, max or argmax over letters; the body reaches to the next sign."""
    if not letters:
        return body
    if body.rest is not None and symbol == to.sigma:
        inner = bound(to, symbol, letters, body.rest)
        return _term(to, body.negative, body.constant, [inner])
    text = body.text if body.level in (OPEN, PRODUCT, ATOM) else to.parens(body.text)
    return Piece(f"{to.under(symbol, letters)} {text}", OPEN)
