"""Aria: learned vectors look at what SigLIP's encoder saw, before a decoder with experts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.sourced import SourcedAttention
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.models.glm4_moe.model import Glm4Moe
from symledger.models.shared.seeing import Answer, Seeing
from symledger.models.siglip.model import SiglipImage
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, narrow, param, view
from symledger.sizes import Size

LI = "Li et al., Aria (2024)"
SIDES: Mapping[Size, Expr] = {sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p}
"""How large an image is."""


@dataclass(frozen=True)
class UnreadNorm(SiglipImage):
    """The same encoder read before its last norm, which is computed, and left idle."""

    def through(self, x: Tensor) -> Tensor:
        hidden = self.blocks(x)
        leave_idle(LayerNorm(self.d)(hidden, name="final_norm"))
        return hidden


@dataclass(frozen=True)
class Looking(Component):
    """Learned vectors attend to those of an image: T_tok of N_q that there are, by its size.

    Queries, keys and values are mapped twice, and what is seen is, after that.
    Source: Li et al., *Aria* (2024); transformers 5.23, ``AriaProjector``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    N_q: Expr = sizes.N_q
    T_tok: Expr = sizes.T_tok
    d_out: Expr = sizes.d_out

    signature: ClassVar[str] = "B T_img d -> B T_tok d_out"
    title: ClassVar[str] = "learned vectors that look at an image, two maps"

    def forward(self, x: Tensor) -> Steps:
        asking = narrow(param("queries", self.N_q, self.d), 0, 0, self.T_tok)
        asking = expand(view("q d -> () q d", asking), (x.shape[0], self.T_tok, self.d))
        asking = LayerNorm(self.d)(asking, name="query_norm")
        shown = LayerNorm(self.d)(x, name="key_norm")
        q = Linear(self.d, self.d, bias=False)(asking, name="Q")
        k, v = (Linear(self.d, self.d, bias=False)(shown, name=name) for name in "KV")
        attention = SourcedAttention(self.d, self.h, self.d / self.h, self.d, self.d, bias=True)
        seen = Linear(self.d, self.d)(attention(q, k, v, name="attention"), name="O")
        network = Projector(self.d, self.d_out, self.d_out, "gelu_new", bias=False)
        return steps(seen=seen, y=network(LayerNorm(self.d)(seen, name="norm"), name="network"))


@dataclass(frozen=True)
class Aria(Glm4Moe, Seeing):
    """Aria: a decoder with routed and shared experts, to which learned vectors show an image.

    An image fills T_tok positions, of N_q learned vectors, as many as its size asks for.
    Source: Li et al., *Aria* (2024).
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    N_q: Expr = sizes.N_q
    T_tok: Expr = sizes.T_tok
    partly: Literal[False] = False
    qk_norm: Literal[False] = False
    attention_bias: Annotated[bool, Seldom()] = False
    output_bias: Annotated[bool, Seldom()] = False
    shared: Annotated[bool, Seldom()] = True
    balanced: Literal[False] = False
    windows: Literal["none"] = "none"
    dense_layers: Literal[False] = False
    image_activation: Plain = "gelu_tanh"

    title: ClassVar[str] = "a decoder with experts, to which learned vectors show an image"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Glm4Moe.assumptions, sizes.f_img: 4 * sizes.d_img, sizes.T_tok: sizes.N_q,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = {**Glm4Moe.definitions, **SIDES}
    references: ClassVar[tuple[str, ...]] = (LI,)

    def tower(self) -> Component:
        return UnreadNorm(
            self.d_img, self.L_img, self.h_img, self.f_img, self.image_activation,
            C_in=self.C_in, P=self.P, H_p=self.H_p, T=self.H_p * self.W_p, pooled=False,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        looking = Looking(self.d_img, self.h_img, self.N_q, self.T_tok, self.d)
        return looking(seen, name="projector")
