"""What decoder-only transformers share: tokens in, blocks, a norm, logits out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks import Norm, norm
from symledger.components.embedding import LMHead, TokenEmbedding
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import param, repeat
from symledger.core.tensor import Tensor
from symledger.errors import DefinitionError


@dataclass(frozen=True)
class Decoder(Component):
    """A decoder-only transformer; a family says how tokens are placed and what its block is.

    The head is tied where it uses the embedding's table; with ``recompute`` only what enters each
    block is kept, and the backward pass runs the blocks again.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff

    tied: bool = True
    recompute: bool = False

    signature: ClassVar[str] = "B T in V -> B T V"
    final_norm: ClassVar[Norm]

    def place(self, x: Tensor) -> Tensor:
        """Tell where each token stands; here, that is left to the blocks."""
        return x

    def block(self) -> Component:
        """Return the block that is repeated L times; every family has its own."""
        raise DefinitionError(f"{type(self).__name__} has no block: define what it repeats.")

    def forward(self, tokens: Tensor) -> Steps:
        """Embed and place the tokens, apply L blocks and the last norm, score the vocabulary."""
        E = param("E", self.V, self.d)
        x = self.place(TokenEmbedding(self.V, self.d)(tokens, E, name="token_embedding"))
        x = repeat(self.block(), self.L, x, name="block", recompute=self.recompute)
        x = norm(self.final_norm, self.d)(x, name="final_norm")
        return steps(x=x, logits=LMHead(self.V, self.d)(x, E if self.tied else None, name="head"))
