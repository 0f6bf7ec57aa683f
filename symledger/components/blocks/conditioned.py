"""Blocks whose norms are scaled and shifted by what a condition says: adaptive layer norms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.step_embedding import StepEmbedding, waves
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Plain
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, gather, narrow, param, view
from symledger.sizes import Size

PEEBLES = "Peebles, Xie, Scalable Diffusion Models with Transformers (2023)"
SIX = Integer(6)


@dataclass(frozen=True)
class Modulation(Component):
    """Several vectors of width d from one condition, each to stand beside a sequence.

    Source: Peebles, Xie (2023), section 3.2 and figure 3.
    """

    d: Expr = sizes.d
    number: Expr = SIX

    signature: ClassVar[str] = "B d -> B one (number d)"
    title: ClassVar[str] = "factors and shifts from a condition"

    def forward(self, c: Tensor) -> Steps:
        wide = Linear(self.d, self.number * self.d)(apply("silu", c), name="map")
        return steps(y=view("b n -> b () n", wide))


def modulated(x: Tensor, shift: Tensor, scale: Tensor) -> Tensor:
    """Normalize every vector without weights, then scale it by 1 + scale and shift it."""
    n: Tensor = LayerNorm(x.shape[-1], affine=False)(x, name="norm")
    return n * (scale + 1) + shift


@dataclass(frozen=True)
class ConditionedBlock(Component):
    """A transformer block whose norms and residual paths are scaled by a condition (adaLN-Zero).

    An affine map of the condition gives six vectors: a shift and a factor for each of the two
    norms, which have no weights, and a factor for what each part adds.
    Source: Peebles, Xie (2023), section 3.2 and figure 3.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    flash: bool = False
    activation: Plain = "gelu_tanh"

    signature: ClassVar[str] = "B T d, B d -> B T d"
    title: ClassVar[str] = "transformer block whose norms a condition scales and shifts"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{PEEBLES}, section 3.2 and figure 3",)

    def forward(self, x: Tensor, c: Tensor) -> Steps:
        made = Modulation(self.d)(c, name="modulation")
        shift_1, scale_1, gate_1, shift_2, scale_2, gate_2 = (
            narrow(made, -1, i * self.d, self.d) for i in range(6)
        )
        heads = (self.h, self.h, self.d_h, self.d_h)
        attention = Attention(self.d, *heads, True, flash=self.flash)
        network = FeedForward(self.d, self.d_ff, self.activation)
        n = modulated(x, shift_1, scale_1)
        u = x + gate_1 * attention(n, name="attention")
        m = modulated(u, shift_2, scale_2)
        y = u + gate_2 * network(m, name="feed_forward")
        return steps(a=made, n=n, u=u, m=m, y=y)


@dataclass(frozen=True)
class Condition(Component):
    """The step and the class as one vector, computed twice of the same weights.

    So the library diffusers does where its first block and the end of a model need it.
    Source: Peebles, Xie (2023), section 3.2; diffusers, CombinedTimestepLabelEmbeddings.
    """

    d_f: Expr = sizes.d_f
    d: Expr = sizes.d
    rows: Expr = sizes.Y

    signature: ClassVar[str] = "B, B in rows -> B d, B d"
    title: ClassVar[str] = "the step and the class as a vector, twice"

    def forward(self, step: Tensor, labels: Tensor) -> Steps:
        W_1, b_1 = param("W_1", self.d_f, self.d), param("b_1", self.d)
        W_2, b_2 = param("W_2", self.d, self.d), param("b_2", self.d)
        E = param("E", self.rows, self.d)

        def vector() -> Tensor:
            u = apply("silu", einsum("b i, i o -> b o", waves(step, self.d_f), W_1) + b_1)
            return einsum("b i, i o -> b o", u, W_2) + b_2 + gather(E, labels)

        return steps(c=vector(), again=vector())


@dataclass(frozen=True)
class ToldBlock(Component):
    """A conditioned block with an embedding of the step and a table of classes of its own.

    Source: diffusers, BasicTransformerBlock with AdaLayerNormZero.
    """

    block: ConditionedBlock
    d_f: Expr = sizes.d_f
    d: Expr = sizes.d
    rows: Expr = sizes.Y

    signature: ClassVar[str] = "B T d, B, B in rows -> B T d"
    title: ClassVar[str] = "conditioned block that is told the step and the class"

    def forward(self, x: Tensor, step: Tensor, labels: Tensor) -> Steps:
        told = StepEmbedding(self.d_f, self.d)(step, name="step")
        c = told + TokenEmbedding(self.rows, self.d)(labels, name="class")
        return steps(c=c, y=self.block(x, c, name="block"))
