"""Axes: from values to places, and the ticks at round values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from symledger.algebra import SUPERSCRIPTS

MOST_TICKS = 6
PREFIXES = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))


@dataclass(frozen=True)
class Axis:
    """What an axis says: its label, whether it is logarithmic, and ticks where they are given."""

    label: str
    log: bool = False
    ticks: tuple[float, ...] = ()


@dataclass(frozen=True)
class Scale:
    """An axis laid out between two places."""

    axis: Axis
    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the place of a value."""
        low, high, value = (log10(x) if self.axis.log else x for x in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (value - low) / (high - low)

    @property
    def ticks(self) -> tuple[float, ...]:
        """The values that are marked."""
        if self.axis.ticks:
            return self.axis.ticks
        return tuple(_powers(self.low, self.high) if self.axis.log else _round(self.high))


def scale(
    axis: Axis, values: Iterable[float], start: float, end: float, whole: bool = True
) -> Scale:
    """Lay out an axis for values: linear from zero, logarithmic from the least.

    ``whole`` lets it end at round values, whole powers of ten on a logarithmic axis; an axis with
    given ticks ends where they or the values do.
    """
    shown = [*(v for v in values if v > 0 or not axis.log), *axis.ticks]
    low, high = (min(shown, default=1), max(shown, default=10)) if axis.log else (
        0, max(shown, default=0) or 1)  # fmt: skip
    if whole and not axis.ticks:
        low, high = _widened(low, high) if axis.log else (0, _step(high) * ceil(high / _step(high)))
    return Scale(axis, low, high if high > low else 10 * low, start, end)


def _widened(low: float, high: float) -> tuple[float, float]:
    """Return the whole powers of ten around two values."""
    return 10.0 ** floor(log10(low)), 10.0 ** ceil(log10(high))


def _step(high: float) -> float:
    """Return a round step of which four or so reach up to a value."""
    rough = high / 4
    power = 10.0 ** floor(log10(rough))
    return next(n * power for n in (1, 2, 2.5, 5, 10) if n * power >= 0.999 * rough)


def _round(high: float) -> list[float]:
    step = _step(high)
    return [step * i for i in range(floor(high / step + 1e-9) + 1)]


def _powers(low: float, high: float) -> list[float]:
    first, last = ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9)
    every = max(1, ceil((last - first + 1) / MOST_TICKS))
    return [10.0**n for n in range(first, last + 1) if (n - last) % every == 0]


def written(value: float, axis: Axis) -> str:
    """Write a tick: ``10⁻⁸`` on a logarithmic axis, ``2.5 M`` on a linear one.

    >>> [written(x, Axis("")) for x in (0, 512, 4096, 2_500_000)]
    ['0', '512', '4,096', '2.5 M']
    >>> [written(x, Axis("", log=True, ticks=(1e-8, 512))) for x in (1e-8, 512)]
    ['10⁻⁸', '512']
    >>> written(16_384, Axis("", log=True, ticks=(1024, 16_384)))
    '16,384'
    """
    if axis.log and (not axis.ticks or value < 0.01):
        return "10" + str(round(log10(value))).translate(SUPERSCRIPTS)
    for unit, prefix in PREFIXES:
        if value >= unit and value >= (100_000 if axis.ticks else 10_000):
            return f"{value / unit:.4g} {prefix}"
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
