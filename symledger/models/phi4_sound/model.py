"""What hears in Phi-4-multimodal: a conformer whose layers share biases of distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Min, floor

from symledger import sizes
from symledger.components.convolution.convolution import Conv1d
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.conformer.model import Parakeet
from symledger.models.shared.conformer import GULATI, HALF
from symledger.models.wavlm.model import BiasedPairs
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import drawn, gather, indices, narrow, pad, param, repeat, table, view
from symledger.sizes import Q, Size, T_f, T_i, n_c, w_smx

ABOUELENIN = "Abouelenin et al., Phi-4-Mini Technical Report (2025), section 2.1.2"
ZERO = Integer(0)
CUT: dict[Size, Expr] = {
    n_c: floor((T_f + 8 * w_smx - 1) / (8 * w_smx)), Q: Min(w_smx, floor((T_f + 7) / 8)),
    T_i[2]: floor((T_f + 7) / 8), T_i[1]: floor((T_f + 3) / 4), T_i[0]: floor((T_f + 1) / 2),
}  # fmt: skip
"""How many chunks there are, how long they are, and a spectrum after each halving."""


@dataclass(frozen=True)
class GatedConvolution(Component):
    """A gated map, a convolution of each channel by itself, and two maps around a nonlinearity.

    Both halves of the first map have a further bias. Zeros stand around both ends of a sequence,
    and what the first K − 1 windows beyond its end gave is mapped, too, and then cut off: so
    positions see what was before.
    Source: transformers 5.23, ``Phi4MultimodalAudioConvModule``.
    """

    d: Expr = sizes.d
    K: Expr = sizes.K
    activation: Gating = "silu"

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "a gated map, a convolution of each channel, and two maps"
    references: ClassVar[tuple[str, ...]] = (f"{GULATI}, section 2.2",)

    def forward(self, x: Tensor) -> Steps:
        d, T = self.d, x.shape[1]
        wide = Linear(d, 2 * d)(x, name="in")
        open_ = narrow(wide, 2, 0, d) + param("b_open", d)
        gate = act(self.activation, narrow(wide, 2, d, d) + param("b_gate", d))
        alone = Conv1d(
            C_in=d, C_out=d, G=d, K=self.K, s=ONE, p=self.K - 1, r=ONE, T_o=T + self.K - 1
        )
        near = alone(view("b t d -> b d t", open_ * gate), name="convolution")
        mixed = Linear(d, d)(view("b d t -> b t d", near), name="mix")
        acted = act(self.activation, narrow(mixed, 1, 0, T))
        return steps(near=near, mixed=mixed, y=Linear(d, d)(acted, name="out"))


@dataclass(frozen=True)
class ToldAttention(Component):
    """Attention to whose scores a bias of each head and pair in each chunk is added.

    Source: transformers 5.23, ``Phi4MultimodalAudioAttention``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h

    signature: ClassVar[str] = "B T d, B h T T -> B T d"
    title: ClassVar[str] = "attention with biases of pairs"
    references: ClassVar[tuple[str, ...]] = (f"{GULATI}, section 2.4",)

    def forward(self, x: Tensor, bias: Tensor) -> Steps:
        width = self.d / self.h
        q, k, v = (
            view("b t (h e) -> b t h e", Linear(self.d, self.d)(x, name=name), h=self.h)
            for name in "QKV"
        )
        z = BiasedPairs(self.h, self.h, width, width)(q, k, v, bias, name="core")
        return steps(y=Linear(self.d, self.d)(view("b t h e -> b t (h e)", z), name="O"))


@dataclass(frozen=True)
class SpeechBlock(Component):
    """A conformer's block with gated networks, whose attention is told distances by biases.

    Source: Gulati et al., *Conformer* (2020), section 2.4; transformers 5.23,
    ``Phi4MultimodalAudioConformerEncoderLayer``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    K: Expr = sizes.K
    activation: Gating = "silu"

    signature: ClassVar[str] = "B T d, B h T T -> B T d"
    title: ClassVar[str] = "conformer block with gated networks and shared biases"
    references: ClassVar[tuple[str, ...]] = (f"{GULATI}, section 2.4",)

    def forward(self, x: Tensor, bias: Tensor) -> Steps:
        fed = x + HALF * self.fed(x, 1)
        attention = ToldAttention(self.d, self.h)
        attended = fed + attention(self.normed(fed, 2), bias, name="attention")
        near = GatedConvolution(self.d, self.K)
        seen = attended + near(self.normed(attended, 3), name="near")
        y = self.normed(seen + HALF * self.fed(seen, 4), 5)
        return steps(fed=fed, attended=attended, seen=seen, y=y)

    def normed(self, x: Tensor, number: int) -> Tensor:
        """Normalize x."""
        return LayerNorm(self.d)(x, name=f"norm_{number}")

    def fed(self, x: Tensor, number: int) -> Tensor:
        """Apply a norm and one of the networks."""
        network = GatedFeedForward(self.d, self.d_ff, self.activation, bias=True)
        return network(self.normed(x, number), name=f"feed_forward_{1 if number == 1 else 2}")


@dataclass(frozen=True)
class Phi4Sound(Component):
    """A spectrum is made eight times shorter, and a conformer reads it in chunks of Q positions.

    What is shorter than the longest chunk, w_smx positions, is one; of others the last is filled
    up, and computed whole. A table of n_r rows has a bias for each head and distance, which all
    blocks add.
    Source: Abouelenin et al., *Phi-4-Mini Technical Report* (2025), section 2.1.2; transformers
    5.23, ``Phi4MultimodalAudioModel``.
    """

    C: Expr = sizes.C
    C_1: Expr = sizes.C_i[0]
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    f_snd: Expr = sizes.f_snd
    K: Expr = sizes.K
    n_r: Expr = sizes.n_r
    w_smx: Expr = sizes.w_smx
    sound_activation: Gating = "silu"

    signature: ClassVar[str] = "B T_f C -> B heard d_snd"
    title: ClassVar[str] = "conformer over a spectrum, gated networks, shared biases of distances"
    definitions: ClassVar[dict[Size, Expr]] = CUT
    references: ClassVar[tuple[str, ...]] = (
        ABOUELENIN, "transformers 5.23, Phi4MultimodalAudioModel",
    )  # fmt: skip

    @property
    def heard(self) -> Expr:
        """How many vectors are left."""
        return T_i[2]

    def forward(self, spectrum: Tensor) -> Steps:
        usual = spectrum - table("mean", lambda c: ZERO, self.C)
        usual = usual * table("inverse_deviation", lambda c: ONE, self.C)
        heard = Parakeet(C=self.C, C_1=self.C_1, d=self.d_snd).shorten(usual, self.heard)
        chunks = view("b (n t) d -> (b n) t d", pad(heard, 1, 0, n_c * Q), n=n_c)
        block = SpeechBlock(self.d_snd, self.h_snd, self.f_snd, self.K, self.sound_activation)
        read = repeat(block, self.L_snd, chunks, self.told(chunks.shape[0]), name="block")
        y = narrow(view("(b n) t d -> b (n t) d", read, n=n_c), 1, 0, self.heard)
        return steps(heard=heard, y=y)

    def told(self, chunks: Expr) -> Tensor:
        """Return what is added to scores: a bias of each distance, and what hides a chunk's end."""
        distance = indices("distance", self.n_r, Q, Q)
        rows = gather(param("biases", self.n_r, self.h_snd), distance)
        return drawn("hidden", chunks, ONE, Q, Q) + view("t s h -> () h t s", rows)
