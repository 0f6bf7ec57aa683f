"""Plots of a model: shares of its parts, and how its terms grow with each size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.languages.message import message, word
from symledger.languages.words import place
from symledger.ledger.formula import Formula
from symledger.printing.rows import Row, rows
from symledger.site.plots import Axis, Figure, Part, Series, line_plot, stacked_bar
from symledger.sizes import meaning

SHARES = ("params", "flops.forward", "memory.saved")
GROWN = ("d", "L", "T", "V", "C", "H")
OTHERWISE = ("C_1", "H_w")
"""What is drawn where none of these is a size: the width of the first stage, and how many windows
an image is high."""
FEWEST = Fraction(1, 200)
"""The smallest share that is drawn as a part of its own."""
NUMBERED = re.compile(r" \d+$")
"""What tells the first norm of a block from the second; a bar shows them together."""
COLOURS = 8
NEUTRAL = 9
REST = word("plot.everything_else", "everything else")
STEPS = range(-3, 4)
"""Powers of two by which a size is varied."""
MOST_TERMS = 4


def shares(account: Account) -> Iterator[Figure]:
    """Draw what parameters, FLOPs and kept bytes are made of, equal parts in equal colours."""
    colours: dict[str, int] = {REST: NEUTRAL}
    for quantity in SHARES:
        formula = account[quantity]
        if formula.value:
            opened = portions(account, formula)
            for label, _ in opened:
                colours.setdefault(label, len(colours) % COLOURS or COLOURS)
            name = f"{account.target.name}-{quantity.replace('.', '-')}-shares"
            parts = [Part(label, amount, colours[label])
                     for label, amount in parts_of(formula, opened)]  # fmt: skip
            yield stacked_bar(name, message(f"plot.share.{quantity}"), formula.unit, parts)


def parts_of(formula: Formula, opened: Iterable[tuple[str, Fraction]]) -> list[tuple[str, int]]:
    """Return the parts of a quantity in its unit, small parts put together."""
    whole = Fraction(formula.exact or 1)
    found: dict[str, Fraction] = {}
    small = Fraction(0)
    for label, portion in opened:
        if portion < FEWEST:
            small += portion
        else:
            found[label] = found.get(label, Fraction(0)) + portion
    if small:
        found[REST] = small
    return [(label, int(portion * whole)) for label, portion in found.items()]


def portions(account: Account, formula: Formula) -> list[tuple[str, Fraction]]:
    """Return what a quantity is made of, repeated blocks opened, with the share of each."""
    return list(_opened(list(rows(account, formula, 2))))


def _opened(found: list[Row]) -> Iterator[tuple[str, Fraction]]:
    """Yield the top rows, or the rows within where a top row is repeated."""
    times = ""
    for row, after in zip(found, [*found[1:], None], strict=True):
        opens = after is not None and after.level > row.level and row.body.factor is not None
        if row.level == 0:
            times = algebra.repeated(row.body.factor) if opens and row.body.factor else ""
        if row.portion and not opens and (row.level == 0 or times):
            name = NUMBERED.sub("", row.label) + times if row.level else row.label
            yield place(name), row.portion


def growth(account: Account, quantity: str) -> Iterator[Figure]:
    """Draw the leading terms of a quantity against each size that the model scales with."""
    formula = account[quantity]
    at = account.assumed.bindings
    terms = _largest(formula, at)
    for symbol in _growing(account, terms, GROWN) or _growing(account, terms, OTHERWISE):
        name = symbol.name
        values = sorted({_scaled(at[symbol], step) for step in STEPS})
        points = [tuple((n, _at(m, c, {**at, symbol: n})) for n in values)
                  for m, c in terms.items()]  # fmt: skip
        lines = list(dict.fromkeys(points))  # terms that are equal here are one line
        series = [
            Series(algebra.text({m: c}), own, lines.index(own) + 1)
            for (m, c), own in zip(terms.items(), points, strict=True)
        ]
        file = f"{account.target.name}-{quantity.replace('.', '-')}-{name}"
        axis = Axis(name, log=True, ticks=tuple(sorted({values[0], at[symbol], values[-1]})))
        yield line_plot(
            file, message("plot.growth", size=name, meaning=meaning(symbol).meaning), axis,
            Axis(formula.unit, log=True), series, mark=at[symbol], height=200,
        )  # fmt: skip


def _growing(account: Account, terms: Terms, names: Iterable[str]) -> list[Symbol]:
    """Return which sizes of those with some names have values, and are in any of some terms."""
    at = account.assumed.bindings
    known = (account.symbols.get(name) for name in names)
    return [s for s in known if s in at and any(_has(m, s) for m in terms)]


def _largest(formula: Formula, at: dict[Symbol, int]) -> Terms:
    kept = formula.leading.terms if formula.leading else formula.corollary_terms
    ranked = sorted(kept.items(), key=lambda item: -_at(item[0], item[1], at))
    return dict(ranked[:MOST_TERMS])


def _at(monomial: algebra.Monomial, c: algebra.Number, at: dict[Symbol, int]) -> int | float:
    found = algebra.value({monomial: c}, at) or Fraction(0)
    return int(found) if found.denominator == 1 else float(found)


def _has(monomial: algebra.Monomial, symbol: Symbol) -> bool:
    return any(s == symbol for s, _ in monomial)


def _scaled(n: int, step: int) -> int:
    return n << step if step >= 0 else max(n >> -step, 1)
