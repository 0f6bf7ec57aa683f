"""Llama 3.2 Vision: LLaMA, some of whose blocks attend to what was seen and to no words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.errors import DefinitionError
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama
from symledger.models.mllama_vision.model import GRATTAFIORI, MllamaVision, gate
from symledger.models.shared.seeing import Answer, Seeing
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import param, repeat, view
from symledger.sizes import Size

FURTHER = 8
"""Rows of the table beyond the vocabulary: one is for images, and none is ever written."""


@dataclass(frozen=True)
class GatedCrossing(Component):
    """A block that attends to a memory alone; tanh of a learned number multiplies what parts add.

    Source: Grattafiori et al. (2024), section 7.2; Alayrac et al., *Flamingo* (2022), section 2.2.
    """

    d: Expr
    attention: Component
    network: Component

    signature: ClassVar[str] = "B T d, B S d -> B T d"

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Steps:
        known = [] if memory is None else [memory]
        entered = RMSNorm(self.d)(x, name="norm_1")
        middle = x + self.attention(entered, *known, name="attention") * gate("g_attention")
        fed = self.network(RMSNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed * gate("g_network"))


@dataclass(frozen=True)
class Crossed(Llama):
    """LLaMA, L_ca of whose blocks attend to what was seen, in place of the words before.

    Its keys and values are remembered. The table has some rows more than words are written.
    Source: Grattafiori et al., *The Llama 3 Herd of Models* (2024), section 7.2.
    """

    head: Answer = "lm"
    tied: Literal[False] = False
    flash: Annotated[bool, Seldom()] = False
    attention_bias: Literal[False] = False
    mlp_bias: Literal[False] = False
    activation: Gating = "silu"
    L_ca: Expr = sizes.L_ca

    decoding: ClassVar[dict[str, str]] = {"tokens": "B one in rows"}
    assumptions: ClassVar[dict[Size, Expr]] = {**Llama.assumptions}
    references: ClassVar[tuple[str, ...]] = (
        GRATTAFIORI, "transformers 5.23, MllamaForConditionalGeneration",
    )  # fmt: skip

    @property
    def rows(self) -> Expr:
        """The rows of the table."""
        return self.V + FURTHER

    @property
    def met(self) -> Expr:
        """How many vectors were seen."""
        raise DefinitionError(f"{type(self).__name__} does not say how much it sees: define met.")

    def crossing(self) -> GatedCrossing:
        """Return a block that attends to what is seen, or to what is remembered of it."""
        attention = Attention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, flash=self.flash, qk_norm="rms",
            met=self.met if self.cached else None,
        )  # fmt: skip
        return GatedCrossing(self.d, attention, self.network())

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        return TokenEmbedding(self.rows, self.d)(tokens, E, name="token_embedding")

    def told(self, tokens: Tensor, memory: Tensor | None) -> Steps:
        """Embed words, and send them through blocks that attend to one another, or to a memory."""
        if memory is None and not self.cached:
            raise DefinitionError(f"{type(self).__name__} is shown images, or has met them before.")
        E = param("E", self.rows, self.d)
        x = replace(self, L=self.L - self.L_ca).through(self.embed(tokens, E))
        known = [] if memory is None else [memory]
        x = repeat(
            self.crossing(), self.L_ca, x, *known, name="crossing_block", recompute=self.recompute
        )
        return self.scored(x, E)


@dataclass(frozen=True)
class MllamaText(Crossed):
    """The decoder of Llama 3.2 Vision by itself, to which S_img vectors are shown.

    Source: Grattafiori et al., *The Llama 3 Herd of Models* (2024), section 7.2.
    """

    S_img: Expr = sizes.S_img

    signature: ClassVar[str] = "B T in rows, B S_img d -> B T out"
    whole: ClassVar[dict[str, str]] = {"tokens": "B T in rows", "memory": "B S_img d"}
    title: ClassVar[str] = "LLaMA with blocks that attend to what was seen, behind gates"

    @property
    def met(self) -> Expr:
        return self.S_img

    def forward(self, tokens: Tensor, memory: Tensor | None = None) -> Steps:
        return self.told(tokens, memory)


@dataclass(frozen=True)
class Mllama(Crossed, Seeing):
    """LLaMA with images: some of its blocks attend to the tiles of all of them.

    An image is N_t tiles, whose vectors a map makes as wide as words.
    Source: Grattafiori et al., *The Llama 3 Herd of Models* (2024), section 7.
    """

    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    N_t: Expr = sizes.N_t
    N_ar: Expr = sizes.N_ar
    T_z: Expr = sizes.T_z
    L_v: Expr = sizes.L_v
    L_gl: Expr = sizes.L_gl
    image_activation: Plain = "gelu"

    signature: ClassVar[str] = "B T in rows, B n_img N_t C_in H W -> B T out"
    whole: ClassVar[dict[str, str]] = {"tokens": "B T in rows", "images": "B n_img N_t C_in H W"}
    title: ClassVar[str] = "LLaMA with blocks that attend to the tiles of images, behind gates"
    assumptions: ClassVar[dict[Size, Expr]] = {**Llama.assumptions, sizes.f_img: 4 * sizes.d_img}
    definitions: ClassVar[dict[Size, Expr]] = MllamaVision.definitions

    @property
    def met(self) -> Expr:
        return self.n_img * self.N_t * self.tower().places

    def tower(self) -> MllamaVision:
        return MllamaVision(
            self.C_in, self.P, self.H_p, self.W_p, self.N_t, self.N_ar, self.T_z, self.d_img,
            self.L_img, self.L_v, self.L_gl, self.h_img, self.f_img, self.image_activation,
            self.flash,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        return Linear(self.tower().wide, self.d)(seen, name="projection")

    def forward(self, tokens: Tensor, images: Tensor | None = None) -> Steps:
        """See all tiles of all images, one after the other, and write with them."""
        if images is None:
            return self.told(tokens, None)
        apart = view("b n k c h w -> (b n) k c h w", images)
        seen = self.project(self.tower()(apart, name="tower"))
        return self.told(tokens, view("(b n) k t d -> b (n k t) d", seen, b=images.shape[0]))
