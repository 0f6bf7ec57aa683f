"""OLMo, dense and with experts, and EXAONE 4: norms without weights, or after each part.

OLMo 2 and 3 and EXAONE 4 normalize what leaves each part, and queries and keys; OLMo has norms
without weights before them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, PreLNBlock, ReorderedBlock
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class PlainBlock(PreLNBlock):
    """A block whose norms have no weights."""

    def normalize(self, x: Tensor, number: int) -> Tensor:
        return LayerNorm(self.d, affine=False)(x, name=f"norm_{number}")


@dataclass(frozen=True)
class Olmo(GatedDecoder):
    """The decoder-only transformer of OLMo: its norms have no weights.

    Where queries, keys and values are clipped, that is no contraction, and left out.
    Source: Groeneveld et al., *OLMo* (2024), section 2.1.
    """

    flash: bool = False
    attention_bias: bool = False

    title: ClassVar[str] = "decoder-only transformer, pre-LN without weights, SwiGLU"
    references: ClassVar[tuple[str, ...]] = ("Groeneveld et al., OLMo (2024), section 2.1",)

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.attention_bias, flash=self.flash)

    def block(self) -> Block:
        return PlainBlock(self.d, attention=self.attention(), network=self.network())

    def normalize(self, x: Tensor) -> Tensor:
        return LayerNorm(self.d, affine=False)(x, name="final_norm")


@dataclass(frozen=True)
class Olmo2(GatedDecoder):
    """The decoder-only transformer of OLMo 2.

    Source: OLMo Team, *2 OLMo 2 Furious* (2024), section 2.
    """

    flash: bool = False
    attention_bias: bool = False

    title: ClassVar[str] = "decoder-only transformer, norms after each part, SwiGLU, QK norms"
    references: ClassVar[tuple[str, ...]] = ("OLMo Team, 2 OLMo 2 Furious (2024), section 2",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), bias=self.attention_bias, flash=self.flash,
            qk_norm="rms of all heads",
        )  # fmt: skip

    def block(self) -> Block:
        return ReorderedBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )


@dataclass(frozen=True)
class Olmo3(Olmo2, WindowedDecoder):
    """The decoder-only transformer of OLMo 3: three of four layers look back at a window only.

    Source: OLMo Team, *Olmo 3* (2025).
    """

    windows: Windows = "some"

    title: ClassVar[str] = "decoder-only transformer, norms after each part, QK norms, windows"
    references: ClassVar[tuple[str, ...]] = ("OLMo Team, Olmo 3 (2025)",)


@dataclass(frozen=True)
class Exaone4(Olmo3):
    """The decoder-only transformer of EXAONE 4.0: norms after each part, and of queries and keys.

    Layers with a window turn queries and keys by their position; the others are told none, unless
    they are ``turned_everywhere``, as in the small model, which has no windows.
    Source: LG AI Research, *EXAONE 4.0* (2025), section 2.1.
    """

    turned_everywhere: bool = False

    title: ClassVar[str] = "decoder-only transformer, norms after each part, windows, NoPE"
    references: ClassVar[tuple[str, ...]] = ("LG AI Research, EXAONE 4.0 (2025), section 2.1",)

    def attention(self) -> Attention:
        return replace(super().attention(), qk_norm="rms", rotary=self.turned_everywhere)

    def near(self, attention: Attention) -> Attention:
        return replace(attention, rotary=True)


@dataclass(frozen=True)
class Olmoe(GatedDecoder):
    """The decoder-only transformer of OLMoE: norms of all queries and keys, many small experts.

    Source: Muennighoff et al., *OLMoE* (2024), section 2.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    attention_bias: bool = False

    title: ClassVar[str] = "decoder-only transformer, QK norms, mixture of SwiGLU experts"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **GatedDecoder.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("Muennighoff et al., OLMoE (2024), section 2",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), bias=self.attention_bias, qk_norm="rms of all heads"
        )

    def network(self) -> Component:
        return MixtureOfExperts(self.E, self.k, self.d, self.d_ff, activation=self.activation)


@dataclass(frozen=True)
class FlexOlmo(Olmoe):
    """The decoder-only transformer of FlexOlmo: OLMoE's parts, normalized as OLMo 2's are.

    Source: Shi et al., *FlexOlmo* (2025), section 3.
    """

    title: ClassVar[str] = "decoder-only transformer, norms after each part, QK norms, experts"
    references: ClassVar[tuple[str, ...]] = ("Shi et al., FlexOlmo (2025), section 3",)

    def block(self) -> Block:
        return ReorderedBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )
