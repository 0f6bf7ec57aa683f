"""What stands on an encoder: the pooled vector of a sequence, the logits of masked tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.embeddings.embedding import LMHead
from symledger.components.feed_forward.nonlinearities import Activation, Function, Seldom, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, param, view

DEVLIN = "Devlin et al., BERT (2019)"
Pooled = Annotated[Literal[Function, "unknown"], Seldom(but=("tanh", "relu", "gelu"))]
"""What a pooled vector goes through."""


@dataclass(frozen=True)
class Pooler(Component):
    """The vector of the first token, mapped affinely and through tanh: that of the sequence.

    It keeps its width unless another is asked for.
    Source: Devlin et al., *BERT* (2019), section 3.1 (the final hidden vector of [CLS]) and
    the implementation that was published with it.
    """

    d: Expr = sizes.d
    activation: Pooled = "tanh"
    d_out: Expr | None = None

    signature: ClassVar[str] = "B T d -> B out"
    title: ClassVar[str] = "the first token's vector, mapped and through tanh"
    references: ClassVar[tuple[str, ...]] = (f"{DEVLIN}, section 3.1",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.d if self.d_out is None else self.d_out

    def forward(self, x: Tensor) -> Steps:
        first = view("B one d -> B (one d)", narrow(x, 1, 0, 1))
        mapped = Linear(self.d, self.out)(first, name="map")
        return steps(first=first, y=act(self.activation, mapped))


@dataclass(frozen=True)
class MaskedLMHead(Component):
    """Logits of the tokens that were masked: an affine map, GELU and a norm, then a table.

    Given the embedding's table it is tied to it; one bias for each token is its own. The map leads
    to the width of that table, where it is another one.
    Source: Devlin et al., *BERT* (2019), section 3.1, task 1, and its implementation.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    d_table: Expr | None = None
    activation: Activation = "gelu"

    signature: ClassVar[str] = "... d, V d_e -> ... V"
    title: ClassVar[str] = "logits of masked tokens: map, GELU, norm, then the table of tokens"
    references: ClassVar[tuple[str, ...]] = (f"{DEVLIN}, section 3.1, task 1",)

    def forward(self, x: Tensor, E: Tensor | None = None) -> Steps:
        width = self.d if self.d_table is None else self.d_table
        a = act(self.activation, Linear(self.d, width)(x, name="map"))
        z = LayerNorm(width)(a, name="norm")
        logits = LMHead(self.V, width)(z, E, name="table")
        return steps(a=a, z=z, logits=logits + param("b", self.V))
