"""Latent attention: keys and values are mapped from one small vector, which is all that is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, sqrt

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.errors import DefinitionError
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, expand, join, narrow, param, remembered, state, view
from symledger.sizes import Size

DEEPSEEK = "DeepSeek-AI, DeepSeek-V2 (2024), section 2.1"


@dataclass(frozen=True)
class LatentDotProduct(ScaledDotProduct):
    """Scaled dot products of latent vectors, with the scale of the keys that they stand for."""

    d_scale: Expr = sizes.d_k

    @property
    def scale(self) -> Expr:
        return 1 / sqrt(self.d_scale)


@dataclass(frozen=True)
class LatentAttention(Component):
    """Causal attention whose keys and values are mapped from a latent vector of width d_c.

    A head's query and key have d_h elements that carry no position, and d_rot more that are
    turned by it; the turned part of the key is mapped from x and is the same for all heads. With
    ``low_rank`` queries come from a latent vector as well. What decoding keeps is d_c + d_rot
    elements a position, whatever the heads; given what was kept, or with ``cached``, the T
    positions come after others.

    Every position's keys and values are expanded from its latent vector, remembered ones
    included, as the reference implementation does; ``absorbed`` maps queries to latent vectors
    and mixed latent vectors to values instead. The result is the same, and so are the weights.
    A ``bias`` is that of the maps to latent vectors and of the last map.
    Source: DeepSeek-AI, *DeepSeek-V2* (2024), section 2.1, equations 9 to 19, and its appendix B;
    transformers, ``DeepseekV3Attention``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_v: Expr = sizes.d_v
    d_c: Expr = sizes.d_c
    d_rot: Expr = sizes.d_rot
    d_q: Expr = sizes.d_q
    low_rank: bool = True
    bias: bool = False
    absorbed: bool = False
    cached: Expr | None = None

    signature: ClassVar[str] = "B T d, B P d_c, B P d_rot -> B T d"
    title: ClassVar[str] = "attention with keys and values mapped from one small vector (MLA)"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_v: sizes.d_h}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "decoding one token": {sizes.T: 1, sizes.d_v: sizes.d_h},
    }
    references: ClassVar[tuple[str, ...]] = (f"{DEEPSEEK}, equations 9 to 19",)

    def forward(
        self, x: Tensor, past_c: Tensor | None = None, past_r: Tensor | None = None
    ) -> Steps:
        if (past_c is None) != (past_r is None):
            raise DefinitionError("latent attention takes both of what it keeps, or neither.")
        if self.cached is not None:
            before = self.cached - x.shape[1]
            past_c = remembered("past_c", x.shape[0], before, self.d_c)
            past_r = remembered("past_r", x.shape[0], before, self.d_rot)
        offset = Integer(0) if past_c is None else past_c.shape[1]
        source = self.source(x)
        self.choose(x, source, offset)
        q, q_r = self.queries(source, offset)
        c, r = self.latents(x, offset)
        if past_c is not None and past_r is not None:
            c, r = join([past_c, c], axis=1), join([past_r, r], axis=1)
        c, r = state(c, self.window), state(r, self.window)
        z = (self.absorbing if self.absorbed else self.expanding)(q, q_r, c, r)
        merged = self.leaving(x, source, z)
        y = Linear(self.h * self.d_v, self.d, self.bias)(merged, name="O")
        return steps(q=q, q_r=q_r, c=c, r=r, z=z, y=y)

    @property
    def window(self) -> Expr | None:
        """How many positions a query sees, where that is fewer than all before it."""
        return None

    def source(self, x: Tensor) -> Tensor:
        """Return what queries are mapped from: a latent vector, if they have one."""
        if not self.low_rank:
            return x
        down = Linear(self.d, self.d_q, self.bias)(x, name="Q_down")
        return RMSNorm(self.d_q)(down, name="norm_Q")

    def choose(self, x: Tensor, source: Tensor, offset: Expr) -> None:
        """Choose the positions that are attended to; here, all that came before."""

    def leaving(self, x: Tensor, source: Tensor, z: Tensor) -> Tensor:
        """Join the heads for the map back."""
        return view("B T h v -> B T (h v)", z)

    def queries(self, source: Tensor, offset: Expr) -> tuple[Tensor, Tensor]:
        """Return the queries of all heads: what carries no position, and what is turned by it."""
        width = self.d_h + self.d_rot
        wide = Linear(source.shape[-1], self.h * width, bias=False)(source, name="Q")
        q = view("B T (h k) -> B T h k", wide, h=self.h, k=width)
        turned = narrow(q, -1, self.d_h, self.d_rot)
        return narrow(q, -1, 0, self.d_h), self.turned("Q", turned, offset)

    def turned(self, name: str, x: Tensor, offset: Expr) -> Tensor:
        """Turn what carries the position."""
        return RotaryPositions(self.d_rot, offset)(x, name=f"rotary_{name}")

    def latents(self, x: Tensor, offset: Expr) -> tuple[Tensor, Tensor]:
        """Return what is kept: the latent vector, and the part of all keys that is turned."""
        both = Linear(self.d, self.d_c + self.d_rot, self.bias)(x, name="KV_down")
        c = RMSNorm(self.d_c)(narrow(both, -1, 0, self.d_c), name="norm_KV")
        shared = view("B T r -> B T () r", narrow(both, -1, self.d_c, self.d_rot))
        r = self.turned("K", shared, offset)
        return c, view("B T () r -> B T r", r)

    def expanding(self, q: Tensor, q_r: Tensor, c: Tensor, r: Tensor) -> Tensor:
        """Map every latent vector to keys and values of all heads, and mix these."""
        k = einsum("B S c, c h k -> B S h k", c, self.up("K", self.d_h))
        v = einsum("B S c, c h v -> B S h v", c, self.up("V", self.d_v))
        k_r = expand(view("B S r -> B S () r", r), (*k.shape[:-1], self.d_rot))
        whole = self.joined(q, q_r, c.shape[1] - q.shape[1])
        return self.core()(whole, join([k, k_r]), v, name="core")

    def joined(self, q: Tensor, q_r: Tensor, offset: Expr) -> Tensor:
        """Join what carries no position and what is turned by it; the first stands at offset."""
        return join([q, q_r])

    def core(self) -> Component:
        """Return how the heads mix what they see."""
        return ScaledDotProduct(self.h, self.h, self.d_h + self.d_rot, self.d_v, causal=True)

    def absorbing(self, q: Tensor, q_r: Tensor, c: Tensor, r: Tensor) -> Tensor:
        """Map queries to latent vectors, mix these, and map the mixtures to values."""
        q_c = einsum("B T h k, c h k -> B T h c", q, self.up("K", self.d_h))
        core = LatentDotProduct(
            self.h, ONE, self.d_c + self.d_rot, self.d_c, causal=True,
            d_scale=self.d_h + self.d_rot,
        )  # fmt: skip
        keys = view("B S c -> B S () c", join([c, r]))
        values = view("B S c -> B S () c", c)
        z_c = core(join([q_c, q_r]), keys, values, name="core")
        return einsum("B T h c, c h v -> B T h v", z_c, self.up("V", self.d_v))

    def up(self, name: str, width: Expr) -> Tensor:
        """Return the weights that map a latent vector to all heads."""
        return param(f"W_{name}", self.d_c, self.h, width)
