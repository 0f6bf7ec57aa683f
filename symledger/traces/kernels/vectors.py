"""Products with a vector, as PyTorch pulls them back: what sums nothing there is no product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, view


@dataclass(frozen=True)
class RowsByVector(Component):
    """The product of each row with a vector v; rows have ``lead`` axes before them.

    Source: PyTorch 2.13, ``derivatives.yaml``: the gradient of ``mv`` is ``grad.ger(vec)``, of
    rows and numbers one by one, and ``self.mv(grad)``.
    """

    lead: int = 1

    def __post_init__(self) -> None:
        """Leave the field as it is: it counts axes, and is no size."""

    @property
    def signature(self) -> str:  # type: ignore[override]  # any number of axes
        """The type line."""
        return f"{self._lead} k, k -> {self._lead}"

    @property
    def _lead(self) -> str:
        return " ".join(f"i{n}" for n in range(self.lead))

    def forward(self, x: Tensor, v: Tensor) -> Steps:
        return steps(y=einsum(self.signature, x, v))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy v back to the rows, and the rows summed by dy to v."""
        rows = view(f"{self._lead} -> {self._lead} ()", dy)
        return {"x": rows * at.v, "v": einsum(f"{self._lead}, {self._lead} k -> k", dy, at.x)}


@dataclass(frozen=True)
class OfVectors(Component):
    """The product of two vectors. Going back, each is scaled.

    Source: PyTorch 2.13, ``derivatives.yaml``: the gradient of ``dot`` is ``grad * tensor``.
    """

    signature: ClassVar[str] = "k, k ->"

    def forward(self, x: Tensor, v: Tensor) -> Steps:
        return steps(y=einsum("k, k ->", x, v))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy v back to x, and dy x to v."""
        return {"x": dy * at.v, "v": dy * at.x}
