"""Equations as MathML: the words that ``readings/written`` spells, as rows of elements.

A tensor says its plain name in ``data-tensor`` (a size in ``data-sym``): the keys ``k`` and the
``k`` experts of a token are not the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sympy import Symbol

from symledger.printing.mathml import elements
from symledger.printing.mathml.elements import (
    AND,
    APPLY,
    COMMA,
    MINUS,
    NEGATIVE,
    PLUS,
    TIMES,
    element,
    identifier,
    name_below,
    one,
    operator,
    words,
)
from symledger.readings.equations.text import ATOM, GREEK, PRODUCT, Notation, Piece

LETTERS = {
    **{name: letter for letter, name in GREEK.items()},
    "mu": "μ", "nu": "ν", "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ",
    "omega": "ω",
}  # fmt: skip
"""Names that are spelled as Greek letters."""
GROUP = '<mrow><mo stretchy="false">(</mo>'
SIMPLE = re.compile(
    rf"<m[in][^>]*>\w</m[in]>|{re.escape(GROUP)}(<mi>[a-z]</mi>|{AND})+<mo[^>]*>\)</mo></mrow>"
)
"""An index that is one letter or a group of letters."""
WORD = re.compile(r"(<[a-z]+[^>]*>)*(<mi>∂</mi>)?(<[a-z]+[^>]*>)*(\w\w|\[)")
"""What begins with a word or a bracket stands a little apart from a factor before it."""
LIMITS = {"form": "prefix", "lspace": "0.17em", "rspace": "0.17em", "movablelimits": "true"}
APART = operator("\u2062", lspace="0.17em")


class MathML(Notation):
    """How formulas are spelled in MathML Core."""

    sigma = operator("∑", form="prefix")
    largest = operator("max", **LIMITS)
    where_largest = operator("argmax", **LIMITS)
    infinity, circle = identifier("∞"), identifier("π")
    comma, plus, minus, negative = COMMA, PLUS, MINUS, NEGATIVE

    def size(self, symbol: Symbol) -> str:
        """A size with its plain name."""
        return elements.symbol(symbol)

    def number(self, n: int) -> str:
        """Digits."""
        return elements.number(n)

    def letter(self, letter: str) -> str:
        """A letter."""
        return identifier(letter)

    def group(self, indices: Sequence[str]) -> str:
        """Merged indices in parentheses."""
        return elements.parens(AND.join(indices))

    def is_atom(self, index: str) -> bool:
        """Whether an index is one letter or digit, or a group."""
        return SIMPLE.fullmatch(index) is not None or index.startswith(GROUP)

    def is_plain(self, text: str) -> bool:
        """Whether something has no subscript."""
        return "<msub" not in text and "_" not in text

    def indexed(self, name: str, indices: Sequence[str]) -> str:
        """A tensor's element; what belongs to the name stands before the indices."""
        if name.startswith("∂"):
            inner = self.tensor(name[1:], indices)
            return element("mrow", identifier("∂"), inner, data_tensor=name)
        return self.tensor(name, indices, data_tensor=name)

    def tensor(self, name: str, indices: Sequence[str], **attributes: str) -> str:
        """A name with its subscript, its primes and indices."""
        plain, primes = name.rstrip("′"), "′" * (len(name) - len(name.rstrip("′")))
        head, _, own = plain.partition("_")
        if len(head) > 1 or not own:
            head, own = plain, ""
        below = [part for part in (own and name_below(own), self.joined(indices)) if part]
        base = identifier(LETTERS.get(head, head))
        if not below and not primes:
            return identifier(LETTERS.get(head, head), **attributes)
        tag = "msub" * bool(below) + "msup" * bool(primes)
        scripts = [one(COMMA.join(below))] if below else []
        scripts += [operator(primes)] if primes else []
        return element(tag.replace("submsup", "subsup"), base, *scripts, **attributes)

    def element(self, whole: str, indices: Sequence[str]) -> str:
        """Indices after what is already spelled."""
        return element("msub", one(whole), one(self.joined(indices))) if indices else whole

    def joined(self, indices: Sequence[str]) -> str:
        """Indices beside each other, or with commas that are seen."""
        return (AND if all(SIMPLE.fullmatch(i) for i in indices) else COMMA).join(indices)

    def mapping(self, indices: Sequence[str], value: str) -> str:
        """An array, said by its elements."""
        return self.joined(indices) + operator("↦") + value

    def operator(self, name: str, times: str = "", back: bool = False, label: str = "") -> str:
        """An upright name."""
        upright = {"mathvariant": "normal"} if len(name) == 1 else {}
        base, above = identifier(name, **upright), times
        if back:
            base = elements.parens(elements.power(base, times)) if times else base
            above = operator("∗")
        below = name_below(label) if label else ""
        if above and below:
            return element("msubsup", base, below, one(above))
        if above:
            return elements.power(base, above)
        return element("msub", base, below) if below else base

    def prime(self, name: str) -> str:
        """The derivative of a function."""
        return elements.power(self.operator(name), operator("′"))

    def through(self, times: str) -> str:
        """Every time, with dots."""
        return elements.number(1) + operator("…", lspace="0", rspace="0") + times

    def called(self, function: str, inner: str) -> Piece:
        """A function of something in parentheses."""
        return Piece(self.applied(function, [inner]))

    def applied(self, function: str, arguments: Sequence[str]) -> str:
        """A function of arguments."""
        return function + APPLY + elements.parens(COMMA.join(arguments))

    def under(self, symbol: str, letters: Sequence[str]) -> str:
        """Letters below the sign."""
        return element("munder", symbol, one(COMMA.join(letters)))

    def parens(self, text: str) -> str:
        """Parentheses, growing around what is tall."""
        return elements.parens(text)

    def floor(self, text: str) -> str:
        """The whole number below."""
        return element("mrow", *elements.enclosed("⌊", text, "⌋"))

    def bracket(self, text: str) -> Piece:
        """One where a condition holds, zero elsewhere."""
        return Piece(element("mrow", *elements.enclosed("[", text, "]")))

    def relation(self, sign: str) -> str:
        """A comparison."""
        return operator(super().relation(sign))

    def quotient(self, above: Piece, below: Piece) -> Piece:
        """A fraction."""
        return Piece(elements.fraction(above.text, below.text), PRODUCT)

    def root(self, inner: Piece) -> Piece:
        """A root with its bar."""
        return Piece(element("msqrt", inner.text))

    def power(self, base: Piece, exponent: str) -> Piece:
        """A superscript."""
        below = base.text if base.level == ATOM else self.parens(base.text)
        return Piece(elements.power(below, exponent))

    def exponent(self, n: int) -> str:
        """10 to a negative power."""
        return elements.power(elements.number(10), NEGATIVE + elements.number(n))

    def cases(self, branches: Sequence[tuple[str, str]]) -> Piece:
        """Cases below each other."""
        rows = [
            element("mtr", *(element("mtd", cell) for cell in (v, self.condition(c))))
            for v, c in branches
        ]
        cases = element("mtable", *rows, **{"class": "cases"})
        return Piece(element("mrow", operator("{", form="prefix"), cases))

    def condition(self, text: str) -> str:
        """When a case holds."""
        return words("if ") + text if text else words("otherwise")

    def times(self, factors: Sequence[str]) -> str:
        """Factors, set apart where they begin with a word or a bracket."""
        first, *rest = factors
        return first + "".join((APART if WORD.match(f) else TIMES) + f for f in rest)


MATHML = MathML()
