"""Phi-4-multimodal: Phi-3, SigLIP's encoder over an image and its tiles, and a conformer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.phi3.model import Phi3
from symledger.models.phi4_sound.model import ABOUELENIN, CUT, Phi4Sound
from symledger.models.shared.listening import Answer, Listening
from symledger.models.shared.seeing import Seeing
from symledger.models.shared.windows import Windows
from symledger.models.siglip.model import SiglipImage
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import drawn, expand, join, narrow, param, repeat, view
from symledger.sizes import Size, T_f

TWO = Integer(2)
"""Side of the squares of patches that are averaged (transformers 5.23)."""
SEEN: dict[Size, Expr] = {
    sizes.H: TWO * sizes.P * sizes.H_g, sizes.W: TWO * sizes.P * sizes.W_g,
    sizes.T_tok: sizes.T_vis + sizes.H_k + 1 + sizes.H_g * sizes.W_g + sizes.H_g,
}  # fmt: skip
"""How large each picture is, and how many positions an image fills."""
WHOLE: dict[Size, Expr] = {sizes.T_vis: (sizes.N_t - 1) * sizes.H_g * sizes.W_g}
"""Nothing of an image is padding, so that all vectors of its tiles are kept."""


@dataclass(frozen=True)
class SiglipInner(SiglipImage):
    """SigLIP's encoder that is read before its last L_u blocks, which are computed all the same.

    So are the norm and the attention behind them; nothing reads these.
    Source: transformers 5.23, ``Phi4MultimodalImageEmbedding``.
    """

    L_u: Expr = sizes.L_u
    inner: bool = True

    signature: ClassVar[str] = "B C_in H W -> B T d"
    title: ClassVar[str] = "pre-LN encoder over patches, read before it ends"

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.T / self.H_p)
        placed = LearnedPositions(self.T, self.d)(cut(x, name="patches"), name="positions")
        number = self.L - self.L_u if self.inner else self.L
        read = last = repeat(self.block(), number, placed, name="block")
        if self.inner:
            last = repeat(self.block(), self.L_u, read, name="unread_block")
        leave_idle(self.read(LayerNorm(self.d)(last, name="final_norm")))
        return steps(placed=placed, y=read)


@dataclass(frozen=True)
class Phi4Multimodal(Phi3, Seeing, Listening):
    """Phi-3 that sees an image as N_t pictures, all of it and its tiles, and hears.

    Of each picture every four patches are one vector, their average. Of the tiles' vectors, which
    are laid out as the image is, in H_k rows, T_vis are kept; a learned vector ends each row, and
    another one stands between them and the rows of the whole. What is heard goes through two maps,
    of which there are others for when nothing is seen; these are held here.
    Source: Abouelenin et al., *Phi-4-Mini Technical Report* (2025), section 2.1; transformers 5.23,
    ``Phi4MultimodalForCausalLM``.
    """

    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    N_t: Expr = sizes.N_t
    T_vis: Expr = sizes.T_vis
    H_k: Expr = sizes.H_k
    L_u: Expr = sizes.L_u
    C_1: Expr = sizes.C_i[0]
    K: Expr = sizes.K
    n_r: Expr = sizes.n_r
    w_smx: Expr = sizes.w_smx
    head: Answer = "lm"
    activation: Gating = "silu"
    windows: Annotated[Windows, Seldom()] = "none"
    flash: Annotated[bool, Seldom()] = False
    partly: Annotated[bool, Seldom()] = False
    inner: Annotated[bool, Seldom()] = True
    image_activation: Plain = "gelu_tanh"
    sound_activation: Gating = "silu"

    ear_name: ClassVar[str] = "ear"
    signature: ClassVar[str] = "B T in V, B n_img N_t C_in H W, B n_snd T_f C -> B T out"
    whole: ClassVar[dict[str, str]] = {
        "tokens": "B T in V", "images": "B n_img N_t C_in H W", "sounds": "B n_snd T_f C",
    }  # fmt: skip
    title: ClassVar[str] = "Phi-3 with images, as a whole and tile by tile, and with sounds"
    definitions: ClassVar[dict[Size, Expr]] = {**CUT, **SEEN}
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Phi3.assumptions, **WHOLE, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        ABOUELENIN.replace("2.1.2", "2.1"), "transformers 5.23, Phi4MultimodalForCausalLM",
    )  # fmt: skip

    @property
    def frames(self) -> Expr:
        return T_f

    def tower(self) -> Component:
        down, across = TWO * self.H_g, TWO * self.W_g
        return SiglipInner(
            self.d_img, self.L_img, self.h_img, self.f_img, self.image_activation,
            C_in=self.C_in, P=self.P, H_p=down, T=down * across, L_u=self.L_u, inner=self.inner,
        )  # fmt: skip

    def ear(self) -> Component:
        return Phi4Sound(
            self.C, self.C_1, self.d_snd, self.L_snd, self.h_snd, self.f_snd, self.K, self.n_r,
            self.w_smx, self.sound_activation,
        )  # fmt: skip

    def look(self, images: Tensor) -> Tensor:
        """See all pictures, lay their vectors out as the image is, and project them."""
        pictures = view("b n k c h w -> (b n k) c h w", images)
        seen = self.tower()(pictures, name="tower")
        merging = PatchMerging(self.d_img, TWO, self.H_g, self.W_g, averaged=True)
        together = view("(m k) t d -> m (k t) d", merging(seen, name="merging"), k=images.shape[2])
        kept = narrow(together, 1, 0, self.H_g * self.W_g + self.T_vis)
        ends = self.learned("line_end", kept, self.H_k + self.H_g)
        laid = join([kept, ends, self.learned("between", kept, ONE)], axis=1)
        return Projector(self.d_img, self.d, self.d, "gelu")(laid, name="image_projector")

    def learned(self, name: str, beside: Tensor, times: Expr) -> Tensor:
        """Return a learned vector so many times for each image."""
        vector = view("d -> () () d", param(name, self.d_img))
        return expand(vector, (beside.shape[0], times, self.d_img))

    def project(self, heard: Tensor) -> Tensor:
        for name, *shape in (("W_1", self.d_snd, self.d), ("b_1", self.d),
                             ("W_2", self.d, self.d), ("b_2", self.d)):  # fmt: skip
            leave_idle(param(f"alone_{name}", *shape))
        return Projector(self.d_snd, self.d, self.d, "gelu")(heard, name="sound_projector")

    def forward(  # type: ignore[override]  # images enter as well
        self, tokens: Tensor, images: Tensor | None = None, sounds: Tensor | None = None
    ) -> Steps:
        """Embed words, see images, hear sounds, and do with all what the decoder does."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        if images is None or sounds is None:
            return self.ended(x, E)
        seen, heard = self.look(images), self.listen(sounds)
        here = [view("b t -> b t ()", drawn(f"is_{x}", *tokens.shape)) for x in ("image", "other")]
        return self.ended(self.put(x, seen) * here[0] + self.put(x, heard) * here[1], E)

    def put(self, x: Tensor, vectors: Tensor) -> Tensor:
        """Put what is seen, or heard, in the place of words; where they stand changes no count."""
        rows = view("(b n) t d -> b (n t) d", vectors, b=x.shape[0])
        return join([rows, narrow(x, 1, rows.shape[1], x.shape[1] - rows.shape[1])], axis=1)
