"""Residual streams that are read by gates of few numbers, and written to by a weight of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.hyper import written
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.shared.hybrid import MixingBlock
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, param, reduce, view

RESIDUAL = "transformers 5.23, Qwen4ExpTextGatedResidual"


def read_through_gates(x: Tensor, d_r: Expr) -> tuple[Tensor, Tensor]:
    """Return all streams of a token, normalized and joined, and what is read of them.

    Every element of every stream has a gate, mapped from all of them by way of d_r numbers.
    """
    n_s, d = x.shape[2:]
    gains = view("(n d) -> n d", param("g", n_s * d), n=n_s)
    normed = RMSNorm(d, affine=False)(x, name="norm") * gains
    flat = view("B T n d -> B T (n d)", normed)
    inner = apply("silu", Linear(n_s * d, d_r, bias=False)(flat, name="down") * (1 / n_s))
    gates = apply("sigmoid", Linear(d_r, n_s * d, bias=False)(inner, name="up"))
    gated = view("B T (n d) -> B T n d", gates, n=n_s) * normed
    return flat, reduce(gated, (2,)) * (1 / n_s)


@dataclass(frozen=True)
class GatedReading(Component):
    """What is read of a token's streams, each of whose elements has a gate.

    Source: transformers 5.23, ``Qwen4ExpTextGatedResidual``.
    """

    n_s: Expr = sizes.n_s
    d: Expr = sizes.d
    d_r: Expr = sizes.d_r

    signature: ClassVar[str] = "B T n_s d -> B T d"
    title: ClassVar[str] = "mean of streams behind gates"
    references: ClassVar[tuple[str, ...]] = (RESIDUAL,)

    def forward(self, x: Tensor) -> Steps:
        _, y = read_through_gates(x, self.d_r)
        return steps(y=y)


@dataclass(frozen=True)
class GatedStreams(Component):
    """The same, and for every stream a weight that it is written to by.

    Source: transformers 5.23, ``Qwen4ExpTextGatedResidual``.
    """

    n_s: Expr = sizes.n_s
    d: Expr = sizes.d
    d_r: Expr = sizes.d_r

    signature: ClassVar[str] = "B T n_s d -> B T n_s, B T d"
    title: ClassVar[str] = "mean of streams behind gates, and weights that they are written to by"
    references: ClassVar[tuple[str, ...]] = (RESIDUAL,)

    def forward(self, x: Tensor) -> Steps:
        flat, read = read_through_gates(x, self.d_r)
        mapped = Linear(self.n_s * self.d, self.n_s, bias=False)(flat, name="write")
        return steps(writing=apply("sigmoid", mapped * (1 / self.n_s)) * 2, read=read)


@dataclass(frozen=True)
class GatedStreamBlock(MixingBlock):
    """A block whose two parts read streams through gates, which stand in the place of norms."""

    n_s: Expr = sizes.n_s
    d_r: Expr = sizes.d_r

    signature: ClassVar[str] = "B T n_s d -> B T n_s d"
    title: ClassVar[str] = "transformer block whose parts read streams through gates"

    def forward(self, x: Tensor) -> Steps:
        middle = self.around(x, self.attend, "streams_1")
        return steps(middle=middle, y=self.around(middle, self.feed, "streams_2"))

    def around(self, x: Tensor, part: Callable[[Tensor], Tensor], name: str) -> Tensor:
        """Let a part read the streams, and write to all."""
        streams = GatedStreams(self.n_s, self.d, self.d_r)
        writing, read = streams.apply(x, name=name)
        return written(x, part(read), writing)
