"""Papers: what they state of a family in symbols of their own, and what the ledger makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from markupsafe import Markup
from sympy import Dummy

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.algebra.parsing import parse_expression
from symledger.ir.shapes import ONE
from symledger.languages.message import Text, joined, message
from symledger.languages.words import part
from symledger.ledger.lines import Line
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.kinds.model.numbers import count, signed_percent
from symledger.sizes import BY_NAME

POWER = re.compile(r"\*\*(\d)")
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
KINDS = {"matrices": "B*L*T*d**2", "pairs": "B*L*T**2*d", "logits": "B*T*V*d"}
"""What the work of a decoder consists of: a name, and its monomial."""


@dataclass(frozen=True)
class Number:
    """A statement in numbers: at which sizes, what it says, what the ledger says, how far off."""

    name: str
    said: str
    derived: str
    off: str


@dataclass(frozen=True)
class Statement:
    """What a paper states of a quantity, in its own symbols, and what the ledger makes of it."""

    atlas: Atlas
    paper: Paper
    what: str
    said: str
    ask: str
    counts: str
    where: str = ""
    times: str = "1"
    causal: str = "full"
    set: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    symbols: Mapping[str, str] = field(default_factory=dict)
    why: str = ""

    def account(self, target: str) -> Account:
        """What the ledger is asked."""
        return self.atlas.account(target, **self.set).under(causal=self.causal)

    @cached_property
    def general(self) -> Account:
        """The ledger on the family that the statement is compared with."""
        return self.account(self.paper.model)

    @property
    def written(self) -> Markup:
        """The statement as the paper writes it."""
        raised = POWER.sub(lambda m: m[1].translate(RAISED), self.said)
        return maths.spelled(raised.replace("*", " "))

    @cached_property
    def theirs(self) -> Terms:
        """The statement in our symbols, under the family's assumptions."""
        return self.paper.read(f"({self.said})", self.general, self.times, self.symbols)

    @cached_property
    def ours(self) -> Terms:
        """What the ledger derives of the same."""
        line = self.general[self.ask].line
        parts = [path.split("/") for path in self.only]
        found = _of(line, parts) if parts else _total(line, self.without)
        return algebra.substitute(found, self.general.assumed.equations)

    @cached_property
    def difference(self) -> Terms:
        """How much more the statement counts; nothing where the two are the same polynomial."""
        return algebra.subtract(self.theirs, self.ours)

    @property
    def factor(self) -> Markup | None:
        """What it is multiplied by, where it is for each token or sequence."""
        return None if self.times == "1" else formula(self.times)

    @property
    def in_ours(self) -> Markup:
        """The statement in our symbols, written."""
        return maths.inline(self.theirs)

    @property
    def derived(self) -> Markup:
        """What the ledger derives, written."""
        return maths.inline(self.ours)

    @property
    def more(self) -> Markup:
        """The difference, written."""
        return maths.inline(self.difference)

    @property
    def is_exact(self) -> bool:
        """Whether the two are the same polynomial."""
        return not self.difference

    @property
    def is_work(self) -> bool:
        """Whether it is about FLOPs."""
        return self.ask.startswith("flops")

    @property
    def conditions(self) -> Text:
        """Under which conditions the ledger was asked, in its own words."""
        said: list[str] = [self.ask]
        if self.is_work:
            said.append(message("dialects.causal_is", causal=message(f"causal.{self.causal}")))
        said += [f"{name}={value}" for name, value in self.set.items()]
        if self.without:
            said.append(message("dialects.without", parts=joined(map(part, self.without))))
        return joined(said)

    @property
    def shares(self) -> list[str]:
        """How much of each kind of work it counts, where the ledger at its defaults counts 1."""
        plain = self.atlas.account(self.paper.model)[self.ask].corollary_terms
        return [_ratio(self.theirs, plain, monomial) for monomial in KINDS.values()]

    @property
    def besides(self) -> Markup | None:
        """What it counts that is none of these."""
        known = {_monomial(text) for text in KINDS.values()}
        rest = {m: c for m, c in self.theirs.items() if m not in known}
        return maths.inline(rest) if rest else None

    @property
    def numbers(self) -> Iterator[Number]:
        """The statement at published sizes."""
        for name in self.paper.examples:
            at = self.account(name).assumed.bindings
            said, derived = algebra.value(self.theirs, at), algebra.value(self.ours, at)
            assert said is not None
            assert derived is not None
            off = (said - derived) / derived
            yield Number(name, count(said), count(derived), signed_percent(off) if off else "0")


@dataclass(frozen=True)
class Paper:
    """A paper, its symbols in ours, and its statements."""

    atlas: Atlas
    model: str
    examples: tuple[str, ...]
    key: str
    name: str
    title: str
    url: str
    symbols: Mapping[str, str]
    stated: tuple[Mapping[str, Any], ...]
    quantities: Mapping[str, str] = field(default_factory=dict)
    table: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Its statements."""
        return tuple(Statement(self.atlas, self, **{**s, "without": tuple(s.get("without", ()))})
                     for s in self.stated)  # fmt: skip

    @cached_property
    def tables(self) -> dict[str, tuple[Statement, ...]]:
        """Its table of operations, where it has one: for each quantity a statement a row."""
        return {
            quantity: tuple(self._row(row, quantity) for row in self.table["rows"] if row[said])
            for quantity, said in self.table.get("columns", {}).items()
        }

    def _row(self, row: Mapping[str, Any], quantity: str) -> Statement:
        """What a row of the table says of a quantity, of parts of a model alone."""
        said = self.table["columns"][quantity]
        times = self.table["times"] if quantity.startswith("flops") else "1"
        return Statement(
            self.atlas, self, row["what"], row[said], quantity, "", self.table["where"], times,
            self.table["causal"], only=tuple(row["parts"]), symbols=row.get("symbols", {}),
            why=row.get(f"why_{said}", ""),
        )

    def read(
        self, said: str, account: Account, times: str, symbols: Mapping[str, str] | None = None
    ) -> Terms:
        """Read a statement: the paper's symbols replaced by what they are here."""
        own = {name: Dummy(name) for name in (*self.symbols, *self.quantities)}  # none of ours
        given = {own[name]: algebra.terms(parse_expression(text, BY_NAME))
                 for name, text in {**self.symbols, **(symbols or {})}.items()}  # fmt: skip
        given |= {own[name]: account[q].corollary_terms for name, q in self.quantities.items()}
        factor = algebra.terms(parse_expression(times, BY_NAME))
        found = algebra.substitute(algebra.terms(parse_expression(said, own).expand()), given)
        return algebra.substitute(algebra.multiply(factor, found), account.assumed.equations)

    @property
    def meanings(self) -> list[tuple[Markup, Markup]]:
        """Its symbols, and what they are in ours."""
        same = [(maths.spelled(name), maths.inline(algebra.terms(parse_expression(text, BY_NAME))))
                for name, text in self.symbols.items() if name != text]  # fmt: skip
        return same + [(maths.spelled(n), Markup(f"<code>{q}</code>"))  # noqa: S704  # names of ours
                       for n, q in self.quantities.items()]  # fmt: skip


def formula(text: str) -> Markup | None:
    """Write a polynomial of a file of data; None for an empty one."""
    terms = algebra.terms(parse_expression(text, BY_NAME).expand()) if text else {}
    return maths.inline(terms) if terms else None


def _total(line: Line, without: tuple[str, ...]) -> Terms:
    """A line's total, without the parts of some names."""
    if not any(part.label in without for part in line.walk()):
        return line.total
    parts = [_total(part, without) for part in line.parts if part.label not in without]
    assert line.times == ONE
    return algebra.add([algebra.terms(line.own), *parts])


def _of(line: Line, paths: list[list[str]]) -> Terms:
    """The total of some parts of a line, by their labels from the top."""
    if [] in paths:
        return line.total
    below = algebra.add(
        _of(part, [p[1:] for p in paths if p[0] == part.label])
        for part in line.parts if any(p[0] == part.label for p in paths)
    )  # fmt: skip
    return algebra.multiply(algebra.terms(line.times), below)


def _monomial(text: str) -> algebra.Monomial:
    (found,) = algebra.terms(parse_expression(text, BY_NAME))
    return found


def _ratio(theirs: Terms, ours: Terms, monomial: str) -> str:
    key = _monomial(monomial)
    return str(Fraction(theirs.get(key, 0)) / ours[key])
