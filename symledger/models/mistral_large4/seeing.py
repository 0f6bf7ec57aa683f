"""Mistral Large 4 with images: its decoder, Pixtral's encoder, and Mistral 3's maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.ir.tensor import Tensor
from symledger.models.mistral_large4.model import MistralLarge4
from symledger.models.pixtral.model import AGRAWAL, PixtralSeeing
from symledger.models.shared.hybrid import Which
from symledger.models.shared.seeing import Answer
from symledger.notation.verbs import apply
from symledger.sizes import Size

CAP = Integer(30)
"""What capped logits stay below; any other number would be counted the same."""


@dataclass(frozen=True)
class MistralLarge4Seeing(MistralLarge4, PixtralSeeing):
    """Mistral Large 4 with images: Pixtral's vectors, g × g of them made one, and two maps.

    Logits are capped. Images are seen one by one, or ``packed`` into one sequence.
    Source: transformers 5.23, ``MistralLarge4ForConditionalGeneration``.
    """

    head: Answer = "lm"
    activation: Annotated[Gating, Seldom()] = "silu"
    untold: Annotated[Which, Seldom()] = "some"

    title: ClassVar[str] = "Mistral Large 4 with images: groups of patches merged, two maps"
    definitions: ClassVar[dict[Size, Expr]] = PixtralSeeing.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        **MistralLarge4.assumptions, sizes.f_img: 3 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "transformers 5.23, MistralLarge4ForConditionalGeneration", AGRAWAL,
    )  # fmt: skip

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        y = super().score(x, E)
        return apply("tanh", y * (1 / CAP)) * CAP if self.head == "lm" else y
