"""MiniCPM-V: an encoder that makes four patches one halfway, and Qwen3.5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.models.qwen_next.model import Qwen35
from symledger.models.shared.hybrid import Which
from symledger.models.shared.seeing import Answer, Seeing
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import gather, indices, mean, narrow, param, repeat, view
from symledger.sizes import Size

SOURCE = "transformers 5.23, MiniCPMV4_6ForConditionalGeneration"
SIDE = Integer(2)
"""Patches are made one two by two, wherever that is done."""


def looking(d: Expr, h: Expr) -> Attention:
    """Return attention in which all see all, with biases."""
    return Attention(d, h, h, d / h, d / h, True)


@dataclass(frozen=True)
class WindowMerger(Component):
    """Patches that see those of their window of two by two, each window made one then.

    What two maps make of a window is added to the mean of its vectors.
    Source: transformers 5.23, ``MiniCPMV4_6ViTWindowAttentionMerger``.
    """

    d: Expr
    h: Expr
    d_ff: Expr
    H_g: Expr
    W_g: Expr

    signature: ClassVar[str] = "B T d -> B (H_g W_g) d"

    def forward(self, x: Tensor) -> Steps:
        lengths = {"i": self.H_g, "k": SIDE, "j": self.W_g, "l": SIDE}
        normed = LayerNorm(self.d)(x, name="norm_1")
        inside, own = (
            view("b (i k j l) d -> (b i j) (k l) d", each, **lengths) for each in (normed, x)
        )
        seen = own + looking(self.d, self.h)(inside, name="attention")
        flat = view("n k d -> n (k d)", seen)
        normed = LayerNorm(4 * self.d)(flat, name="norm_2")
        made = Projector(4 * self.d, 4 * self.d_ff, self.d, "gelu_tanh")(normed, name="maps")
        averaged = view("n d one -> n (d one)", mean(view("n k d -> n d k", seen)))
        together = self.H_g * self.W_g
        return steps(seen=seen, y=view("(b t) d -> b t d", made + averaged, t=together))


@dataclass(frozen=True)
class Spare(Component):
    """The weights of a merger that is never reached, and its vectors as they are."""

    d: Expr
    d_ff: Expr

    signature: ClassVar[str] = "B T d -> B T d"

    def forward(self, x: Tensor) -> Steps:
        wide, hidden = 4 * self.d, 4 * self.d_ff
        shapes = {
            **dict.fromkeys(("W_q", "W_k", "W_v", "W_o"), (self.d, self.d)),
            **dict.fromkeys(("b_q", "b_k", "b_v", "b_o", "g_1", "b_1"), (self.d,)),
            "g_2": (wide,), "b_2": (wide,), "W_in": (hidden, wide), "b_in": (hidden,),
            "W_out": (self.d, hidden), "b_out": (self.d,),
        }  # fmt: skip
        for name, shape in shapes.items():
            leave_idle(param(name, *shape))
        return steps(y=x)


@dataclass(frozen=True)
class MiniCPMVision(Component):
    """A vision transformer that makes one vector of two by two after its first L_b blocks.

    Where it is not ``squeezed`` it does not, nor where that block is never ``reached``; the weights
    are there all the same. Of the table's T_max places each patch has that of the nearest one.
    Source: transformers 5.23, ``MiniCPMV4_6VisionModel``.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    d: Expr = sizes.d
    L: Expr = sizes.L
    L_b: Expr = sizes.L_b
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    T_max: Expr = sizes.T_max
    activation: Plain = "gelu_tanh"
    squeezed: bool = True
    reached: Annotated[bool, Seldom()] = True

    signature: ClassVar[str] = "B C_in H W -> B seen d"
    title: ClassVar[str] = "pre-LN encoder over patches, four of which are made one halfway"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H: 2 * sizes.P * sizes.H_g, sizes.W: 2 * sizes.P * sizes.W_g,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (SOURCE,)

    @property
    def seen(self) -> Expr:
        """How many vectors it gives."""
        return self.H_g * self.W_g * (1 if self.squeezed and self.reached else 4)

    def block(self) -> PreLNBlock:
        """Return the block that is repeated."""
        return PreLNBlock(
            self.d, self.h, self.h, self.d / self.h, self.d / self.h, self.d_ff,
            activation=self.activation, causal=False,
        )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        down, across = 2 * self.H_g, 2 * self.W_g
        cut = PatchEmbedding(self.C_in, self.P, self.d, down, across)(x, name="patches")
        rows = indices("row", self.T_max, down * across)
        placed = gather(param("table", self.T_max, self.d), rows)
        x = cut + view("t d -> () t d", placed)
        if self.squeezed and self.reached:
            x = repeat(self.block(), self.L_b, x, name="block")
            merger = WindowMerger(self.d, self.h, self.d_ff, self.H_g, self.W_g)
            x = merger(x, name="window_merger")
            x = repeat(self.block(), self.L - self.L_b, x, name="later_block")
        else:
            x = Spare(self.d, self.d_ff)(x, name="spare")
            x = repeat(self.block(), self.L, x, name="block")
        return steps(y=LayerNorm(self.d)(x, name="final_norm"))


@dataclass(frozen=True)
class MiniCPMV(Qwen35, Seeing):
    """Qwen3.5 with images: sixteen patches are a token where they are ``squeezed``, else four.

    Where the encoder never reaches the block after which it squeezes, its implementation reads a
    quarter of what it gives.
    Source: transformers 5.23, ``MiniCPMV4_6ForConditionalGeneration``.
    """

    head: Answer = "lm"
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    L_b: Expr = sizes.L_b
    T_max: Expr = sizes.T_max
    attending: Annotated[Which, Seldom()] = "some"
    attention_bias: Annotated[bool, Seldom()] = False
    image_activation: Plain = "gelu_tanh"
    squeezed: bool = True
    reached: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "Qwen3.5 with images, four patches made one twice"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Qwen35.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (SOURCE,)

    @property
    def side(self) -> Expr:
        """How many patches a token has down and across."""
        return Integer(4 if self.squeezed else 2)

    def decided(self) -> Mapping[Size, Expr]:
        """Return how large an image is, and how many positions it fills."""
        side = self.side * sizes.P
        own = {
            sizes.H: side * sizes.H_g, sizes.W: side * sizes.W_g,
            sizes.T_tok: sizes.H_g * sizes.W_g,
        }  # fmt: skip
        return {**Qwen35.definitions, **own}

    def tower(self) -> Component:
        half = self.side / 2
        return MiniCPMVision(
            self.C_in, self.P, half * self.H_g, half * self.W_g, self.d_img, self.L_img, self.L_b,
            self.h_img, self.f_img, self.T_max, self.image_activation, self.squeezed, self.reached,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        if self.squeezed and not self.reached:
            seen = narrow(seen, 1, 0, 4 * self.H_g * self.W_g)
        merged = PatchMerging(self.d_img, SIDE, self.H_g, self.W_g)(seen, name="merging")
        wide = 4 * self.d_img
        normed = LayerNorm(wide)(merged, name="projector_norm")
        return Projector(wide, wide, self.d)(normed, name="projector")
