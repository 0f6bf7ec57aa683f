"""GLM-ASR: an encoder of sounds whose heads are turned by positions, two maps, and LLaMA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama
from symledger.models.shared.listening import Answer, Listening
from symledger.models.whisper.model import TWO, Whisper
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat, view
from symledger.sizes import Size

GLM = "transformers 5.23, GlmAsrEncoder"


@dataclass(frozen=True)
class TurnedEncoder(Component):
    """Whisper's convolutions, and blocks in which d_rot elements of each head are turned.

    There is no table of positions, and heads may share keys and values. Keys have no bias.
    Source: transformers 5.23, ``GlmAsrEncoder``.
    """

    C: Expr = sizes.C
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    k_snd: Expr = sizes.k_snd
    e_snd: Expr = sizes.e_snd
    f_snd: Expr = sizes.f_snd
    S_snd: Expr = sizes.S_snd
    d_rot: Expr = sizes.d_rot
    partly: bool = True
    sound_activation: Plain = "gelu"

    signature: ClassVar[str] = "B C frames -> B S_snd d_snd"
    title: ClassVar[str] = "encoder of a spectrum, two convolutions, heads turned by positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.k_snd: sizes.h_snd, sizes.e_snd: sizes.d_snd / sizes.h_snd,
        sizes.f_snd: 4 * sizes.d_snd,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (GLM, *Whisper.references)

    @property
    def frames(self) -> Expr:
        """How many frames a spectrum has."""
        return 2 * self.S_snd

    def forward(self, spectrum: Tensor) -> Steps:
        ear = Whisper(C=self.C, d=self.d_snd, S=self.S_snd)
        x = ear.convolve(spectrum, ONE, self.frames, "conv_1")
        x = view("B d S -> B S d", ear.convolve(x, TWO, self.S_snd, "conv_2"))
        hidden = repeat(self.block(), self.L_snd, x, name="encoder")
        return steps(heard=x, y=LayerNorm(self.d_snd)(hidden, name="norm"))

    def block(self) -> PreLNBlock:
        """Return the block that is repeated."""
        attention = Attention(
            self.d_snd, self.h_snd, self.k_snd, self.e_snd, self.e_snd, bias=True, rotary=True,
            unbiased=("K",), d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip
        network = FeedForward(self.d_snd, self.f_snd, self.sound_activation)
        return PreLNBlock(self.d_snd, norm="layer", attention=attention, network=network)


@dataclass(frozen=True)
class GlmAsr(Llama, Listening):
    """LLaMA with sounds: several vectors of the encoder are joined to one, then two maps.

    As many are joined as make a vector f_snd wide; the first map makes one twice as wide as words.
    Source: transformers 5.23, ``GlmAsrForConditionalGeneration``.
    """

    k_snd: Expr = sizes.k_snd
    e_snd: Expr = sizes.e_snd
    S_snd: Expr = sizes.S_snd
    d_rot: Expr = sizes.d_rot
    head: Answer = "lm"
    tied: bool = True
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    attention_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False
    partly: Annotated[bool, Seldom()] = True
    sound_activation: Plain = "gelu"
    projector_activation: Plain = "gelu"

    title: ClassVar[str] = "LLaMA with sounds: an encoder turned by positions, two maps"
    assumptions: ClassVar[dict[Size, Expr]] = {**Llama.assumptions, **TurnedEncoder.assumptions}
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, GlmAsrForConditionalGeneration",)

    @property
    def frames(self) -> Expr:
        return 2 * self.S_snd

    def ear(self) -> Component:
        return TurnedEncoder(
            self.C, self.d_snd, self.L_snd, self.h_snd, self.k_snd, self.e_snd, self.f_snd,
            self.S_snd, self.d_rot, self.partly, self.sound_activation,
        )  # fmt: skip

    def project(self, heard: Tensor) -> Tensor:
        joined = view("b (t f) -> b t f", view("b s d -> b (s d)", heard), f=self.f_snd)
        projector = Projector(self.f_snd, 2 * self.d, self.d, self.projector_activation)
        return projector(joined, name="projector")
