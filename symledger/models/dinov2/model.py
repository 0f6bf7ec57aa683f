"""DINOv2: a vision transformer whose residual paths are scaled, trained to guess hidden patches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.components.image_blocks.patches import ImageEmbedding
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.vit.model import HidingEmbedding, ViT
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import join, mean, narrow, param, view

OQUAB = "Oquab et al., DINOv2 (2023)"
TOUVRON = "Touvron et al., Going deeper with Image Transformers (2021), equation 2"


@dataclass(frozen=True)
class ScaledBlock(PreLNBlock):
    """A pre-LN block that multiplies each channel of what its parts add by a learned factor.

    Source: Touvron et al. (2021), equation 2.
    """

    def forward(self, x: Tensor) -> Steps:
        middle = x + self.attend(self.normalize(x, 1)) * param("g_1", self.d)
        fed = self.feed(self.normalize(middle, 2)) * param("g_2", self.d)
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class DinoV2(ViT):
    """The vision transformer of DINOv2: factors for what layers add, gated networks in the largest.

    Its head classifies the class vector and the mean of all others, side by side; ``bare`` leaves
    all vectors as they are. With ``hiding`` a learned vector stands in the place of hidden patches,
    as in training; it is among the weights of all that were published.
    Source: Oquab et al., *DINOv2* (2023), sections 4 and 5, table 17.
    """

    head: Literal["classes", "bare"] = "bare"
    hiding: bool = True
    gated: bool = False

    title: ClassVar[str] = "pre-LN encoder over patches, residual paths scaled"
    references: ClassVar[tuple[str, ...]] = (f"{OQUAB}, sections 4 and 5", TOUVRON)

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, True, flash=self.flash,
            unbiased=() if self.qkv_bias else ("Q", "K", "V"),
        )  # fmt: skip
        network: Component = FeedForward(self.d, self.d_ff, self.activation)
        if self.gated:
            network = GatedFeedForward(self.d, self.d_ff, "silu", bias=True)
        return ScaledBlock(self.d, causal=False, attention=attention, network=network)

    def embedding(self) -> Component:
        kind = HidingEmbedding if self.hiding else ImageEmbedding
        return kind(self.C_in, self.P, self.d, self.H_p, self.T)

    def classify(self, hidden: Tensor) -> Tensor:
        first = narrow(hidden, 1, 0, 1)
        others = view("B n d -> B d n", narrow(hidden, 1, 1, self.T - 1))
        pooled = view("B d one -> B (d one)", mean(others))
        both = join([view("B one d -> B (one d)", first), pooled])
        return Linear(2 * self.d, self.Y)(both, name="head")
