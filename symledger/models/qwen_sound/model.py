"""Qwen's encoders of sounds, which cut a spectrum into chunks, and Qwen3-ASR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.convolution.convolution import Conv2d
from symledger.components.embeddings.positions import SinusoidalPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.qwen3.model import Qwen3
from symledger.models.shared.listening import Answer, Listening
from symledger.models.whisper.model import TWO, Whisper
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, mean, param, repeat, view
from symledger.sizes import H_i, Q_f, Q_s, Size, T_i

OMNI3 = "Xu et al., Qwen3-Omni Technical Report (2025)"
OMNI25 = "Xu et al., Qwen2.5-Omni Technical Report (2025)"
CHUNKED: dict[Size, Expr] = {
    Q_s: floor((Q_f + 7) / 8), T_i[1]: floor((Q_f + 3) / 4), T_i[0]: floor((Q_f + 1) / 2),
    H_i[2]: floor((sizes.C + 7) / 8), H_i[1]: floor((sizes.C + 3) / 4),
    H_i[0]: floor((sizes.C + 1) / 2),
}  # fmt: skip
"""How many positions and bands there are after each convolution."""


@dataclass(frozen=True)
class ChunkedSound(Component):
    """What encoders that cut a spectrum share: blocks over windows, each by itself.

    A sound is n_win windows of whole chunks; of one that ends before, what is left over is a
    shorter window.
    """

    C: Expr = sizes.C
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    f_snd: Expr = sizes.f_snd
    d_out: Expr = sizes.d_out
    Q_f: Expr = sizes.Q_f
    n_win: Expr = sizes.n_win
    sound_activation: Plain = "gelu"

    unbiased: ClassVar[tuple[str, ...]] = ()
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.f_snd: 4 * sizes.d_snd}

    def read(self, x: Tensor) -> Tensor:
        """Send windows through the blocks, and put them one after the other again."""
        e = self.d_snd / self.h_snd
        attention = Attention(
            self.d_snd, self.h_snd, self.h_snd, e, e, bias=True, unbiased=self.unbiased
        )
        network = FeedForward(self.d_snd, self.f_snd, self.sound_activation)
        block = PreLNBlock(self.d_snd, norm="layer", attention=attention, network=network)
        hidden = repeat(block, self.L_snd, x, name="encoder")
        return view("(b w) t d -> b (w t) d", hidden, w=self.n_win)


@dataclass(frozen=True)
class Qwen3Sound(ChunkedSound):
    """Qwen3's encoder of sounds: chunks of Q_f frames made eight times shorter, then windows.

    Three convolutions of C_1 channels halve the frames of a chunk and the bands; what is left of
    the bands is mapped, and blocks see windows of n_cw chunks. Where it is ``projected`` two maps
    follow, to a width of d_out.
    Source: Xu et al., *Qwen3-Omni Technical Report* (2025), section 2.2; transformers 5.23,
    ``Qwen3OmniMoeAudioEncoder``.
    """

    C_1: Expr = sizes.C_i[0]
    n_cw: Expr = sizes.n_cw
    projected: bool = True

    definitions: ClassVar[dict[Size, Expr]] = CHUNKED
    title: ClassVar[str] = "encoder of a spectrum in chunks, made eight times shorter"
    references: ClassVar[tuple[str, ...]] = (OMNI3, "transformers 5.23, Qwen3OmniMoeAudioEncoder")

    @property
    def signature(self) -> str:  # type: ignore[override]  # how wide vectors are depends on a map
        """The type line."""
        return f"B C frames -> B heard {'d_out' if self.projected else 'd_snd'}"

    @property
    def frames(self) -> Expr:
        """How many frames a spectrum has."""
        return self.n_win * self.n_cw * self.Q_f

    @property
    def heard(self) -> Expr:
        """How many vectors are left."""
        return self.n_win * self.n_cw * Q_s

    def forward(self, spectrum: Tensor) -> Steps:
        chunks = view("b c (n f) -> (b n) c f", spectrum, f=self.Q_f)
        placed = SinusoidalPositions(self.d_snd)(self.shorten(chunks), name="positions")
        hidden = self.read(view("(n c) q d -> n (c q) d", placed, c=self.n_cw))
        y = LayerNorm(self.d_snd)(hidden, name="norm")
        if self.projected:
            projector = Projector(self.d_snd, self.d_snd, self.d_out, self.sound_activation)
            y = projector(y, name="projector")
        return steps(placed=placed, hidden=hidden, y=y)

    def shorten(self, x: Tensor) -> Tensor:
        """Halve frames and bands of each chunk three times, and map what is left of the bands."""
        x = view("n c f -> n () c f", x)
        for i, (H, T) in enumerate(zip(H_i, (T_i[0], T_i[1], Q_s), strict=False), start=1):
            three = {"K_h": Integer(3), "K_w": Integer(3), "s_h": TWO, "s_w": TWO}
            x = apply("gelu", Conv2d(
                C_in=x.shape[1], C_out=self.C_1, G=ONE, **three, p_h=ONE, p_w=ONE, r_h=ONE,
                r_w=ONE, H_o=H, W_o=T,
            )(x, name=f"shorten_{i}"))  # fmt: skip
        rows = view("n c h q -> n q (c h)", x)
        return Linear(self.C_1 * H_i[2], self.d_snd, bias=False)(rows, name="projection")


@dataclass(frozen=True)
class Qwen25Sound(ChunkedSound):
    """Qwen2.5-Omni's encoder of sounds: Whisper's, by chunks of Q_f frames, each a window.

    Vectors are averaged in pairs before the last norm, and one map leads to a width of d_out. Two
    vectors for where a sound begins and ends are held, and nothing asks them.
    Source: Xu et al., *Qwen2.5-Omni Technical Report* (2025), section 2.2; transformers 5.23,
    ``Qwen2_5OmniAudioEncoder``.
    """

    unbiased: ClassVar[tuple[str, ...]] = ("K",)
    signature: ClassVar[str] = "B C frames -> B heard d_out"
    title: ClassVar[str] = "Whisper's encoder of a spectrum, by chunks"
    references: ClassVar[tuple[str, ...]] = (
        OMNI25, "transformers 5.23, Qwen2_5OmniAudioEncoder", *Whisper.references,
    )  # fmt: skip

    @property
    def frames(self) -> Expr:
        """How many frames a spectrum has."""
        return self.n_win * self.Q_f

    @property
    def heard(self) -> Expr:
        """How many vectors are left."""
        return self.frames / 4

    def forward(self, spectrum: Tensor) -> Steps:
        leave_idle(param("E_ends", TWO, self.d_out))
        ear = Whisper(C=self.C, d=self.d_snd)
        x = view("b c (w f) -> (b w) c f", spectrum, f=self.Q_f)
        x = ear.convolve(x, ONE, self.Q_f, "conv_1")
        x = view("n d q -> n q d", ear.convolve(x, TWO, self.Q_f / 2, "conv_2"))
        hidden = self.read(SinusoidalPositions(self.d_snd)(x, name="positions"))
        pairs = mean(view("b (t two) d -> b t d two", hidden, two=2))
        normed = LayerNorm(self.d_snd)(view("b t d one -> b t (d one)", pairs), name="norm")
        return steps(hidden=hidden, y=Linear(self.d_snd, self.d_out)(normed, name="projection"))


@dataclass(frozen=True)
class Qwen3Asr(Qwen3, Listening):
    """Qwen3 with sounds: an encoder of chunks, and two maps.

    Source: transformers 5.23, ``Qwen3ASRForConditionalGeneration``.
    """

    C_1: Expr = sizes.C_i[0]
    Q_f: Expr = sizes.Q_f
    n_cw: Expr = sizes.n_cw
    n_win: Expr = sizes.n_win
    head: Answer = "lm"
    tied: bool = True
    activation: Gating = "silu"
    windows: Literal["none"] = "none"
    attention_bias: Annotated[bool, Seldom()] = False
    sound_activation: Plain = "gelu"

    definitions: ClassVar[dict[Size, Expr]] = CHUNKED
    title: ClassVar[str] = "Qwen3 with sounds: an encoder of chunks, two maps"
    assumptions: ClassVar[dict[Size, Expr]] = {**Qwen3.assumptions, **ChunkedSound.assumptions}
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Qwen3ASRForConditionalGeneration",)

    @property
    def frames(self) -> Expr:
        return self.n_win * self.n_cw * self.Q_f

    def ear(self) -> Component:
        return Qwen3Sound(
            self.C, self.d_snd, self.L_snd, self.h_snd, self.f_snd, self.d, self.Q_f, self.n_win,
            self.sound_activation, self.C_1, self.n_cw, projected=False,
        )  # fmt: skip

    def project(self, heard: Tensor) -> Tensor:
        projector = Projector(self.d_snd, self.d_snd, self.d, self.sound_activation)
        return projector(heard, name="projector")
