"""Formulas as one line of text that no version of SymPy can change: S-expressions.

Polynomials are multiplied out and their terms sorted as text. Neither the assumptions of a symbol,
nor the order of arguments, nor how SymPy prints have a part in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from sympy import Add, Expr, Integer, Max, Min, Mod, Mul, Pow, Rational, Symbol, ceiling, floor

from symledger import algebra
from symledger.algebra import Monomial, Number, Terms
from symledger.errors import DefinitionError
from symledger.sizes import CommonDivisor, named

FUNCTIONS = {
    floor: "floor", ceiling: "ceiling", Max: "max", Min: "min", Mod: "mod", CommonDivisor: "gcd",
}  # fmt: skip
UNORDERED = (Max, Min)
APPLIED = {name: function for function, name in FUNCTIONS.items()} | {"+": Add, "*": Mul, "^": Pow}
TOKENS = re.compile(r"[()]|[^\s()]+")


def polynomial(terms: Terms) -> str:
    """Write a polynomial.

    >>> from symledger.sizes import L, V, d
    >>> polynomial(algebra.terms(d * V + L * (12 * d**2 + d / 2)))
    '(+ (* 1/2 L d) (* 12 L (^ d 2)) (* V d))'
    """
    parts = sorted(_product(monomial, c) for monomial, c in terms.items())
    return _list("+", parts) if parts else "0"


def _product(monomial: Monomial, c: Number) -> str:
    named = sorted((s.name, n) for s, n in monomial)
    factors = [name if n == 1 else f"(^ {name} {n})" for name, n in named]
    return _list("*", [str(c), *factors] if c != 1 or not factors else factors)


def _list(operator: str, parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({operator} {' '.join(parts)})"


def expression(e: Expr) -> str:
    """Write an expression that may hold floors, ceilings, largest and smallest of several.

    Raises:
        DefinitionError: it holds anything else that is no polynomial.

    >>> from sympy import floor
    >>> from symledger.sizes import T, K, p, s
    >>> expression(floor((T + 2 * p - K) / s) + 1)
    '(+ (floor (+ (* -1 K (^ s -1)) (* 2 p (^ s -1)) (* T (^ s -1)))) 1)'
    """
    return polynomial(_terms(e))


@cache
def read_expression(text: str) -> Expr:
    """Read an expression back that was written so.

    >>> read_expression("(+ (floor (* 2 T (^ s -1))) 1)")
    floor(2*T/s) + 1
    """
    return _read(iter(TOKENS.findall(text)))


def _read(tokens: Iterator[str]) -> Expr:
    word = next(tokens)
    if word != "(":
        return named(word) if word.isidentifier() else Rational(word)
    operator, parts = next(tokens), []
    while (word := next(tokens)) != ")":
        parts.append(_read(chain((word,), tokens)))
    return APPLIED[operator](*parts)


def _terms(e: Expr) -> Terms:
    """Multiply out, what is no polynomial standing as a symbol that is named by its own text."""
    if isinstance(e, Symbol | Rational):
        return algebra.terms(e)
    if isinstance(e, Add):
        return algebra.add(map(_terms, e.args))
    if isinstance(e, Mul):
        product = algebra.constant(1)
        for part in e.args:
            product = algebra.multiply(product, _terms(part))
        return product
    if isinstance(e, Pow):
        base = _terms(e.base)
        if isinstance(e.exp, Integer) and (e.exp > 0 or len(base) == 1):
            return algebra.power(base, int(e.exp))
        return _atom(_list("^", [polynomial(base), expression(e.exp)]))
    for function, name in FUNCTIONS.items():
        if isinstance(e, function):
            return _atom(_applied(name, map(expression, e.args), isinstance(e, UNORDERED)))
    raise DefinitionError(f"{type(e).__name__} has no canonical form in {e}.")


def _applied(name: str, arguments: Iterable[str], unordered: bool) -> str:
    return f"({name} {' '.join(sorted(arguments) if unordered else arguments)})"


def _atom(text: str) -> Terms:
    return algebra.variable(Symbol(text))
