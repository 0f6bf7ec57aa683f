"""Command R and later: parallel blocks, one norm that shifts nothing, gates, a tied head."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, Norm, ParallelBlock, norm
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Seldom
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Cohere(Decoder):
    """The decoder-only transformer of Command R; ``bias`` gives the maps of attention biases.

    With ``qk_norm``, as in Command R+, every head normalizes its queries and keys, with gains of
    its own.
    Source: Cohere For AI, *Model Card for C4AI Command-R* (2024).
    """

    h_kv: Expr = sizes.h_kv
    bias: bool = False
    qk_norm: bool = False
    activation: Activation = "silu"

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, parallel blocks, SwiGLU, rotary positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Cohere For AI, Model Card for C4AI Command-R (2024)",
    )

    def attention(self) -> Attention:
        """Return the attention of a block."""
        return Attention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.bias, causal=True, rotary=True,
            cached=self.seen,
            qk_norm="layer of each head" if self.qk_norm else None,
        )  # fmt: skip

    def network(self) -> Component:
        """Return the feed-forward network of a block."""
        return GatedFeedForward(self.d, self.d_ff, self.activation)

    def block(self) -> Block:
        return ParallelBlock(
            self.d, norm=self.final_norm, norm_bias=False, attention=self.attention(),
            network=self.network(),
        )  # fmt: skip

    def normalize(self, x: Tensor) -> Tensor:
        return norm(self.final_norm, self.d, bias=False)(x, name="final_norm")


@dataclass(frozen=True)
class Cohere2(Cohere, WindowedDecoder):
    """The decoder-only transformer of Command R7B and Command A: most layers have a window.

    Those turn queries and keys by their position; the others are told none, unless heads are
    ``turned_everywhere``.
    Source: Cohere, *Command A* (2025).
    """

    windows: Windows = "some"
    turned_everywhere: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "decoder-only transformer, parallel blocks, SwiGLU, windows, NoPE"
    references: ClassVar[tuple[str, ...]] = ("Cohere, Command A (2025)",)

    def attention(self) -> Attention:
        return replace(super().attention(), rotary=self.turned_everywhere)

    def near(self, attention: Attention) -> Attention:
        return replace(attention, rotary=True)


@dataclass(frozen=True)
class Cohere2Moe(Cohere2, WindowedSparseDecoder):
    """Cohere2's parallel blocks with a mixture of experts in them, but for dense ones at first.

    There may be ``shared`` experts, of which and of the routed ones the sum or the mean is taken;
    dense layers may be told positions though they have no window.
    Source: transformers, ``Cohere2MoeForCausalLM`` (2026).
    """

    E_s: Expr = sizes.E_s
    shared: bool = False
    dense_turned: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "decoder-only transformer, parallel blocks, windows, NoPE, experts"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = MixtureOfExperts.corollaries
    references: ClassVar[tuple[str, ...]] = ("transformers, Cohere2MoeForCausalLM (2026)",)

    def network(self) -> Component:
        widths = (self.E, self.k, self.d, self.d_exp, self.E_s)
        return MixtureOfExperts(*widths, self.activation, shared=self.shared)

    def dense_block(self) -> Component:
        block = super().dense_block()
        if not self.dense_turned or not isinstance(block, Block):
            return block
        return replace(block, attention=replace(self.attention(), rotary=True))
