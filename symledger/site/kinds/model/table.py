"""The table of a model's lines: every layer with its shape, formula, value and share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from symledger.account import Account
from symledger.formulas import Formula
from symledger.report.rows import Row, percent, rows
from symledger.site import maths

DEPTHS = (3, 2, 1)
"""Levels of the tree that a table shows: the first that keeps it short enough."""
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


def table_of(
    account: Account, formula: Formula, depths: Sequence[int] = DEPTHS
) -> list[Cells]:
    """Return the rows of a formula's tree; shares within a block are of all its repetitions."""
    for depth in depths:
        found = list(rows(account, formula, depth))
        if len(found) <= MANY:
            break
    return [cells(account, row) for row in found]


def cells(account: Account, row: Row) -> Cells:
    """Write one row."""
    return Cells(
        row.guide, row.label, maths.spelled(row.weights), maths.spelled(row.shape),
        maths.factored(row.body), numbers(account, row), row.value,
        "" if row.portion is None else percent(row.portion),
    )  # fmt: skip


def numbers(account: Account, row: Row) -> Markup:
    """Write a row's formula with numbers put in, where that says more than the value."""
    if row.amount is None or not row.body.polynomial:
        return Markup("")
    return maths.numbers(row.body.polynomial, account.assumed.bindings)
