"""Video-LLaVA: an encoder of images and one of films, one projector, and LLaMA."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.ir.tensor import Tensor
from symledger.models.llava.model import Llava
from symledger.models.shared.seeing import Answer
from symledger.notation.component import Steps
from symledger.notation.verbs import join, param, view

LIN = "Lin et al., Video-LLaVA (2023)"


@dataclass(frozen=True)
class VideoLlava(Llava):
    """LLaVA that sees films as well, frame by frame, by another encoder of the same sizes.

    Of each of the N_f frames that a sequence's films have together all vectors are positions of it,
    the class vector too. What both encoders saw goes through the same two maps. Images and films
    are given together.
    Source: Lin et al., *Video-LLaVA* (2023).
    """

    head: Answer = "lm"
    flash: Annotated[bool, Seldom()] = False
    attention_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False
    N_f: Expr = sizes.N_f

    signature: ClassVar[str] = "B T in V, B n_img C_in H W, B N_f C_in H W -> B T out"
    whole: ClassVar[dict[str, str]] = {
        "tokens": "B T in V", "images": "B n_img C_in H W", "films": "B N_f C_in H W",
    }  # fmt: skip
    title: ClassVar[str] = "LLaMA with images and films, an encoder of each, two maps"
    references: ClassVar[tuple[str, ...]] = (LIN, *Llava.references)

    def forward(
        self, tokens: Tensor, images: Tensor | None = None, films: Tensor | None = None
    ) -> Steps:
        """Embed words, see images and films, and do with all what the decoder does with words."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        if images is None or films is None:
            return self.ended(x, E)
        apart = view("b n c h w -> (b n) c h w", images)
        frames = view("b n c h w -> (b n) c h w", films)
        seen = self.tower()(apart, name="tower")
        watched = replace(self.tower(), all_read=True)(frames, name="film_tower")
        both = [view("(b n) t d -> b (n t) d", y, b=x.shape[0]) for y in (seen, watched)]
        return self.ended(self.among(x, self.project(join(both, axis=1))), E)
