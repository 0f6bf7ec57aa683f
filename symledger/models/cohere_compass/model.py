"""Cohere's Compass: Cohere 2 with Qwen3-VL's encoder, read at several depths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.models.cohere.model import Cohere2
from symledger.models.qwen_vl.model import DeepSeeing
from symledger.models.shared.seeing import Answer
from symledger.models.shared.windows import Windows
from symledger.sizes import Size


@dataclass(frozen=True)
class CohereCompass(Cohere2, DeepSeeing):
    """Cohere 2 with images of any size; its first blocks are told what the encoder saw on the way.

    Where some layers have a window, those that are told more are of these.
    Source: transformers 5.23, ``CohereCompassForConditionalGeneration``.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    windows: Annotated[Windows, Seldom()] = "none"
    turned_everywhere: Annotated[bool, Seldom()] = True
    bias: Annotated[bool, Seldom()] = False
    qk_norm: Literal[False] = False

    title: ClassVar[str] = "Cohere 2 with images of any size, read at several depths"
    assumptions: ClassVar[dict[Size, Expr]] = Cohere2.assumptions
    references: ClassVar[tuple[str, ...]] = (
        "transformers 5.23, CohereCompassForConditionalGeneration",
    )

    def behind(self) -> CohereCompass:
        rest = replace(self, L=self.L - self.L_r)
        return replace(rest, L_w=self.L_w - self.L_r) if self.windows == "some" else rest
