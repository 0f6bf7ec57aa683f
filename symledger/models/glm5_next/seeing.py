"""GLM-5.3 with images: its decoder, and an encoder that cuts values off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.models.glm5_next.model import GLM5Next
from symledger.models.glm_vision.model import Biased, GlmSeeing, GlmVision
from symledger.models.qwen_vision.model import GRID
from symledger.models.shared.hybrid import Which
from symledger.models.shared.seeing import Answer
from symledger.sizes import Size


@dataclass(frozen=True)
class GLM5NextSeeing(GLM5Next, GlmSeeing):
    """GLM-5.3 with images of any size, groups of whose patches are a token.

    Queries and keys of its encoder are normalized, nothing is told by a table where a patch stands,
    and networks cut values off.
    Source: transformers 5.23, ``Glm5NextForConditionalGeneration``.
    """

    head: Answer = "lm"
    attending: Annotated[Which, Seldom()] = "some"
    dense: Annotated[Which, Seldom()] = "some"
    image_placed: Literal[False] = False
    image_qk_norm: Literal[True] = True
    image_biases: Annotated[Biased, Seldom()] = "all"

    title: ClassVar[str] = "GLM-5.3 with images of any size, groups of patches a token"
    definitions: ClassVar[dict[Size, Expr]] = {**GLM5Next.definitions, **GRID}
    assumptions: ClassVar[dict[Size, Expr]] = GLM5Next.assumptions
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Glm5NextForConditionalGeneration",)

    def tower(self) -> GlmVision:
        return replace(super().tower(), cut=True)
