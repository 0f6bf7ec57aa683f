"""A match: a formula that gives the number at some sizes, and what was wanted of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, Protocol

from sympy import Symbol

from symledger.algebra import Terms
from symledger.explain.branch import WHOLE
from symledger.explain.index.outline import Sizes
from symledger.explain.index.readings import Asked, Reading
from symledger.explain.index.sources import Points
from symledger.explain.index.table import Table
from symledger.explain.number import Number
from symledger.explain.parts import Part
from symledger.languages.message import Verbatim, message

NEAR = 4
"""What a common mistake adds to a rank."""


@dataclass
class Match:
    """A formula that gives the number at some sizes; ``parts`` are all that have this formula.

    ``value`` is the formula's own; the number is what ``reading`` makes of it. ``points`` are the
    configurations where that is so, ``at`` holds all sizes there. The lower ``rank``, the more
    plausible.
    """

    form: Terms
    sizes: Sizes
    value: int
    reading: Reading
    rank: float
    parts: list[Part] = field(default_factory=list)
    points: list[Points] = field(default_factory=list)
    mistaken: str = ""
    at: Sizes = field(default_factory=dict)

    @property
    def near(self) -> bool:
        """Whether a mistake is needed, or another choice than the one that was asked about."""
        return self.mistake or self.parts[0].near

    @property
    def mistake(self) -> bool:
        """Whether the number is something that was misread, and not something else."""
        return self.reading.near or bool(self.mistaken)

    @property
    def alike(self) -> object:
        """What only those can be one match with that have it too."""
        part = self.parts[0]
        return alike(self.value, self.reading, self.mistaken, part.asked, part.near)

    @property
    def told_apart(self) -> object:
        """What tells it from others that give the number alike: its formula and the sizes in it."""
        return id(self.form), *self.sizes.values()

    @property
    def known(self) -> list[str]:
        """The names of the configurations with these sizes; of a whole model, those that are it."""
        several = [k for points in self.points for k, _ in points if k.gives(self.sizes)]
        whole = [part for part in self.parts if part.kind == WHOLE]
        own = [k for k in several if any(part.occurs_in(k) for part in whole)]
        return list(dict.fromkeys(k.name for k in own or several))

    @property
    def number(self) -> int:
        """The number that the formula gives, read so."""
        times = self.sizes[self.reading.symbol] if self.reading.symbol else 1
        return int(self.value * self.reading.factor * times)


class Wanted(NamedTuple):
    """An amount, from the least to the greatest, that a reading makes the number of.

    ``often`` is the size that the reading multiplies by, if it names a symbol; ``mistaken`` says
    that the number's unit was taken for another one.
    """

    reading: Reading
    low: int
    high: int
    often: int
    mistaken: str

    @property
    def mistake(self) -> bool:
        """Whether it is something that was misread."""
        return self.reading.near or bool(self.mistaken)

    @property
    def rank(self) -> float:
        """What it adds to the rank of a match."""
        return NEAR * self.reading.near + self.reading.unlikely + NEAR * bool(self.mistaken)


def made_of(
    table: Table, part: Part, form: Terms, sizes: Sizes, wanted: Wanted, value: int
) -> Match:
    """Return the match of a part whose formula, which the table made, has this value somewhere."""
    own = own_sizes(table, form, sizes, wanted)
    return Match(form, own, value, wanted.reading, wanted.rank, [part], mistaken=wanted.mistaken,
                 at=sizes)  # fmt: skip


def own_sizes(table: Table, form: Terms, sizes: Sizes, wanted: Wanted) -> Sizes:
    """Return those sizes that a formula and what is wanted of it name, in order."""
    names = table.forms.names(form)
    if wanted.reading.symbol:
        names = sorted({*names, wanted.reading.symbol})
    return {name: sizes[name] for name in names}


class Sized(Protocol):
    """What knows the sizes that symbols have."""

    def sizes_of(self, symbol: str) -> list[int]:
        """Return the sizes that a symbol is known to have, in order."""


def wanted_of(sized: Sized, number: Number, reading: Reading) -> Iterator[Wanted]:
    """Yield what is wanted of a reading; then the same had the number's unit been mistaken."""
    often = [0]
    if reading.symbol:
        often = [n for n in sized.sizes_of(reading.symbol) if n > 1]
    other = number.mistaken
    for meant in filter(None, (number, other)):
        mistaken = "" if meant is not other else message(
            "explain.mistaken", meant=Verbatim(meant.text), given=Verbatim(number.text)
        )
        for n in often:
            factor = reading.factor * (n or 1)
            low, high = Fraction(meant.low) / factor, Fraction(meant.high) / factor
            least, most = -(-low.numerator // low.denominator), high.numerator // high.denominator
            if least <= most:
                yield Wanted(reading, least, most, n, mistaken)


def is_worth(reading: Reading, part: Part) -> bool:
    """Whether a reading is worth a thought: a mistake is, but not one about a part of something."""
    return not reading.near or part.kind == WHOLE


def alike(value: int, reading: Reading, mistaken: str, asked: Asked, near: bool) -> object:
    """What only those can be one match with that have it too."""
    return value, id(reading), mistaken, asked, near


def symbols(polynomial: Terms) -> set[Symbol]:
    """Return the symbols of a polynomial."""
    return {s for monomial in polynomial for s, _ in monomial}
