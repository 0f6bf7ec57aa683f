"""From token ids to vectors and back to logits: the table E, used once or twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, gather, param


@dataclass(frozen=True)
class TokenEmbedding(Component):
    """A table E with one row for each token of the vocabulary; a token picks its row.

    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.4.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d

    signature: ClassVar[str] = "... in V, V d -> ... d"
    title: ClassVar[str] = "a learned row for each token"
    references: ClassVar[tuple[str, ...]] = (
        "Vaswani et al., Attention Is All You Need (2017), section 3.4",
    )

    def forward(self, tokens: Tensor, E: Tensor | None = None) -> Steps:
        return steps(x=gather(param("E", self.V, self.d) if E is None else E, tokens))


@dataclass(frozen=True)
class LMHead(Component):
    """Logits over the vocabulary: the inner product of a vector with every row of a table.

    Given the embedding's table it is tied to it and has no weights of its own.
    Source: Press, Wolf, *Using the Output Embedding to Improve Language Models* (2017).
    """

    V: Expr = sizes.V
    d: Expr = sizes.d

    signature: ClassVar[str] = "... d, V d -> ... V"
    title: ClassVar[str] = "logits over the vocabulary, tied to the embedding or not"
    references: ClassVar[tuple[str, ...]] = (
        "Press, Wolf, Using the Output Embedding to Improve Language Models (2017)",
    )

    def forward(self, x: Tensor, E: Tensor | None = None) -> Steps:
        table = param("W", self.V, self.d) if E is None else E
        return steps(logits=einsum("... i, v i -> ... v", x, table))


@dataclass(frozen=True)
class TiedEmbedding(Component):
    """One table used twice: its rows embed the tokens, and its rows score the logits.

    Its gradient is the sum of both uses.
    Source: Press, Wolf, *Using the Output Embedding to Improve Language Models* (2017).
    """

    V: Expr = sizes.V
    d: Expr = sizes.d

    signature: ClassVar[str] = "... in V -> ... V"
    title: ClassVar[str] = "token embedding and language-model head with one table"
    references: ClassVar[tuple[str, ...]] = LMHead.references

    def forward(self, tokens: Tensor) -> Steps:
        E = param("E", self.V, self.d)
        x = TokenEmbedding(self.V, self.d)(tokens, E, name="token_embedding")
        return steps(x=x, logits=LMHead(self.V, self.d)(x, E, name="head"))
