"""MathML read back by two small readers that share nothing with the printer.

One computes the value of a formula from what is seen and ``data-sym``; the other spells an equation
in LaTeX, to be compared with the notation that is compiled and checked elsewhere.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from symledger.sizes import latex_name

Token = int | Fraction | str


def parse(markup: str) -> Element:
    """The one element that a printer returned; ParseError where it is not XML."""
    return ElementTree.fromstring(markup)  # noqa: S314  # our own output


def shown(math: Element) -> Element:
    """What is seen of a formula: all but its annotation."""
    semantics = math[0]
    assert [part.tag for part in semantics[1:]] == ["annotation"]
    return semantics[0]


def tex(math: Element) -> str:
    return math[0][1].text or ""


def seen(e: Element) -> str:
    """The letters of an element: d_h for a d with an h below."""
    return "_".join(seen(part) for part in e) if e.tag == "msub" else "".join(e.itertext())


# --- values ------------------------------------------------------------------------------------

SIGNS = {"+": "+", "−": "-", "\u2062": "*", "·": "*", "/": "/", "(": "(", ")": ")"}


def value(e: Element, at: dict[str, int]) -> int | Fraction:
    """The value of what an element shows."""
    return evaluate(list(tokens(e, at)))


def tokens(e: Element, at: dict[str, int]) -> Iterator[Token]:
    name = e.get("data-sym")
    if name is not None:
        assert seen(e).replace("\u2009", "_") == name
        yield at[name]
    elif e.tag == "mn":
        yield int(e.text.replace(",", ""))
    elif e.tag == "mo":
        yield SIGNS[e.text]
    elif e.tag == "mfrac":
        above, below = (value(part, at) for part in e)
        yield Fraction(above) / below
    elif e.tag == "msup":
        base, exponent = (value(part, at) for part in e)
        yield Fraction(base) ** int(exponent)
    else:
        assert e.tag in ("mrow", "mtd", "mspace"), e.tag
        for part in e:
            yield from tokens(part, at)


def evaluate(found: list[Token]) -> int | Fraction:
    """Sums of products of numbers and parentheses; every sign has to be there."""
    left = list(found)
    total = _sum(left)
    assert not left
    return total


def _sum(left: list[Token]) -> int | Fraction:
    total, sign = 0, left.pop(0) if left[0] == "-" else "+"
    while True:
        term = _product(left)
        total += term if sign == "+" else -term
        if not left or left[0] not in ("+", "-"):
            return total
        sign = left.pop(0)


def _product(left: list[Token]) -> int | Fraction:
    result = _factor(left)
    while left and left[0] in ("*", "/"):
        divided, factor = left.pop(0) == "/", _factor(left)
        result = Fraction(result) / factor if divided else result * factor
    return result


def _factor(left: list[Token]) -> int | Fraction:
    first = left.pop(0)
    if not isinstance(first, str):
        return first
    assert first == "("
    inside = _sum(left)
    assert left.pop(0) == ")"
    return inside


# --- equations ---------------------------------------------------------------------------------

WRITTEN = {
    "−": "-", "∑": r"\sum", "max": r"\max", "argmax": r"\operatorname{argmax}", "↦": r"\mapsto",
    "≤": r"\le", "≥": r"\ge", "∂": r"\partial", "π": r"\pi", "∞": r"\infty", "…": r"\dots",
    "′": "'", "′′": "''", "∗": "*", "⌊": r"\lfloor", "⌋": r"\rfloor", "{": "",
    "\u2062": "", "\u2063": "",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\epsilon",
    "ζ": r"\zeta", "η": r"\eta", "θ": r"\theta", "κ": r"\kappa", "λ": r"\lambda", "ξ": r"\xi",
    "ρ": r"\rho", "μ": r"\mu", "ν": r"\nu", "σ": r"\sigma", "τ": r"\tau", "φ": r"\phi",
}  # fmt: skip
COMMANDS = ("exp", "log", "tanh", "sin", "cos")


def plain(latex: str) -> str:
    """LaTeX without what only spaces and sizes parentheses."""
    return re.sub(r"\\left(?=[(\\])|\\right(?=[)\\])|\\,|\s", "", latex)


def latex(e: Element) -> str:
    """An element in LaTeX, without spaces."""
    name = e.get("data-sym")
    if name is not None:
        return plain(latex_name(name))
    if e.tag in ("mi", "mo", "mn", "mtext"):
        return _token(e)
    if e.tag == "mtable":
        rows = (r"&".join(latex(cell) for cell in row) for row in e)
        return r"\begin{cases}" + r"\\".join(rows) + r"\end{cases}"
    parts = [latex(part) for part in e]
    if e.tag == "mfrac":
        return r"\frac{{{}}}{{{}}}".format(*parts)
    if e.tag == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    if e.tag in ("msub", "munder"):
        return "{}_{{{}}}".format(*parts)
    if e.tag == "msubsup":
        base, below, above = parts
        primed = set(above) == {"'"}
        return f"{base}{above}_{{{below}}}" if primed else f"{base}^{{{above}}}_{{{below}}}"
    if e.tag == "msup":
        return _power(e, *parts)
    assert e.tag in ("mrow", "mtd"), e.tag
    for i, part in enumerate(parts):
        if part == "\u2061":  # what stands before is a function
            parts[i - 1 : i + 1] = [_function(parts[i - 1]), ""]
    return "".join(parts)


def _token(e: Element) -> str:
    text = (e.text or "").replace("\u00a0", "")
    if e.tag == "mtext":
        return rf"\text{{{text}}}"
    if e.tag == "mn":
        return text.replace(",", "")
    if e.get("mathvariant") == "normal" or (e.tag == "mi" and len(text) > 1):
        return r"\mathrm{{{}}}".format(text.replace("_", r"\_"))
    return WRITTEN.get(text, text)


def _power(e: Element, base: str, above: str) -> str:
    if set(above) == {"'"}:
        return base + above
    function = base.startswith(r"\mathrm") and e[0].get("data-tensor") is None
    bare = above == "*" or function or (base == "10" and above.startswith("-"))
    return f"{base}^{{{above}}}" if bare else f"{{{base}}}^{{{above}}}"


def _function(spelled: str) -> str:
    found = spelled.replace(r"\mathrm", r"\operatorname", 1)
    for name in COMMANDS:
        found = found.replace(rf"\operatorname{{{name}}}", rf"\{name}")
    return found
