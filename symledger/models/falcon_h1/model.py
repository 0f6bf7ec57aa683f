"""Falcon-H1: Mamba-2's mixer and attention side by side in every layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr

from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.state_spaces.dual import Mamba2Mixer
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Layers
from symledger.models.shared.mamba2_hybrid import Mamba2Hybrid
from symledger.notation.component import Component

NORM = Literal["last", "first", "none"]


@dataclass(frozen=True)
class SideBySide(PreLNBlock):
    """A block in which attention and a mixer read the same, and what they give is added."""

    mixer: Component | None = None

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        attended = super().attend(x, memory)
        return self.mixer(x, name="mixer") + attended if self.mixer else attended


@dataclass(frozen=True)
class FalconH1(Mamba2Hybrid):
    """The decoder of Falcon-H1: every layer attends and scans, from one norm, then widens.

    What is scaled by constants counts nothing but pointwise work, and is left out.
    Source: Falcon LLM Team, *Falcon-H1* (2025); transformers 5.23,
    ``FalconH1ForCausalLM``.
    """

    L_a: Expr = ONE
    attending: Literal["all"] = "all"
    attention_bias: bool = False
    mlp_bias: bool = False
    norm: NORM = "none"

    title: ClassVar[str] = "hybrid decoder, Mamba-2 beside attention in every layer"
    references: ClassVar[tuple[str, ...]] = ("Falcon LLM Team, Falcon-H1 (2025)",)

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.attention_bias)

    def mixer(self) -> Mamba2Mixer:
        return replace(super().mixer(), norm=self.norm)

    def network(self) -> Component:
        return GatedFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias)

    def block(self) -> SideBySide:
        return SideBySide(
            self.d, norm="rms", attention=self.attention(), network=self.network(),
            mixer=self.mixer(),
        )  # fmt: skip

    def layers(self) -> Layers:
        return {"block": (self.block(), self.L)}
