"""The table of a model's lines: every layer with its shape, formula, value and share."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from symledger.accounts.account import Account
from symledger.ledger.formula import Formula
from symledger.printing.rows import Row, fitting, percent
from symledger.site.html import maths

DEPTH = 3
"""Levels of the tree that a table shows, where it stays short."""
MANY = 60
"""Rows that a table has at most, but for those of the first level."""


@dataclass(frozen=True)
class Cells:
    """One row of the table, ready to be arranged."""

    guide: str
    label: str
    weights: Markup
    shape: Markup
    formula: Markup
    numbers: Markup
    value: str
    share: str


def table_of(account: Account, formula: Formula, depth: int = DEPTH) -> list[Cells]:
    """Return the rows of a formula's tree; shares within a block are of all its repetitions."""
    found = fitting(account, formula, MANY, range(depth, 0, -1))
    return [cells(account, row) for row in found]


def cells(account: Account, row: Row) -> Cells:
    """Write one row."""
    return Cells(
        row.guide, maths.spelled(row.label) if "_" in row.label else row.label,
        maths.spelled(row.weights), maths.spelled(row.shape),
        maths.factored(row.body), numbers(account, row), row.value,
        "" if row.portion is None else percent(row.portion),
    )  # fmt: skip


def numbers(account: Account, row: Row) -> Markup:
    """Write a row's formula with numbers put in, where that says more than the value."""
    if row.amount is None or not row.body.polynomial:
        return Markup("")
    return maths.numbers(row.body.polynomial, account.assumed.bindings)
