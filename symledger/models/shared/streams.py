"""Blocks whose tokens have several residual streams, with connections around every part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.hyper import around
from symledger.ir.tensor import Tensor
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


def as_streams(x: Tensor, n_s: Expr) -> Tensor:
    """Return so many streams for every token, each of which is its vector."""
    batch, length, width = x.shape
    return expand(view("B T d -> B T () d", x), (batch, length, n_s, width))
