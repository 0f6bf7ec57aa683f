"""WavLM: wav2vec 2.0 whose attention is told distances, through gates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.dot_product import HeadAttention
from symledger.components.attention.masks import EVERYTHING
from symledger.components.blocks.blocks import norm
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.wav2vec2.model import Wav2Vec2
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, gather, indices, narrow, param, repeat, total, view

EIGHT = Integer(8)
CHEN = "Chen et al., WavLM (2021), section 3.1"


@dataclass(frozen=True)
class BiasedPairs(HeadAttention):
    """Attention with a bias of each head and pair in each sequence of the batch."""

    signature: ClassVar[str] = "B T h d_k, B T h_kv d_k, B T h_kv d_v, B h T T -> B T h d_v"
    title: ClassVar[str] = "attention with biases of pairs"

    def forward(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Steps:
        found = view("b (g r) t s -> b g r t s", bias, g=self.h_kv)
        return self.mixed(q, k, v, EVERYTHING, found)


@dataclass(frozen=True)
class GatedBias(Component):
    """Attention whose biases for distances are scaled by gates of each head and position.

    What enters is split as heads are; a map of each to eight numbers, added up in two halves, gives
    two gates, and a factor of each head weighs the second.
    Source: Chen et al., *WavLM* (2021), section 3.1, and its implementation.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h

    signature: ClassVar[str] = "B T d, h T T -> B T d"
    title: ClassVar[str] = "attention with gated biases for distances"
    references: ClassVar[tuple[str, ...]] = (CHEN,)

    def forward(self, x: Tensor, bias: Tensor) -> Steps:
        q, k, v = (self.heads(Linear(self.d, self.h * self.d_h)(x, name=n)) for n in "QKV")
        gated = view("b t h one -> b h t one", self.gate(x)) * bias
        z = BiasedPairs(self.h, self.h, self.d_h, self.d_h)(q, k, v, gated, name="core")
        merged = view("b t h k -> b t (h k)", z)
        return steps(gated=gated, y=Linear(self.h * self.d_h, self.d)(merged, name="O"))

    def heads(self, x: Tensor) -> Tensor:
        """Split what is as wide as all heads."""
        return view("b t (h k) -> b t h k", x, h=self.h, k=self.d_h)

    def gate(self, x: Tensor) -> Tensor:
        """Return what biases are multiplied by, at each position and in each head."""
        width = self.d / self.h
        split = view("b t (h k) -> b t h k", x, h=self.h, k=width)
        eight = view("b t h (g i) -> b t h g i", Linear(width, EIGHT)(split, name="gate"), g=2)
        both = apply("sigmoid", view("b t h g one -> b t h (g one)", total(eight)))
        first, second = narrow(both, 3, 0, 1), narrow(both, 3, 1, 1)
        weighed = second * view("h -> h ()", param("c", self.h))
        return first * (weighed - 1) + 2


@dataclass(frozen=True)
class ToldBlock(Component):
    """A block whose attention is told distances, norms after its sums.

    Source: Chen et al., *WavLM* (2021), section 3.1, and its implementation.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    activation: Gating = "gelu"

    signature: ClassVar[str] = "B T d, h T T -> B T d"
    title: ClassVar[str] = "transformer block that is told distances"
    references: ClassVar[tuple[str, ...]] = (CHEN,)

    def forward(self, x: Tensor, bias: Tensor) -> Steps:
        attention = GatedBias(self.d, self.h, self.d_h)
        network = FeedForward(self.d, self.d_ff, self.activation)
        middle = self.normed(x + attention(x, bias, name="attention"), 1)
        y = self.normed(middle + network(middle, name="feed_forward"), 2)
        return steps(middle=middle, y=y)

    def normed(self, x: Tensor, number: int) -> Tensor:
        """Apply one of the norms."""
        return norm("layer", self.d)(x, name=f"norm_{number}")


@dataclass(frozen=True)
class WavLM(Wav2Vec2):
    """WavLM: wav2vec 2.0 with a bias of each head for buckets of distances, scaled by gates.

    The table is that of the first block, and all blocks look up in it.
    Source: Chen et al., *WavLM* (2021), section 3.1, and its implementation.
    """

    n_b: Expr = sizes.n_b
    projected_norm: Literal[True] = True

    title: ClassVar[str] = "encoder of recorded sounds whose attention is told distances"
    references: ClassVar[tuple[str, ...]] = (CHEN,)

    def block(self) -> Component:
        return ToldBlock(self.d, self.h, self.d_h, self.d_ff, self.activation)

    def stack(self, x: Tensor) -> Tensor:
        bucket = indices("bucket", self.n_b, x.shape[1], x.shape[1])
        told = gather(param("R", self.n_b, self.h), bucket)
        bias = view("t s h -> h t s", told)
        return repeat(self.block(), self.L, x, bias, name="block", recompute=self.recompute)
