"""OPT: GPT-3's blocks with ReLU; one size of it normalizes later and projects its tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, PostLNBlock, PreLNBlock
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size

UNUSED = 2
"""The rows that the table of positions begins with and nothing looks up."""


@dataclass(frozen=True)
class OPT(Decoder):
    """The decoder-only transformer of OPT: learned positions, of whose table two rows are unused.

    ``projected`` maps tokens from rows of width d_e to the model's width and back before the
    head; with ``post_norm`` the norms follow the residual sums, and no norm ends the stack. Both
    are so in the 350M model. ``affine`` says whether norms have weights, ``bias`` whether maps
    have biases, ``last_norm`` whether a norm ends the stack of a pre-LN model.
    Source: Zhang et al., *OPT* (2022), section 2.1 and table 1.
    """

    T_max: Expr = sizes.T_max
    d_e: Expr = sizes.d_e
    projected: bool = False
    post_norm: bool = False
    last_norm: bool = True
    bias: bool = True
    affine: bool = True
    activation: Activation = "relu"

    title: ClassVar[str] = "decoder-only transformer, ReLU, learned positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Zhang et al., OPT: Open Pre-trained Transformer Language Models (2022), section 2.1",
    )

    @property
    def row(self) -> Expr:
        return self.d_e if self.projected else self.d

    @property
    def final_norm(self) -> Norm:  # type: ignore[override]  # a choice here, not the family's
        """The norm of the blocks, and of the end."""
        return "layer" if self.affine else "layer_plain"

    def place(self, x: Tensor) -> Tensor:
        if self.projected:
            x = Linear(self.d_e, self.d, bias=False)(x, name="project_in")
        return LearnedPositions(self.T_max + UNUSED, self.d, self.first(x) + UNUSED)(
            x, name="positions"
        )

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, self.bias, causal=True, cached=self.seen
        )
        network = FeedForward(self.d, self.d_ff, self.activation, self.bias)
        kind = PostLNBlock if self.post_norm else PreLNBlock
        return kind(self.d, norm=self.final_norm, attention=attention, network=network)

    def normalize(self, x: Tensor) -> Tensor:
        if self.last_norm and not self.post_norm:
            x = super().normalize(x)
        if self.projected:
            x = Linear(self.d, self.d_e, bias=False)(x, name="project_out")
        return x
