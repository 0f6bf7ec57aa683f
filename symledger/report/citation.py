"""A citation as text, Markdown, LaTeX, BibTeX and biblatex."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.citing.citation import AUTHOR, Citation
from symledger.citing.form import Form
from symledger.languages.words import choice
from symledger.printing.latex import LATEX as SPELLED
from symledger.printing.latex import broken
from symledger.printing.numbers import number
from symledger.readings.equations.scalar import scalar
from symledger.readings.equations.sheet import LATEX, TEXT, Notation
from symledger.report.layout import Page
from symledger.sizes import meaning
from symledger.version import VERSION

ESCAPED = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "·": r"$\cdot$", "×": r"$\times$", "−": "$-$", "²": "$^2$", "…": r"\dots{}",
}  # fmt: skip
"""Characters of texts that TeX takes for something else, or has no letter for."""
TRANSLATED = str.maketrans(ESCAPED)


@dataclass(frozen=True)
class Style:
    """How words, polynomials, sizes and numbers are written in some format."""

    word: Callable[[str], str]
    form: Callable[[Terms], str]
    number: Callable[[int | Fraction], str]
    notation: Notation
    math: str = ""

    def equal(self, *sides: str) -> str:
        """Write an equation, or one side alone, between dollar signs where the format has them."""
        return f"{self.math}{' = '.join(sides)}{self.math}"

    def written(self, form: Form) -> str:
        """Write a form."""
        return form.latex if self.math else form.text

    def condition(self, text: str) -> str:
        """Write how often something is repeated: ``L >= 4``."""
        least = r"\geq" if self.math else "≥"
        return self.equal(text.replace(">=", least).replace("==", "="))

    def size(self, symbol: Symbol) -> str:
        """Write a symbol."""
        return str(self.notation.size(symbol))


def tex(text: str) -> str:
    """Write words in TeX."""
    return text.translate(TRANSLATED)


PLAIN = Style(str, algebra.text, number, TEXT)
MARKDOWN = Style(str, algebra.latex, SPELLED.value, LATEX, "$")
TEX = Style(tex, algebra.latex, SPELLED.value, LATEX, "$")


def page(c: Citation, width: int) -> Page:
    """Write the citation for people."""
    p = Page(width)
    p.line((c.tagged.tag, "bold cyan"), f"   {c.name}")
    p.wrapped(c.title, len(c.tagged.tag) + 3, "dim")
    p.line()
    p.wrapped(f"{c.first.text}   {c.formula.unit}", 6, first=4)
    for text in about(c, PLAIN):
        p.wrapped(text, 8, "dim", first=6)
    for heading, texts in (("SYMBOLS", named(c, PLAIN)), ("COUNTED", counted(c, PLAIN)),
                           ("CITE AS", [sentence(c)])):  # fmt: skip
        if texts:
            p.heading(heading)
        for text in texts:
            p.wrapped(text, 6, first=4)
    p.heading("NEXT")
    for form, why in (("bibtex", "for a bibliography"), ("latex", "for a paper")):
        p.line("    ", (f"symledger cite {c.asked} --format {form}", "bold"),
               (f"   {why}", "dim"))  # fmt: skip
    return p


def sentence(c: Citation) -> str:
    """Write the citation in one sentence."""
    url = f" {c.url}" if c.url else ""
    return f"{AUTHOR}: {c.tagged.id}, {c.title}. In {c.source}.{url}"


def about(c: Citation, style: Style) -> list[str]:
    """What is said of the form that is shown first: what it assumes, its value, where it holds."""
    return [*assumes(c, style), *valued(c, style), *holds(c, style)]


def assumes(c: Citation, style: Style) -> list[str]:
    """The equations under which the first form holds, and the form without them."""
    if not c.corollary:
        return []
    equations = c.formula.equations.items()
    assumed = ", ".join(style.equal(style.size(s), style.form(e)) for s, e in equations)
    return [f"with {assumed}", f"in general: {style.equal(style.written(c.general))}"]


def valued(c: Citation, style: Style) -> list[str]:
    """The value, where a configuration was named."""
    value = c.formula.value
    if value is None or not c.bindings:
        return []
    at = ", ".join(style.equal(style.size(s), style.number(n)) for s, n in c.bindings.items())
    name = style.word(c.account.target.name)
    return [f"for {name}, with {at}: {style.equal(style.number(value))}"]


def holds(c: Citation, style: Style) -> list[str]:
    """Under which conditions it holds."""
    zero = [s for s in c.symbols if not meaning(s).least]
    found = ["for all sizes that are whole numbers of at least 1"]
    if zero:
        found[0] += f" ({', '.join(style.equal(style.size(s)) for s in zero)} of at least 0)"
    if c.depths:
        found.append(f"where {', '.join(style.condition(depth) for depth in c.depths)}")
    if c.definitions:
        equations = (style.equal(style.size(s), scalar(e, {}, style.notation).text)
                     for s, e in c.definitions.items())  # fmt: skip
        found.append(f"where {', '.join(equations)}")
    if c.choices:
        said = ", ".join(choice(name, value) for name, value in c.choices.items())
        found.append(style.word(f"choices: {said}"))
    return found


def named(c: Citation, style: Style) -> list[str]:
    """What each symbol stands for."""
    return [f"{style.equal(style.size(s))}: {style.word(meaning(s).meaning)}" for s in c.symbols]


def counted(c: Citation, style: Style) -> list[str]:
    """How things are counted, as far as it matters."""
    return [style.word(f"{name.replace('_', ' ')}: {said}") for name, said in c.conventions.items()]


def paragraph(sentences: Iterable[str]) -> str:
    """Put sentences together."""
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)


def markdown(c: Citation) -> str:
    """Write a section of a document."""
    lines = [
        f"**{c.tagged.tag}** `{c.tagged.id}`{c.name.removeprefix(c.tagged.id)}: {c.title}",
        f"$${c.first.latex}$$ {c.formula.unit}",
        "\n".join(f"- {text}" for text in (*about(c, MARKDOWN), *named(c, MARKDOWN),
                                           *counted(c, MARKDOWN))),
        f"{AUTHOR}: `{c.tagged.id}`, {c.title}. In {c.source}."
        + (f" <{c.url}>" if c.url else ""),
    ]  # fmt: skip
    return "\n\n".join(lines) + "\n"


def latex(c: Citation) -> str:
    """Write a formula with its tag as label, and a paragraph about it (amsmath only)."""
    url = [rf"\texttt{{{tex(c.url)}}}"] if c.url else []
    name = rf"\text{{{tex(c.tagged.quantity)}}} "
    rows = list(broken(name, "=", c.first.latex))
    label = rf"{rows[-1]} \label{{eq:{c.tagged.tag}}}"
    rows = [*(rf"{row} \notag" for row in rows[:-1]), label]
    said = paragraph([
        rf"\texttt{{{tex(c.tagged.id)}}} ({tex(c.source)}): {tex(c.title)}, in {c.formula.unit}",
        *about(c, TEX), "; ".join(named(c, TEX)), *counted(c, TEX), *url,
    ])  # fmt: skip
    return "\n".join([
        f"% {c.tagged.id}: {c.source}",
        r"\begin{align}", " \\\\\n".join(rows), r"\end{align}", said, "",
    ])  # fmt: skip


def bibtex(c: Citation, long: bool = False) -> str:
    """Write an entry for BibTeX; a ``long`` one prints the formula and all that is said of it.

    Plain styles print no ``url``, and others print it beside a note: the short one has the address
    in its note alone, so that every style prints it once.
    """
    published = {"howpublished": tex(c.source)}
    if long:
        return _entry(c, "misc", {**published, "note": _formula(c), **_url(c)})
    address = {"note": rf"\texttt{{{tex(c.url)}}}"} if c.url else {}
    return _entry(c, "misc", {**published, **address, "annotation": _formula(c)})


def biblatex(c: Citation, long: bool = False) -> str:
    """Write an entry for biblatex; a ``long`` one prints the formula and all that is said of it."""
    number = c.number[0].upper() + c.number[1:]
    published = {"titleaddon": number, "howpublished": "symledger", "version": VERSION}
    if long:
        return _entry(c, "software", {**published, "note": _formula(c), **_url(c)})
    return _entry(c, "software", {**published, **_url(c), "annotation": _formula(c)})


def _url(c: Citation) -> dict[str, str]:
    return {"url": c.url} if c.url else {}


def _formula(c: Citation) -> str:
    """The formula, and all that is said of it."""
    form = f"${c.first.latex}$ {c.formula.unit}"
    return f"{form}. {paragraph([*about(c, TEX), *counted(c, TEX)])}"


def _entry(c: Citation, kind: str, published: dict[str, str]) -> str:
    fields = {
        "author": f"{{{AUTHOR}}}",
        "title": f"{{{tex(f'{c.tagged.id}: {c.title}')}}}",
        **published,
    }
    written = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{symledger:{c.tagged.tag},\n{written}\n}}\n"
