"""What sees in Gemma 4: a transformer over patches of images of any shape, pooled at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer, sqrt

from symledger import sizes
from symledger.components.blocks.blocks import SandwichBlock
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.conformer import HALF
from symledger.models.shared.lending import LendingAttention
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import drawn, einsum, gather, indices, param, repeat, table
from symledger.sizes import Size

TWO = Integer(2)


@dataclass(frozen=True)
class ImageBlock(SandwichBlock):
    """Gemma's block, whose attention normalizes values as well, and looks at nothing else.

    Source: transformers 5.23, ``Gemma4VisionEncoderLayer``.
    """

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        assert self.attention is not None
        return self.attention(x, name="attention")


@dataclass(frozen=True)
class Gemma4Vision(Component):
    """Blocks with norms around each part, over the patches of an image; g × g of them are one.

    Each patch is told its column and its row by two tables of T_max rows, and queries and keys are
    turned by them, which counts what turning by one position counts. What becomes one is averaged
    by a product with a matrix that says what belongs together, for images of all shapes are filled
    up to one length. With ``standardized`` the result is shifted and scaled by constants.
    Source: Gemma Team, *Gemma 4* (2026), model card; transformers 5.23, ``Gemma4VisionModel``.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    T_max: Expr = sizes.T_max
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    activation: Gating = "gelu_tanh"
    standardized: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B C_in H W -> B groups d"
    title: ClassVar[str] = "encoder over patches of images of any shape, pooled at its end"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H: sizes.P * sizes.g * sizes.H_g, sizes.W: sizes.P * sizes.g * sizes.W_g,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Gemma4VisionModel",)

    @property
    def groups(self) -> Expr:
        """How many vectors are left."""
        return self.H_g * self.W_g

    def forward(self, x: Tensor) -> Steps:
        down, across = self.g * self.H_g, self.g * self.W_g
        cut = PatchEmbedding(self.C_in, self.P, self.d, down, across, bias=False)
        patches = cut((x - HALF) * TWO, name="patches")
        placed = patches + (self.place("column", patches) + self.place("row", patches))
        attention = LendingAttention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, rotary=True, qk_norm="rms"
        )
        network = GatedFeedForward(self.d, self.d_ff, self.activation)
        block = ImageBlock(self.d, norm="rms", attention=attention, network=network)
        hidden = repeat(block, self.L, placed, name="block")
        return steps(placed=placed, hidden=hidden, y=self.pooled(hidden))

    def place(self, name: str, x: Tensor) -> Tensor:
        """Return the row of a table that a patch is told."""
        return gather(param(f"{name}_table", self.T_max, self.d),
                      indices(name, self.T_max, *x.shape[:2]))  # fmt: skip

    def pooled(self, x: Tensor) -> Tensor:
        """Average what belongs together, and scale it."""
        together = drawn("together", *x.shape[:2], self.groups) * (1 / self.g**2)
        y: Tensor = einsum("b t o, b t d -> b o d", together, x) * sqrt(self.d)
        if self.standardized:
            y = y - table("usual", lambda i: Integer(0), self.d)
            y = y * table("scale", lambda i: ONE, self.d)
        return y
