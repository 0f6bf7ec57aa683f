"""wav2vec 2.0 and its likes: seven convolutions of a recorded sound, then BERT's blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.blocks.blocks import PostLNBlock
from symledger.components.convolution.pooling import AvgPool1d
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.sounds import (
    SEVEN,
    ConvolvedPositions,
    HeardLayer,
    Norming,
    Windows,
    lengths,
)
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, pad, param, repeat, view
from symledger.sizes import C_i, Size, T_q, T_w

BAEVSKI = "Baevski et al., wav2vec 2.0 (2020)"
Heard = Literal["letters", "bare", "sequences", "tokens"]
"""What is made of the hidden vectors: scores of a letter at each position, which CTC aligns;
nothing; scores of classes, of the whole sound or of each position."""


@dataclass(frozen=True)
class SoundEncoder(Component):
    """An encoder of sounds as they were recorded; a family says how they are convolved.

    Where parts of a sound are ``masked`` in training a learned vector stands for them, which is
    held always. With ``recompute`` only what enters each block is kept.
    """

    V: Expr = sizes.V
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    G: Expr = sizes.G
    K: Expr = sizes.K
    d_proj: Expr = sizes.d_proj
    Y: Expr = sizes.Y

    head: Heard = "letters"
    activation: Gating = "gelu"
    front_norm: Literal["first", "all"] = "first"
    front_bias: Annotated[bool, Seldom()] = False
    front_activation: Plain = "gelu"
    even: Annotated[bool, Seldom()] = True
    masked: Annotated[bool, Seldom()] = True
    recompute: bool = False

    windows: ClassVar[Windows] = SEVEN
    widths: ClassVar[tuple[int, ...]] = (1, 2, 3, 4, 5, 6, 7)
    definitions: ClassVar[dict[Size, Expr]] = lengths(SEVEN)
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        given = {"letters": "B T V", "bare": "B T d", "sequences": "B Y", "tokens": "B T Y"}
        return f"B T_w -> {given[self.head]}"

    def forward(self, wave: Tensor) -> Steps:
        heard = self.hear(wave)
        projected = self.project(heard)
        if self.masked:
            leave_idle(param("masked", self.d))
        hidden = self.read(projected)
        return steps(heard=heard, projected=projected, hidden=hidden, **self.answer(hidden))

    def norm(self, number: int) -> Norming:
        """Return how what a convolution gives is normalized."""
        if self.front_norm == "all":
            return "layer"
        return "each channel" if number == 1 else "none"

    def hear(self, wave: Tensor) -> Tensor:
        """Convolve the sound again and again, and return a row for each position."""
        x, places = view("B T_w -> B () T_w", wave), iter(reversed(lengths(self.windows)))
        for number, (width, (K, s)) in enumerate(zip(self.widths, self.windows, strict=True), 1):
            layer = HeardLayer(
                Integer(K), Integer(s), x.shape[1], getattr(self, f"C_{width}"),
                x.shape[2] if (K, s) == (1, 1) else next(places), self.norm(number),
                self.front_bias, self.front_activation,
            )  # fmt: skip
            x = layer(x, name=f"front_{number}")
        return view("b c t -> b t c", x)

    def project(self, x: Tensor) -> Tensor:
        """Normalize what was heard, and map it to the model's width."""
        C = x.shape[2]
        return Linear(C, self.d)(LayerNorm(C)(x, name="front_norm"), name="projection")

    def block(self) -> Component:
        """Return the block that is repeated."""
        return PostLNBlock(
            self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff, norm="layer",
            activation=self.activation,
        )  # fmt: skip

    def place(self, x: Tensor) -> Tensor:
        """Return positions from what stands around each."""
        return ConvolvedPositions(
            self.d, self.G, self.K, even=self.even, activation=self.front_activation
        )(x, name="positions")

    def read(self, x: Tensor) -> Tensor:
        """Place what was heard, and let every position see all others."""
        return self.stack(LayerNorm(self.d)(x + self.place(x), name="encoder_norm"))

    def stack(self, x: Tensor) -> Tensor:
        """Apply the block L times."""
        return repeat(self.block(), self.L, x, name="block", recompute=self.recompute)

    def answer(self, x: Tensor) -> Mapping[str, Tensor]:
        """Make of the hidden vectors what the head is for."""
        if self.head == "bare":
            return {}
        if self.head == "letters":
            return {"logits": Linear(self.d, self.V)(x, name="head")}
        if self.head == "tokens":
            return {"logits": Linear(self.d, self.Y)(x, name="classifier")}
        projected = Linear(self.d, self.d_proj)(x, name="projector")
        pooled = view("B d one -> B (d one)", mean(view("B T d -> B d T", projected)))
        logits = Linear(self.d_proj, self.Y)(pooled, name="classifier")
        return {"pooled": pooled, "logits": logits}


@dataclass(frozen=True)
class Wav2Vec2(SoundEncoder):
    """wav2vec 2.0, HuBERT, UniSpeech: positions from a convolution, and post-LN blocks.

    Of seven convolutions the ``first`` alone is normalized, each channel over the whole sound, or
    ``all`` are, at each position. Where norms stand before the parts instead, and one at the end,
    every count is the same.
    Source: Baevski et al., *wav2vec 2.0* (2020), section 2, and its implementation.
    """

    C_5: Expr = C_i[4]
    C_6: Expr = C_i[5]
    C_7: Expr = C_i[6]
    projected_norm: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "encoder of recorded sounds, convolutions, then post-LN blocks"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **SoundEncoder.assumptions, **dict.fromkeys(C_i[1:7], C_i[0]),
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{BAEVSKI}, section 2",)

    def project(self, x: Tensor) -> Tensor:
        if self.projected_norm:
            return super().project(x)
        return Linear(x.shape[2], self.d)(x, name="projection")


@dataclass(frozen=True)
class Data2VecAudio(Wav2Vec2):
    """data2vec for sounds: wav2vec 2.0 with several narrow convolutions for positions.

    L_in of them follow each other, each normalized without weights.
    Source: Baevski et al., *data2vec* (2022), and its implementation.
    """

    L_in: Expr = sizes.L_in
    front_norm: Literal["all"] = "all"
    even: Annotated[bool, Seldom()] = False
    projected_norm: Literal[True] = True

    title: ClassVar[str] = "encoder of recorded sounds, positions from convolutions in a row"
    references: ClassVar[tuple[str, ...]] = ("Baevski et al., data2vec (2022)",)

    def place(self, x: Tensor) -> Tensor:
        positions = ConvolvedPositions(
            self.d, self.G, self.K, even=self.even, weights=False,
            activation=self.front_activation,
        )  # fmt: skip
        return repeat(positions, self.L_in, x, name="positions")


THIRTEEN: Windows = (
    (10, 5), (3, 2), (1, 1), (3, 2), (1, 1), (3, 2), (1, 1), (3, 2), (1, 1), (2, 2), (1, 1), (2, 2),
    (1, 1),
)  # fmt: skip


@dataclass(frozen=True)
class SEW(SoundEncoder):
    """Squeezed and efficient wav2vec: narrow convolutions first, and fewer positions that attend.

    Positions are averaged s at a time before the blocks, and a map writes s out of one after them.
    Source: Wu et al., *Performance-Efficiency Trade-offs in Unsupervised Pre-training for Speech
    Recognition* (2021), and its implementation.
    """

    s: Expr = sizes.s

    windows: ClassVar[Windows] = THIRTEEN
    widths: ClassVar[tuple[int, ...]] = (1, *(2,) * 4, *(3,) * 4, *(4,) * 4)
    definitions: ClassVar[dict[Size, Expr]] = {
        T_q: floor((T_w - 80) / (320 * sizes.s)), **lengths(SEVEN),
    }  # fmt: skip
    title: ClassVar[str] = "encoder of recorded sounds, squeezed where it attends"
    references: ClassVar[tuple[str, ...]] = (
        "Wu et al., Performance-Efficiency Trade-offs in Unsupervised Pre-training (2021)",
    )

    def place(self, x: Tensor) -> Tensor:
        return ConvolvedPositions(
            self.d, self.G, self.K, self.s, T_q, self.even, activation=self.front_activation
        )(x, name="positions")

    def read(self, x: Tensor) -> Tensor:
        pooled = AvgPool1d(K=self.s, s=self.s, p=Integer(0), r=ONE, T_o=T_q)
        fewer = view("b d t -> b t d", pooled(view("b t d -> b d t", x), name="pool"))
        y = self.stack(LayerNorm(self.d)(fewer + self.place(x), name="encoder_norm"))
        wide = act(self.front_activation, Linear(self.d, self.d * self.s)(y, name="upsample"))
        more = view("b t (s d) -> b (t s) d", wide, s=self.s)
        return pad(more, 1, 0, x.shape[1])
