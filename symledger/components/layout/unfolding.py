"""Windows over an image written down as columns, and columns laid back as an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.convolution.windowed import ONCE, Windowed2d, alike
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import copied, view
from symledger.sizes import Size

CHELLAPILLA = (
    "Chellapilla, Puri, Simard, High Performance Convolutional Neural Networks for Document "
    "Processing (2006), section 2"
)


@dataclass(frozen=True, kw_only=True)
class Columns(Windowed2d):
    """Windows one apart, the same down and across, where nothing else is said."""

    assumptions: ClassVar[dict[Size, Expr]] = alike("hw", K=sizes.K_h, **ONCE)
    references: ClassVar[tuple[str, ...]] = (CHELLAPILLA,)


@dataclass(frozen=True, kw_only=True)
class Unfold(Columns):
    """Each window a column of its own, with the elements of all channels (im2col).

    What several windows show is written down several times; nothing is kept.
    Source: Chellapilla, Puri, Simard (2006), section 2.
    """

    signature: ClassVar[str] = "B C H W -> B rows columns"
    title: ClassVar[str] = "every window of an image as a column"

    def forward(self, x: Tensor) -> Steps:
        seen = view("b c i k j l -> b (c k l) (i j)", self.windows(x))
        return steps(y=copied(seen))


@dataclass(frozen=True, kw_only=True)
class Fold(Columns):
    """Columns laid back over an image, added where they overlap (col2im); nothing is kept.

    Source: Chellapilla, Puri, Simard (2006), section 2, backwards.
    """

    C: Expr = sizes.C
    H: Expr = sizes.H
    W: Expr = sizes.W

    signature: ClassVar[str] = "B (C K_h K_w) (H_o W_o) -> B C H W"
    title: ClassVar[str] = "columns laid back over an image, added where they overlap"

    def forward(self, x: Tensor) -> Steps:
        n = {"k": self.K_h, "l": self.K_w, "i": self.H_o, "j": self.W_o}
        x = view("b (c k l) (i j) -> b c i k j l", x, **n)
        return steps(y=self.overlap(x, (self.H, self.W)))
