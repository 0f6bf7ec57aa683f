"""Which tables are searched: of a target, of all of the catalogue, or of a few owners in it.

A few owners do for one whole number in all of the catalogue: those that may give it, as was
recorded. The others give nothing, so that the answer is the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

from symledger.explain.index.files import OWNERS
from symledger.explain.index.readings import QUANTITIES, Asked, readings
from symledger.explain.index.sought import Formulas, Sought, sought
from symledger.explain.index.sources import Source, catalogue, target
from symledger.explain.index.table import AmountRow, Table
from symledger.explain.match import Wanted, wanted_of
from symledger.explain.number import UNITS, Number
from symledger.explain.roots import solutions

BESIDE = UNITS[1:]
"""The units in which a number is looked for that says none, after parameters."""
CLOSE = 3
"""How many nearest numbers are shown."""
_WHOLE: dict[tuple[tuple[str, ...], bool], list[Table]] = {}


def tables(
    numbers: Sequence[Number], inside: str, settings: Mapping[str, str], plain: bool = False
) -> list[Table]:
    """Return what is searched for some numbers of one unit each, a table for each."""
    units = tuple(number.unit for number in numbers)
    if inside or settings:
        return _made(units, inside, settings, plain)
    known = sought() if all(number.exact for number in numbers) else None
    if known is None or (units, plain) in _WHOLE:
        return everything(units, plain)
    owners = set[str]().union(*(_owners(known, number, plain) for number in numbers))
    return _made(units, "", {}, plain, owners, known)


def nearest(table: Table, number: Number) -> list[AmountRow]:
    """Return what is nearest to a number in all that a table is of."""
    if table.beside is None:
        return table.around(number.about, CLOSE)
    known, _ = table.beside
    if table.is_plain:
        others = dict(zip(BESIDE, everything(BESIDE, plain=True), strict=True))
        return others[number.unit].around(number.about, CLOSE)
    near = known.near(number.unit, number.about, CLOSE)
    owners = {
        owner for asked in QUANTITIES[number.unit] for whole in (True, False)
        for owner in known.having_places(asked, whole, near)
    }  # fmt: skip
    (few,) = _made((number.unit,), "", {}, False, owners, known)
    return few.around(number.about, CLOSE)


def everything(units: tuple[str, ...], plain: bool) -> list[Table]:
    """Return the tables of the whole catalogue with nothing set, made once."""
    if (units, plain) not in _WHOLE:
        _WHOLE[units, plain] = _made(units, "", {}, plain)
    return _WHOLE[units, plain]


def _made(
    units: tuple[str, ...], inside: str, settings: Mapping[str, str], plain: bool,
    owners: Collection[str] = OWNERS, known: Sought | None = None,
) -> list[Table]:  # fmt: skip
    every = tuple(dict.fromkeys(chain(*(QUANTITIES[unit] for unit in units))))
    sources = tuple(_sources(every, inside, settings, owners))
    return [
        Table(sources, QUANTITIES[unit], plain, (known, unit) if known else None) for unit in units
    ]


def _sources(
    asked: Sequence[Asked], inside: str, settings: Mapping[str, str],
    owners: Collection[str],
) -> Iterator[Source]:  # fmt: skip
    """Yield what is searched: a target, or all of the catalogue, or a few owners of it."""
    return target(inside, settings, asked) if inside else catalogue(asked, settings, owners)


def _owners(known: Sought, number: Number, plain: bool) -> set[str]:
    """Return who may give a number."""
    found: set[str] = set()
    for asked in QUANTITIES[number.unit]:
        wanted = [
            w for reading in readings(number.unit, asked.quantity)
            for w in wanted_of(known, number, reading)
        ]  # fmt: skip
        found |= known.having(asked, True, [w.low for w in wanted])
        if not plain:
            found |= known.having(asked, False, [w.low for w in wanted if not w.reading.near])
    if not plain:
        for quantity in {asked.quantity for asked in QUANTITIES[number.unit]}:
            wanted = [
                w for reading in readings(number.unit, quantity) if not reading.symbol
                for w in wanted_of(known, number, reading)
            ]  # fmt: skip
            for one in known.formulas(number.unit, quantity):
                found.update(_solving(one, wanted))
    return found


def _solving(one: Formulas, wanted: Sequence[Wanted]) -> Iterator[str]:
    """Yield who has a formula, if sizes are found at which it is what is wanted."""
    likely = [w for w in wanted if not w.reading.near] if any(one.left) else wanted
    for i, _ in solutions(one.left, [(w.low, w.high) for w in likely]):
        yield from one.whole
        if likely[i].reading.near:
            continue
        yield from one.parts
        break
