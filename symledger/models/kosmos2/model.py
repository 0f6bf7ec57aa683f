"""Kosmos-2: CLIP's encoder, learned queries that read it, and XGLM with norms inside its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.sourced import SourcedAttention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.image_blocks.patches import ImageEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.clip.model import Tower, unit
from symledger.models.shared.seeing import Answer, Seeing
from symledger.models.xglm.model import XGLM
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, param, view
from symledger.sizes import Size

PENG = "Peng et al., Kosmos-2 (2023), section 3.1"
WANG = "Wang et al., Magneto (2022), section 3"
GRID: Mapping[Size, Expr] = {
    sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p, sizes.T_tok: sizes.n_q,
}  # fmt: skip


@dataclass(frozen=True)
class NormedAttention(Attention):
    """Attention whose heads are normalized together before they are mapped back.

    Source: Wang et al., *Magneto* (2022), section 3.
    """

    def leaving(self, x: Tensor, z: Tensor) -> Tensor:
        return LayerNorm(self.h * self.d_v)(super().leaving(x, z), name="inner_norm")


@dataclass(frozen=True)
class NormedFeedForward(FeedForward):
    """A network whose hidden values are normalized before they are mapped back.

    Source: Wang et al., *Magneto* (2022), section 3.
    """

    def forward(self, x: Tensor) -> Steps:
        u = Linear(self.d, self.d_ff, self.bias)(x, name="1")
        a = LayerNorm(self.d_ff)(act(self.activation, u), name="inner_norm")
        return steps(u=u, a=a, y=Linear(self.d_ff, self.d, self.bias)(a, name="2"))


@dataclass(frozen=True)
class Kosmos2Text(XGLM):
    """The decoder of Kosmos-2: XGLM's, with a norm before the last map of each part as well.

    Source: Wang et al., *Magneto* (2022), section 3; Peng et al., *Kosmos-2* (2023), section 3.1.
    """

    head: Answer = "lm"
    activation: Plain = "gelu"

    title: ClassVar[str] = "decoder-only transformer, norms before and inside each part"
    references: ClassVar[tuple[str, ...]] = (PENG, WANG)

    def block(self) -> Component:
        attention = NormedAttention(
            self.d, self.h, self.h, self.d_h, self.d_h, bias=True, causal=True, cached=self.seen
        )
        network = NormedFeedForward(self.d, self.d_ff, self.activation)
        return PreLNBlock(self.d, norm="layer", attention=attention, network=network)


@dataclass(frozen=True)
class Kosmos2Tower(Tower):
    """CLIP's encoder of images, all of whose vectors are normalized and made of length one.

    The class vector, which is normalized once more for who reads it alone, is not given by itself.
    Source: Peng et al., *Kosmos-2* (2023), section 3.1, and its implementation.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T

    signature: ClassVar[str] = "B C_in H W -> B T d"

    def forward(self, x: Tensor) -> Steps:
        embedding = ImageEmbedding(self.C_in, self.P, self.d, self.H_p, self.T, bias=False)
        entered = LayerNorm(self.d)(embedding(x, name="embedding"), name="first_norm")
        hidden = self.through(entered, causal=False)
        return steps(y=unit(LayerNorm(self.d)(hidden, name="final_norm")))


@dataclass(frozen=True)
class Kosmos2(Kosmos2Text, Seeing):
    """A decoder that is shown what n_q learned queries read of each image.

    One map makes the image's vectors as wide as words; queries attend to them, and to themselves.
    Source: Peng et al., *Kosmos-2* (2023), section 3.1.
    """

    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    n_q: Expr = sizes.n_q
    image_activation: Plain = "quick_gelu"

    title: ClassVar[str] = "a decoder with images: CLIP's vectors, read by learned queries"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **XGLM.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = {**GRID}

    def tower(self) -> Component:
        return Kosmos2Tower(
            self.d_img, self.L_img, self.h_img, self.f_img, activation=self.image_activation,
            C_in=self.C_in, P=self.P, H_p=self.H_p, T=self.H_p * self.W_p + 1,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        wide = Linear(self.d_img, self.d)(seen, name="projection")
        learned = view("n d -> () n d", param("queries", self.n_q, self.d))
        queries = expand(learned, (seen.shape[0], self.n_q, self.d))
        memory = join([wide, queries], axis=1)
        reading = SourcedAttention(self.d, self.h, self.d_h, self.d, self.d, bias=True)
        return reading(queries, memory, memory, name="reading")
