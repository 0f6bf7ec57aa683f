"""BLIP-2 and InstructBLIP: a vision transformer, queries that read it, one map, and a decoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama
from symledger.models.opt.model import OPT
from symledger.models.shared.querying import DAI, LI, Blip2Vision, QFormer
from symledger.models.shared.seeing import Answer, Seeing
from symledger.notation.component import Component, Steps
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


@dataclass(frozen=True)
class Instructed(Querying):
    """A decoder that is shown what queries read of each image once they are told what is asked.

    For each image queries and the T_ins words of an instruction attend to one another, words being
    placed by a table of N_ins rows. Of films each frame is an image here.
    Source: Dai et al., *InstructBLIP* (2023), section 2.2.
    """

    T_ins: Expr = sizes.T_ins
    V_ins: Expr = sizes.V_ins
    N_ins: Expr = sizes.N_ins

    signature: ClassVar[str] = "B T in V, B n_img C_in H W, B n_img T_ins in V_ins -> B T out"
    whole: ClassVar[dict[str, str]] = {
        "tokens": "B T in V", "images": "B n_img C_in H W",
        "instructions": "B n_img T_ins in V_ins",
    }  # fmt: skip

    def reading(self) -> QFormer:
        return replace(super().reading(), V_ins=self.V_ins, N_ins=self.N_ins, told=True)

    def forward(
        self, tokens: Tensor, images: Tensor | None = None, instructions: Tensor | None = None
    ) -> Steps:
        """Embed words, see images as instructions ask, and do with both what the decoder does."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        if images is None or instructions is None:
            return self.ended(x, E)
        seen = self.tower()(view("b n c h w -> (b n) c h w", images), name="tower")
        words = view("b n t -> (b n) t", instructions)
        read = self.reading()(self.queries(words.shape[0]), seen, words, name="qformer")
        shown = Linear(self.d_qf, self.d)(narrow(read, 1, 0, self.n_q), name="projection")
        return self.ended(self.among(x, shown), E)


@dataclass(frozen=True)
class InstructBlip(OPT, Instructed):
    """OPT with images, of which queries read what an instruction asks for.

    Source: Dai et al., *InstructBLIP* (2023), section 2.2.
    """

    head: Answer = "lm"

    title: ClassVar[str] = "OPT with images, read by learned queries that are told what is asked"
    assumptions: ClassVar[dict[Size, Expr]] = {**OPT.assumptions, **ASSUMED}
    definitions: ClassVar[dict[Size, Expr]] = {**GRID}
    references: ClassVar[tuple[str, ...]] = (DAI, LI)


@dataclass(frozen=True)
class InstructBlipLlama(Llama, Instructed):
    """LLaMA with images, of which queries read what an instruction asks for.

    Source: Dai et al., *InstructBLIP* (2023), section 2.2.
    """

    head: Answer = "lm"
    activation: Gating = "silu"

    title: ClassVar[str] = "LLaMA with images, read by learned queries that are told what is asked"
    assumptions: ClassVar[dict[Size, Expr]] = {**Llama.assumptions, **ASSUMED}
    definitions: ClassVar[dict[Size, Expr]] = {**GRID}
    references: ClassVar[tuple[str, ...]] = (DAI, LI)
