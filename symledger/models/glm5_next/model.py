"""GLM-5.3: Kimi delta attention, latent attention to pooled keys, and mixed residual streams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, floor

from symledger import sizes
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.state_spaces.kimi import KimiDeltaMixer, KimiDeltaRule
from symledger.ir.tensor import Tensor
from symledger.models.shared.cut import CutFeedForward
from symledger.models.shared.hybrid import SparseHybridDecoder
from symledger.models.shared.pooled_latent import NowhereAttention, WeighingIndexer
from symledger.models.shared.streams import StreamBlock, as_streams
from symledger.notation.component import Component
from symledger.notation.verbs import reduce
from symledger.sizes import Size

CLASS = "transformers 5.23, Glm5NextTextModel"


@dataclass(frozen=True)
class GLM5Next(SparseHybridDecoder):
    """The decoder of GLM-5.3: L_a of its L layers attend, the others have a corrected memory.

    Attention is latent, is told no positions, and is to blocks of r_c keys that an indexer chose;
    others have Kimi delta attention, whose decays are ``bounded``. Both parts of a layer read a sum
    of n_s streams and write to all, and a doubly stochastic matrix mixes them; what is read at the
    end is their mean. E_s shared experts stand beside the others, and all networks cut values off.
    Source: transformers 5.23, ``Glm5NextTextModel``.
    """

    d_v: Expr = sizes.d_v
    d_c: Expr = sizes.d_c
    d_q: Expr = sizes.d_q
    E_s: Expr = sizes.E_s
    h_v: Expr = sizes.h_v
    d_k: Expr = sizes.d_k
    K: Expr = sizes.K
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    r_c: Expr = sizes.r_c
    S_c: Expr = sizes.S_c
    n_s: Expr = sizes.n_s
    n_n: Expr = sizes.n_n
    attention_bias: Annotated[bool, Seldom()] = False
    bounded: Annotated[bool, Seldom()] = True
    activation: Literal["silu"] = "silu"

    title: ClassVar[str] = "hybrid decoder, Kimi delta attention, indexed latent attention, streams"
    definitions: ClassVar[dict[Size, Expr]] = KimiDeltaRule.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_v: sizes.d_h}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = MixtureOfExperts.corollaries
    references: ClassVar[tuple[str, ...]] = (CLASS,)

    def defined(self) -> dict[Size, Expr]:
        """Return how many blocks of keys there are."""
        length = self.S if self.cached else sizes.T
        return {**super().defined(), sizes.S_c: floor(length / self.r_c)}

    def attention(self) -> NowhereAttention:  # type: ignore[override]  # no heads shared
        """Return the attention of layers that attend."""
        indexer = WeighingIndexer(
            self.d, self.d_q, self.n_i, self.d_x, self.r_c, self.S_c, self.seen
        )
        return NowhereAttention(
            self.d, self.h, self.d_h, self.d_v, self.d_c, self.d_q, self.attention_bias, self.seen,
            indexer,
        )  # fmt: skip

    def mixer(self) -> KimiDeltaMixer:
        return KimiDeltaMixer(
            self.d, self.h_v, self.d_k, self.d_k, self.K, self.Q, self.n_c, self.cached,
            narrow=True, bounded=self.bounded,
        )  # fmt: skip

    def network(self) -> Component:
        return CutFeedForward(self.d, self.d_ff, self.activation)

    def mixture(self) -> Component:
        beside = CutFeedForward(self.d, self.E_s * self.d_exp, self.activation)
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, self.E_s, self.activation, beside=beside, cut=True
        )  # fmt: skip

    def arranged(self, mixer: Component | None, network: Component) -> Component:
        attention = None if mixer else self.attention()
        return StreamBlock(
            self.d, norm="rms", attention=attention, network=network, mixer=mixer, n_s=self.n_s,
            n_n=self.n_n,
        )  # fmt: skip

    def place(self, x: Tensor) -> Tensor:
        return as_streams(super().place(x), self.n_s)

    def normalize(self, x: Tensor) -> Tensor:
        return super().normalize(reduce(x, (2,)) * (1 / self.n_s))
