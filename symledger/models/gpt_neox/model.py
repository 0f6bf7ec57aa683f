"""GPT-NeoX and Pythia: parallel blocks with two norms, partly rotary positions, biases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, ParallelBlock, PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.models.shared.decoder import Decoder, Layers
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class GPTNeoX(Decoder):
    """The decoder-only transformer of GPT-NeoX-20B and of the Pythia suite; its head is not tied.

    Attention and network read the same input, each through a norm of its own; without ``parallel``
    one comes after the other. Only d_rot elements of each head are turned by the position, or all
    if not ``partly``.
    Source: Black et al., *GPT-NeoX-20B* (2022), section 2.1; Biderman et al., *Pythia* (2023).
    """

    d_rot: Expr = sizes.d_rot
    partly: bool = True
    parallel: bool = True
    attention_bias: bool = True
    activation: Activation = "gelu"
    tied: bool = False

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, parallel blocks with two norms"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Black et al., GPT-NeoX-20B (2022), section 2.1", "Biderman et al., Pythia (2023)",
    )  # fmt: skip

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, self.attention_bias, causal=True,
            rotary=True, cached=self.seen,
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        if self.parallel:
            return ParallelBlock(
                self.d, norm="layer", attention=attention, network=network, two_norms=True
            )
        return PreLNBlock(self.d, norm="layer", attention=attention, network=network)


@dataclass(frozen=True)
class GPTNeoXJapanese(Decoder):
    """The decoder-only transformer of GPT-NeoX Japanese: no map has a bias but the last one.

    The last layer's attention adds one to what it gives; one part comes after the other, and the
    head is tied. Only d_rot elements of each head are turned by the position, or all if not
    ``partly``.
    Source: transformers, ``GPTNeoXJapaneseForCausalLM`` (2022).
    """

    d_rot: Expr = sizes.d_rot
    partly: bool = False
    activation: Activation = "gelu"

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, rotary positions, one bias in the last layer"
    assumptions: ClassVar[dict[Size, Expr]] = GPTNeoX.assumptions
    references: ClassVar[tuple[str, ...]] = ("transformers, GPTNeoXJapaneseForCausalLM (2022)",)

    def block(self, last: bool = False) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, causal=True, rotary=True,
            cached=self.seen, d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip
        if last:
            attention = replace(attention, bias=True, unbiased=("Q", "K", "V"))
        network = FeedForward(self.d, self.d_ff, self.activation, bias=False)
        return PreLNBlock(self.d, norm="layer", attention=attention, network=network)

    def layers(self) -> Layers:
        one = Integer(1)
        return {"block": (self.block(), self.L - one), "last_block": (self.block(last=True), one)}
