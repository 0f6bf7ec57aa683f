"""Convolutions of sequences, images and volumes: one contraction of what windows show.

As in every framework the kernel is not flipped. Groups are an index of the contraction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.edges import Mode, padded
from symledger.components.convolution.windowed import (
    ONCE,
    Windowed,
    Windowed1d,
    Windowed2d,
    Windowed3d,
    alike,
)
from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import copied, einsum, param, view
from symledger.sizes import C_in, C_out, G, Size

DUMOULIN = "Dumoulin, Visin, A guide to convolution arithmetic for deep learning (2016)"
LECUN = "LeCun et al., Gradient-Based Learning Applied to Document Recognition (1998), section II"
GROUPS = "Xie et al., Aggregated Residual Transformations (2017), figure 3c, for groups"


@dataclass(frozen=True, kw_only=True)
class Mixing(Windowed):
    """What mixes the channels of each group, through windows, with a bias for each result."""

    C_in: Expr = C_in
    C_out: Expr = C_out
    G: Expr = G
    bias: bool = True

    def shifted(self, y: Tensor) -> Tensor:
        """Add the bias of each channel, if there is one."""
        alone = "o -> o" + " ()" * len(self.slides)
        return y + view(alone, param("b", self.C_out)) if self.bias else y


@dataclass(frozen=True, kw_only=True)
class Convolution(Mixing):
    """Each result is a sum over a window and over the channels of its group.

    Padded with anything but zeros, or (``uneven``) by q more at the end than at the beginning, the
    input is written down once more, longer, and that is kept.
    Source: Dumoulin, Visin (2016), relationship 6, and section 5.1 for dilation.
    """

    padding_mode: Mode = "zeros"
    uneven: bool = False

    references: ClassVar[tuple[str, ...]] = (DUMOULIN + ", relationship 6 and section 5.1", GROUPS)
    past: ClassVar[bool] = False
    """Whether the last window may reach past the padding, to zeros that are read there as well."""

    def forward(self, x: Tensor) -> Steps:
        seen, places, offsets = self.opened, self.places, self.offsets
        F = self.filters()
        zeros = self.padding_mode == "zeros"
        around = {} if zeros and not self.uneven else {"padded": self.padded(x)}
        shown = self.windows(around.get("padded", x), past=self.past, padded=not zeros)
        x = view(f"b (g c) {seen} -> b g c {seen}", shown, g=self.G)
        F = view(f"(g o) c {offsets} -> g o c {offsets}", F, g=self.G)
        y = einsum(f"b g c {seen}, g o c {offsets} -> b g o {places}", x, F)
        return steps(**around, y=self.shifted(view(f"b g o {places} -> b (g o) {places}", y)))

    def filters(self) -> Tensor:
        """Return what each channel of the result looks for in the channels of its group."""
        return param("F", self.C_out, self.C_in / self.G, *self.kernel)

    def decided(self) -> Mapping[Size, Expr]:
        """Return how many windows there are, of an axis that may be longer at its end."""
        lengths = map(sizes.BY_NAME.__getitem__, self.axes)
        longer = {n: n + q for n, q in zip(lengths, self.more, strict=True)}
        return {symbol: e.xreplace(longer) for symbol, e in super().decided().items()}

    @property
    def more(self) -> Shape:
        """By how much more each axis is padded at its end than at its beginning."""
        endings = self.axes.values()
        return tuple(sizes.BY_NAME[f"q{e}"] if self.uneven else Integer(0) for e in endings)

    def padded(self, x: Tensor) -> Tensor:
        """Write the input down with the padding that windows will see; zeros they see by p."""
        zeros = self.padding_mode == "zeros"
        for i, (slide, q) in enumerate(zip(self.slides, self.more, strict=True)):
            p = Integer(0) if zeros else slide.padding
            x = padded(x, i - len(self.slides), p, p + q, self.padding_mode)
        return copied(x) if zeros else x


@dataclass(frozen=True, kw_only=True)
class Conv1d(Convolution, Windowed1d):
    """A convolution of sequences.

    Source: Dumoulin, Visin (2016), relationship 6, and section 5.1 for dilation.
    """

    signature: ClassVar[str] = "B C_in T -> B C_out T_o"
    title: ClassVar[str] = "convolution of sequences, with stride, padding, dilation and groups"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.s: ONE, sizes.p: Integer(0), sizes.r: ONE, G: ONE,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "depthwise": {G: C_in, C_out: C_in},
        "same length": {G: 1, sizes.T_o: sizes.T},
    }


@dataclass(frozen=True, kw_only=True)
class Conv2d(Convolution, Windowed2d):
    """A convolution of images.

    Source: LeCun et al. (1998), section II; Dumoulin, Visin (2016), relationship 6; Xie et al.
    (2017) for groups.
    """

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "convolution of images, with stride, padding, dilation and groups"
    assumptions: ClassVar[dict[Size, Expr]] = {**alike("hw", K=sizes.K_h, **ONCE), G: ONE}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "depthwise": {G: C_in, C_out: C_in, sizes.K_w: sizes.K_h},
        "pointwise (1 × 1)": {G: 1, sizes.K_h: 1, sizes.K_w: 1},
        "same size": {G: 1, sizes.K_w: sizes.K_h, sizes.H_o: sizes.H, sizes.W_o: sizes.W},
    }
    references: ClassVar[tuple[str, ...]] = (LECUN, *Convolution.references)


@dataclass(frozen=True, kw_only=True)
class Conv3d(Convolution, Windowed3d):
    """A convolution of volumes, or of images and time.

    Source: Ji et al., *3D Convolutional Neural Networks* (2013), section 2.
    """

    signature: ClassVar[str] = "B C_in D H W -> B C_out D_o H_o W_o"
    title: ClassVar[str] = "convolution of volumes, with stride, padding, dilation and groups"
    assumptions: ClassVar[dict[Size, Expr]] = {**alike("dhw", K=sizes.K_d, **ONCE), G: ONE}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "depthwise": {G: C_in, C_out: C_in, sizes.K_h: sizes.K_d, sizes.K_w: sizes.K_d},
    }
    references: ClassVar[tuple[str, ...]] = (
        "Ji et al., 3D Convolutional Neural Networks for Human Action Recognition (2013), "
        "section 2", *Convolution.references,
    )  # fmt: skip
