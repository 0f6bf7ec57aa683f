"""Step 3.5: gates of heads, and other heads where a window is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component
from symledger.sizes import Size

CLASS = "transformers 5.23, Step3p7TextModel"


@dataclass(frozen=True)
class Step35(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of Step 3.5 and 3.7: each head is multiplied by a sigmoid.

    Layers with a window have h_w query heads, which are turned wholly; the others turn a part of
    each. Beside the experts is a network of its own width. Numbers that balance the experts are no
    parameters, and that some gates are clamped is left out.
    Source: transformers 5.23, ``Step3p7TextModel``.
    """

    d_sh: Expr = sizes.d_sh
    d_rot: Expr = sizes.d_rot
    h_w: Expr = sizes.h_w
    windows: Windows = "some"
    partly: bool = True

    title: ClassVar[str] = "decoder-only transformer, gated heads, windows, experts, a network"
    assumptions: ClassVar[dict[Size, Expr]] = {**SparseLlama.assumptions, sizes.h_w: sizes.h}
    references: ClassVar[tuple[str, ...]] = (CLASS,)

    def attention(self) -> Attention:
        return replace(
            super().attention(), qk_norm="rms", gate="heads", unbiased=("gate",),
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip

    def near(self, attention: Attention) -> Attention:
        return replace(attention, h=self.h_w, d_rot=None)

    def network(self) -> Component:
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, activation=self.activation,
            beside=GatedFeedForward(self.d, self.d_sh, self.activation),
        )  # fmt: skip
