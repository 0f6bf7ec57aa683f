"""AIMv2: a vision transformer whose layers are those of a decoder, trained to tell what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Mod, Piecewise, Symbol, cos, floor, sin

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.embeddings.rotary import BASE
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, param, repeat, table, view
from symledger.sizes import Size

FINI = "Fini et al., Multimodal Autoregressive Pre-training of Large Vision Encoders (2024)"


@dataclass(frozen=True)
class Aimv2(Component):
    """RMSNorm and gated networks over all patches, which see each other.

    A ``pooled`` result is what one learned query takes of them: their keys and values are mapped,
    and what it took is. Places have learned rows, or, ``native``, are told by sines and cosines of
    rows and of columns. Maps of attention have biases with ``qkv_bias``, networks with
    ``mlp_bias``.
    Source: Fini et al. (2024), section 2 and its implementation.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    pooled: bool = True
    native: Annotated[bool, Seldom()] = False
    qkv_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False
    activation: Gating = "silu"

    title: ClassVar[str] = "encoder over patches with RMSNorm and gated networks"
    definitions: ClassVar[dict[Size, Expr]] = PatchEmbedding.definitions
    references: ClassVar[tuple[str, ...]] = (f"{FINI}, section 2",)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on a choice
        """The type line."""
        return f"B C_in H W -> B {'d' if self.pooled else '(H_p W_p) d'}"

    def block(self) -> Component:
        """Return the block that is repeated."""
        width = self.d / self.h
        return PreLNBlock(
            self.d, norm="rms", causal=False,
            attention=Attention(self.d, self.h, self.h, width, width, self.qkv_bias),
            network=GatedFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias),
        )  # fmt: skip

    def placed(self, x: Tensor) -> Tensor:
        """Tell patches where they stand."""
        if not self.native:
            return LearnedPositions(self.H_p * self.W_p, self.d)(x, name="positions")
        quarter = self.d / 4

        def angle(t: Symbol, i: Symbol) -> Expr:
            at = Piecewise((Mod(t, self.W_p), i < 2 * quarter), (floor(t / self.W_p), True))
            turn = at / BASE ** (Mod(i, quarter) / quarter)
            return Piecewise((sin(turn), Mod(floor(i / quarter), 2) < 1), (cos(turn), True))

        return x + table("places", angle, x.shape[1], self.d)

    def taken(self, x: Tensor) -> Tensor:
        """Return what one learned query takes of all patches."""
        B, width = x.shape[0], self.d / self.h
        one = view("(h k) -> () () h k", param("c", self.d), h=self.h)
        query = expand(one, (B, ONE, self.h, width))
        k, v = (
            view("B T (h k) -> B T h k", Linear(self.d, self.d, self.qkv_bias)(x, name=name),
                 h=self.h)
            for name in "KV"
        )  # fmt: skip
        z = ScaledDotProduct(self.h, self.h, width, width)(query, k, v, name="core")
        return Linear(self.d, self.d)(view("B one h k -> B (one h k)", z), name="O")

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.W_p)(x, name="patches")
        x = self.placed(RMSNorm(self.d)(cut, name="first_norm"))
        hidden = RMSNorm(self.d)(repeat(self.block(), self.L, x, name="block"), name="final_norm")
        if not self.pooled:
            return steps(hidden=hidden)
        return steps(hidden=hidden, pooled=self.taken(hidden))
