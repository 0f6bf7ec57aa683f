"""Hyper-connections: several residual streams, read as one, written as all, mixed by a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Rational

from symledger import sizes
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, narrow, param, reduce, repeat, total, view

XIE = "Xie et al., mHC: Manifold-Constrained Hyper-Connections (2025)"
V4 = "transformers 5.23, DeepseekV4HyperConnection"
TINY = Rational(1, 10**6)
"""What is added to sums that are divided by."""


@dataclass(frozen=True)
class SinkhornStep(Component):
    """Rows of a matrix are divided by their sums, then columns by theirs.

    Source: Xie et al. (2025), equation 9.
    """

    n_s: Expr = sizes.n_s

    signature: ClassVar[str] = "... n_s n_s -> ... n_s n_s"
    title: ClassVar[str] = "rows, then columns, divided by their sums"

    def forward(self, x: Tensor) -> Steps:
        rows = x / (total(x) + TINY)
        return steps(rows=rows, y=rows / (total(rows, (-2,)) + TINY))


@dataclass(frozen=True)
class StreamMixing(Component):
    """What streams are read by, written by and mixed by, for every token; and what is read.

    All streams of a token, normalized, are mapped to n_s weights of reading, n_s of writing and
    n_s² of mixing, which are made doubly stochastic: rows are divided by their sums (at first in
    a softmax), then columns by theirs, and both n_n times more.
    Source: Xie et al. (2025), section 4; transformers 5.23, ``DeepseekV4HyperConnection``.
    """

    n_s: Expr = sizes.n_s
    d: Expr = sizes.d
    n_n: Expr = sizes.n_n

    signature: ClassVar[str] = "B T n_s d -> B T n_s, B T n_s n_s, B T d"
    title: ClassVar[str] = "weights of streams for every token, and what is read of them"

    def forward(self, x: Tensor) -> Steps:
        n, whole = self.n_s, self.n_s * self.d
        flat = RMSNorm(whole, affine=False)(view("B T n d -> B T (n d)", x), name="norm")
        W, b, a = param("W", whole, n * (n + 2)), param("b", n * (n + 2)), param("a", 3)
        mapped = einsum("B T i, i o -> B T o", flat, W)
        starts = ((Integer(0), n), (n, n), (2 * n, n**2))
        read, write, mix = (
            narrow(mapped, -1, start, width) * narrow(a, 0, i, 1) + narrow(b, 0, start, width)
            for i, (start, width) in enumerate(starts)
        )
        reading = apply("sigmoid", read) + TINY
        writing = apply("sigmoid", write) * 2
        rows = Softmax()(view("B T (i j) -> B T i j", mix, i=n, j=n), name="softmax") + TINY
        columns = rows / (total(rows, (-2,)) + TINY)
        mixing = repeat(SinkhornStep(n), self.n_n, columns, name="normalized", shared=True)
        read_of = reduce(x * view("B T n -> B T n ()", reading), (2,))
        return steps(reading=reading, rows=rows, writing=writing, mixing=mixing, read=read_of)


def written(x: Tensor, made: Tensor, writing: Tensor, mixing: Tensor) -> Tensor:
    """Return streams after a layer: what they were, mixed, and what it made by a weight of each."""
    out = view("B T n -> B T n ()", writing) * view("B T d -> B T () d", made)
    after: Tensor = out + einsum("B T j k, B T j d -> B T k d", mixing, x)
    return after


@dataclass(frozen=True)
class HyperConnections(Component):
    """n_s residual streams around a layer that reads a weighted sum of them, and writes to all.

    The layer here is a feed-forward network; in a transformer attention has connections of its
    own as well.
    Source: Xie et al., *mHC: Manifold-Constrained Hyper-Connections* (2025), section 4, after
    Zhu et al., *Hyper-Connections* (2024); transformers 5.23, ``DeepseekV4HyperConnection``.
    """

    n_s: Expr = sizes.n_s
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    n_n: Expr = sizes.n_n
    activation: Activation = "gelu"
    bias: bool = True

    signature: ClassVar[str] = "B T n_s d -> B T n_s d"
    title: ClassVar[str] = "residual streams that a doubly stochastic matrix mixes"
    assumptions: ClassVar[dict[sizes.Size, Expr]] = FeedForward.assumptions
    references: ClassVar[tuple[str, ...]] = (
        f"{XIE}, section 4", "Zhu et al., Hyper-Connections (2024)", V4,
    )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        writing, mixing, read = StreamMixing(self.n_s, self.d, self.n_n).apply(x, name="streams")
        layer = FeedForward(self.d, self.d_ff, self.activation, self.bias)
        made = layer(read, name="network")
        return steps(read=read, made=made, y=written(x, made, writing, mixing))
