"""wav2vec 2.0 with a conformer's blocks, w2v-BERT 2.0, and Parakeet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.conformer import (
    GULATI,
    ConformerBlock,
    DistanceAttention,
    NearnessAttention,
)
from symledger.models.wav2vec2.model import SoundEncoder, Wav2Vec2
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, param, repeat, view
from symledger.sizes import Size, T_f, T_i


@dataclass(frozen=True)
class Wav2Vec2Conformer(Wav2Vec2):
    """wav2vec 2.0 with a conformer's blocks, which are told distances.

    The convolution for positions is held, and nothing asks it.
    Source: Gulati et al., *Conformer* (2020), section 2; transformers, ``Wav2Vec2ConformerModel``.
    """

    K_c: Expr = sizes.K_c
    activation: Plain = "gelu"
    projected_norm: Literal[True] = True

    title: ClassVar[str] = "encoder of recorded sounds, convolutions, then a conformer's blocks"
    references: ClassVar[tuple[str, ...]] = (f"{GULATI}, section 2",)

    def block(self) -> Component:
        mixing = DistanceAttention(self.h, self.h, self.d_h, self.d_h, self.d)
        return ConformerBlock(
            mixing,
            self.d,
            self.h,
            self.h,
            self.d_h,
            self.d_ff,
            self.K_c,
            activation=self.activation,
        )

    def read(self, x: Tensor) -> Tensor:
        for name, *shape in (("F", self.d, self.d / self.G, self.K), ("g", self.K), ("b", self.d)):
            leave_idle(param(f"{name}_positions", *shape))
        return LayerNorm(self.d)(self.stack(x), name="encoder_norm")


@dataclass(frozen=True)
class Wav2Vec2Bert(Component):
    """w2v-BERT 2.0: a conformer over a spectrum, told distances by a table in every block.

    C_in bands enter, two frames joined. Convolutions see what was before alone.
    Source: Gulati et al., *Conformer* (2020), section 2; transformers, ``Wav2Vec2BertModel``.
    """

    V: Expr = sizes.V
    C_in: Expr = sizes.C_in
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    K: Expr = sizes.K
    n_r: Expr = sizes.n_r
    d_proj: Expr = sizes.d_proj
    Y: Expr = sizes.Y
    head: Literal["letters", "bare", "sequences", "tokens"] = "letters"
    activation: Plain = "silu"
    masked: Annotated[bool, Seldom()] = True
    recompute: bool = False

    assumptions: ClassVar[dict[Size, Expr]] = SoundEncoder.assumptions
    title: ClassVar[str] = "conformer over a spectrum, distances from tables"
    references: ClassVar[tuple[str, ...]] = (
        f"{GULATI}, section 2", "transformers 5.23, Wav2Vec2BertModel",
    )  # fmt: skip

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        given = {"letters": "B T V", "bare": "B T d", "sequences": "B Y", "tokens": "B T Y"}
        return f"B T C_in -> {given[self.head]}"

    def forward(self, features: Tensor) -> Steps:
        normed = LayerNorm(self.C_in)(features, name="front_norm")
        projected = Linear(self.C_in, self.d)(normed, name="projection")
        if self.masked:
            leave_idle(param("masked", self.d))
        mixing = NearnessAttention(self.h, self.h, self.d_h, self.d_h, self.n_r)
        block = ConformerBlock(
            mixing, self.d, self.h, self.h, self.d_h, self.d_ff, self.K, "layer", past=True,
            activation=self.activation,
        )  # fmt: skip
        hidden = repeat(block, self.L, projected, name="block", recompute=self.recompute)
        answered = SoundEncoder.answer(self, hidden)  # type: ignore[arg-type]  # its heads
        return steps(projected=projected, hidden=hidden, **answered)


@dataclass(frozen=True)
class Parakeet(Component):
    """Parakeet: a spectrum is made eight times shorter, and a conformer's blocks read it.

    A convolution of C_1 channels halves frames and bands; two more, of each channel by itself, with
    maps of the channels behind them, halve both again.
    Source: Rekesh et al., *Fast Conformer with Linearly Scalable Attention for Efficient Speech
    Recognition* (2023), section 3; transformers, ``ParakeetForCTC``.
    """

    V: Expr = sizes.V
    C: Expr = sizes.C
    C_1: Expr = sizes.C_i[0]
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    K: Expr = sizes.K
    head: Literal["letters", "bare"] = "letters"
    bias: bool = True
    convolution_bias: bool = True
    activation: Plain = "silu"
    recompute: bool = False

    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.T: floor((T_f + 7) / 8), T_i[1]: floor((T_f + 3) / 4), T_i[0]: floor((T_f + 1) / 2),
    }  # fmt: skip
    assumptions: ClassVar[dict[Size, Expr]] = {
        **SoundEncoder.assumptions, sizes.h_kv: sizes.h,
    }  # fmt: skip
    title: ClassVar[str] = "conformer over a spectrum that is made eight times shorter"
    references: ClassVar[tuple[str, ...]] = (
        "Rekesh et al., Fast Conformer with Linearly Scalable Attention (2023)",
        f"{GULATI}, section 2",
    )

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        return f"B T_f C -> {'B T V' if self.head == 'letters' else 'B T d'}"

    def forward(self, spectrum: Tensor) -> Steps:
        heard = self.shorten(spectrum)
        hidden = self.read(heard)
        if self.head == "bare":
            return steps(heard=heard, hidden=hidden)
        logits = Linear(self.d, self.V)(hidden, name="head")
        return steps(heard=heard, hidden=hidden, logits=logits)

    def read(self, heard: Tensor) -> Tensor:
        """Read what is left of a spectrum."""
        mixing = DistanceAttention(self.h, self.h_kv, self.d_h, self.d_h, self.d, once=False)
        block = ConformerBlock(
            mixing, self.d, self.h, self.h_kv, self.d_h, self.d_ff, self.K, "batch", self.bias,
            self.convolution_bias, activation=self.activation,
        )  # fmt: skip
        return repeat(block, self.L, heard, name="block", recompute=self.recompute)

    def shorten(self, x: Tensor, left: Expr = sizes.T) -> Tensor:
        """Halve frames and bands three times, and map what is left of the bands."""
        C_1, x = self.C_1, view("b t c -> b () t c", x)
        for i, T in enumerate((T_i[0], T_i[1], left), start=1):
            three = {"K_h": Integer(3), "K_w": Integer(3), "s_h": Integer(2), "s_w": Integer(2)}
            alone = {"C_in": x.shape[1], "C_out": C_1, "G": ONE if i == 1 else C_1}
            x = Conv2d(
                **alone, **three, p_h=ONE, p_w=ONE, r_h=ONE, r_w=ONE, H_o=T, W_o=self.C / 2**i
            )(x, name=f"shorten_{i}")
            if i > 1:
                rows = Linear(C_1, C_1)(view("b c t w -> b t w c", x), name=f"mix_{i}")
                x = view("b t w c -> b c t w", rows)
            x = apply("relu", x)
        return Linear(C_1 * self.C / 8, self.d)(view("b c t w -> b t (c w)", x), name="projection")
