"""InternVL: an encoder whose residual paths are scaled, patches shuffled, and Qwen or LLaMA."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.patches import ImageEmbedding
from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.models.dinov2.model import TOUVRON, ScaledBlock
from symledger.models.mistral.model import Mistral
from symledger.models.shared.seeing import Answer, Seeing, grid
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, param, repeat
from symledger.sizes import Size

CHEN = "Chen et al., InternVL (2024), section 3.2"
TextModel = Literal["qwen2", "qwen3", "llama"]
"""Which decoder stands behind: with biases for queries, keys and values; norms of queries and keys;
neither."""


@dataclass(frozen=True)
class InternVision(Component):
    """A vision transformer whose parts are scaled before they are added, read without a pooling.

    Maps of queries, keys and values have no bias unless ``qkv_bias``; where ``qk_norm`` is on, all
    heads of queries are normalized together, and all of keys. With ``normed`` there is a last norm;
    with ``hiding`` a vector for hidden patches, which is not used but in training.
    Source: Chen et al., *InternVL* (2024), section 3.2.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    activation: Plain = "gelu"
    qkv_bias: Annotated[bool, Seldom()] = False
    qk_norm: Annotated[bool, Seldom()] = False
    rms: Annotated[bool, Seldom()] = False
    normed: Annotated[bool, Seldom()] = False
    hiding: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B C_in H W -> B T_img d"
    title: ClassVar[str] = "pre-LN encoder over patches, what each part adds scaled by gains"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (CHEN, TOUVRON)

    def block(self) -> Component:
        """Return the block that is repeated."""
        width = self.d / self.h
        attention = Attention(
            self.d, self.h, self.h, width, width, True,
            unbiased=() if self.qkv_bias else ("Q", "K", "V"),
            qk_norm="rms of all heads" if self.qk_norm else None,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        norm: Norm = "rms" if self.rms else "layer"
        return ScaledBlock(self.d, norm=norm, attention=attention, network=network)

    def forward(self, x: Tensor) -> Steps:
        patches = self.H_p * self.W_p + 1
        embedding = ImageEmbedding(self.C_in, self.P, self.d, self.H_p, patches)
        hidden = repeat(self.block(), self.L, embedding(x, name="embedding"), name="block")
        if self.hiding:
            leave_idle(param("m", self.d))
        if self.normed:
            hidden = LayerNorm(self.d)(hidden, name="final_norm")
        return steps(y=hidden)


@dataclass(frozen=True)
class InternVL(Mistral, Seeing):
    """A decoder with images: vectors of g × g patches side by side, a norm, two maps.

    A large image is cut into several, which are counted as images here. The class vector of the
    encoder is left out.
    Source: Chen et al., *How Far Are We to GPT-4V?* (2024), section 3.1; Zhu et al., *InternVL3*
    (2025), section 2.1.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    windows: Annotated[Windows, Seldom()] = "none"
    text_model: TextModel = "qwen2"
    image_activation: Plain = "gelu"
    projector_activation: Plain = "gelu"
    qkv_bias: Annotated[bool, Seldom()] = False
    image_qk_norm: Annotated[bool, Seldom()] = False
    image_rms: Annotated[bool, Seldom()] = False
    image_normed: Annotated[bool, Seldom()] = False
    hiding: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "Qwen2 with images: groups of patches side by side, a norm, two maps"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Mistral.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = grid(sizes.P * sizes.g, sizes.H_g, sizes.W_g)
    references: ClassVar[tuple[str, ...]] = (
        "Zhu et al., InternVL3 (2025), section 2.1", CHEN,
    )  # fmt: skip

    def attention(self) -> Attention:
        plain = super().attention()
        if self.text_model == "qwen2":
            return replace(plain, bias=True, unbiased=("O",))
        return replace(plain, qk_norm="rms") if self.text_model == "qwen3" else plain

    def tower(self) -> Component:
        return InternVision(
            self.C_in, self.P, self.g * self.H_g, self.g * self.W_g, self.d_img, self.L_img,
            self.h_img, self.f_img, self.image_activation, self.qkv_bias, self.image_qk_norm,
            self.image_rms, self.image_normed, self.hiding,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        patches = self.g**2 * self.H_g * self.W_g
        wide = self.g**2 * self.d_img
        merging = PatchMerging(self.d_img, self.g, self.H_g, self.W_g)
        merged = merging(narrow(seen, 1, 1, patches), name="merging")
        normalized = LayerNorm(wide)(merged, name="projector_norm")
        return Projector(wide, self.d, self.d, self.projector_activation)(
            normalized, name="projector"
        )
