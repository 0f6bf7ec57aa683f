"""Two targets side by side: every difference is that of a line, and the lines add up to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symledger import algebra
from symledger.accounts.account import Account, derive
from symledger.algebra import Terms
from symledger.errors import BadInput, shown
from symledger.languages.message import joined, message
from symledger.languages.words import part as part_named
from symledger.ledger.lines import Line

SCHEMA = "symledger.compare/1"
QUANTITIES = ("params", "params.active", "flops.forward", "flops.decode", "memory.kv_cache")
"""What is compared unless something else is asked for, as far as both sides have it."""
SEQUENCE = "T"


@dataclass(frozen=True)
class ComparedLine:
    """A line of one side: its formula with all repetitions in front, and its value."""

    terms: Terms
    value: int

    def to_dict(self) -> dict[str, str]:
        """Return the line as JSON data."""
        return {"expr": algebra.canonical(self.terms), "value": str(self.value)}


@dataclass(frozen=True)
class ComparedRow:
    """What stands under one label on both sides; None where a side has no such line."""

    label: str
    left: ComparedLine | None
    right: ComparedLine | None

    @property
    def difference(self) -> int:
        """How much more the right side has."""
        return (self.right.value if self.right else 0) - (self.left.value if self.left else 0)


@dataclass(frozen=True)
class Compared:
    """A quantity on both sides: its lines, and the total that they add up to."""

    quantity: str
    unit: str
    rows: tuple[ComparedRow, ...]
    total: ComparedRow


@dataclass(frozen=True)
class Comparison:
    """Two accounts, the sizes and choices in which they differ, and some quantities of both.

    ``left_out`` names the sizes that are not known, by the quantity that has no value without them.
    """

    left: Account
    right: Account
    differing: tuple[tuple[str, str, str], ...]
    quantities: tuple[Compared, ...]
    left_out: Mapping[str, tuple[str, ...]]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON data."""
        return {
            "schema": SCHEMA, "conventions": self.left.counted,
            "left": self.left.target.name, "right": self.right.target.name,
            "differing": [
                {"name": name, "left": a, "right": b} for name, a, b in self.differing
            ],
            "quantities": {
                c.quantity: {"unit": c.unit, "lines": [_row(r) for r in c.rows],
                             "total": _row(c.total)}
                for c in self.quantities
            },
            "left_out": {name: list(sizes) for name, sizes in self.left_out.items()},
        }  # fmt: skip


def _row(row: ComparedRow) -> dict[str, Any]:
    return {
        "label": row.label, "left": row.left.to_dict() if row.left else None,
        "right": row.right.to_dict() if row.right else None, "difference": str(row.difference),
    }  # fmt: skip


def compare(
    left: str, right: str, settings: Mapping[str, str] | None = None,
    quantities: Sequence[str] = (), **conventions: Any,
) -> Comparison:  # fmt: skip
    """Compare two targets at their configurations.

    Both see sequences of the same length: the shorter of their contexts, unless T is set. Where
    no quantities are asked for, those that have no value on one side are left out.

    Raises:
        BadInput: what is asked for, or all, has no value on one side, for a size is not known.
        SymledgerError: a target cannot be derived.
    """
    a, b = (derive(name, settings, **conventions) for name in (left, right))
    if SEQUENCE not in (settings or {}):
        a, b = _at_one_length(a, b)
    usual = [q for q in QUANTITIES if q in a.quantities and q in b.quantities]
    left_out = {} if quantities else {
        q: sizes for q in usual if (sizes := tuple(sorted(_unknown(a, q) | _unknown(b, q))))
    }  # fmt: skip
    names = quantities or [q for q in usual if q not in left_out] or usual
    found = tuple(_compared(a, b, name) for name in names)
    return Comparison(a, b, tuple(_differing(a, b)), found, left_out)


def _at_one_length(left: Account, right: Account) -> tuple[Account, Account]:
    lengths = [_bound(side).get(SEQUENCE) for side in (left, right)]
    known = [n for n in lengths if n is not None]
    if len(known) < len(lengths) or len(set(known)) == 1:
        return left, right
    return left.subs({SEQUENCE: min(known)}), right.subs({SEQUENCE: min(known)})


def _bound(side: Account) -> dict[str, int]:
    return {symbol.name: n for symbol, n in side.assumed.bindings.items()}


def _differing(left: Account, right: Account) -> Iterator[tuple[str, str, str]]:
    """Yield the sizes, then the choices, that are not the same on both sides."""
    sizes = [{name: f"{n:,}" for name, n in _bound(side).items()} for side in (left, right)]
    choices = [
        {name: str(v).lower() for name, v in side.target.options.items()} for side in (left, right)
    ]
    for a, b in (sizes, choices):
        for name in sorted({*a, *b}):
            if a.get(name) != b.get(name):
                yield name, a.get(name, ""), b.get(name, "")


def _compared(left: Account, right: Account, name: str) -> Compared:
    sides = [dict(_lines(side, name)) for side in (left, right)]
    labels = list(dict.fromkeys((*sides[0], *sides[1])))
    rows = tuple(ComparedRow(label, sides[0].get(label), sides[1].get(label)) for label in labels)
    total = ComparedRow(message("page.total"), _total(left, name), _total(right, name))
    assert sum(row.difference for row in rows) == total.difference
    return Compared(name, left[name].unit, rows, total)


def _unknown(side: Account, name: str) -> set[str]:
    """Return the sizes without which a quantity has no value."""
    symbols = {s for monomial in side[name].corollary_terms for s, _ in monomial}
    return {s.name for s in symbols - side[name].assumed.bindings.keys()}


def _total(side: Account, name: str) -> ComparedLine:
    return _entry(side, name, side[name].corollary_terms)


def _lines(side: Account, name: str) -> Iterator[tuple[str, ComparedLine]]:
    """Yield the lines of a quantity, those of what is repeated with all repetitions."""
    for part in side[name].line.parts:
        for label, terms in _opened(part):
            yield label, _entry(side, name, algebra.substitute(terms, side.assumed.equations))


def _opened(part: Line) -> Iterator[tuple[str, Terms]]:
    words = part_named(part.label)
    if part.is_leaf or len(part.parts) < 2 or part.times == 1:
        yield words, part.total
        return
    times = algebra.terms(part.times)
    for inner in part.parts:
        yield joined((words, part_named(inner.label)), " › "), algebra.multiply(times, inner.total)


def _entry(side: Account, name: str, terms: Terms) -> ComparedLine:
    found = algebra.value(terms, side[name].assumed.bindings)
    if found is None or found.denominator != 1:
        raise BadInput(
            f"{name} of {shown(side.target.name)} has no value, for not all of its sizes are "
            "known: give them with --set, or compare configurations."
        )
    return ComparedLine(terms, int(found))
