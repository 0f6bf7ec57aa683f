"""I-JEPA: a vision transformer whose sequence is the patches, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.vit.model import ViT
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, view
from symledger.sizes import Size

ASSRAN = "Assran et al., Self-Supervised Learning from Images (2023), section 3"
PATCHES = {
    sizes.H_p: floor(sizes.H / sizes.P),
    sizes.T: floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P),
}


@dataclass(frozen=True)
class PlacedPatches(Component):
    """The vectors of all patches, and a learned row for each place.

    Source: Assran et al. (2023), section 3.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T

    signature: ClassVar[str] = "B C_in H W -> B T d"
    title: ClassVar[str] = "patches, learned positions"
    definitions: ClassVar[dict[Size, Expr]] = PATCHES

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.T / self.H_p)
        patches = cut(x, name="patches")
        return steps(y=LearnedPositions(self.T, self.d)(patches, name="positions"))


@dataclass(frozen=True)
class IJepa(ViT):
    """The transformer over T patches; their mean is classified, or all vectors are the result.

    Source: Assran et al. (2023), section 3.
    """

    head: Literal["classes", "bare"] = "bare"

    title: ClassVar[str] = "pre-LN encoder over patches without a class vector"
    definitions: ClassVar[dict[Size, Expr]] = PATCHES
    references: ClassVar[tuple[str, ...]] = (ASSRAN,)

    @property
    def before(self) -> Expr:
        return Integer(0)

    def embedding(self) -> Component:
        return PlacedPatches(self.C_in, self.P, self.d, self.H_p, self.T)

    def classify(self, hidden: Tensor) -> Tensor:
        averaged = view("B d one -> B (d one)", mean(view("B n d -> B d n", hidden)))
        return Linear(self.d, self.Y)(averaged, name="head")
