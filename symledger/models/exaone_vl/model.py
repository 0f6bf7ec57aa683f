"""EXAONE 4.5: EXAONE 4 with images of any size, which Qwen2.5-VL's kind of encoder sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.models.olmo.model import Exaone4
from symledger.models.qwen_vision.model import QwenVision, SharingVision
from symledger.models.qwen_vl.model import QwenSeeing
from symledger.models.shared.seeing import Answer
from symledger.models.shared.windows import Windows
from symledger.sizes import Size


@dataclass(frozen=True)
class Exaone45(Exaone4, QwenSeeing):
    """EXAONE 4.5: EXAONE 4.0 with Qwen2.5-VL's encoder, whose heads share keys and values.

    Source: transformers 5.23, ``Exaone4_5_ForConditionalGeneration``.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    windows: Annotated[Windows, Seldom()] = "some"
    turned_everywhere: Annotated[bool, Seldom()] = False
    attention_bias: Annotated[bool, Seldom()] = False
    L_f: Expr = sizes.L_f
    h_ki: Expr = sizes.h_ki
    image_activation: Plain = "silu"
    image_windows: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "EXAONE 4 with images of any size, seen by windows"
    assumptions: ClassVar[dict[Size, Expr]] = {**Exaone4.assumptions, sizes.h_ki: sizes.h_img}
    references: ClassVar[tuple[str, ...]] = (
        "transformers 5.23, Exaone4_5_ForConditionalGeneration",
    )

    def tower(self) -> QwenVision:
        return SharingVision(
            self.C_in, self.P, self.g, self.H_g, self.W_g, self.d_img, self.L_img, self.h_img,
            self.f_img, self.d, self.L_f, activation=self.image_activation,
            windowed=self.image_windows, h_kv=self.h_ki,
        )  # fmt: skip
