"""Whisper: an encoder of sound, whose frames two convolutions see, and a decoder of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution import Conv1d
from symledger.components.positions import LearnedPositions
from symledger.core.notation import apply, param, view
from symledger.core.tensor import ONE, Tensor
from symledger.models.bart import Sequential

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
