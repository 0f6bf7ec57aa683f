"""How formulas are spelled: in notations that follow the same rules; here in Unicode text.

What is spelled is text, which only a notation puts together and looks into. A piece of a formula
knows how tightly it binds, so that parentheses stand where they are needed and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

TERMS, OPEN, QUOTIENT, PRODUCT, ATOM = range(5)
"""How tightly a piece binds: a sum, something open to its right (Σ, max), a quotient, …"""

ONE = Integer(1)
GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "κ": "kappa", "λ": "lambda", "ξ": "xi", "ρ": "rho",
}  # fmt: skip
SPELLED = {*GREEK.values(), "mu", "nu", "sigma", "tau", "phi", "chi", "psi", "omega"}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
RELATIONS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "="}
SIMPLE = re.compile(r"\w|\([a-z ]+\)")
"""An index that is one letter or a group of letters."""


@dataclass(frozen=True)
class Piece:
    """A part of a formula, and how tightly it binds.

    Where ``rest`` is set, it is a product: a sign, a constant in front, and that rest.
    """

    text: str
    level: int = ATOM
    negative: bool = False
    constant: Expr = ONE
    rest: Piece | None = None


class Notation:
    """How formulas are spelled in Unicode text; others spell the same words otherwise."""

    sigma, largest, where_largest = "Σ", "max", "argmax"
    infinity, circle = "∞", "π"
    comma, plus, minus, negative = ", ", " + ", " - ", "-"

    def size(self, symbol: Symbol) -> str:
        """Spell a size."""
        return str(symbol.name)

    def number(self, n: int) -> str:
        """Spell a whole number, not negative."""
        return str(n)

    def letter(self, letter: str) -> str:
        """Spell the letter of an index."""
        return letter

    def group(self, indices: Sequence[str]) -> str:
        """Spell indices that are merged into one axis: ``(hk)``."""
        return f"({''.join(indices)})"

    def is_atom(self, index: str) -> bool:
        """Whether an index is one letter or digit, or a group."""
        return len(index) == 1 or index[0] == "("

    def is_plain(self, text: str) -> bool:
        """Whether something has no subscript."""
        return "_" not in text

    def indexed(self, name: str, indices: Sequence[str]) -> str:
        """Spell a tensor's element: ``x_bti``, ``q_{bt(gr)k}``, ``E_{tokens_bt, i}``."""
        return self.element(name, indices)

    def element(self, whole: str, indices: Sequence[str]) -> str:
        """Put indices to what is already spelled: ``softmax(x)_bti``."""
        short = len(indices) <= 3 and all(len(i) == 1 for i in indices)
        joined = self.joined(indices)
        return whole + (f"_{joined}" if short else f"_{{{joined}}}") if indices else whole

    def joined(self, indices: Sequence[str]) -> str:
        """Put indices beside each other, apart where one is more than a letter or a group."""
        return ("" if all(SIMPLE.fullmatch(i) for i in indices) else self.comma).join(indices)

    def operator(self, name: str, times: str = "", back: bool = False, label: str = "") -> str:
        """Spell a function: repeated, pulled back (to the input of that label) where asked."""
        powered = name + (f"^{times}" if len(times) < 2 else f"^({times})") if times else name
        star = (f"({powered})*" if times else f"{powered}*") if back else powered
        return f"{star}_{label}" if label else star

    def prime(self, name: str) -> str:
        """Spell the derivative of a function of one argument."""
        return f"{name}′"

    def through(self, times: str) -> str:
        """Every time, and not only the last: ``1…L``."""
        return f"1…{times}"

    def applied(self, function: str, arguments: Sequence[str]) -> str:
        """A function of arguments, which are names or say themselves what they are."""
        return f"{function}({', '.join(arguments)})"

    def under(self, symbol: str, letters: Sequence[str]) -> str:
        """Put what a sum runs over under its sign."""
        joined = ", ".join(letters)
        return f"{symbol}_{joined}" if len(joined) == 1 else f"{symbol}_{{{joined}}}"

    def mapping(self, indices: Sequence[str], value: str) -> str:
        """An array, said by its elements: indices ↦ value."""
        return f"{self.joined(indices)} ↦ {value}"

    def parens(self, text: str) -> str:
        """Put parentheses around."""
        return f"({text})"

    def floor(self, text: str) -> str:
        """The whole number below."""
        return f"⌊{text}⌋"

    def bracket(self, text: str) -> Piece:
        """One where a condition holds, zero elsewhere."""
        return Piece(f"[{text}]")

    def relation(self, sign: str) -> str:
        """Spell a comparison."""
        return RELATIONS[sign]

    def quotient(self, above: Piece, below: Piece) -> Piece:
        """One piece divided by another."""
        left = above.text if above.level >= PRODUCT else self.parens(above.text)
        right = below.text if below.level in (OPEN, ATOM) else self.parens(below.text)
        slash = " / " if " " in left + right and left != "1" else "/"
        return Piece(left + slash + right, QUOTIENT)

    def root(self, inner: Piece) -> Piece:
        """The square root."""
        return Piece("√" + (inner.text if inner.text.isidentifier() else f"({inner.text})"))

    def power(self, base: Piece, exponent: str) -> Piece:
        """A power."""
        raised = exponent.translate(SUPERSCRIPTS) if exponent.isdigit() else f"^({exponent})"
        return Piece((base.text if base.level == ATOM else self.parens(base.text)) + raised)

    def exponent(self, n: int) -> str:
        """A small decimal constant: 10 to a negative power."""
        return f"1e-{n}"

    def cases(self, branches: Sequence[tuple[str, str]]) -> Piece:
        """One value under each condition; the last one otherwise."""
        told = [f"{v} if {c}" if c else f"{v} otherwise" for v, c in branches]
        return Piece("{" + "; ".join(told) + "}")

    def function(self, name: str, inner: str) -> Piece:
        """A function, by its name, of something in parentheses."""
        return self.called(self.operator(name), inner)

    def called(self, operator: str, inner: str) -> Piece:
        """The same, its name spelled already."""
        return Piece(operator + self.parens(inner))

    def beside(self, factors: Sequence[Piece]) -> Piece:
        """Factors beside each other, in parentheses where needed."""
        *first, last = sorted(factors, key=lambda f: f.level == OPEN)
        if not first:
            return last
        texts = [f.text if f.level >= PRODUCT else self.parens(f.text) for f in first]
        fits = last.level in (OPEN, PRODUCT, ATOM)
        texts.append(last.text if fits else self.parens(last.text))
        return Piece(self.times(texts), OPEN if last.level == OPEN else PRODUCT)

    def times(self, factors: Sequence[str]) -> str:
        """Spell a product."""
        return " ".join(factors)


TEXT = Notation()
