"""An image as a sequence: a vector for each patch, and one more that belongs to no place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.embeddings.positions import LearnedPositions
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, param, view
from symledger.sizes import Size

DOSOVITSKIY = "Dosovitskiy et al., An Image is Worth 16x16 Words (2021)"


@dataclass(frozen=True)
class PatchEmbedding(Component):
    """Cut an image into squares of P × P and map each affinely: a convolution that overlaps none.

    What is left over at the right and below is not seen.
    Source: Dosovitskiy et al. (2021), equation 1.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    bias: bool = True

    signature: ClassVar[str] = "B C_in H W -> B (H_p W_p) d"
    title: ClassVar[str] = "a vector for each patch of an image"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_p: floor(sizes.H / sizes.P), sizes.W_p: floor(sizes.W / sizes.P),
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{DOSOVITSKIY}, equation 1",)

    def forward(self, x: Tensor) -> Steps:
        window = {f"{name}_{axis}": e for axis in "hw" for name, e in
                  {"K": self.P, "s": self.P, "p": Integer(0), "r": ONE}.items()}  # fmt: skip
        places = Conv2d(
            C_in=self.C_in, C_out=self.d, G=ONE, H_o=self.H_p, W_o=self.W_p, bias=self.bias,
            **window,
        )(x, name="convolution")  # fmt: skip
        return steps(y=view("b d i j -> b (i j) d", places))


@dataclass(frozen=True)
class ImageEmbedding(Component):
    """The vectors of all patches after one that is learned, and a learned row for each place.

    Source: Dosovitskiy et al. (2021), equation 1.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    bias: bool = True

    signature: ClassVar[str] = "B C_in H W -> B T d"
    title: ClassVar[str] = "patches, a class vector before them, learned positions"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_p: floor(sizes.H / sizes.P),
        sizes.T: floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P) + 1,
    }
    references: ClassVar[tuple[str, ...]] = (f"{DOSOVITSKIY}, equation 1",)

    def forward(self, x: Tensor) -> Steps:
        across = (self.T - 1) / self.H_p
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, across, self.bias)
        patches = self.seen(cut(x, name="patches"))
        first = expand(view("d -> () () d", param("c", self.d)), (x.shape[0], ONE, self.d))
        tokens = join([first, patches], axis=1)
        y = LearnedPositions(self.T, self.d)(tokens, name="positions")
        return steps(patches=patches, y=y)

    def seen(self, patches: Tensor) -> Tensor:
        """Return what is seen of the patches: here, all of each."""
        return patches
