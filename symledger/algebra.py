"""Exact polynomials, and how they are written down.

Every count is a polynomial in the sizes, whose exponents may be negative (d²/h). Its terms are a
normal form: two counts are identical when, and only when, their terms are equal. Here they are
multiplied out (fifty times faster than as SymPy expressions), ordered and printed. The order is
ours: total degree, then names, so that a formula reads the same whatever SymPy's version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, partial
from typing import ClassVar

from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol

from symledger.errors import BadInput
from symledger.sizes import Size, latex_name

Number = int | Fraction


class Monomial(tuple[tuple[Symbol, int], ...]):
    """Symbols with their exponents, sorted by name, no exponent zero.

    Equal ones are one object, and found in a dictionary as that object: nothing of them is read.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__
    known: ClassVar[dict[tuple[tuple[Symbol, int], ...], Monomial]] = {}

    def __new__(cls, pairs: Iterable[tuple[Symbol, int]] = ()) -> Monomial:
        """Return the one that holds these pairs, sorted as they are."""
        held = tuple(pairs)
        found = cls.known.get(held)
        return cls.known.setdefault(held, super().__new__(cls, held)) if found is None else found


Terms = dict[Monomial, Number]
"""Monomials with their coefficients, no coefficient zero; whole ones are ints, for speed."""

ONE = Monomial()
INTEGERS = (int, Integer)
LONGEST = 10_000
"""Products of terms that one multiplication may take: far more than any formula needs."""
HIGHEST = 100
"""The highest power that is multiplied out, for the same reason."""
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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
    product: Terms = {_monomial(exponents): coefficient} if coefficient else {}
    for factor in rest:
        product = multiply(product, factor)
    return product


def substitute(polynomial: Terms, given: Mapping[Symbol, Terms]) -> Terms:
    """Replace symbols by polynomials and multiply out.

    Raises:
        BadInput: it would divide by a sum, or the result would be too long to be of use.
    """
    if not any(symbol in given for monomial in polynomial for symbol, _ in monomial):
        return polynomial
    return add(_replaced(monomial, c, given) for monomial, c in polynomial.items())


def _replaced(monomial: Monomial, c: Number, given: Mapping[Symbol, Terms]) -> Terms:
    product: Terms = {Monomial((s, n) for s, n in monomial if s not in given): c}
    for symbol, n in monomial:
        if symbol in given:
            product = multiply(product, power(given[symbol], n))
    return product


def add(many: Iterable[Terms]) -> Terms:
    """Add polynomials."""
    return combine((1, one) for one in many)


def combine(many: Iterable[tuple[Number, Terms]]) -> Terms:
    """Add polynomials, each so many times."""
    total: Terms = {}
    for times, one in many:
        for monomial, coefficient in one.items():
            total[monomial] = total.get(monomial, 0) + times * coefficient
    return {monomial: c for monomial, c in total.items() if c}


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
        inverse = Monomial((symbol, -n) for symbol, n in monomial)
        base, exponent = {inverse: _inverse(coefficient)}, -exponent
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
    return multiply(polynomial, {_monomial(dict.fromkeys(symbols, -1)): 1})


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    exponents = dict(a)
    for symbol, n in b:
        exponents[symbol] = exponents.get(symbol, 0) + n
    return _monomial(exponents)


times: Callable[[Monomial, Monomial], Monomial] = cache(_times)
"""Multiply two monomials."""


def _monomial(exponents: Mapping[Symbol, int]) -> Monomial:
    kept = [(symbol, n) for symbol, n in exponents.items() if n]
    return Monomial(sorted(kept, key=_by_name) if len(kept) > 1 else kept)


def _by_name(pair: tuple[Symbol, int]) -> str:
    name: str = pair[0].name
    return name


def _inverse(c: Number) -> Number:
    return c if abs(c) == 1 else 1 / Fraction(c)


def degree(monomial: Monomial) -> int:
    """Return the sum of a monomial's exponents."""
    return sum([n for _, n in monomial])


def ordered(polynomial: Terms) -> list[tuple[Monomial, Number]]:
    """Return the terms in the order in which they are written: by degree, then by names."""
    return [(monomial, polynomial[monomial]) for monomial in sorted(polynomial, key=_place)]


@cache
def _place(monomial: Monomial) -> tuple[int, list[tuple[str, int]]]:
    return -degree(monomial), [(symbol.name, -n) for symbol, n in monomial]


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
        for symbol, n in monomial:
            if symbol not in at:
                return None
            product *= at[symbol] ** n if n > 0 else Fraction(1, at[symbol] ** -n)
        total += product
    return Fraction(total)


def canonical(polynomial: Terms) -> str:
    """Write a polynomial in Python syntax, in its one canonical form.

    >>> from symledger.sizes import L, V, d
    >>> canonical(terms(d + V * d + L * (12 * d**2 + 2 * d)))
    '12*L*d**2 + 2*L*d + V*d + d'
    """
    return _sum(polynomial, _python_term)


def text(polynomial: Terms) -> str:
    """Write a polynomial for people, in plain Unicode: ``12Ld² + Vd``."""
    return _sum(polynomial, _text_term)


def latex(polynomial: Terms, at: Mapping[Symbol, int] | None = None) -> str:
    r"""Write a polynomial in LaTeX, with numbers for symbols where ``at`` gives them.

    >>> from symledger.sizes import L, d
    >>> print(latex(terms(12 * L * d**2 + d)), latex(terms(12 * L * d**2 + d), {L: 2, d: 64}))
    12 L d^{2} + d 12 \cdot 2 \cdot 64^{2} + 64
    """
    return _sum(polynomial, partial(_latex_term, at=at) if at else _latex_of_symbols)


def _sum(polynomial: Terms, write: Callable[[Monomial, Number], str]) -> str:
    out = ""
    for monomial, coefficient in ordered(polynomial):
        sign = "-" if coefficient < 0 else "+"
        term = write(monomial, coefficient if coefficient > 0 else -coefficient)
        out += (f" {sign} " if out else "-" * (sign == "-")) + term
    return out or "0"


@cache
def _python_term(monomial: Monomial, c: Number) -> str:
    above = [s.name if n == 1 else f"{s.name}**{n}" for s, n in monomial if n > 0]
    below = [s.name if n == -1 else f"{s.name}**{-n}" for s, n in monomial if n < 0]
    if c.numerator != 1 or not above:
        above.insert(0, str(c.numerator))
    if c.denominator != 1:
        below.insert(0, str(c.denominator))
    divisor = below[0] if len(below) == 1 else f"({'*'.join(below)})"
    return "*".join(above) + (f"/{divisor}" if below else "")


@cache
def _text_term(monomial: Monomial, c: Number) -> str:
    above = _text_product([pair for pair in monomial if pair[1] > 0])
    below = _text_product([(s, -n) for s, n in monomial if n < 0])
    digits = str(c.numerator) if c.numerator != 1 or not above else ""
    factors = sum(n < 0 for _, n in monomial) + (c.denominator != 1)
    if c.denominator != 1:
        below = f"{c.denominator}{below}"
    if not below:
        return digits + above
    return f"{digits}{above}/{below if factors == 1 else f'({below})'}"


def _text_product(pairs: list[tuple[Symbol, int]]) -> str:
    out, after_long = "", False
    for symbol, n in pairs:
        factor = symbol.name + (str(n).translate(SUPERSCRIPTS) if n != 1 else "")
        long = len(symbol.name) > 1
        out += ("·" if out and (long or after_long) else "") + factor
        after_long = long
    return out


@cache
def _latex_of_symbols(monomial: Monomial, c: Number) -> str:
    return _latex_term(monomial, c, None)


def _latex_term(monomial: Monomial, c: Number, at: Mapping[Symbol, int] | None) -> str:
    above = [_latex_power(s, n, at) for s, n in monomial if n > 0]
    below = [_latex_power(s, -n, at) for s, n in monomial if n < 0]
    if c.numerator != 1 or not above:
        above.insert(0, latex_number(c.numerator))
    if c.denominator != 1:
        below.insert(0, latex_number(c.denominator))
    times = r" \cdot " if at else " "
    product = times.join(above)
    return rf"\frac{{{product}}}{{{times.join(below)}}}" if below else product


def _latex_power(symbol: Symbol, n: int, at: Mapping[Symbol, int] | None) -> str:
    name = symbol.latex if isinstance(symbol, Size) else latex_name(symbol.name)
    if at:
        name = latex_number(at[symbol])
    return name if n == 1 else f"{name}^{{{n}}}"


def latex_number(n: int) -> str:
    r"""Write a whole number in LaTeX, in groups of three from five digits on: ``131{,}392``."""
    return f"{n:,}".replace(",", "{,}") if abs(n) >= 10000 else str(n)

