"""The axes of a grid: ``d=1024:8192:128`` is a range, its end included; ``h=8,16,32`` a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from symledger.algebra.parsing import parse_size
from symledger.errors import BadInput, quoted

MOST = 10**10
"""How many configurations are looked at unless a limit says otherwise."""
LONGEST = 10**7
"""How many values a list may hold, and how long a range may be."""


@dataclass(frozen=True)
class Axis:
    """A size, and the values that it takes, in this order."""

    name: str
    values: Sequence[int]

    @property
    def largest(self) -> int:
        """The largest value."""
        return max(self.values[0], self.values[-1]) if isinstance(self.values, range) else max(
            self.values
        )  # fmt: skip


def split(settings: Mapping[str, str]) -> tuple[tuple[Axis, ...], dict[str, str]]:
    """Return the axes among settings, and the settings that are of one value.

    Raises:
        BadInput: a range is empty or reversed, or a list names a value twice.
    """
    axes = tuple(_axis(name, text) for name, text in settings.items() if _is_axis(text))
    if not axes:
        raise BadInput("nothing is swept: give a size a range or a list, as in --set "
                       "d=1024:8192:128 or --set h=8,16,32.")  # fmt: skip
    return axes, {name: text for name, text in settings.items() if not _is_axis(text)}


def count(axes: Sequence[Axis]) -> int:
    """Return how many configurations a grid has."""
    return prod(len(axis.values) for axis in axes)


def check_count(axes: Sequence[Axis], limit: int | None) -> None:
    """Refuse a grid that would take hours.

    Raises:
        BadInput: it has more configurations than are looked at, and no limit was said.
    """
    points = count(axes)
    if limit is None and points > MOST:
        each = " × ".join(f"{len(axis.values):,} of {axis.name}" for axis in axes)
        raise BadInput(
            f"this sweep has {points:,} configurations ({each}), more than {MOST:,}. Make it "
            "coarser, or say how many of them to look at, as in --limit 1e9."
        )


def _is_axis(text: str) -> bool:
    return ":" in text or "," in text


def _axis(name: str, text: str) -> Axis:
    if ":" in text:
        return Axis(name, _range(name, text))
    values = tuple(parse_size(name, part) for part in text.split(","))
    if len(set(values)) < len(values):
        twice = next(n for n in values if values.count(n) > 1)
        raise BadInput(f"{name}={quoted(text)[1:-1]} names {twice} twice.")
    return Axis(name, values)


def _range(name: str, text: str) -> range:
    parts = text.split(":")
    if len(parts) not in (2, 3) or not all(part.strip() for part in parts):
        raise BadInput(
            f"{quoted(f'{name}={text}')} is no range: write the first value, the last and the "
            f"step, as in {name}=1024:8192:128."
        )
    first, last, *rest = (parse_size(name, part) for part in parts)
    step = rest[0] if rest else 1
    if last < first:
        raise BadInput(f"{quoted(f'{name}={text}')} is reversed: {last} comes before {first}.")
    found = range(first, last + 1, step)
    if len(found) > LONGEST:
        raise BadInput(f"{quoted(f'{name}={text}')} has {len(found):,} values; {LONGEST:,} may be.")
    return found
