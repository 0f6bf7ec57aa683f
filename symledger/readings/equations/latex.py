"""Formulas spelled in LaTeX, with no package but amsmath."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Symbol

from symledger.readings.equations.text import ATOM, GREEK, PRODUCT, SIMPLE, SPELLED, Notation, Piece
from symledger.sizes import Size, latex_name

OWN_COMMAND = ("exp", "log", "tanh", "sin", "cos")
"""Functions that LaTeX has a command for."""


class Latex(Notation):
    """How formulas are spelled in LaTeX, with no package but amsmath."""

    sigma, largest, where_largest = r"\sum", r"\max", r"\operatorname{argmax}"
    infinity, circle = r"\infty", r"\pi"

    def size(self, symbol: Symbol) -> str:
        """The symbol as the alphabet spells it."""
        return symbol.latex if isinstance(symbol, Size) else latex_name(symbol.name)

    def name(self, name: str) -> tuple[str, str]:
        """Spell a name, its own subscript apart: ``W_Q`` is W with Q."""
        if name.startswith("∂"):
            inner, own = self.name(name[1:])
            return rf"\partial {inner}", own
        plain, primes = name.rstrip("′"), "'" * (len(name) - len(name.rstrip("′")))
        head, _, own = plain.partition("_")
        if len(head) == 1 and own:
            upright = len(own) > 1 and not own.isdigit()
            spelled = rf"\{GREEK[head]}" if head in GREEK else head
            return spelled + primes, rf"\mathrm{{{escaped(own)}}}" if upright else own
        letter = GREEK.get(plain, plain)
        if letter in SPELLED:
            return rf"\{letter}{primes}", ""
        return (plain if len(plain) == 1 else rf"\mathrm{{{escaped(plain)}}}") + primes, ""

    def indexed(self, name: str, indices: Sequence[str]) -> str:
        """``x_{b t i}``; a name's own subscript stands before the indices."""
        spelled, own = self.name(name)
        inside = ", ".join(part for part in (own, self.joined(indices)) if part)
        return f"{spelled}_{{{inside}}}" if inside else spelled

    def element(self, whole: str, indices: Sequence[str]) -> str:
        """Indices after what is already spelled."""
        return f"{whole}_{{{self.joined(indices)}}}" if indices else whole

    def joined(self, indices: Sequence[str]) -> str:
        """Indices with spaces, or with commas."""
        return (" " if all(SIMPLE.fullmatch(i) for i in indices) else ", ").join(indices)

    def group(self, indices: Sequence[str]) -> str:
        """Merged indices, with spaces."""
        return f"({' '.join(indices)})"

    def through(self, times: str) -> str:
        """Every time, with dots."""
        return rf"1\dots {times}"

    def relation(self, sign: str) -> str:
        """A comparison."""
        return {"<=": r"\le", ">=": r"\ge"}.get(sign) or super().relation(sign)

    def mapping(self, indices: Sequence[str], value: str) -> str:
        """An array, said by its elements."""
        return rf"{self.joined(indices)} \mapsto {value}"

    def operator(self, name: str, times: str = "", back: bool = False, label: str = "") -> str:
        """An upright name."""
        plain = rf"\{name}" if name in OWN_COMMAND else rf"\operatorname{{{escaped(name)}}}"
        powered = f"{plain}^{{{times}}}" if times else plain
        star = f"({powered})^{{*}}" if times else f"{powered}^{{*}}"
        inner = label if len(label) == 1 else rf"\mathrm{{{escaped(label)}}}"
        return (star if back else powered) + (f"_{{{inner}}}" if label else "")

    def under(self, symbol: str, letters: Sequence[str]) -> str:
        """Letters below the sign."""
        return f"{symbol}_{{{', '.join(letters)}}}"

    def prime(self, name: str) -> str:
        """The derivative of a function."""
        return rf"{self.operator(name)}'"

    def parens(self, text: str) -> str:
        """Parentheses, growing around what is tall."""
        tall = any(word in text for word in (r"\frac", r"\sum", r"\max", r"\begin"))
        return rf"\left({text}\right)" if tall else f"({text})"

    def floor(self, text: str) -> str:
        """The whole number below."""
        return rf"\left\lfloor {text} \right\rfloor"

    def quotient(self, above: Piece, below: Piece) -> Piece:
        """A fraction."""
        return Piece(rf"\frac{{{above.text}}}{{{below.text}}}", PRODUCT)

    def root(self, inner: Piece) -> Piece:
        """A root with its bar."""
        return Piece(rf"\sqrt{{{inner.text}}}")

    def power(self, base: Piece, exponent: str) -> Piece:
        """A superscript."""
        below = base.text if base.level == ATOM else self.parens(base.text)
        return Piece(f"{{{below}}}^{{{exponent}}}")

    def exponent(self, n: int) -> str:
        """10 to a negative power."""
        return f"10^{{-{n}}}"

    def times(self, factors: Sequence[str]) -> str:
        """Factors, set apart where they are words or brackets."""
        words = (r"\mathrm", r"\partial \mathrm", "[")
        spaced = [rf"\, {f}" if i and f.startswith(words) else f for i, f in enumerate(factors)]
        return " ".join(spaced)

    def cases(self, branches: Sequence[tuple[str, str]]) -> Piece:
        """Cases below each other."""
        conditions = [rf"\text{{if }} {c}" if c else r"\text{otherwise}" for _, c in branches]
        told = [f"{v} & {c}" for (v, _), c in zip(branches, conditions, strict=True)]
        return Piece(r"\begin{cases} " + r" \\ ".join(told) + r" \end{cases}")


LATEX = Latex()


def escaped(name: str) -> str:
    """Return a name with its underscores as LaTeX takes them."""
    return name.replace("_", r"\_")
