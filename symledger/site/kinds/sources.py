"""What the sources got wrong: each statement of five documents, compared with the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup, escape

from symledger.languages.message import Text, joined, message
from symledger.printing.numbers import error_percent
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.amounts import bytes_and_units
from symledger.site.html.templating import Templates
from symledger.site.pages import Page
from symledger.site.text.statements import Document, Statement, documents
from symledger.site.tongues import speaks

PATH = "learn/sources.md"
BYTES = ("B", "kB", "MB", "GB", "KiB", "MiB")
SCALES = ("thousand", "million", "billion")
"""Units that are words."""


@dataclass(frozen=True)
class ClaimRow:
    """A statement as it is shown: the claim, its number, verdict, truth, and what is wrong.

    ``low`` or ``high`` is by how much it is that, where it is about right and not but rounded.
    """

    claim: str
    said: Markup | Text
    verdict: str
    truth: Markup | Text
    why: str
    low: str = ""
    high: str = ""


@dataclass(frozen=True)
class Group:
    """A document as it is shown: its statements that are wrong, and the others."""

    document: Document
    rows: tuple[ClaimRow, ...]

    @property
    def anchor(self) -> str:
        """The anchor of its heading."""
        return self.document.name.lower()

    @property
    def wrong(self) -> list[ClaimRow]:
        """What is wrong or missing."""
        return [row for row in self.rows if row.verdict in ("wrong", "missing")]

    @property
    def right(self) -> list[ClaimRow]:
        """What is exact or within its tolerance."""
        return [row for row in self.rows if row not in self.wrong]


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the page."""
    del atlas
    groups = [
        Group(document, tuple(row(statement) for statement in document.statements))
        for document in documents()
    ]
    statements = [statement for document in documents() for statement in document.statements]
    counts = Counter(statement.verdict for statement in statements)
    most = max(abs(s.off) for s in statements if s.verdict == "within")
    yield templates.page(
        PATH, "sources.md.j2", groups=groups, counts=counts, most=error_percent(most)
    )


def row(statement: Statement) -> ClaimRow:
    """Prepare a statement."""
    said = maths.inline(statement.said_terms) if statement.form else said_number(statement)
    off = statement.off if statement.verdict == "within" else Fraction(0)
    by = error_percent(abs(off)) if off else ""
    return ClaimRow(
        statement.claim, said, statement.verdict, truth(statement), statement.why,
        by if off < 0 else "", by if off > 0 else "",
    )  # fmt: skip


def said_number(statement: Statement) -> Text:
    """Write the number of a document as it has it: ``9.01 MB``, ``2,362,368``, ``7 billion``."""
    if not statement.said:
        return joined(())
    found = Fraction(statement.said)
    if found < 1 and statement.unit != "%":
        return joined([f"{float(found):.0e}".replace("e-0", "e-") if found else "0"])
    shown = f"{int(found):,}" if found.denominator == 1 else statement.said
    if statement.unit in SCALES:
        return message(f"sources.in_{statement.unit}", number=shown)
    return joined([f"{shown} {statement.unit}".strip()])


def truth(statement: Statement) -> Markup | Text:
    """Write what the ledger gives, in the unit of the statement."""
    if statement.form:
        return maths.inline(statement.formula)
    if statement.less:
        return message("sources.and_then", number=f"{float(statement.truth):.4g}",
                       then=f"{float(statement.then):.4g}", unit=statement.unit)  # fmt: skip
    found = statement.truth
    if statement.unit == "%":
        return escape(f"{float(100 * found):.3g} %")
    if statement.unit in BYTES:
        return escape(bytes_and_units(int(found)))
    if found.denominator > 1:
        return escape(f"{float(found):.2g}".replace("e-0", "e-"))
    unit = statement.unit if statement.unit == "FLOP" else ""
    return escape(f"{int(found):,} {unit}".strip())


def translated(atlas: Atlas, language: str) -> list[str]:
    """Return its path, where a language has words for it."""
    del atlas
    return [PATH] if speaks(language, "sources.md.j2") else []


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}
