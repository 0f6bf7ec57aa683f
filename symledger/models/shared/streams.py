"""Decoders whose tokens have several residual streams, with connections around every part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.hyper import StreamReading, around
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import LanguageModel
from symledger.models.shared.hybrid import MixingBlock
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import expand, view


@dataclass(frozen=True)
class StreamBlock(MixingBlock):
    """A block whose two parts each read a sum of the streams, and write to all of them.

    Streams are mixed as well, in n_n rounds and one, unless there is no n_n.
    Source: Xie et al., *mHC: Manifold-Constrained Hyper-Connections* (2025), section 4.
    """

    n_s: Expr = sizes.n_s
    n_n: Expr | None = None

    signature: ClassVar[str] = "B T n_s d -> B T n_s d"
    title: ClassVar[str] = "transformer block whose parts read and write several residual streams"

    def forward(self, x: Tensor) -> Steps:
        *_, middle = around(
            x, lambda read: self.attend(self.normalize(read, 1)), self.n_n, "streams_1"
        )
        *_, y = around(
            middle, lambda read: self.feed(self.normalize(read, 2)), self.n_n, "streams_2"
        )  # fmt: skip
        return steps(middle=middle, y=y)


@dataclass(frozen=True)
class StreamDecoder(LanguageModel):
    """A decoder that begins with what was embedded in all of its n_s streams.

    What is read of them at the end is normalized and scored: a sum by weights of every token, or
    what a family makes of them.
    """

    n_s: Expr = sizes.n_s

    def place(self, x: Tensor) -> Tensor:
        placed = super().place(x)
        batch, length, width = placed.shape
        return expand(view("B T d -> B T () d", placed), (batch, length, self.n_s, width))

    def normalize(self, x: Tensor) -> Tensor:
        return super().normalize(self.collapsed(x))

    def collapsed(self, x: Tensor) -> Tensor:
        """Return what is read of the streams at the end."""
        return StreamReading(self.n_s, self.d)(x, name="streams")
