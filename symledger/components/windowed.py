"""Windows over images: what two-dimensional convolutions and poolings have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.core.component import Component
from symledger.core.tensor import Tensor
from symledger.core.windows import overlap, positions, windows
from symledger.sizes import H, K_h, K_w, Size, W, p_h, p_w, r_h, r_w, s_h, s_w


def square(kernel: int, stride: int = 1, padding: int = 0, dilation: int = 1) -> dict[str, Expr]:
    """Return the fields of a window that is the same down and across."""
    settings = {"K": kernel, "s": stride, "p": padding, "r": dilation}
    return {f"{name}_{axis}": Integer(n) for name, n in settings.items() for axis in "hw"}


@dataclass(frozen=True, kw_only=True)
class Windowed(Component):
    """What looks at an image through windows: kernel, stride, padding and dilation, by axis.

    How many windows fit decides the size of the result.
    Source: Dumoulin, Visin, *A guide to convolution arithmetic* (2016), relationship 6, and
    section 5.1 for dilation.
    """

    K_h: Expr = K_h
    K_w: Expr = K_w
    s_h: Expr = s_h
    s_w: Expr = s_w
    p_h: Expr = p_h
    p_w: Expr = p_w
    r_h: Expr = r_h
    r_w: Expr = r_w
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o

    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_o: positions(H, K_h, s_h, p_h, r_h), sizes.W_o: positions(W, K_w, s_w, p_w, r_w),
    }  # fmt: skip

    def windows(self, x: Tensor, fill: Expr | int = 0) -> Tensor:
        """See the last two axes of x through windows: … H W becomes … H_o K_h W_o K_w."""
        x = windows(x, -2, self.H_o, self.K_h, self.s_h, self.p_h, self.r_h, fill)
        return windows(x, -1, self.W_o, self.K_w, self.s_w, self.p_w, self.r_w, fill)

    def overlap(self, x: Tensor, height: Expr, width: Expr) -> Tensor:
        """Lay windows … i k j l back over an image of that height and width, added."""
        x = overlap(x, -2, width, self.s_w, self.p_w, self.r_w)
        return overlap(x, -3, height, self.s_h, self.p_h, self.r_h)
