"""MiMo-V2-Flash: layers with a window have sinks and more keys and values than others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class MiMoFlash(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of MiMo-V2-Flash: most layers look back at a short window only.

    Those have twice as many keys and values as the others, and a learned sink for every head.
    Values are d_v wide, a part of each query and key is turned by its position, and the map back
    has no bias, whatever the others have.
    Source: LLM-Core Xiaomi, *MiMo-V2-Flash Technical Report* (2026), section 2; transformers,
    ``MiMoV2FlashForCausalLM``.
    """

    d_v: Expr = sizes.d_v
    d_rot: Expr = sizes.d_rot
    windows: Windows = "some"
    partly: bool = True

    title: ClassVar[str] = "decoder-only transformer, windows with sinks, routed experts"
    assumptions: ClassVar[dict[Size, Expr]] = {**SparseLlama.assumptions, sizes.d_v: sizes.d_h}
    references: ClassVar[tuple[str, ...]] = (
        "LLM-Core Xiaomi, MiMo-V2-Flash Technical Report (2026), section 2",
    )

    def attention(self) -> Attention:
        return replace(
            super().attention(), d_v=self.d_v, unbiased=("O",),
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip

    def near(self, attention: Attention) -> Attention:
        heads = (self.h, 2 * self.h_kv, self.d_h, self.d_v)
        mixing = ScaledDotProduct(*heads, causal=True, sinks=True)
        return replace(attention, h_kv=2 * self.h_kv, mixing=mixing)

    def network(self) -> Component:
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, activation=self.activation
        )
