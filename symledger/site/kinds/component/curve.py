"""Plots as SVG: text stays text, colours are the theme's, two runs give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10

from markupsafe import Markup

LEFT, RIGHT, TOP, BOTTOM = 52, 12, 12, 44
WIDTH, HEIGHT = 420, 260


@dataclass(frozen=True)
class Curve:
    """A line of points; ``style`` names its class in the style sheet."""

    name: str
    points: Sequence[tuple[float, float]]
    style: str


@dataclass(frozen=True)
class LogLog:
    """A plot with both axes logarithmic, a tick for every power of ten or every second one."""

    title: str
    description: str
    x: str
    y: str
    curves: Sequence[Curve]
    low: tuple[int, int]
    high: tuple[int, int]

    def svg(self) -> Markup:
        """Draw it."""
        parts = [*self._grid(), *(part for curve in self.curves for part in self._curve(curve))]
        return Markup(
            '<svg class="errors" viewBox="0 0 {w} {h}" role="img" aria-labelledby="{id}-t {id}-d">'
            '<title id="{id}-t">{title}</title><desc id="{id}-d">{desc}</desc>{parts}</svg>'
        ).format(
            w=WIDTH, h=HEIGHT, id="errors", title=self.title, desc=self.description,
            parts=Markup("").join(parts),
        )  # fmt: skip

    def _at(self, x: float, y: float) -> tuple[str, str]:
        (left, bottom), (right, top) = self.low, self.high
        u = (log10(x) - left) / (right - left)
        v = (max(log10(y), bottom) if y > 0 else bottom) - bottom
        across = LEFT + u * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - v / (top - bottom) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f}", f"{down:.1f}"

    def _grid(self) -> Iterator[Markup]:
        (left, bottom), (right, top) = self.low, self.high
        for n in range(bottom, top + 1, 4):
            x, y = self._at(10.0**left, 10.0**n)
            yield Markup('<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
                x, WIDTH - RIGHT, y, y
            )
            yield _text(LEFT - 6, float(y) + 4, _power(n), "end")
        for n in range(left, right + 1, 2):
            x, _ = self._at(10.0**n, 1)
            yield _text(float(x), HEIGHT - BOTTOM + 18, _power(n), "middle")
        yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, self.x, "middle")
        yield Markup('<text class="label" transform="translate(12 {}) rotate(-90)"'
                     ' text-anchor="middle">{}</text>').format(
            (HEIGHT + TOP - BOTTOM) / 2, self.y)  # fmt: skip

    def _curve(self, curve: Curve) -> Iterator[Markup]:
        places = [self._at(x, y) for x, y in curve.points]
        line = " ".join(f"{x},{y}" for x, y in places)
        yield Markup('<polyline class="{}" points="{}"/>').format(curve.style, line)
        for (x, y), (step, error) in zip(places, curve.points, strict=True):
            said = f"{curve.name}: {step:.0e} → {error:.1e}"
            yield Markup(
                '<circle class="{}" cx="{}" cy="{}" r="3"><title>{}</title></circle>'
            ).format(curve.style, x, y, said)


def _power(n: int) -> Markup:
    return Markup('10<tspan dy="-5" class="exponent">{}</tspan>').format(str(n).replace("-", "−"))


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text class="label" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        x, y, anchor, text
    )
