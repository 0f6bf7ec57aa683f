"""LongCat-Flash: two attentions and two networks a layer, and a mixture beside the second half."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, sqrt

from symledger import sizes
from symledger.components.attention.latent import LatentAttention
from symledger.components.blocks.blocks import Norm
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.idle_experts import MEITUAN, MixtureWithIdleExperts
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component, Steps, steps
from symledger.sizes import Size

CLASS = "transformers 5.23, LongcatFlashForCausalLM"


@dataclass(frozen=True)
class ScaledLatentAttention(LatentAttention):
    """Latent attention whose queries and latent vectors are multiplied by constants.

    Source: transformers 5.23, ``LongcatFlashMLA``.
    """

    def queries(self, source: Tensor, offset: Expr) -> tuple[Tensor, Tensor]:
        q, q_r = super().queries(source, offset)
        scale = sqrt(self.d / self.d_q)
        return q * scale, q_r * scale

    def latents(self, x: Tensor, offset: Expr) -> tuple[Tensor, Tensor]:
        c, r = super().latents(x, offset)
        return c * sqrt(self.d / self.d_c), r


@dataclass(frozen=True)
class ShortcutBlock(Component):
    """A layer of two attentions and two networks, in turn, that a mixture takes a shortcut through.

    The mixture reads what the first network reads, and what it gives is added at the end.
    Source: Meituan LongCat Team, *LongCat-Flash* (2025); transformers 5.23,
    ``LongcatFlashDecoderLayer``.
    """

    attention: Component
    network: Component
    mixture: Component
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "two attentions and two networks, and a mixture beside the second half"

    def forward(self, x: Tensor) -> Steps:
        first = self.attended(x, 1)
        read = RMSNorm(self.d)(first, name="norm_2")
        mixed = self.mixture(read, name="mixture")
        half = first + self.network(read, name="feed_forward_1")
        second = self.attended(half, 2)
        fed = self.network(RMSNorm(self.d)(second, name="norm_4"), name="feed_forward_2")
        return steps(first=first, half=half, second=second, y=second + fed + mixed)

    def attended(self, x: Tensor, number: int) -> Tensor:
        """Add what one of the attentions gives."""
        read = RMSNorm(self.d)(x, name=f"norm_{2 * number - 1}")
        y: Tensor = x + self.attention(read, name=f"attention_{number}")
        return y


@dataclass(frozen=True)
class LongCat(Decoder):
    """The decoder-only transformer of LongCat-Flash: L layers of two attentions and two networks.

    A mixture of experts stands beside the second half of every layer. With ``zero_experts`` a token
    is sent to k of E_all, of which E compute and the others give it back: how many it uses depends
    on the token, and counted are k·E/E_all, the average where all are chosen alike. With ``spare``
    the weights that the implementation has for the others, and uses nowhere, are counted too.
    Numbers that balance the experts are no parameters.
    Source: Meituan LongCat Team, *LongCat-Flash* (2025); transformers 5.23,
    ``LongcatFlashForCausalLM``.
    """

    d_v: Expr = sizes.d_v
    d_c: Expr = sizes.d_c
    d_rot: Expr = sizes.d_rot
    d_q: Expr = sizes.d_q
    E: Expr = sizes.E
    E_all: Expr = sizes.E_all
    k: Expr = sizes.k
    d_exp: Expr = sizes.d_exp

    tied: bool = False
    zero_experts: bool = True
    spare: Annotated[bool, Seldom()] = False
    attention_bias: bool = False
    absorbed: bool = False
    activation: Gating = "silu"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "decoder-only transformer, latent attention, experts beside half a layer"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_v: sizes.d_h}
    references: ClassVar[tuple[str, ...]] = (MEITUAN, CLASS)

    def mixture(self) -> Component:
        """Return the mixture of a layer."""
        widths = (self.d, self.d_exp)
        if self.zero_experts:
            return MixtureWithIdleExperts(
                self.E, self.E_all, self.k, *widths, self.activation, self.spare
            )
        return MixtureOfExperts(self.E, self.k, *widths, activation=self.activation)

    def block(self) -> Component:
        attention = ScaledLatentAttention(
            self.d, self.h, self.d_h, self.d_v, self.d_c, self.d_rot, self.d_q,
            True, self.attention_bias, self.absorbed, self.seen,
        )  # fmt: skip
        network = GatedFeedForward(self.d, self.d_ff, self.activation)
        return ShortcutBlock(attention, network, self.mixture(), self.d)
