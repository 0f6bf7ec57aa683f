"""AFM of Arcee, Apertus and nanochat: LLaMA's blocks, whose network has two maps and no gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Integer

from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama
from symledger.notation.component import Component
from symledger.notation.verbs import apply

CAP = Integer(15)
"""What nanochat's logits stay below; any other number would be counted the same."""


@dataclass(frozen=True)
class Arcee(Llama):
    """The decoder-only transformer of AFM: the square of a ReLU stands between two maps.

    Source: Arcee AI, *AFM-4.5B* (2025), implementation; So et al., *Primer* (2021), section 4.1,
    for the squared ReLU.
    """

    activation: Activation = "relu2"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, plain network, squared ReLU"
    references: ClassVar[tuple[str, ...]] = (
        "Arcee AI, AFM-4.5B (2025), implementation", "So et al., Primer (2021), section 4.1",
    )  # fmt: skip

    def network(self) -> Component:
        return FeedForward(self.d, self.d_ff, self.activation, self.mlp_bias)


@dataclass(frozen=True)
class Apertus(Arcee):
    """The decoder-only transformer of Apertus: norms of queries and keys.

    Its activation has two learned numbers in every layer.
    Source: Swiss AI Initiative, *Apertus* (2025), section 2.1.
    """

    activation: Activation = "xielu"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, plain network, QK norms"
    references: ClassVar[tuple[str, ...]] = (
        "Swiss AI Initiative, Apertus: Democratizing Open and Compliant LLMs (2025), section 2.1",
    )

    def attention(self) -> Attention:
        return replace(super().attention(), qk_norm="rms")


@dataclass(frozen=True)
class WeightlessBlock(PreLNBlock):
    """A block whose RMS norms have no weights."""

    def normalize(self, x: Tensor, number: int) -> Tensor:
        return RMSNorm(self.d, affine=False)(x, name=f"norm_{number}")


@dataclass(frozen=True)
class NanoChat(Arcee):
    """The decoder-only transformer of nanochat, in which no norm has weights.

    What the table gives is normalized too, and logits are capped.
    Source: Karpathy, *nanochat* (2025), ``gpt.py``.
    """

    capped_logits: bool = True

    title: ClassVar[str] = "decoder-only transformer, RMSNorm without weights, squared ReLU"
    references: ClassVar[tuple[str, ...]] = ("Karpathy, nanochat (2025)",)

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        return RMSNorm(self.d, affine=False)(super().embed(tokens, E), name="embedding_norm")

    def attention(self) -> Attention:
        return replace(super().attention(), qk_norm="rms without weights")

    def block(self) -> Block:
        return WeightlessBlock(self.d, attention=self.attention(), network=self.network())

    def normalize(self, x: Tensor) -> Tensor:
        return RMSNorm(self.d, affine=False)(x, name="final_norm")

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        y = super().score(x, E)
        capped = self.capped_logits and self.head == "lm"
        return apply("tanh", y * (1 / CAP)) * CAP if capped else y
