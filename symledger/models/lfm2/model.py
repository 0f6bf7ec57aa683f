"""LFM2: short convolutions behind gates in most layers, attention in some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention, Gate
from symledger.components.blocks.blocks import SandwichBlock
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.state_spaces.short import LFM2, ShortConvolution
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Layers
from symledger.models.shared.hybrid import HybridDecoder, SparseHybridDecoder, Which
from symledger.models.shared.windows import WindowedDecoder
from symledger.notation.component import Component


@dataclass(frozen=True)
class Lfm2(HybridDecoder):
    """The decoder of LFM2: L_a of its L layers attend, the others convolve K tokens behind gates.

    Every layer has a gated network. Queries and keys are normalized, each head by itself.
    Source: Liquid AI, *LFM2 Technical Report* (2025); transformers 5.23,
    ``Lfm2ForCausalLM``.
    """

    K: Expr = sizes.K
    tied: bool = True
    bias: bool = False
    activation: Literal["silu"] = "silu"

    title: ClassVar[str] = "hybrid decoder, short convolutions and attention"
    references: ClassVar[tuple[str, ...]] = (LFM2,)

    def attention(self) -> Attention:
        return replace(super().attention(), qk_norm="rms")

    def mixer(self) -> Component:
        return ShortConvolution(self.d, self.K, self.bias, self.cached)


@dataclass(frozen=True)
class Lfm2Moe(Lfm2, SparseHybridDecoder):
    """The decoder of LFM2-MoE: LFM2's, with experts in the place of networks but for L_d layers.

    Source: Liquid AI, *LFM2 Technical Report* (2025); transformers 5.23,
    ``Lfm2MoeForCausalLM``.
    """

    title: ClassVar[str] = "hybrid decoder, short convolutions and attention, mixture of experts"


@dataclass(frozen=True)
class SandwichMixingBlock(SandwichBlock):
    """A block with norms on either side of its parts, of which one may stand in for attention.

    Those that follow a part are numbered after those before.
    """

    mixer: Component | None = None

    def normalize(self, x: Tensor, number: int) -> Tensor:
        return super().normalize(x, {2: 3, 3: 2}.get(number, number))

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        return self.mixer(x, name="mixer") if self.mixer else super().attend(x, memory)


@dataclass(frozen=True)
class Lfm3(Lfm2, WindowedDecoder):
    """The decoder of LFM3: of L_a layers that attend, L_w may look back at a window only.

    Attention is behind a gate of each head if it is ``gated``, and norms stand on either side of
    each part if they do in a ``sandwich``.
    Source: transformers 5.23, ``Lfm3ForCausalLM``.
    """

    windows: Annotated[Which, Seldom(but=("none", "some"))] = "some"
    sandwich: Annotated[bool, Seldom()] = True
    gated: Annotated[bool, Seldom()] = True
    attention_bias: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "hybrid decoder, short convolutions, attention to windows and to all"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Lfm3ForCausalLM",)

    def attention(self) -> Attention:
        gate: Gate | None = "heads" if self.gated else None
        return replace(
            super().attention(), bias=self.attention_bias, gate=gate, unbiased=("gate",)
        )  # fmt: skip

    def arranged(self, mixer: Component | None, network: Component) -> Component:
        if not self.sandwich:
            return super().arranged(mixer, network)
        attention = None if mixer else self.attention()
        return SandwichMixingBlock(
            self.d, norm="rms", attention=attention, network=network, mixer=mixer
        )  # fmt: skip

    def layers(self) -> Layers:
        plain = HybridDecoder.layers(self)
        if "attention_block" not in plain:
            return plain
        block, number = plain["attention_block"]
        seen = {"attention_block": (block, number)}
        if self.windows == "all":
            seen = {"windowed_attention_block": (self.windowed(block), number)}
        elif self.windows == "some":
            seen = {
                "windowed_attention_block": (self.windowed(block), self.L_w),
                "attention_block": (block, number - self.L_w),
            }
        return {**{name: kind for name, kind in plain.items() if name == "block"}, **seen}
