"""What is recorded of all owners together (`index/sought.py`), gathered from every table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from symledger.accounts.gc_pause import uncollected
from symledger.explain.branch import WHOLE
from symledger.explain.index.notation import written
from symledger.explain.index.readings import ALL, QUANTITIES, readings
from symledger.explain.index.sought import (
    FORMAT,
    Whole,
    codes,
    kind_of,
    made_of,
    mixed,
    packed,
    places_of,
)
from symledger.explain.index.sources import catalogue
from symledger.explain.index.table import Table
from symledger.explain.index.update import owners
from symledger.explain.number import UNITS
from symledger.explain.tables import BESIDE
from symledger.explain.unknown import candidates


@uncollected()
def gathered() -> tuple[str, bytes]:
    """Return what both files have to hold."""
    every, beside = _tables()
    names = owners()
    found = [one for table in (*every.values(), *beside) for one in hashed(table)]
    plain = [_nearest(table) for table in every.values()]
    data, lengths = packed([np.unique(np.concatenate(found)), *plain])
    head = {
        "format": FORMAT, "of": made_of(), "lengths": lengths, "plain": UNITS,
        "sizes": _sizes(every["parameters"]), "owners": names,
        "repeated": {unit: _repeated(table) for unit, table in every.items()},
    }  # fmt: skip
    rows = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    formulas = [
        f"{json.dumps(unit)}: {{{_rows(_formulas(table, names))}}}" for unit, table in every.items()
    ]
    return f'{{{_rows(rows)},\n"formulas": {{\n{_rows(formulas)}}}}}\n', data


def _tables() -> tuple[dict[str, Table], list[Table]]:
    """Return the table of each unit, and the plain ones in which a number of no unit is looked for.

    What is asked for first tells which choices matter: parameters, but of the table of FLOP these.
    """
    weighed, worked = tuple(catalogue(ALL, {})), tuple(catalogue(QUANTITIES["flop"], {}))
    every = {
        unit: Table(worked if unit == "flop" else weighed, QUANTITIES[unit]) for unit in UNITS
    }
    return every, [Table(weighed, QUANTITIES[unit], plain=True) for unit in BESIDE]


def _rows(texts: Sequence[str]) -> str:
    return ",\n".join(texts)


def hashed(table: Table) -> Iterator[Whole]:
    """Yield the numbers by which amounts are found again: of those at the same configurations."""
    for asked in table.asked:
        for alike in table.alike:
            rows = alike.rows(asked)
            values = alike.grid.whole(rows)
            owned = {(i, p.variant.name, p.kind == WHOLE)
                     for i, row in enumerate(rows) for p in alike.parts[row]}  # fmt: skip
            for whole in (True, False):
                own = [(i, name) for i, name, is_whole in owned if is_whole == whole]
                here = values[[i for i, _ in own]]
                owners = codes(name for _, name in own)[:, None]
                found = mixed(kind_of(asked, whole), owners, places_of(here))
                yield np.unique(found[here > 0])


def _nearest(table: Table) -> Whole:
    """Return where the values of all targets and of their single lines stand."""
    every = [alike.grid.whole(alike.plain).ravel() for alike in table.alike]
    values = np.unique(np.concatenate(every))
    return np.unique(places_of(values[values > 0]))


def _sizes(table: Table) -> dict[str, list[int]]:
    """Return the sizes of the symbols that readings multiply by."""
    named = {reading.symbol for unit in UNITS for asked in QUANTITIES[unit]
             for reading in readings(unit, asked.quantity) if reading.symbol}  # fmt: skip
    return {symbol: table.sizes_of(symbol) for symbol in sorted(named)}


def _repeated(table: Table) -> Mapping[str, list[str]]:
    """Return which targets are all the same as one before, a mark for each target of an owner."""
    found: dict[str, list[str]] = {}
    for marks in table.repeated:
        for owner, texts in marks.items():
            found.setdefault(owner, []).append(texts)
    return found


def _formulas(table: Table, names: Sequence[str]) -> list[str]:
    """Return the formulas whose sizes may be found, and who has them, by quantity."""
    place = {name: i for i, name in enumerate(names)}
    found: dict[str, dict[str, tuple[set[int], set[int]]]] = {}
    for source, part, bound, _ in candidates(table):
        here = found.setdefault(part.quantity, {}).setdefault(written(bound.left), (set(), set()))
        here[part.kind != WHOLE].add(place[source.variant.name])
    return [
        f"{json.dumps(quantity)}: [\n" + _rows([
            json.dumps([text, *map(sorted, own)], separators=(",", ":"))
            for text, own in sorted(several.items())
        ]) + "]" for quantity, several in sorted(found.items())
    ]  # fmt: skip
