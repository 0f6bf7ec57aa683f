"""Transposed convolutions: every element paints a window, and windows overlap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.convolution import DUMOULIN, Conv1d, Conv2d, Conv3d, Mixing
from symledger.components.convolution.windowed import Windowed1d, Windowed2d, Windowed3d, alike
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import einsum, param, view
from symledger.sizes import Size

ZEILER = "Zeiler et al., Deconvolutional Networks (2010)"


@dataclass(frozen=True, kw_only=True)
class Transposed(Mixing):
    """The transpose of a convolution: every element paints a window, and windows overlap.

    Its size is not decided by the others: some rows at the end (q) make it one of those that a
    convolution takes to the same size.
    Source: Dumoulin, Visin (2016), chapter 4, relationship 14; Zeiler et al. (2010).
    """

    references: ClassVar[tuple[str, ...]] = (DUMOULIN + ", chapter 4, relationship 14", ZEILER)

    def decided(self) -> Mapping[Size, Expr]:
        """Return the lengths of what is painted."""
        return painted(self.axes)

    def forward(self, x: Tensor) -> Steps:
        places, offsets = self.places, self.offsets
        F = param("F", self.C_in, self.C_out / self.G, *self.kernel)
        x = view(f"b (g c) {places} -> b g c {places}", x, g=self.G)
        F = view(f"(g c) o {offsets} -> g c o {offsets}", F, g=self.G)
        painted = einsum(f"b g c {places}, g c o {offsets} -> b g o {self.opened}", x, F)
        y = self.overlap(painted, self.numbers)
        return steps(y=self.shifted(view(f"b g o {places} -> b (g o) {places}", y)))


def painted(axes: dict[str, str]) -> dict[Size, Expr]:
    """Return the lengths of what is painted along axes, by their lengths and their endings."""
    found = {}
    for length, ending in axes.items():
        n, K, s, p, r, q = (sizes.BY_NAME[x] for x in (length, *(f"{y}{ending}" for y in "Ksprq")))
        found[sizes.BY_NAME[f"{length}_o"]] = (n - 1) * s - 2 * p + r * (K - 1) + 1 + q
    return found


@dataclass(frozen=True, kw_only=True)
class ConvTranspose1d(Transposed, Windowed1d):
    """The transpose of a convolution of sequences.

    Source: Dumoulin, Visin (2016), chapter 4, relationship 14.
    """

    signature: ClassVar[str] = "B C_in T -> B C_out T_o"
    title: ClassVar[str] = "transposed convolution of sequences"
    assumptions: ClassVar[dict[Size, Expr]] = {**Conv1d.assumptions, sizes.q: Integer(0)}


@dataclass(frozen=True, kw_only=True)
class ConvTranspose2d(Transposed, Windowed2d):
    """The transpose of a convolution of images.

    Source: Dumoulin, Visin (2016), chapter 4, relationship 14; Zeiler et al. (2010).
    """

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "transposed convolution: elements paint windows that overlap"
    assumptions: ClassVar[dict[Size, Expr]] = {**Conv2d.assumptions, **alike("hw", q=Integer(0))}


@dataclass(frozen=True, kw_only=True)
class ConvTranspose3d(Transposed, Windowed3d):
    """The transpose of a convolution of volumes.

    Source: Dumoulin, Visin (2016), chapter 4, relationship 14.
    """

    signature: ClassVar[str] = "B C_in D H W -> B C_out D_o H_o W_o"
    title: ClassVar[str] = "transposed convolution of volumes"
    assumptions: ClassVar[dict[Size, Expr]] = {**Conv3d.assumptions, **alike("dhw", q=Integer(0))}
