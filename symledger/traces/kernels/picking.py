"""Rows picked by several whole numbers each, and put back by them. Kept are these numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Piecewise

from symledger.ir.region import Values
from symledger.ir.scalars import Scalar, X, Y
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, gather, scatter, table, view
from symledger.traces.kernels.placing import LEFT, PUT

NAMES = ("i", "j", "k")


def flat(lengths: Sequence[Expr], indices: Sequence[Tensor]) -> Tensor:
    """Return one place for several: each counts in the length of its axis, from its end below 0."""
    index = indices[0]
    for n, more in zip(lengths[1:], indices[1:], strict=True):
        wrapped = Piecewise((X * n + Y, Y >= 0), (X * n + Y + n, True))
        index = pointwise(Scalar((X, Y), wrapped), index, more, storage="index")
    return index


@dataclass(frozen=True)
class ByPlaces(Component):
    """A table with ``picked`` axes that numbers say and ``row`` more; numbers have ``places``."""

    picked: int = 2
    places: int = 1
    row: int = 0

    def __post_init__(self) -> None:
        """Leave the fields as they are: they count axes, and are no sizes."""

    def _axes(self) -> tuple[str, str, str, str]:
        """How the axes of a table are written, also with the picked ones as one; places; rows."""
        several = (("n", self.picked), ("i", self.places), ("r", self.row))
        whole, at, row = (" ".join(f"{name}{i}" for i in range(n)) for name, n in several)
        return f"{whole} {row}".strip(), f"({whole}) {row}".strip(), at, f"{at} {row}".strip()

    def _merged(self, x: Tensor) -> Tensor:
        whole, one, _, _ = self._axes()
        return view(f"{whole} -> {one}", x)

    def _opened(self, x: Tensor, like: Tensor) -> Tensor:
        whole, one, _, _ = self._axes()
        lengths = {f"n{i}": n for i, n in enumerate(like.shape[: self.picked])}
        return view(f"{one} -> {whole}", x, **lengths)

    def _flat(self, x: Tensor, *indices: Tensor | None) -> Tensor:
        return flat(x.shape[: self.picked], [i for i in indices if i is not None])

    def _kept(self, at: Values) -> list[Tensor]:
        return [getattr(at, name) for name in NAMES[: self.picked]]


@dataclass(frozen=True)
class Picked(ByPlaces):
    """Rows of a table, each by several whole numbers.

    Source: PyTorch 2.13, ``aten.index``.
    """

    @property
    def signature(self) -> str:  # type: ignore[override]  # any number of axes
        """The type line."""
        whole, _, at, rows = self._axes()
        return f"{', '.join([whole, *[at] * self.picked])} -> {rows}"

    def forward(self, x: Tensor, i: Tensor, j: Tensor, k: Tensor | None = None) -> Steps:
        return steps(y=gather(self._merged(x), self._flat(x, i, j, k)))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Add dy where it was picked."""
        index = self._flat(at.x, *self._kept(at))
        into = self._merged(at.x).shape
        return {"x": self._opened(scatter(dy, index, into), at.x)}


@dataclass(frozen=True)
class PlacedBy(ByPlaces):
    """Put rows into a table, each at several whole numbers. What comes twice is undefined.

    Source: PyTorch 2.13, ``aten.index_put``.
    """

    @property
    def signature(self) -> str:  # type: ignore[override]  # any number of axes
        """The type line."""
        whole, _, at, rows = self._axes()
        return f"{', '.join([whole, rows, *[at] * self.picked])} -> {whole}"

    def forward(
        self, x: Tensor, rows: Tensor, i: Tensor, j: Tensor, k: Tensor | None = None
    ) -> Steps:
        index = self._flat(x, i, j, k)
        merged = self._merged(x)
        put = scatter(rows, index, merged.shape)
        return steps(y=self._opened(pointwise(PUT, merged, self._hit(x, index), put), x))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back to what was put, and to what was there where nothing was put."""
        index = self._flat(at.x, *self._kept(at))
        dy = self._merged(dy)
        left = pointwise(LEFT, dy, self._hit(at.x, index))
        return {"x": self._opened(left, at.x), "rows": gather(dy, index)}

    def _hit(self, x: Tensor, index: Tensor) -> Tensor:
        """Return how often something was put at each place."""
        ones = expand(table("one", lambda: ONE), index.shape)
        found = scatter(ones, index, self._merged(x).shape[:1])
        return view(f"... -> ... {'() ' * self.row}", found)
