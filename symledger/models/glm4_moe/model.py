"""GLM-4.5, and others with routed and shared experts in LLaMA's blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component


@dataclass(frozen=True)
class Glm4Moe(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of GLM-4.5: dense layers first, then routed and shared experts.

    The last map of attention has no bias, whatever the others have, unless ``output_bias`` says so
    too. Half of each head is turned by its position, or all of it if not ``partly``; with
    ``qk_norm`` queries and keys are normalized, each head by itself. There may be no ``shared``
    experts, and the numbers that keep routed ones ``balanced`` may be parameters.
    Source: GLM-4.5 Team, *GLM-4.5* (2025), section 2.1; transformers, ``Glm4MoeForCausalLM``.
    """

    E_s: Expr = sizes.E_s
    d_rot: Expr = sizes.d_rot
    partly: bool = True
    qk_norm: bool = False
    output_bias: Annotated[bool, Seldom()] = False
    shared: Annotated[bool, Seldom()] = True
    balanced: bool = False

    title: ClassVar[str] = "decoder-only transformer, grouped attention, routed and shared experts"
    references: ClassVar[tuple[str, ...]] = ("GLM-4.5 Team, GLM-4.5 (2025), section 2.1",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), unbiased=() if self.output_bias else ("O",),
            qk_norm="rms" if self.qk_norm else None,
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip

    def network(self) -> Component:
        widths = (self.E, self.k, self.d, self.d_exp, self.E_s)
        return MixtureOfExperts(
            *widths, self.activation, shared=self.shared, balanced=self.balanced
        )


@dataclass(frozen=True)
class ExaoneMoe(Glm4Moe):
    """The decoder-only transformer of K-EXAONE: three of four layers look back at a window only.

    Those turn queries and keys by their position; the others are told none, unless they are
    ``turned_everywhere``.
    Source: LG AI Research, *K-EXAONE Technical Report* (2026), section 2; transformers,
    ``ExaoneMoeForCausalLM``.
    """

    partly: bool = False
    qk_norm: bool = True
    windows: Windows = "some"
    balanced: Literal[False] = False
    turned_everywhere: bool = False

    title: ClassVar[str] = "decoder-only transformer, windows, NoPE, routed and shared experts"
    references: ClassVar[tuple[str, ...]] = (
        "LG AI Research, K-EXAONE Technical Report (2026), section 2",
    )

    def attention(self) -> Attention:
        return replace(super().attention(), rotary=self.turned_everywhere)

    def near(self, attention: Attention) -> Attention:
        return replace(attention, rotary=True)
