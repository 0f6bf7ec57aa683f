"""GLM-4.1V's encoder of images of any size, and GLM's decoders with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom, act
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.glm.model import Glm4
from symledger.models.glm4_moe.model import Glm4Moe
from symledger.models.qwen_vision.model import GRID, framed
from symledger.models.shared.cut import CutFeedForward
from symledger.models.shared.seeing import Answer, Seeing, shares
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat, view
from symledger.sizes import Size

HONG = "GLM-V Team, GLM-4.5V and GLM-4.1V-Thinking (2025)"
Biased = Literal["none", "qkv", "all"]
"""Which maps of the blocks have biases."""
AROUND = Integer(16)
"""Rows of a table, four by four around a place, that bicubic interpolation takes shares of."""


@dataclass(frozen=True)
class GroupNetwork(Component):
    """A map, a norm and GELU, then a network with a gate: what follows groups of patches.

    Source: transformers 5.23, ``Glm4vVisionPatchMerger``.
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Gating = "silu"
    cut: bool = False

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "a map, a norm, and a network with a gate"

    def forward(self, x: Tensor) -> Steps:
        normed = LayerNorm(self.d)(Linear(self.d, self.d, False)(x, name="map"), name="norm")
        network = (CutFeedForward if self.cut else GatedFeedForward)(
            self.d, self.d_ff, self.activation
        )  # fmt: skip
        return steps(y=network(act("gelu", normed), name="network"))


@dataclass(frozen=True)
class GlmVision(Component):
    """Blocks over all patches of an image of any size, then a convolution over groups of g × g.

    An image is seen as two frames alike. Queries and keys are turned by where a patch stands, half
    of them by its row and half by its column, which counts what turning by one position counts.
    Where patches are ``placed`` they are normalized, and told their place by a table of T_max rows
    too, of which each takes a share of sixteen; with ``qk_norm`` queries and keys are normalized,
    and networks may cut their values off (``cut``).
    Source: GLM-V Team, *GLM-4.5V and GLM-4.1V-Thinking* (2025).
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    d_out: Expr = sizes.d_out
    f_g: Expr = sizes.f_g
    T_max: Expr = sizes.T_max
    activation: Gating = "silu"
    placed: bool = True
    qk_norm: bool = False
    biases: Biased = "none"
    cut: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B C_in H W -> B T_tok d_out"
    title: ClassVar[str] = "encoder over patches of images of any size, a convolution over groups"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: sizes.d_out}
    definitions: ClassVar[dict[Size, Expr]] = GRID
    references: ClassVar[tuple[str, ...]] = (HONG,)

    def forward(self, x: Tensor) -> Steps:
        down, across = self.g * self.H_g, self.g * self.W_g
        x = framed(x, self.C_in, self.P, self.d, down, across, bias=True)
        x = self.located(x, down * across) if self.placed else x
        x = repeat(self.block(), self.L, x, name="block")
        hidden = RMSNorm(self.d)(x, name="final_norm")
        square = view(
            "b (i k j l) d -> b d (i k) (j l)", hidden, i=self.H_g, k=self.g, j=self.W_g, l=self.g
        )
        groups = PatchEmbedding(self.d, self.g, self.d_out, self.H_g, self.W_g)
        shrunk = groups(square, name="groups")
        network = GroupNetwork(self.d_out, self.f_g, self.activation, self.cut)
        return steps(shrunk=shrunk, y=network(shrunk, name="merger"))

    def located(self, x: Tensor, T: Expr) -> Tensor:
        """Normalize patches, and tell each where it stands by rows that lie around it."""
        return RMSNorm(self.d)(x, name="patch_norm") + shares(self.T_max, self.d, T, AROUND)

    def block(self) -> PreLNBlock:
        """Return the block that is repeated."""
        width, whole = self.d / self.h, self.biases == "all"
        attention = Attention(
            self.d, self.h, self.h, width, width, bias=self.biases != "none", rotary=True,
            unbiased=() if whole else ("O",), qk_norm="rms" if self.qk_norm else None,
        )  # fmt: skip
        kind = CutFeedForward if self.cut else GatedFeedForward
        network = kind(self.d, self.d_ff, self.activation, bias=whole)
        return PreLNBlock(self.d, norm="rms", attention=attention, network=network)


@dataclass(frozen=True)
class GlmSeeing(Seeing):
    """What GLM's decoders that see share: sizes of their encoder, which projects by itself."""

    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    f_g: Expr = sizes.f_g
    T_max: Expr = sizes.T_max
    image_activation: Plain = "silu"
    image_placed: Annotated[bool, Seldom()] = True
    image_qk_norm: Annotated[bool, Seldom()] = False
    image_biases: Annotated[Biased, Seldom()] = "none"

    definitions: ClassVar[dict[Size, Expr]] = GRID

    def tower(self) -> GlmVision:
        """Return the encoder of images."""
        return GlmVision(
            self.C_in, self.P, self.g, self.H_g, self.W_g, self.d_img, self.L_img, self.h_img,
            self.f_img, self.d, self.f_g, self.T_max, activation=self.image_activation,
            placed=self.image_placed, qk_norm=self.image_qk_norm, biases=self.image_biases,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        return seen


@dataclass(frozen=True)
class Glm4V(Glm4, GlmSeeing):
    """GLM-4.1V: GLM-4 with images of any size, groups of whose patches are a token.

    Source: GLM-V Team, *GLM-4.5V and GLM-4.1V-Thinking* (2025).
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    partly: Annotated[bool, Seldom()] = True
    qkv_bias: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "GLM-4 with images of any size, groups of patches a token"
    assumptions: ClassVar[dict[Size, Expr]] = {**Glm4.assumptions, sizes.f_img: sizes.d}
    references: ClassVar[tuple[str, ...]] = (HONG,)


@dataclass(frozen=True)
class Glm4VMoe(Glm4Moe, GlmSeeing):
    """GLM-4.5V: the same with routed and shared experts, in all layers but the first ones.

    Source: GLM-V Team, *GLM-4.5V and GLM-4.1V-Thinking* (2025).
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    partly: Annotated[bool, Seldom()] = True
    qk_norm: Literal[False] = False
    output_bias: Literal[False] = False
    shared: Annotated[bool, Seldom()] = True
    balanced: Literal[False] = False
    windows: Annotated[Windows, Seldom()] = "none"

    title: ClassVar[str] = "GLM-4.5 with images of any size, groups of patches a token"
    assumptions: ClassVar[dict[Size, Expr]] = {**Glm4Moe.assumptions, sizes.f_img: sizes.d}
    references: ClassVar[tuple[str, ...]] = (HONG,)
