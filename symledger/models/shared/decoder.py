"""What decoder-only transformers share: tokens in, blocks, a norm, logits out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.blocks.blocks import Norm, norm
from symledger.components.embeddings.embedding import LMHead, TokenEmbedding
from symledger.components.maps.linear import Linear
from symledger.errors import DefinitionError
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import param, repeat

Head = Literal["lm", "bare", "sequences", "tokens", "spans"]
"""What is made of the hidden vectors: scores of the next token; nothing; scores of classes, of the
whole sequence (read at one position, computed at all) or of each token; where a span of the text
begins and ends."""

Layers = Mapping[str, tuple[Component, Expr]]
"""Blocks by name, each with how often it is repeated."""


@dataclass(frozen=True)
class LanguageModel(Component):
    """Tokens in, L blocks, a norm, scores out; a family says what its block is.

    The head is tied where it uses the embedding's table; with ``recompute`` only what enters each
    block is kept, and the backward pass runs the blocks again. With ``cached`` the T tokens come
    after S − T others, whose keys and values are remembered.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    Y: Expr = sizes.Y
    S: Expr = sizes.S

    tied: bool = True
    head: Head = "lm"
    recompute: bool = False
    cached: bool = False

    signature: ClassVar[str] = "B T in V -> B T out"
    decoding: ClassVar[dict[str, str]] = {"tokens": "B one in V"}
    final_norm: ClassVar[Norm]
    head_bias: ClassVar[bool] = False

    @property
    def out(self) -> Expr:
        """The width of what is given for every token."""
        widths = {"lm": self.V, "bare": self.row, "spans": Integer(2)}
        return widths.get(self.head, self.Y)

    @property
    def row(self) -> Expr:
        """The width of a token's row in the table, and of what the head reads."""
        return self.d

    @property
    def seen(self) -> Expr | None:
        """The positions that are attended to, where some of them are remembered."""
        return self.S if self.cached else None

    def place(self, x: Tensor) -> Tensor:
        """Tell where each token stands; here, that is left to the blocks."""
        return x

    def first(self, x: Tensor) -> Expr:
        """Return the position of the first token."""
        return self.S - x.shape[1] if self.cached else Integer(0)

    def block(self) -> Component:
        """Return the block that is repeated L times; every family has its own."""
        raise DefinitionError(f"{type(self).__name__} has no block: define what it repeats.")

    def layers(self) -> Layers:
        """Return the kinds of block, and how many there are of each; their order counts nothing."""
        return {"block": (self.block(), self.L)}

    def through(self, x: Tensor) -> Tensor:
        """Send the vectors through all blocks."""
        for name, (block, times) in self.layers().items():
            x = repeat(block, times, x, name=name, recompute=self.recompute)
        return x

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        """Look the tokens up in the table."""
        return TokenEmbedding(self.V, self.row)(tokens, E, name="token_embedding")

    def normalize(self, x: Tensor) -> Tensor:
        """Apply the last norm."""
        return norm(self.final_norm, self.d)(x, name="final_norm")

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        """Make of the hidden vectors what the head is for."""
        if self.head == "bare":
            return x
        if self.head != "lm":
            return Linear(self.row, self.out, bias=self.head != "sequences")(x, name="head")
        logits = LMHead(self.V, self.row)(x, E if self.tied else None, name="head")
        return logits + param("b", self.V) if self.head_bias else logits

    def forward(self, tokens: Tensor) -> Steps:
        """Embed and place the tokens, apply L blocks and the last norm, score the vocabulary."""
        E = param("E", self.V, self.row)
        return self.ended(self.embed(tokens, E), E)

    def ended(self, x: Tensor, E: Tensor) -> Steps:
        """Place what was embedded, and make of it what the head is for."""
        return self.scored(self.through(self.place(x)), E)

    def scored(self, x: Tensor, E: Tensor) -> Steps:
        """Normalize what the blocks gave, and make of it what the head is for."""
        x = self.normalize(x)
        return steps(x=x, logits=self.score(x, E)) if self.head != "bare" else steps(x=x)


@dataclass(frozen=True)
class Decoder(LanguageModel):
    """A decoder-only transformer: heads of attention and a hidden width in every block."""

    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
