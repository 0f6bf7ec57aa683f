"""The canonical form of a formula, as one line of text that no version of SymPy can change.

It is an S-expression of what a citation claims: the unit, the general form over all sizes, what it
is divided by, the definitions of sizes that others decide, and the equations that are assumed by
default. Polynomials are multiplied out and their terms sorted as text. Neither the assumptions of a
symbol, nor the order of arguments, nor how SymPy prints have a part in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from itertools import chain

from sympy import Add, Expr, Integer, Max, Min, Mod, Mul, Pow, Rational, Symbol, ceiling, floor

from symledger import algebra
from symledger.algebra import Monomial, Number, Terms
from symledger.derivations.derivation import Derivation
from symledger.errors import DefinitionError
from symledger.sizes import named
from symledger.tags.registry import registered_as

FUNCTIONS = {floor: "floor", ceiling: "ceiling", Max: "max", Min: "min", Mod: "mod"}
UNORDERED = (Max, Min)
APPLIED = {name: function for function, name in FUNCTIONS.items()} | {"+": Add, "*": Mul, "^": Pow}
TOKENS = re.compile(r"[()]|[^\s()]+")


def canonical_form(derivation: Derivation, quantity: str) -> str:
    """Return the canonical form of a quantity of a target, under the account's conventions."""
    formula = derivation[quantity]
    forms = [formula.general, *([formula.divisor.general] if formula.divisor else [])]
    symbols = {s.name for form in forms for monomial in form for s, _ in monomial}
    parts = [formula.unit, *map(polynomial, forms)]
    definitions = {s.name: e for s, e in derivation.program.definitions.items()}
    defaults = {s.name: e for s, e in derivation.defaults.items()}
    for name, stated in (("where", definitions), ("with", defaults)):
        equations = _reached(stated, symbols)
        if equations:
            parts.append(f"({name} {' '.join(f'({s} {e})' for s, e in sorted(equations.items()))})")
    return f"(formula {' '.join(parts)})"


def fingerprint(form: str) -> str:
    """Return the fingerprint of a canonical form: the first 16 digits of its SHA-256."""
    return sha256(form.encode()).hexdigest()[:16]


def tag_of(derivation: Derivation, quantity: str) -> str | None:
    """Return the tag of a quantity of a target; None where it is not the formula that has one.

    Under other choices or conventions an id has another form, which a citation would not be about.
    """
    tagged = registered_as(derivation[quantity].id)
    if derivation.target.origin or tagged is None or tagged.removed:
        return None
    found = fingerprint(canonical_form(derivation, quantity))
    return tagged.tag if found == tagged.hash else None


def _reached(stated: Mapping[str, Expr], symbols: set[str]) -> dict[str, str]:
    """Return those equations that the symbols lead to, and add to the symbols what these hold."""
    found: dict[str, str] = {}
    while new := sorted((symbols & set(stated)) - set(found)):
        for name in new:
            found[name] = expression(stated[name])
            symbols |= {s.name for s in stated[name].free_symbols}
    return found


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
