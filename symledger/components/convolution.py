"""Convolutions of sequences and images: one contraction of what is seen through windows.

As in every framework the kernel is not flipped. Groups are an index of the contraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.windowed import Windowed
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import einsum, param, view
from symledger.core.tensor import ONE, Tensor
from symledger.core.windows import positions, windows
from symledger.sizes import C_in, C_out, G, Size

DUMOULIN = "Dumoulin, Visin, A guide to convolution arithmetic for deep learning (2016)"
LECUN = "LeCun et al., Gradient-Based Learning Applied to Document Recognition (1998), section II"
GROUPS = "Xie et al., Aggregated Residual Transformations (2017), figure 3c, for groups"


@dataclass(frozen=True)
class Conv1d(Component):
    """A convolution of sequences: each result is a sum over a window and its group's channels.

    Source: Dumoulin, Visin (2016), relationship 6, and section 5.1 for dilation.
    """

    C_in: Expr = C_in
    C_out: Expr = C_out
    K: Expr = sizes.K
    s: Expr = sizes.s
    p: Expr = sizes.p
    r: Expr = sizes.r
    G: Expr = G
    bias: bool = True
    T_o: Expr = sizes.T_o

    signature: ClassVar[str] = "B C_in T -> B C_out T_o"
    title: ClassVar[str] = "convolution of sequences, with stride, padding, dilation and groups"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.T_o: positions(sizes.T, sizes.K, sizes.s, sizes.p, sizes.r),
    }
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.s: ONE, sizes.p: Integer(0), sizes.r: ONE, G: ONE,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "depthwise": {G: C_in, C_out: C_in},
        "same length": {G: 1, sizes.T_o: sizes.T},
    }
    references: ClassVar[tuple[str, ...]] = (DUMOULIN + ", relationship 6 and section 5.1", GROUPS)

    def forward(self, x: Tensor) -> Steps:
        F = param("F", self.C_out, self.C_in / self.G, self.K)
        x = windows(x, -1, self.T_o, self.K, self.s, self.p, self.r)
        x = view("b (g c) t k -> b g c t k", x, g=self.G)
        y = einsum("b g c t k, g o c k -> b g o t", x, view("(g o) c k -> g o c k", F, g=self.G))
        y = view("b g o t -> b (g o) t", y)
        return steps(y=y + view("o -> o ()", param("b", self.C_out)) if self.bias else y)


@dataclass(frozen=True, kw_only=True)
class Conv2d(Windowed):
    """A convolution of images: each result is a sum over a window and its group's channels.

    Source: LeCun et al. (1998), section II; Dumoulin, Visin (2016), relationship 6; Xie et al.
    (2017) for groups.
    """

    C_in: Expr = C_in
    C_out: Expr = C_out
    G: Expr = G
    bias: bool = True

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "convolution of images, with stride, padding, dilation and groups"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.K_w: sizes.K_h, sizes.s_h: ONE, sizes.s_w: sizes.s_h, sizes.p_h: Integer(0),
        sizes.p_w: sizes.p_h, sizes.r_h: ONE, sizes.r_w: sizes.r_h, G: ONE,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "depthwise": {G: C_in, C_out: C_in, sizes.K_w: sizes.K_h},
        "pointwise (1 × 1)": {G: 1, sizes.K_h: 1, sizes.K_w: 1},
        "same size": {G: 1, sizes.K_w: sizes.K_h, sizes.H_o: sizes.H, sizes.W_o: sizes.W},
    }
    references: ClassVar[tuple[str, ...]] = (
        LECUN, DUMOULIN + ", relationship 6 and section 5.1", GROUPS,
    )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        F = param("F", self.C_out, self.C_in / self.G, self.K_h, self.K_w)
        x = view("b (g c) i k j l -> b g c i k j l", self.windows(x), g=self.G)
        F = view("(g o) c k l -> g o c k l", F, g=self.G)
        y = einsum("b g c i k j l, g o c k l -> b g o i j", x, F)
        y = view("b g o i j -> b (g o) i j", y)
        return steps(y=y + view("o -> o () ()", param("b", self.C_out)) if self.bias else y)


@dataclass(frozen=True, kw_only=True)
class ConvTranspose2d(Windowed):
    """The transpose of a convolution: every element paints a window, and windows overlap.

    Its size is not decided by the others: q_h rows and q_w columns make it one of those that a
    convolution takes to the same size.
    Source: Dumoulin, Visin (2016), chapter 4, relationship 14; Zeiler et al. (2010).
    """

    C_in: Expr = C_in
    C_out: Expr = C_out
    G: Expr = G
    bias: bool = True

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "transposed convolution: elements paint windows that overlap"
    definitions: ClassVar[dict[Size, Expr]] = {
        size: (n - 1) * s - 2 * p + r * (K - 1) + 1 + q
        for size, n, K, s, p, r, q in (
            (sizes.H_o, sizes.H, sizes.K_h, sizes.s_h, sizes.p_h, sizes.r_h, sizes.q_h),
            (sizes.W_o, sizes.W, sizes.K_w, sizes.s_w, sizes.p_w, sizes.r_w, sizes.q_w),
        )
    }
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Conv2d.assumptions, sizes.q_h: Integer(0), sizes.q_w: sizes.q_h,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        DUMOULIN + ", chapter 4, relationship 14",
        "Zeiler et al., Deconvolutional Networks (2010), section 3",
    )

    def forward(self, x: Tensor) -> Steps:
        F = param("F", self.C_in, self.C_out / self.G, self.K_h, self.K_w)
        x = view("b (g c) i j -> b g c i j", x, g=self.G)
        F = view("(g c) o k l -> g c o k l", F, g=self.G)
        painted = einsum("b g c i j, g c o k l -> b g o i k j l", x, F)
        y = view("b g o i j -> b (g o) i j", self.overlap(painted, self.H_o, self.W_o))
        return steps(y=y + view("o -> o () ()", param("b", self.C_out)) if self.bias else y)
