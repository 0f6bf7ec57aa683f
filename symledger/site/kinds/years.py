"""Families by the year of the work that describes each: what those of one year have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symledger.site.kinds.model.numbers import count

PUBLISHED = re.compile(r"\((\d{4})\)")


def year(described: str) -> str:
    """Return the year of the work that describes a family, or nothing: code alone has none.

    >>> year("Devlin et al., BERT (2019), sections 3 and A.2")
    '2019'
    """
    found = PUBLISHED.search(described)
    return found[1] if found else ""


def described(references: Sequence[str]) -> str:
    """Return the first work that a definition names and that has a year, else the first."""
    return next(filter(year, references), next(iter(references), ""))


@dataclass(frozen=True)
class Described:
    """A family, what describes it, and the numbers of its configurations."""

    family: str
    described: str
    numbers: Sequence[Mapping[str, Fraction | None]]

    @property
    def shown(self) -> list[str]:
        """How many there are, parameters, which share a token uses, and its bytes of cache."""
        shares = (
            active / every * 100 for n in self.numbers
            if (active := n["active"]) is not None and (every := n["all"])
        )  # fmt: skip
        return [
            count(len(self.numbers)),
            span(n["all"] for n in self.numbers),
            span(shares, " %"),
            span(n["cache"] for n in self.numbers),
        ]


def span(numbers: Iterable[Fraction | None], unit: str = "") -> str:
    """Return the least and the most of some numbers, whole: nothing where there is none.

    >>> span([Fraction(12), None, Fraction(7, 2)])
    '4–12'
    """
    found = sorted(round(n) for n in numbers if n is not None)
    ends = [f"{count(Fraction(n))}{unit}" for n in dict.fromkeys(found[:1] + found[-1:])]
    return "–".join(ends)


def years(families: Iterable[Described]) -> dict[str, list[Described]]:
    """Return the families that were described in each year, the last first, then the others."""
    found: dict[str, list[Described]] = {}
    for family in families:
        found.setdefault(year(family.described), []).append(family)
    return dict(sorted(found.items(), reverse=True))
