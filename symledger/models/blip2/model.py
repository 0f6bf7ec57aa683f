"""BLIP-2: a vision transformer, queries that read it, one map, and a decoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.opt.model import OPT
from symledger.models.shared.querying import LI, Blip2Vision, QFormer
from symledger.models.shared.seeing import Answer, Seeing
from symledger.notation.component import Component
from symledger.notation.verbs import expand, join, narrow, param, view
from symledger.sizes import Size

ASSUMED: Mapping[Size, Expr] = {
    sizes.f_img: 4 * sizes.d_img, sizes.f_qf: 4 * sizes.d_qf,
}  # fmt: skip
GRID: Mapping[Size, Expr] = {
    sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p, sizes.T_tok: sizes.n_q,
}  # fmt: skip
"""How large an image is, and that each query's vector is a position of the sequence."""


@dataclass(frozen=True)
class Querying(Seeing):
    """A decoder that is shown what n_q learned queries read of each image.

    Source: Li et al., *BLIP-2* (2023), section 3.1.
    """

    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    n_q: Expr = sizes.n_q
    d_qf: Expr = sizes.d_qf
    L_qf: Expr = sizes.L_qf
    L_qx: Expr = sizes.L_qx
    h_qf: Expr = sizes.h_qf
    f_qf: Expr = sizes.f_qf
    image_activation: Plain = "gelu"
    query_activation: Plain = "gelu"
    qkv_bias: Annotated[bool, Seldom()] = True

    def tower(self) -> Component:
        return Blip2Vision(
            self.C_in, self.P, self.H_p, self.W_p, self.d_img, self.L_img, self.h_img, self.f_img,
            self.image_activation, self.qkv_bias,
        )  # fmt: skip

    def queries(self, images: Expr) -> Tensor:
        """Return the queries, the same for every image."""
        learned = view("n d -> () n d", param("queries", self.n_q, self.d_qf))
        return expand(learned, (images, self.n_q, self.d_qf))

    def reading(self) -> QFormer:
        """Return what lets queries read an image."""
        return QFormer(
            self.d_qf, self.L_qf, self.L_qx, self.h_qf, self.f_qf, self.d_img, self.n_q,
            activation=self.query_activation,
        )  # fmt: skip

    def among(self, x: Tensor, seen: Tensor) -> Tensor:
        """Put what is seen before the words.

        Rows of the table that are narrower than the model take as many of its elements as fit: so
        its implementation does, though no such model was published.
        """
        if self.row == self.d:
            return super().among(x, seen)
        flat = view("(b n) t d -> b (n t d)", seen, b=x.shape[0])
        places = flat.shape[1] / self.d
        taken = narrow(flat, 1, 0, places * self.row)
        seen = view("b (t e) -> b t e", taken, t=places, e=self.row)
        return join([seen, narrow(x, 1, places, x.shape[1] - places)], axis=1)

    def project(self, seen: Tensor) -> Tensor:
        read = self.reading()(self.queries(seen.shape[0]), seen, name="qformer")
        return Linear(self.d_qf, self.d)(read, name="projection")


@dataclass(frozen=True)
class Blip2(OPT, Querying):
    """OPT with images: a vision transformer, of which learned queries read what words begin with.

    Source: Li et al., *BLIP-2* (2023), section 3.
    """

    head: Answer = "lm"

    title: ClassVar[str] = "OPT with images, read by learned queries, one map"
    assumptions: ClassVar[dict[Size, Expr]] = {**OPT.assumptions, **ASSUMED}
    definitions: ClassVar[dict[Size, Expr]] = {**GRID}
    references: ClassVar[tuple[str, ...]] = (LI,)
