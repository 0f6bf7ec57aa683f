"""Exact polynomials: how terms are made, added and multiplied, and in which order they stand.

Every count is a polynomial in the sizes, whose exponents may be negative (d²/h). Its terms are a
normal form: two counts are identical when, and only when, their terms are equal. Here they are
multiplied out (fifty times faster than as SymPy expressions) and ordered. The order is ours: total
degree, then names, so that a formula reads the same whatever SymPy's version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache

from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol

from symledger.algebra.monomials import ONE, Monomial, inverse, of_exponents, place, times
from symledger.errors import BadInput

Number = int | Fraction
Terms = dict[Monomial, Number]
"""Monomials with their coefficients, no coefficient zero; whole ones are ints, for speed."""

INTEGERS = (int, Integer)
LONGEST = 10_000
"""Products of terms that one multiplication may take: far more than any formula needs."""
HIGHEST = 100
"""The highest power that is multiplied out, for the same reason."""


def terms(e: Expr, given: Mapping[Symbol, Terms] | None = None) -> Terms:
    """Multiply an expression out; ``given`` replaces symbols while doing so.

    Raises:
        BadInput: it is not a polynomial (it divides by a sum, say).
    """
    return substitute(_terms(e), given) if given else _terms(e)


@cache
def _terms(e: Expr) -> Terms:
    """The same, remembered: nobody changes terms once they are made."""
    if isinstance(e, Symbol):
        return variable(e)
    if isinstance(e, Rational):
        return constant(_rational(e)) if e != 0 else {}
    if isinstance(e, Add):
        return add(_terms(part) for part in e.args)
    if isinstance(e, Mul):
        return _product(e.args)
    if isinstance(e, Pow) and isinstance(e.exp, Integer):
        return power(_terms(e.base), int(e.exp))
    raise BadInput(f"{e} is not a polynomial in sizes: it may hold + − × and powers only.")


def constant(n: Number) -> Terms:
    """Return a number, not zero, as a polynomial."""
    return {ONE: n}


def variable(symbol: Symbol) -> Terms:
    """Return a symbol as a polynomial."""
    return {Monomial(((symbol, 1),)): 1}


def _rational(e: Rational) -> Number:
    return int(e.p) if e.q == 1 else Fraction(int(e.p), int(e.q))


def _product(parts: Iterable[Expr]) -> Terms:
    """Multiply out; numbers and plain powers, which are most of it, are gathered first."""
    coefficient: Number = 1
    exponents: dict[Symbol, int] = {}
    rest: list[Terms] = []
    for part in parts:
        base, n = (part.base, part.exp) if isinstance(part, Pow) else (part, 1)
        if isinstance(part, Rational):
            coefficient = coefficient * _rational(part)
        elif isinstance(base, Symbol) and isinstance(n, INTEGERS):
            exponents[base] = exponents.get(base, 0) + int(n)
        else:
            rest.append(_terms(part))
    product: Terms = {of_exponents(exponents): coefficient} if coefficient else {}
    for factor in rest:
        product = multiply(product, factor)
    return product


def substitute(polynomial: Terms, given: Mapping[Symbol, Terms]) -> Terms:
    """Replace symbols by polynomials and multiply out.

    Raises:
        BadInput: it would divide by a sum, or the result would be too long to be of use.
    """
    total: Terms = {}
    changed = False
    for monomial, c in polynomial.items():
        for symbol, _ in monomial:
            if symbol in given:
                changed = True
                for own, k in _replaced(monomial, c, given).items():
                    total[own] = total.get(own, 0) + k
                break
        else:
            total[monomial] = total.get(monomial, 0) + c
    return {monomial: c for monomial, c in total.items() if c} if changed else polynomial


def _replaced(monomial: Monomial, c: Number, given: Mapping[Symbol, Terms]) -> Terms:
    """The same of one term; what becomes a single term, which is most of it, is gathered first."""
    exponents: dict[Symbol, int] = {}
    rest: list[Terms] = []
    for symbol, n in monomial:
        put = given.get(symbol)
        if put is None:
            exponents[symbol] = exponents.get(symbol, 0) + n
        elif len(put) == 1 and abs(n) <= HIGHEST:
            ((own, k),) = put.items()
            c *= k**n if n > 0 else _inverse(k) ** -n
            for s, m in own:
                exponents[s] = exponents.get(s, 0) + m * n
        else:
            rest.append(power(put, n))
    product: Terms = {of_exponents(exponents): c}
    for factor in rest:
        product = multiply(product, factor)
    return product


def add(many: Iterable[Terms]) -> Terms:
    """Add polynomials."""
    return combine((1, one) for one in many)


def combine(many: Iterable[tuple[Number, Terms]]) -> Terms:
    """Add polynomials, each so many times."""
    total: Terms = {}
    for n, one in many:
        if not total and n == 1:
            total = dict(one)
            continue
        for monomial, coefficient in one.items():
            total[monomial] = total.get(monomial, 0) + n * coefficient
    return {monomial: c for monomial, c in total.items() if c}


def subtract(left: Terms, right: Terms) -> Terms:
    """Subtract a polynomial from another."""
    return combine([(1, left), (-1, right)])


def scale(n: Number, polynomial: Terms) -> Terms:
    """Multiply a polynomial by a number."""
    return {monomial: n * c for monomial, c in polynomial.items()} if n else {}


def multiply(left: Terms, right: Terms) -> Terms:
    """Multiply two polynomials.

    Raises:
        BadInput: the result would be too long to be of use.
    """
    if len(left) * len(right) > LONGEST:
        raise BadInput("multiplied out, this has far too many terms; assume something simpler.")
    total: Terms = {}
    for a, x in left.items():
        for b, y in right.items():
            monomial = times(a, b)
            total[monomial] = total.get(monomial, 0) + x * y
    return {monomial: c for monomial, c in total.items() if c}


def power(base: Terms, exponent: int) -> Terms:
    """Raise a polynomial to a whole power; only a single term to a negative one.

    Raises:
        BadInput: it would divide by a sum, or by zero.
    """
    if exponent < 0:
        if len(base) != 1:
            raise BadInput(
                "a size cannot be divided by a sum: divide by numbers, symbols and their products."
                if base else "a size cannot be divided by zero."
            )  # fmt: skip
        ((monomial, coefficient),) = base.items()
        base, exponent = {inverse(monomial): _inverse(coefficient)}, -exponent
    if exponent > HIGHEST:
        raise BadInput(f"the power {exponent} is too high; powers go up to {HIGHEST}.")
    if exponent == 0:
        return constant(1)
    result = base
    for _ in range(exponent - 1):
        result = multiply(result, base)
    return result


def per(polynomial: Terms, symbols: Iterable[Symbol]) -> Terms:
    """Divide a polynomial by sizes."""
    return multiply(polynomial, {of_exponents(dict.fromkeys(symbols, -1)): 1})


def _inverse(c: Number) -> Number:
    return c if abs(c) == 1 else 1 / Fraction(c)


def ordered(polynomial: Terms) -> list[tuple[Monomial, Number]]:
    """Return the terms in the order in which they are written: by degree, then by names."""
    return [(monomial, polynomial[monomial]) for monomial in sorted(polynomial, key=place)]


def expression(polynomial: Terms) -> Expr:
    """Return a polynomial as a SymPy expression."""
    return Add(*(
        Mul(Rational(c.numerator, c.denominator), *(Pow(s, n) for s, n in monomial))
        for monomial, c in polynomial.items()
    ))  # fmt: skip


def value(polynomial: Terms, at: Mapping[Symbol, int]) -> Fraction | None:
    """Return the exact value at a configuration, or None while a symbol is unbound."""
    total: Number = 0
    for monomial, product in polynomial.items():
        over = 1
        for symbol, n in monomial:
            if symbol not in at:
                return None
            if n > 0:
                product *= at[symbol] ** n
            else:
                over *= at[symbol] ** -n
        total += product if over == 1 else Fraction(product, over)
    return Fraction(total)
