"""HY-V4: latent attention chosen by an indexer, with sinks and gates, and residual streams."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.blocks.hyper import StreamReading
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.deepseek_v32.model import DeepSeekV32
from symledger.models.shared.latent import IndexedLatentAttention
from symledger.models.shared.streams import StreamBlock, as_streams
from symledger.notation.component import Component
from symledger.notation.verbs import apply

CLASS = "transformers 5.23, HYV4ForCausalLM"


@dataclass(frozen=True)
class SinkIndexedAttention(IndexedLatentAttention):
    """Indexed latent attention with a learned sink for every head, behind a gate of all elements.

    Source: transformers 5.23, ``HYV4Attention``.
    """

    title: ClassVar[str] = "latent attention chosen by an indexer, with sinks, behind a gate"

    def core(self) -> Component:
        width = self.d_h + self.d_rot
        return ScaledDotProduct(self.h, self.h, width, self.d_v, causal=True, sinks=True)

    def leaving(self, x: Tensor, source: Tensor, z: Tensor) -> Tensor:
        gate = Linear(self.d, self.h * self.d_v, bias=False)(x, name="gate")
        gated: Tensor = super().leaving(x, source, z) * apply("sigmoid", gate)
        return gated


@dataclass(frozen=True)
class HYV4(DeepSeekV32):
    """The decoder-only transformer of HY-V4: GLM-5's attention, and n_s residual streams.

    Both parts of a layer read a sum of the streams by weights of every token, and write to all;
    nothing else mixes streams. Attention has sinks, and a gate before the map back; experts cut
    their values off, the shared one and dense networks do not.
    Source: transformers 5.23, ``HYV4ForCausalLM``.
    """

    n_s: Expr = sizes.n_s
    activation: Literal["silu"] = "silu"

    title: ClassVar[str] = "decoder, indexed latent attention with sinks, residual streams, experts"
    references: ClassVar[tuple[str, ...]] = (CLASS,)

    def attention(self) -> IndexedLatentAttention:
        plain = super().attention()
        return SinkIndexedAttention(**{f.name: getattr(plain, f.name) for f in fields(plain)})

    def block(self, network: Component | None = None) -> Component:
        plain = super().block(network or self.mixture())
        assert isinstance(plain, PreLNBlock)
        kept = {f.name: getattr(plain, f.name) for f in fields(plain)}
        return StreamBlock(**kept, n_s=self.n_s)

    def mixture(self) -> Component:
        """Return the network of layers that have experts."""
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, self.E_s, self.activation,
            beside=self.network(self.E_s * self.d_exp), cut=True,
        )  # fmt: skip

    def place(self, x: Tensor) -> Tensor:
        return as_streams(super().place(x), self.n_s)

    def normalize(self, x: Tensor) -> Tensor:
        return super().normalize(StreamReading(self.n_s, self.d)(x, name="streams"))
