"""Whisper: an encoder of sound, whose frames two convolutions see, and a decoder of text.

The encoder alone tells sounds apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.convolution import Conv1d
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.bart.model import Sequential
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, mean, param, view
from symledger.sizes import Size

TWO = Integer(2)
THREE = Integer(3)


@dataclass(frozen=True)
class Whisper(Sequential):
    """The encoder-decoder transformer of Whisper: C bands of a spectrum, in twice as many frames.

    Of the two convolutions the second halves the frames, so that S positions are left, as many as
    their table has rows: sinusoids, which are not trained. Keys have no bias.
    Source: Radford et al., *Robust Speech Recognition via Large-Scale Weak Supervision* (2022),
    section 2.2, and its implementation.
    """

    C: Expr = sizes.C
    head: Literal["lm", "bare"] = "lm"

    two: ClassVar[Expr] = TWO
    heard: ClassVar[str] = "B C (two S)"
    unbiased: ClassVar[tuple[str, ...]] = ("K",)
    title: ClassVar[str] = "encoder-decoder transformer of sound and text, pre-LN LayerNorm"
    references: ClassVar[tuple[str, ...]] = ("Radford et al., Whisper (2022), section 2.2",)

    def hear(self, source: Tensor, E: Tensor) -> Tensor:
        """Return what enters the encoder."""
        return self.see(source)

    def see(self, source: Tensor) -> Tensor:
        """See three frames at a time, twice, and add positions."""
        x = self.convolve(source, ONE, TWO * self.S, "conv_1")
        x = view("B d S -> B S d", self.convolve(x, TWO, self.S, "conv_2"))
        return x + param("P", self.S, self.d, trainable=False)

    def convolve(self, x: Tensor, stride: Expr, length: Expr, name: str) -> Tensor:
        """Look through windows of three frames, and act."""
        seen = Conv1d(
            C_in=x.shape[1], C_out=self.d, G=ONE, K=THREE, s=stride, p=ONE, r=ONE, T_o=length
        )
        return apply("gelu", seen(x, name=name))

    def place(self, x: Tensor) -> Tensor:
        """Add a row for each position of the text."""
        return LearnedPositions(self.T_max, self.d, self.first(x))(x, name="positions")


@dataclass(frozen=True)
class WhisperClassifier(Component):
    """The encoder of Whisper alone, which tells sounds apart: languages, speakers, commands.

    Each position is mapped to d_proj values, and the mean of these scores Y classes.
    Source: Radford et al. (2022), section 2.2, and transformers, ``WhisperForAudioClassification``.
    """

    C: Expr = sizes.C
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    d_proj: Expr = sizes.d_proj
    S: Expr = sizes.S
    Y: Expr = sizes.Y
    activation: Activation = "gelu"
    recompute: bool = False

    two: ClassVar[Expr] = TWO
    signature: ClassVar[str] = "B C (two S) -> B Y"
    title: ClassVar[str] = "the encoder of Whisper alone, with a classifier of sounds"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_h: sizes.d / sizes.h}
    references: ClassVar[tuple[str, ...]] = Whisper.references

    def forward(self, source: Tensor) -> Steps:
        whole = Whisper(
            C=self.C, d=self.d, L_enc=self.L, h=self.h, d_h=self.d_h, d_ff=self.d_ff,
            S=self.S, activation=self.activation, recompute=self.recompute,
        )  # fmt: skip
        heard = whole.see(source)
        x = whole.read(heard)
        projected = Linear(self.d, self.d_proj)(x, name="projector")
        pooled = view("B d one -> B (d one)", mean(view("B S d -> B d S", projected)))
        logits = Linear(self.d_proj, self.Y)(pooled, name="classifier")
        return steps(heard=heard, x=x, projected=projected, pooled=pooled, logits=logits)
