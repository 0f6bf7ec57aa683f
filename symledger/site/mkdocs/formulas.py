"""Formulas as words of the search, whatever way they are spelled.

Each term is a word: its factors in order, those of the denominator behind a bar, so that 12Ld² is
``12.d.d.l`` and BT/2 is ``b.t|2``. The sum is one more word, a checksum of its terms.
``assets/searching.js`` makes the same words of what is typed; the grammar of both is::

    sum      product (± product)*
    product  power ([times or over] power)*
    power    (number, symbol, fraction or sum in parentheses) [^ whole number]
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import chain

TOKENS = re.compile(
    r"\\(?:cdot|frac)|\d+(?:\{,\}\d{3})*|[A-Za-z](?:_(?:\w|\{(?:[^{}]|\{[^{}]*\})*\}))?|\S"
)
"""The tokens of the LaTeX that we print."""
DRESS = re.compile(r"\\[a-z]+(?![A-Za-z}])|\W|_")
"""What names carry in LaTeX beside their letters: d_{\\mathrm{ff}} is dff."""
MOST_TERMS = 60
MOST_POWER = 8
"""Beyond these nobody would type a formula."""

Monomial = tuple[tuple[str, int], ...]
Polynomial = dict[Monomial, Fraction]
NOTHING: Monomial = ()
"""The monomial of a number."""


class Unread(ValueError):
    """Something that is no polynomial: an equation, a largest value, a derivation."""


@cache
def words(tex: str) -> tuple[str, ...]:
    r"""Return the words of a formula in LaTeX; none of what is no polynomial in symbols.

    >>> words(r"12 L d^{2} + V d")
    ('12.d.d.l', 'd.v', '#2ee49c67')
    >>> words("d"), words(r"\\max(a, b)")
    ((), ())
    """
    try:
        polynomial = Reader(TOKENS.findall(tex)).all()
    except (Unread, ZeroDivisionError):
        return ()
    return said(polynomial)


def said(polynomial: Polynomial) -> tuple[str, ...]:
    """Return the words of a polynomial: its terms, then what names their sum."""
    terms = sorted(_term(m, c) for m, c in polynomial.items())
    several = [term for term in terms if "." in term or "|" in term]
    if len(terms) < 2 and not (several and any(polynomial)):
        return ()
    return (*several, checksum("+".join(terms)))


def checksum(text: str) -> str:
    """Return a short name of a text: FNV-1a in 32 bits, which a script computes as well."""
    found = 0x811C9DC5
    for letter in text.encode():
        found = (found ^ letter) * 0x01000193 & 0xFFFFFFFF
    return f"#{found:08x}"


def _term(monomial: Monomial, c: Fraction) -> str:
    above = list(chain.from_iterable([s] * n for s, n in monomial if n > 0))
    below = list(chain.from_iterable([s] * -n for s, n in monomial if n < 0))
    if abs(c.numerator) != 1 or not above:
        above.insert(0, str(abs(c.numerator)))
    if c.denominator != 1:
        below.insert(0, str(c.denominator))
    return "_" * (c < 0) + ".".join(above) + "|" * bool(below) + ".".join(below)


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """Multiply two polynomials.

    Raises:
        Unread: the result is longer than anyone would type.
    """
    found: Polynomial = {}
    for m, c in a.items():
        for n, e in b.items():
            powers = Counter(dict(m))
            powers.update(dict(n))
            key = tuple(sorted((s, k) for s, k in powers.items() if k))
            found[key] = found.get(key, Fraction(0)) + c * e
    if len(found) > MOST_TERMS:
        raise Unread
    return found


class Reader:
    """Reads a polynomial from its tokens, one after the other.

    Raises:
        Unread: they are none.
    """

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[::-1]

    @property
    def next(self) -> str:
        """The token that comes next; nothing at the end."""
        return self.tokens[-1] if self.tokens else ""

    def take(self, wanted: str = "") -> str:
        """Take the next token, which has to be the one that is wanted."""
        if not self.tokens or wanted not in ("", self.next):
            raise Unread
        return self.tokens.pop()

    def all(self) -> Polynomial:
        """Read a sum, behind which nothing comes."""
        found = self.sum()
        if self.tokens:
            raise Unread
        return found

    def sum(self) -> Polynomial:
        """Read terms with their signs."""
        found: Polynomial = {}
        sign = -1 if self.next == "-" and self.take() else 1
        while True:
            for m, c in self.product().items():
                found[m] = found.get(m, Fraction(0)) + sign * c
            if self.next not in ("+", "-"):
                return {m: c for m, c in found.items() if c}
            sign = 1 if self.take() == "+" else -1

    def product(self) -> Polynomial:
        """Read factors, which stand beside each other or with a dot between."""
        found = self.power()
        while self.next[:1].isalnum() or self.next in ("(", r"\cdot", r"\frac", "/"):
            operator = self.take() if self.next in (r"\cdot", "/") else ""
            power = self.power()
            found = times(found, inverse(power) if operator == "/" else power)
        return found

    def power(self) -> Polynomial:
        """Read a factor and its exponent."""
        base = self.factor()
        if self.next != "^":
            return base
        self.take()
        self.take("{")
        exponent = self.take()
        self.take("}")
        if not exponent.isdigit() or int(exponent) > MOST_POWER:
            raise Unread
        found: Polynomial = {NOTHING: Fraction(1)}
        for _ in range(int(exponent)):
            found = times(found, base)
        return found

    def factor(self) -> Polynomial:
        """Read a number, a symbol, a fraction or what stands in parentheses."""
        token = self.take()
        if token == "(":  # noqa: S105  # of a formula
            return self.enclosed(")")
        if token == r"\frac":  # noqa: S105
            self.take("{")
            above = self.enclosed("}")
            self.take("{")
            return times(above, inverse(self.enclosed("}")))
        if token[0].isdigit():
            return {NOTHING: Fraction(token.replace("{,}", ""))}
        if token[0].isalpha():
            symbol = DRESS.sub("", token).lower(), 1
            return {(symbol,): Fraction(1)}
        raise Unread

    def enclosed(self, end: str) -> Polynomial:
        """Read a sum and the bracket that ends it."""
        found = self.sum()
        self.take(end)
        return found


def inverse(polynomial: Polynomial) -> Polynomial:
    """Return one divided by a single term.

    Raises:
        Unread: there are several.
    """
    if len(polynomial) != 1:
        raise Unread
    ((m, c),) = polynomial.items()
    return {tuple((s, -n) for s, n in m): 1 / c}
