"""Fun-ASR-Nano: attention beside a convolution of values, an adaptor, and Qwen3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, sqrt

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.convolution.convolution import Conv1d
from symledger.components.embeddings.positions import SinusoidalPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.qwen3.model import Qwen3
from symledger.models.shared.listening import Answer, Listening
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import pad, repeat, view
from symledger.sizes import Size

GAO = "Gao et al., SAN-M: Memory Equipped Self-Attention (2020), section 2.2"


@dataclass(frozen=True)
class MemoryAttention(Component):
    """Attention, to whose result a convolution of each channel of the values is added, and these.

    What enters is d_in wide. Where windows stand changes no count: here they see what was before.
    Source: Gao et al., *SAN-M* (2020), section 2.2; transformers 5.23, ``FunAsrNanoEncoder``.
    """

    d_in: Expr = sizes.d_in
    d: Expr = sizes.d
    h: Expr = sizes.h
    K: Expr = sizes.K

    signature: ClassVar[str] = "B T d_in -> B T d"
    title: ClassVar[str] = "attention beside a convolution of the values"
    references: ClassVar[tuple[str, ...]] = (GAO,)

    def forward(self, x: Tensor) -> Steps:
        e = self.d / self.h
        q, k, v = (Linear(self.d_in, self.d)(x, name=name) for name in "QKV")
        split = [view("b t (h e) -> b t h e", y, h=self.h) for y in (q, k, v)]
        mixed = ScaledDotProduct(self.h, self.h, e, e)(*split, name="core")
        y = Linear(self.d, self.d)(view("b t h e -> b t (h e)", mixed), name="O")
        T = x.shape[1]
        channels = pad(view("b t d -> b d t", v), 2, self.K - 1, T + self.K - 1)
        near = Conv1d(
            C_in=self.d, C_out=self.d, G=self.d, K=self.K, s=ONE, p=Integer(0), r=ONE, T_o=T,
            bias=False,
        )(channels, name="memory")  # fmt: skip
        return steps(v=v, y=y + (view("b d t -> b t d", near) + v))


@dataclass(frozen=True)
class MemoryBlock(Component):
    """A norm, attention with a memory, a norm, a network; the first block has no sum around it.

    Source: Gao et al., *SAN-M* (2020), section 2.2; transformers 5.23, ``FunAsrNanoEncoder``.
    """

    d_in: Expr = sizes.d_in
    d: Expr = sizes.d
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    K: Expr = sizes.K
    activation: Plain = "relu"
    first: bool = False

    signature: ClassVar[str] = "B T d_in -> B T d"

    def forward(self, x: Tensor) -> Steps:
        attention = MemoryAttention(self.d_in, self.d, self.h, self.K)
        attended = attention(LayerNorm(self.d_in)(x, name="norm_1"), name="attention")
        middle = attended if self.first else x + attended
        network = FeedForward(self.d, self.d_ff, self.activation)
        fed = network(LayerNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class MemoryEncoder(Component):
    """SenseVoice's encoder: blocks of attention with memories, over frames d_in wide.

    Several frames of a spectrum enter as one. The first of L_snd blocks maps them to d_snd; where
    words are ``timed`` a norm and L_ts more blocks follow. A norm is last.
    Source: An et al., *FunAudioLLM* (2024), section 2.1; transformers 5.23, ``FunAsrNanoEncoder``.
    """

    d_in: Expr = sizes.d_in
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    L_ts: Expr = sizes.L_ts
    h_snd: Expr = sizes.h_snd
    f_snd: Expr = sizes.f_snd
    K: Expr = sizes.K
    timed: bool = True
    sound_activation: Plain = "relu"

    signature: ClassVar[str] = "B T d_in -> B T d_snd"
    title: ClassVar[str] = "encoder of joined frames, attention beside convolutions of values"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.f_snd: 4 * sizes.d_snd}
    references: ClassVar[tuple[str, ...]] = (GAO, "An et al., FunAudioLLM (2024)")

    def forward(self, x: Tensor) -> Steps:
        placed = SinusoidalPositions(self.d_in)(x * sqrt(self.d_snd), name="positions")
        hidden = self.block(first=True)(placed, name="first_block")
        hidden = repeat(self.block(), self.L_snd - 1, hidden, name="encoder")
        if self.timed:
            hidden = LayerNorm(self.d_snd)(hidden, name="encoder_norm")
            hidden = repeat(self.block(), self.L_ts, hidden, name="last_block")
        return steps(placed=placed, y=LayerNorm(self.d_snd)(hidden, name="norm"))

    def block(self, first: bool = False) -> MemoryBlock:
        """Return the block that is repeated, or the first one."""
        return MemoryBlock(
            self.d_in if first else self.d_snd, self.d_snd, self.h_snd, self.f_snd, self.K,
            self.sound_activation, first,
        )  # fmt: skip


@dataclass(frozen=True)
class FunAsr(Qwen3, Listening):
    """Qwen3 with sounds: SenseVoice's encoder, two maps, and an adaptor of L_apt blocks.

    S_snd vectors of several frames each enter, and as many stand in the sequence.
    Source: transformers 5.23, ``FunAsrNanoForConditionalGeneration``.
    """

    d_in: Expr = sizes.d_in
    S_snd: Expr = sizes.S_snd
    L_ts: Expr = sizes.L_ts
    K: Expr = sizes.K
    f_prj: Expr = sizes.f_prj
    L_apt: Expr = sizes.L_apt
    h_apt: Expr = sizes.h_apt
    f_apt: Expr = sizes.f_apt
    head: Answer = "lm"
    tied: bool = True
    activation: Gating = "silu"
    windows: Literal["none"] = "none"
    attention_bias: Annotated[bool, Seldom()] = False
    timed: Annotated[bool, Seldom()] = True
    sound_activation: Plain = "relu"
    projector_activation: Plain = "relu"
    adaptor_activation: Plain = "relu"

    signature: ClassVar[str] = "B T in V, B n_snd S_snd d_in -> B T out"
    whole: ClassVar[dict[str, str]] = {"tokens": "B T in V", "sounds": "B n_snd S_snd d_in"}
    title: ClassVar[str] = "Qwen3 with sounds: attention with memories, two maps, an adaptor"
    assumptions: ClassVar[dict[Size, Expr]] = {**Qwen3.assumptions, sizes.f_snd: 4 * sizes.d_snd}
    references: ClassVar[tuple[str, ...]] = (
        "transformers 5.23, FunAsrNanoForConditionalGeneration", "An et al., FunAudioLLM (2024)",
    )  # fmt: skip

    def ear(self) -> Component:
        return MemoryEncoder(
            self.d_in, self.d_snd, self.L_snd, self.L_ts, self.h_snd, self.f_snd, self.K,
            self.timed, self.sound_activation,
        )  # fmt: skip

    def project(self, heard: Tensor) -> Tensor:
        projector = Projector(self.d_snd, self.f_prj, self.d, self.projector_activation)
        e = self.d / self.h_apt
        block = PreLNBlock(
            self.d, norm="layer", attention=Attention(self.d, self.h_apt, self.h_apt, e, e, True),
            network=FeedForward(self.d, self.f_apt, self.adaptor_activation),
        )  # fmt: skip
        return repeat(block, self.L_apt, projector(heard, name="projector"), name="adaptor")
