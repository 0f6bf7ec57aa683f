"""Voxtral Realtime: an encoder that sees what was before, added to the words of Mistral."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, Min, Symbol, cos

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.relative import WindowAttention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.convolution.convolution import Conv1d
from symledger.components.embeddings.rotary import BASE
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.mistral.model import Mistral
from symledger.models.shared.listening import Answer
from symledger.models.shared.windows import Windows
from symledger.models.whisper.model import THREE, TWO, Whisper
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, pad, param, repeat, table, view
from symledger.sizes import Size

REALTIME = "transformers 5.23, VoxtralRealtimeForConditionalGeneration"


@dataclass(frozen=True)
class StreamingEncoder(Component):
    """Whisper's convolutions and gated blocks that see what was before, w_snd positions of it.

    Heads are turned by positions, and keys have no bias; of a network the last map has one.
    Source: transformers 5.23, ``VoxtralRealtimeEncoder``.
    """

    C: Expr = sizes.C
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    e_snd: Expr = sizes.e_snd
    f_snd: Expr = sizes.f_snd
    S_snd: Expr = sizes.S_snd
    w_snd: Expr = sizes.w_snd
    w_smx: Expr = sizes.w_smx
    sound_activation: Gating = "silu"

    signature: ClassVar[str] = "B C frames -> B S_snd d_snd"
    title: ClassVar[str] = "encoder of a spectrum that sees a window of what was before"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.e_snd: sizes.d_snd / sizes.h_snd}
    references: ClassVar[tuple[str, ...]] = (
        "transformers 5.23, VoxtralRealtimeEncoder", *Whisper.references,
    )  # fmt: skip

    def defined(self) -> dict[Size, Expr]:
        """Return how far a query sees: no further than there is something."""
        return {**super().defined(), sizes.w_snd: Min(self.w_smx, self.S_snd)}

    @property
    def frames(self) -> Expr:
        """How many frames a spectrum has."""
        return 2 * self.S_snd

    def forward(self, spectrum: Tensor) -> Steps:
        x = self.convolve(spectrum, ONE, self.frames, "conv_1")
        x = view("B d S -> B S d", self.convolve(x, TWO, self.S_snd, "conv_2"))
        hidden = repeat(self.block(), self.L_snd, x, name="encoder")
        return steps(heard=x, y=RMSNorm(self.d_snd)(hidden, name="norm"))

    def convolve(self, x: Tensor, stride: Expr, length: Expr, name: str) -> Tensor:
        """Look through windows of three frames, the last of which is the newest, and act."""
        before = THREE - stride
        seen = Conv1d(
            C_in=x.shape[1], C_out=self.d_snd, G=ONE, K=THREE, s=stride, p=Integer(0), r=ONE,
            T_o=length,
        )(pad(x, 2, before, x.shape[2] + before), name=name)  # fmt: skip
        return apply("gelu", seen)

    def block(self) -> PreLNBlock:
        """Return the block that is repeated."""
        heads = (self.h_snd, self.h_snd, self.e_snd, self.e_snd)
        attention = Attention(
            self.d_snd, *heads, bias=True, causal=True, rotary=True, unbiased=("K",),
            mixing=WindowAttention(*heads, self.w_snd),
        )  # fmt: skip
        network = GatedFeedForward(
            self.d_snd, self.f_snd, self.sound_activation, True, unbiased=("gate", "up")
        )
        return PreLNBlock(self.d_snd, norm="rms", attention=attention, network=network)


@dataclass(frozen=True)
class DelayedNetwork(Component):
    """A gated network, before which vectors are scaled by what two maps make of a delay.

    Sines and cosines of the delay are one vector for all tokens; the maps have a rank of d_r.
    Source: transformers 5.23, ``VoxtralRealtimeTextAdaRmsNorm``.
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    d_r: Expr = sizes.d_r
    activation: Activation = "silu"

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "a gated network of vectors that a delay scales"

    def forward(self, x: Tensor) -> Steps:
        delay = table("delay", self.wave, ONE, self.d)
        narrow = apply("gelu", Linear(self.d, self.d_r, bias=False)(delay, name="delay_1"))
        scale = Linear(self.d_r, self.d, bias=False)(narrow, name="delay_2")
        network = GatedFeedForward(self.d, self.d_ff, self.activation)
        return steps(y=network(x * (1 + scale), name="gated"))

    def wave(self, _: Symbol, i: Symbol) -> Expr:
        """Return element i of a delay of one token."""
        return cos(1 / BASE ** (2 * i / self.d))


@dataclass(frozen=True)
class DelayedMistral(Mistral):
    """Mistral whose networks are told how many tokens late it writes.

    Source: transformers 5.23, ``VoxtralRealtimeTextModel``.
    """

    d_r: Expr = sizes.d_r
    head: Answer = "lm"
    activation: Gating = "silu"

    title: ClassVar[str] = "decoder-only transformer, SwiGLU, sliding window, told a delay"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, VoxtralRealtimeTextModel",)

    def network(self) -> Component:
        return DelayedNetwork(self.d, self.d_ff, self.d_r, self.activation)


@dataclass(frozen=True)
class VoxtralRealtime(DelayedMistral):
    """Mistral to whose words what is heard is added: g_snd vectors of the encoder for each.

    A sequence of T tokens hears 2 g_snd T frames of C bands while it is written.
    Source: transformers 5.23, ``VoxtralRealtimeForConditionalGeneration``.
    """

    C: Expr = sizes.C
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    e_snd: Expr = sizes.e_snd
    f_snd: Expr = sizes.f_snd
    g_snd: Expr = sizes.g_snd
    w_snd: Expr = sizes.w_snd
    w_smx: Expr = sizes.w_smx
    head: Answer = "lm"
    tied: bool = True
    cached: Literal[False] = False
    windows: Annotated[Windows, Seldom()] = "all"
    sound_activation: Gating = "silu"
    projector_activation: Plain = "gelu"

    signature: ClassVar[str] = "B T in V, B C frames -> B T out"
    whole: ClassVar[Mapping[str, str]] = {"tokens": "B T in V", "sounds": "B C frames"}
    decoding: ClassVar[dict[str, str]] = {}
    title: ClassVar[str] = "Mistral with what is heard added to its words, told a delay"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Mistral.assumptions, **StreamingEncoder.assumptions,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (REALTIME,)

    def defined(self) -> dict[Size, Expr]:
        """Return how far a query of each part sees."""
        return {**super().defined(), sizes.w_snd: Min(self.w_smx, self.g_snd * sizes.T)}

    @property
    def frames(self) -> Expr:
        """How many frames a spectrum has."""
        return 2 * self.g_snd * sizes.T

    def forward(self, tokens: Tensor, sounds: Tensor | None = None) -> Steps:
        """Embed words, and add what is heard at the time of each."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        if sounds is None:
            return self.ended(x, E)
        ear = StreamingEncoder(
            self.C, self.d_snd, self.L_snd, self.h_snd, self.e_snd, self.f_snd,
            self.g_snd * x.shape[1], self.w_snd, self.w_smx, self.sound_activation,
        )  # fmt: skip
        joined = view("b (t g) d -> b t (g d)", ear(sounds, name="tower"), g=self.g_snd)
        wide = self.g_snd * self.d_snd
        projector = Projector(wide, self.d, self.d, self.projector_activation, False)
        return self.ended(x + projector(joined, name="projector"), E)
