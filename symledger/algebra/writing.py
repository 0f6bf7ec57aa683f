"""How polynomials are written: in Python, in plain Unicode, in LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from sympy import Symbol

from symledger.algebra.monomials import Monomial
from symledger.algebra.polynomials import Number, Terms, ordered
from symledger.sizes import Size, latex_name

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def canonical(polynomial: Terms) -> str:
    """Write a polynomial in Python syntax, in its one canonical form.

    >>> from symledger.algebra import terms
    >>> from symledger.sizes import L, V, d
    >>> canonical(terms(d + V * d + L * (12 * d**2 + 2 * d)))
    '12*L*d**2 + 2*L*d + V*d + d'
    """
    return _sum(polynomial, _python_term)


def text(polynomial: Terms) -> str:
    """Write a polynomial for people, in plain Unicode: ``12Ld² + Vd``."""
    return _sum(polynomial, _text_term)


def repeated(times: Terms) -> str:
    """Write how often something is there, behind its name: `` × L``, `` × (L - 1)``; nothing once.

    >>> from symledger.algebra import terms
    >>> from symledger.sizes import L
    >>> repeated(terms(L)), repeated(terms(L - 1)), repeated(terms(L / L))
    (' × L', ' × (L - 1)', '')
    """
    said = text(times)
    if said == "1":
        return ""
    return f" × ({said})" if len(times) > 1 else f" × {said}"


def latex(polynomial: Terms, at: Mapping[Symbol, int] | None = None) -> str:
    r"""Write a polynomial in LaTeX, with numbers for symbols where ``at`` gives them.

    >>> from symledger.algebra import terms
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
