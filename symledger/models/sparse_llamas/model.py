"""Mixtures of experts in LLaMA's blocks, with something of their own: Granite, Phi, GLM."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, Norm
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.models.llama.model import GatedDecoder
from symledger.models.shared.sparse import SparseDecoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class SparseLlama(GatedDecoder):
    """LLaMA's blocks with k of E experts for every token, and biases in attention if there are any.

    What experts give is scaled, and scores too, in some of these models: that counts nothing but
    pointwise work, and is left out.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    attention_bias: bool = False

    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **GatedDecoder.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.attention_bias)

    def network(self) -> Component:
        return MixtureOfExperts(self.E, self.k, self.d, self.d_ff, activation=self.activation)


@dataclass(frozen=True)
class GraniteMoe(SparseLlama):
    """The decoder-only transformer of Granite 3 with experts.

    Source: Granite Team, *Granite 3.0 Language Models* (2024), section 2; transformers,
    ``GraniteMoeForCausalLM``.
    """

    title: ClassVar[str] = "decoder-only transformer, mixture of experts"
    references: ClassVar[tuple[str, ...]] = (
        "Granite Team, Granite 3.0 Language Models (2024), section 2",
    )


@dataclass(frozen=True)
class PhiMoe(SparseLlama):
    """The decoder-only transformer of Phi-3.5-MoE: layer norms, and a head with or without a bias.

    Source: Abdin et al., *Phi-3 Technical Report* (2024), section 2; transformers,
    ``PhimoeForCausalLM``.
    """

    biased: bool = False

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, layer norms, mixture of experts"
    references: ClassVar[tuple[str, ...]] = (
        "Abdin et al., Phi-3 Technical Report (2024), section 2",
    )

    @property
    def head_bias(self) -> bool:  # type: ignore[override]
        """Whether the head has a bias."""
        return self.biased

    def block(self) -> Block:
        return replace(super().block(), norm="layer")


@dataclass(frozen=True)
class Glm4Moe(SparseLlama, SparseDecoder):
    """The decoder-only transformer of GLM-4.5: dense layers first, then routed and shared experts.

    The last map of attention has no bias, whatever the others have. Half of each head is turned by
    its position; with ``qk_norm`` queries and keys are normalized, each head by itself.
    Source: GLM-4.5 Team, *GLM-4.5* (2025), section 2.1; transformers, ``Glm4MoeForCausalLM``.
    """

    E_s: Expr = sizes.E_s
    d_rot: Expr = sizes.d_rot
    partly: bool = True
    qk_norm: bool = False

    title: ClassVar[str] = "decoder-only transformer, grouped attention, routed and shared experts"
    references: ClassVar[tuple[str, ...]] = ("GLM-4.5 Team, GLM-4.5 (2025), section 2.1",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), unbiased=("O",), qk_norm="rms" if self.qk_norm else None,
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip

    def network(self) -> Component:
        widths = (self.E, self.k, self.d, self.d_exp, self.E_s)
        return MixtureOfExperts(*widths, self.activation, shared=True)
