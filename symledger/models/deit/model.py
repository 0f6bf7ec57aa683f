"""DeiT: a vision transformer with one more learned vector, which learns from another model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.vit.model import HidingEmbedding, ViT
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, narrow, param, view
from symledger.sizes import Size

TOUVRON = "Touvron et al., Training data-efficient image transformers (2021), section 4"
TWO = Integer(2)
DISTILLED = {
    sizes.H_p: floor(sizes.H / sizes.P),
    sizes.T: floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P) + 2,
}


@dataclass(frozen=True)
class DistilledEmbedding(HidingEmbedding):
    """Two learned vectors, those of all patches, and a learned row for each place.

    Where patches are ``hiding``, every second has one learned vector instead.
    Source: Touvron et al. (2021), section 4.
    """

    hiding: bool = False

    definitions: ClassVar[dict[Size, Expr]] = DISTILLED

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, (self.T - TWO) / self.H_p)
        patches = cut(x, name="patches")
        patches = self.seen(patches) if self.hiding else patches
        learned = [
            expand(view("d -> () () d", param(name, self.d)), (x.shape[0], ONE, self.d))
            for name in ("c", "c_2")
        ]
        tokens = join([*learned, patches], axis=1)
        y = LearnedPositions(self.T, self.d)(tokens, name="positions")
        return steps(patches=patches, y=y)


@dataclass(frozen=True)
class DeiT(ViT):
    """The transformer over T − 2 patches, a class vector and one that is taught by a teacher.

    With ``both`` the class vector and the taught one are classified by a map each, and their
    scores are averaged; other heads are as a vision transformer has them.
    Source: Touvron et al. (2021), section 4.
    """

    head: Literal["classes", "both", "pooled", "pixels"] = "both"  # type: ignore[assignment]

    title: ClassVar[str] = "pre-LN encoder over patches, taught by another model as well"
    definitions: ClassVar[dict[Size, Expr]] = DISTILLED
    references: ClassVar[tuple[str, ...]] = (TOUVRON,)

    @property
    def before(self) -> Expr:
        return TWO

    def embedding(self) -> Component:
        sizes_of = (self.C_in, self.P, self.d, self.H_p, self.T)
        return DistilledEmbedding(*sizes_of, hiding=self.head == "pixels")

    def classify(self, hidden: Tensor) -> Tensor:
        if self.head != "both":
            return super().classify(hidden)
        first, second = (
            view("B one d -> B (one d)", narrow(hidden, 1, i, 1)) for i in range(2)
        )
        classes = Linear(self.d, self.Y)(first, name="head")
        taught = Linear(self.d, self.Y)(second, name="taught_head")
        averaged: Tensor = (classes + taught) / 2
        return averaged
