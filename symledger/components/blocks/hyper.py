"""Hyper-connections: several residual streams, read as one, written as all, mixed by a matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def numbers(x: Tensor, widths: Sequence[Expr]) -> list[Tensor]:
    """Return so many numbers of each kind for every token, mapped from all of its streams.

    The streams are joined and normalized; numbers of a kind have a scale, and each a bias.
    """
    n_s, d = x.shape[2:]
    flat = RMSNorm(n_s * d, affine=False)(view("B T n d -> B T (n d)", x), name="norm")
    every = sum(widths, Integer(0))
    W, b, a = param("W", n_s * d, every), param("b", every), param("a", len(widths))
    mapped = einsum("B T i, i o -> B T o", flat, W)
    found, start = [], Integer(0)
    for i, width in enumerate(widths):
        scaled = narrow(mapped, -1, start, width) * narrow(a, 0, i, 1)
        found.append(scaled + narrow(b, 0, start, width))
        start += width
    return found


def read_by(x: Tensor, mapped: Tensor) -> tuple[Tensor, Tensor]:
    """Return the weights that streams are read by, and their sum by these."""
    reading = apply("sigmoid", mapped) + TINY
    return reading, reduce(x * view("B T n -> B T n ()", reading), (2,))


@dataclass(frozen=True)
class StreamReading(Component):
    """The sum of a token's streams by weights that are mapped from all of them, as before a head.

    Source: transformers 5.23, ``DeepseekV4HyperHead`` and ``HYV4HyperHead``.
    """

    n_s: Expr = sizes.n_s
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T n_s d -> B T d"
    title: ClassVar[str] = "sum of streams by weights of every token"

    def forward(self, x: Tensor) -> Steps:
        (read,) = numbers(x, (self.n_s,))
        reading, y = read_by(x, read)
        return steps(reading=reading, y=y)


@dataclass(frozen=True)
class StreamWeights(Component):
    """What streams are read by and written by, for every token; and what is read.

    All streams of a token, normalized, are mapped to n_s weights of reading and n_s of writing.
    Source: transformers 5.23, ``HYV4HyperConnection``.
    """

    n_s: Expr = sizes.n_s
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T n_s d -> B T n_s, B T d"
    title: ClassVar[str] = "weights of streams for every token, and what is read of them"

    def forward(self, x: Tensor) -> Steps:
        read, write = numbers(x, (self.n_s, self.n_s))
        reading, y = read_by(x, read)
        writing = apply("sigmoid", write) * 2 + TINY
        return steps(reading=reading, writing=writing, read=y)


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
        n = self.n_s
        read, write, mix = numbers(x, (n, n, n**2))
        reading, read_of = read_by(x, read)
        writing = apply("sigmoid", write) * 2
        rows = Softmax()(view("B T (i j) -> B T i j", mix, i=n, j=n), name="softmax") + TINY
        columns = rows / (total(rows, (-2,)) + TINY)
        mixing = repeat(SinkhornStep(n), self.n_n, columns, name="normalized", shared=True)
        return steps(reading=reading, rows=rows, writing=writing, mixing=mixing, read=read_of)


def written(x: Tensor, made: Tensor, writing: Tensor, mixing: Tensor | None = None) -> Tensor:
    """Return streams after a layer: what they were, mixed, and what it made by a weight of each."""
    out = view("B T n -> B T n ()", writing) * view("B T d -> B T () d", made)
    kept = x if mixing is None else einsum("B T j k, B T j d -> B T k d", mixing, x)
    after: Tensor = out + kept
    return after


def around(
    x: Tensor, layer: Callable[[Tensor], Tensor], n_n: Expr | None, name: str = "streams"
) -> tuple[Tensor, Tensor, Tensor]:
    """Return what a layer reads of streams, what it makes, and the streams that it wrote to.

    They are mixed as well, unless there is no n_n.
    """
    n_s, d = x.shape[2:]
    mixing = None
    if n_n is None:
        writing, read = StreamWeights(n_s, d).apply(x, name=name)
    else:
        writing, mixing, read = StreamMixing(n_s, d, n_n).apply(x, name=name)
    made = layer(read)
    return read, made, written(x, made, writing, mixing)


@dataclass(frozen=True)
class HyperConnections(Component):
    """n_s residual streams around a layer that reads a weighted sum of them, and writes to all.

    The layer here is a feed-forward network; in a transformer attention has connections of its
    own as well. Streams that are not ``mixed`` keep what they held.
    Source: Xie et al., *mHC: Manifold-Constrained Hyper-Connections* (2025), section 4, after
    Zhu et al., *Hyper-Connections* (2024); transformers 5.23, ``DeepseekV4HyperConnection`` and
    ``HYV4HyperConnection``.
    """

    n_s: Expr = sizes.n_s
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    n_n: Expr = sizes.n_n
    activation: Activation = "gelu"
    bias: bool = True
    mixed: bool = True

    signature: ClassVar[str] = "B T n_s d -> B T n_s d"
    title: ClassVar[str] = "residual streams that a doubly stochastic matrix mixes"
    assumptions: ClassVar[dict[sizes.Size, Expr]] = FeedForward.assumptions
    references: ClassVar[tuple[str, ...]] = (
        f"{XIE}, section 4", "Zhu et al., Hyper-Connections (2024)", V4,
    )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        network = FeedForward(self.d, self.d_ff, self.activation, self.bias)
        read, made, y = around(
            x, lambda read: network(read, name="network"), self.n_n if self.mixed else None
        )  # fmt: skip
        return steps(read=read, made=made, y=y)
