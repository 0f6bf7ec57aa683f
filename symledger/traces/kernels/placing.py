"""Elements put at places that whole numbers say, as PyTorch keeps things for it: the places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Piecewise

from symledger.ir.region import Values
from symledger.ir.scalars import Scalar, X, Y, Z
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, gather, scatter, table, view

LEFT = Scalar((X, Y), Piecewise((0, Y > 0), (X, True)))
PUT = Scalar((X, Y, Z), Piecewise((Z, Y > 0), (X, True)))
"""What was put where something was, else what was there."""


@dataclass(frozen=True)
class Placed(Component):
    """Put rows at places of a table; the first ``batch`` axes go along. Kept are the places alone.

    Places have ``places`` axes more than that, and rows ``row`` axes. What comes twice to a place
    PyTorch leaves undefined.
    """

    batch: int = 0
    places: int = 1
    row: int = 0

    @property
    def signature(self) -> str:  # type: ignore[override]  # any number of axes
        """The type line."""
        lead, at, row = (
            [f"{name}{i}" for i in range(n)]
            for name, n in (("b", self.batch), ("i", self.places), ("r", self.row))
        )
        whole = " ".join([*lead, "n", *row])
        return f"{whole}, {' '.join([*lead, *at])}, {' '.join([*lead, *at, *row])} -> {whole}"

    def __post_init__(self) -> None:
        """Leave the fields as they are: they count axes, and are no sizes."""

    def forward(self, x: Tensor, index: Tensor, rows: Tensor) -> Steps:
        put = scatter(rows, index, x.shape, self.batch)
        return steps(y=pointwise(PUT, x, self.hit(x, index), put))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back to what was put, and to what was there where nothing was put."""
        left = pointwise(LEFT, dy, self.hit(at.x, at.index))
        return {"x": left, "rows": gather(dy, at.index, self.batch)}

    def hit(self, x: Tensor, index: Tensor) -> Tensor:
        """Return how often something was put at each place."""
        ones = expand(table("one", lambda: ONE), index.shape)
        found = scatter(ones, index, x.shape[: self.batch + 1], self.batch)
        return view(f"... -> ... {'() ' * self.row}", found)


@dataclass(frozen=True)
class Assigned(Component):
    """The elements v in place of x, of which gradients know nothing: they go back to x.

    So it is where something is written under ``no_grad`` into what has a gradient.
    """

    signature: ClassVar[str] = "..., ... -> ..."

    def forward(self, x: Tensor, v: Tensor) -> Steps:
        return steps(y=view("... -> ...", v))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back to what was there."""
        return {"x": dy}
