"""InstructBLIP: BLIP-2 whose queries are told what is asked, with OPT or LLaMA."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.blip2.model import ASSUMED, DAI, GRID, LI, QFormer, Querying
from symledger.models.llama.model import Llama
from symledger.models.opt.model import OPT
from symledger.models.shared.seeing import Answer
from symledger.notation.component import Steps
from symledger.notation.verbs import narrow, param, view
from symledger.sizes import Size


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
