"""Stacks of transformer blocks, each with its own weights: encoders, and what stacks share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.blocks import Block, PostLNBlock, PreLNBlock
from symledger.components.feed_forward.nonlinearities import Function, Learned, Seldom
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat
from symledger.sizes import Size

OFTEN = ("relu", "gelu", "gelu_tanh", "silu")
Nonlinearity = Annotated[Literal[Function, Learned, "unknown"], Seldom(but=OFTEN)]
"""The nonlinearities of the stacks of torch.nn."""


@dataclass(frozen=True)
class Stack(Component):
    """What stacks share: L blocks of a kind, and a last norm if asked for."""

    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    activation: Nonlinearity = "relu"
    bias: bool = True
    dropout: bool = False
    final_norm: bool = False

    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip

    def through(self, kind: type[Block], causal: bool, *inputs: Tensor) -> Steps:
        """Send the first input through L blocks of a kind, and the last norm."""
        block = kind(
            self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff,
            activation=self.activation, bias=self.bias, norm_bias=self.bias, causal=causal,
            dropout=self.dropout, hidden_dropout=self.dropout,
        )  # fmt: skip
        y = repeat(block, self.L, *inputs, name="block")
        return steps(y=LayerNorm(self.d)(y, name="final_norm") if self.final_norm else y)


@dataclass(frozen=True)
class Encoder(Stack):
    """What both kinds of encoder share: blocks without a mask."""

    signature: ClassVar[str] = "B T d -> B T d"


@dataclass(frozen=True)
class PostLNEncoder(Encoder):
    """An encoder whose blocks normalize after each residual sum, as the first one did.

    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.1.
    """

    title: ClassVar[str] = "a stack of post-norm blocks without a mask"
    references: ClassVar[tuple[str, ...]] = PostLNBlock.references

    def forward(self, x: Tensor) -> Steps:
        return self.through(PostLNBlock, False, x)


@dataclass(frozen=True)
class PreLNEncoder(Encoder):
    """An encoder whose blocks normalize what enters their parts.

    Source: Xiong et al., *On Layer Normalization in the Transformer Architecture* (2020).
    """

    title: ClassVar[str] = "a stack of pre-norm blocks without a mask"
    references: ClassVar[tuple[str, ...]] = PreLNBlock.references

    def forward(self, x: Tensor) -> Steps:
        return self.through(PreLNBlock, False, x)
