"""Published statements, and what the ledger makes of them: exact, within a tolerance, or wrong.

Each is data: what a document says, and how the ledger is asked for it. A verdict is nowhere
written down; it is what comparing the two gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any, Literal

from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account, derive
from symledger.algebra import Terms
from symledger.algebra.parsing import parse_expression
from symledger.evidence import records as evidence
from symledger.ledger.lines import Line
from symledger.site.text.worded import data
from symledger.sizes import BY_NAME

UNITS: dict[str, int | Fraction] = {
    "": 1, "B": 1, "FLOP": 1, "FLOP/byte": 1, "%": Fraction(1, 100), "thousand": 10**3,
    "million": 10**6, "billion": 10**9, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10,
    "MiB": 2**20,
}  # fmt: skip
"""What a number is multiplied by."""

Verdict = Literal["exact", "within", "wrong", "missing"]


@dataclass(frozen=True)
class Ask:
    """What the ledger is asked for: a quantity of a target or of parts of it, or a rule."""

    of: str = ""
    quantity: str | tuple[str, ...] = "params"
    part: str | tuple[str, ...] = ""
    set: Mapping[str, object] = field(default_factory=dict)
    assume: tuple[str, ...] = ()
    general: bool = False
    dtype: str = "fp32"
    each: bool = False
    rule: str = ""
    term: str = ""
    low: str = ""
    coefficient: str = ""
    count: str = ""
    recorded: str = ""
    by: int = 1

    @property
    def account(self) -> Account:
        """The account of the target."""
        settings = tuple((name, str(value)) for name, value in self.set.items())
        return _account(self.of, settings, self.assume, self.dtype)

    @property
    def sizes(self) -> Mapping[Symbol, int]:
        """The sizes that are known."""
        if self.of:
            return self.account.assumed.bindings
        return {BY_NAME[name]: int(str(n)) for name, n in self.set.items()}

    @property
    def terms(self) -> Terms:
        """What was asked for as a polynomial: quantities or parts, added up."""
        found = [
            line.each if self.each else line.total
            for name in _several(self.quantity)
            for part in _several(self.part)
            for line in [_line(self.account[name].line, part)]
        ]
        return algebra.substitute(algebra.add(found), self.equations)

    @property
    def equations(self) -> Mapping[Symbol, Terms]:
        """What holds: all that is assumed, or where asked in general only what was said."""
        assumed = self.account.assumed.equations
        said = {text.partition("=")[0].strip() for text in self.assume}
        return {s: p for s, p in assumed.items() if s.name in said or not self.general}

    @property
    def value(self) -> Fraction:
        """What was asked for as a number."""
        return self._value / self.by

    @property
    def _value(self) -> Fraction:
        if self.recorded:
            return max(Fraction(worst) for worst in evidence.worst(self.recorded))
        if self.count:
            return Fraction(len(self.account.params.line.weights))
        if self.coefficient:
            ((monomial, _),) = self._read(self.coefficient).items()
            return Fraction(self.terms[monomial])
        if self.term:
            ((monomial, _),) = self._read(self.term).items()
            return self._at({monomial: self.terms[monomial]})
        if self.rule or self.low:
            found = self._at(self._read(self.rule or self.low))
            return 1 - found / self._at(self.terms) if self.low else found
        if isinstance(self.quantity, str) and self.account[self.quantity].divisor:
            exact = self.account[self.quantity].exact
            assert exact is not None
            return exact
        return self._at(self.terms)

    def _read(self, text: str) -> Terms:
        return algebra.terms(parse_expression(text, self.account.symbols if self.of else BY_NAME))

    def _at(self, terms: Terms) -> Fraction:
        found = algebra.value(terms, self.sizes)
        assert found is not None, f"{self}: a size is unknown"
        return found


@cache
def _account(
    of: str, settings: tuple[tuple[str, str], ...], assume: tuple[str, ...], dtype: str
) -> Account:
    return derive(of, dict(settings), assume, dtype=dtype)


def _line(line: Line, path: str) -> Line:
    for label in path.split("/") if path else ():
        (line,) = [part for part in line.parts if part.label == label]
    return line


def _several(one: str | tuple[str, ...]) -> tuple[str, ...]:
    return (one,) if isinstance(one, str) else one


@dataclass(frozen=True)
class Statement:
    """One statement of a document, and what the ledger is asked for."""

    claim: str
    ask: Ask
    said: str = ""
    unit: str = ""
    form: str = ""
    minus: Ask | None = None
    over: Ask | None = None
    each_token: bool = False
    tolerance: Fraction = Fraction(0)
    most: bool = False
    less: Mapping[str, int] = field(default_factory=dict)
    why: str = ""

    @property
    def number(self) -> Fraction:
        """The number that the document gives."""
        return Fraction(self.said) * UNITS[self.unit]

    @property
    def said_terms(self) -> Terms:
        """The formula that the document gives."""
        symbols = {**BY_NAME, **self.ask.account.symbols}
        return algebra.terms(parse_expression(self.form, symbols))

    @property
    def truth(self) -> Fraction:
        """The number that the ledger gives."""
        found = self.ask.value
        if self.minus:
            found -= self.minus.value
        return found / self.over.value if self.over else found

    @property
    def formula(self) -> Terms:
        """The formula that the ledger gives."""
        found = self.ask.terms
        if self.minus:
            found = algebra.subtract(found, self.minus.terms)
        if self.each_token:
            found = algebra.per(found, [BY_NAME[name] for name in ("B", "T")])
        return found

    @property
    def off(self) -> Fraction:
        """How much too high a number is, relative to the true one; 0 where it is but rounded."""
        if not self.said or self.most or self.less or not self.truth:
            return Fraction(0)
        digits = len(self.said.partition(".")[2])
        rounded = round(self.truth / UNITS[self.unit], digits) == Fraction(self.said)
        return Fraction(0) if rounded else self.number / self.truth - 1

    @property
    def then(self) -> Fraction:
        """The number that the ledger gives at the other sizes, where two are compared."""
        return replace(self.ask, set=self.less).value

    @property
    def verdict(self) -> Verdict:
        """What comparing gives."""
        if self.form:
            claimed = algebra.substitute(self.said_terms, self.ask.equations)
            return "exact" if claimed == self.formula else "wrong"
        if self.less:
            return "exact" if self.then < self.truth else "wrong"
        if not self.said:
            return "missing"
        if self.most:
            return "within" if self.truth <= self.number else "wrong"
        if self.truth == self.number:
            return "exact"
        near = abs(self.truth - self.number) <= self.tolerance * abs(self.truth)
        return "within" if near else "wrong"


@dataclass(frozen=True)
class Document:
    """A document, and what it states."""

    name: str
    title: str
    about: str
    statements: tuple[Statement, ...]


@cache
def documents() -> tuple[Document, ...]:
    """Read all documents."""
    found = data("statements")
    return tuple(
        Document(name, d["title"], d["about"], tuple(_statement(row) for row in d["rows"]))
        for name, d in found.items()
    )


def _statement(row: dict[str, Any]) -> Statement:
    mine = {key: value for key, value in row.items() if key in Statement.__dataclass_fields__}
    for key in ("minus", "over"):
        if key in mine:
            mine[key] = _ask(mine[key])
    if "tolerance" in mine:
        mine["tolerance"] = Fraction(mine["tolerance"])
    return Statement(ask=_ask({k: v for k, v in row.items() if k not in mine}), **mine)


def _ask(row: dict[str, Any]) -> Ask:
    found: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    return Ask(**found)
