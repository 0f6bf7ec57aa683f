"""DINOv2: a vision transformer whose residual paths are scaled, trained to guess hidden patches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.components.image_blocks.patches import ImageEmbedding
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.vit.model import HidingEmbedding, ViT
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, mean, narrow, param, view
from symledger.sizes import Size

OQUAB = "Oquab et al., DINOv2 (2023)"
DARCET = "Darcet et al., Vision Transformers Need Registers (2024), section 2.2"
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
        patches = narrow(hidden, 1, self.before, self.T - self.before)
        others = view("B n d -> B d n", patches)
        pooled = view("B d one -> B (d one)", mean(others))
        both = join([view("B one d -> B (one d)", first), pooled])
        return Linear(2 * self.d, self.Y)(both, name="head")


REGISTERED = {
    sizes.H_p: floor(sizes.H / sizes.P),
    sizes.T: floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P) + 1 + sizes.T_reg,
}


@dataclass(frozen=True)
class Registered(Component):
    """An embedding of an image, with T_reg learned vectors behind its first.

    Source: Darcet et al. (2024), section 2.2.
    """

    embedding: Component
    d: Expr = sizes.d
    T_reg: Expr = sizes.T_reg

    signature: ClassVar[str] = "B C_in H W -> B T d"
    title: ClassVar[str] = "patches with vectors of no place among them"

    def forward(self, x: Tensor) -> Steps:
        placed = self.embedding(x, name="placed")
        learned = view("r d -> () r d", param("R", self.T_reg, self.d))
        registers = expand(learned, (x.shape[0], self.T_reg, self.d))
        first, rest = narrow(placed, 1, 0, 1), narrow(placed, 1, 1, placed.shape[1] - 1)
        return steps(y=join([first, registers, rest], axis=1))


@dataclass(frozen=True)
class DinoV2Registers(DinoV2):
    """DINOv2 with T_reg more learned vectors in the sequence, which belong to no place.

    Source: Darcet et al. (2024), section 2.2.
    """

    T_reg: Expr = sizes.T_reg

    title: ClassVar[str] = "pre-LN encoder over patches and registers, residual paths scaled"
    definitions: ClassVar[dict[Size, Expr]] = REGISTERED
    references: ClassVar[tuple[str, ...]] = (DARCET, OQUAB)

    @property
    def before(self) -> Expr:
        return 1 + self.T_reg

    def embedding(self) -> Component:
        kind = HidingEmbedding if self.hiding else ImageEmbedding
        placed = kind(self.C_in, self.P, self.d, self.H_p, self.T - self.T_reg)
        return Registered(placed, self.d, self.T_reg)
