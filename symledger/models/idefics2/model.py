"""Idefics2: what SigLIP's encoder saw, resampled by learned vectors, before Mistral."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, cast

from sympy import Expr

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.mistral.model import Mistral
from symledger.models.shared.seeing import Answer, Seeing
from symledger.models.shared.windows import Windows
from symledger.models.siglip.model import SiglipImage
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, param, repeat, view
from symledger.sizes import Size

ALAYRAC = "Alayrac et al., Flamingo (2022)"
LAURENCON = "Laurençon et al., What matters when building vision-language models? (2024)"
SIDES: Mapping[Size, Expr] = {
    sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p, sizes.T_tok: sizes.N_q,
}  # fmt: skip
"""How large an image is, and how many positions it fills."""


@dataclass(frozen=True)
class LatentLayer(Component):
    """Learned vectors attend to what is seen and to themselves, then go through a network.

    Source: Alayrac et al., *Flamingo* (2022).
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    activation: Plain = "silu"

    signature: ClassVar[str] = "B T d, B S d -> B T d"
    title: ClassVar[str] = "learned vectors attend to an image and to themselves, then a network"

    def forward(self, x: Tensor, image: Tensor) -> Steps:
        asking = RMSNorm(self.d)(x, name="norm_1")
        shown = join([RMSNorm(self.d)(image, name="image_norm"), asking], axis=1)
        q = self.heads("Q", asking, self.h)
        k, v = (self.heads(name, shown, self.h_kv) for name in "KV")
        z = ScaledDotProduct(self.h, self.h_kv, self.d_h, self.d_h)(q, k, v, name="core")
        merged = view("B T h v -> B T (h v)", z)
        middle = x + Linear(self.h * self.d_h, self.d, bias=False)(merged, name="O")
        network = GatedFeedForward(self.d, 4 * self.d, self.activation)
        fed = network(RMSNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)

    def heads(self, name: str, x: Tensor, number: Expr) -> Tensor:
        """Map x, and split the result into heads."""
        wide = Linear(self.d, number * self.d_h, bias=False)(x, name=name)
        return view("B T (h k) -> B T h k", wide, h=number, k=self.d_h)


@dataclass(frozen=True)
class Resampler(Component):
    """N_q learned vectors, which several layers make of what is seen, however much that is.

    Source: Alayrac et al., *Flamingo* (2022); Laurençon et al. (2024).
    """

    N_q: Expr = sizes.N_q
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    activation: Plain = "silu"

    signature: ClassVar[str] = "B T_img d -> B N_q d"
    title: ClassVar[str] = "learned vectors made of what is seen, layer by layer"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (ALAYRAC, LAURENCON)

    def forward(self, x: Tensor) -> Steps:
        learned = view("q d -> () q d", param("latents", self.N_q, self.d))
        latents = expand(learned, (x.shape[0], self.N_q, self.d))
        layer = LatentLayer(self.d, self.h, self.h_kv, self.d_h, self.activation)
        y = repeat(layer, self.L, latents, x, name="layer")
        return steps(y=RMSNorm(self.d)(y, name="final_norm"))


@dataclass(frozen=True)
class Idefics2(Mistral, Seeing):
    """Mistral with images: SigLIP's vectors, through a gated network, resampled to N_q of them.

    Source: Laurençon et al. (2024).
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    windows: Annotated[Windows, Seldom()] = "none"
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    N_q: Expr = sizes.N_q
    L_lat: Expr = sizes.L_lat
    h_lat: Expr = sizes.h_lat
    k_lat: Expr = sizes.k_lat
    d_lat: Expr = sizes.d_lat
    image_activation: Plain = "gelu_tanh"
    resampler_activation: Plain = "silu"

    title: ClassVar[str] = "Mistral with images, of which learned vectors tell"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Mistral.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = dict(SIDES)
    references: ClassVar[tuple[str, ...]] = (LAURENCON, ALAYRAC)

    def tower(self) -> Component:
        return SiglipImage(
            self.d_img, self.L_img, self.h_img, self.f_img, self.image_activation,
            C_in=self.C_in, P=self.P, H_p=self.H_p, T=self.H_p * self.W_p, pooled=False,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        kind = cast("Plain", self.activation)
        projector = Projector(self.d_img, self.d_ff, self.d, kind, bias=False, gated=True)
        resampler = Resampler(
            self.N_q, self.d, self.L_lat, self.h_lat, self.k_lat, self.d_lat,
            self.resampler_activation,
        )  # fmt: skip
        return resampler(projector(seen, name="projector"), name="resampler")
