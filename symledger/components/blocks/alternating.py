"""Alternating updates: of several streams of vectors a layer computes one, the others follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, narrow, param, view

BAYKAL = "Baykal et al., Alternating Updates for Efficient Transformers (2023)"
GEMMA3N = "transformers 5.23, Gemma3nTextAltUp"


def one_of(x: Tensor) -> Tensor:
    """Return the stream that a layer computes: the first one; another would count the same."""
    return view("one B T d -> (one B) T d", narrow(x, 0, 0, 1))


@dataclass(frozen=True)
class StreamRouter(Component):
    """One number between −1 and 1 for each stream, from a token's vector, by weights given.

    Source: transformers 5.23, ``Gemma3nTextAltUp.compute_router_modalities``.
    """

    d: Expr = sizes.d
    n_s: Expr = sizes.n_s

    signature: ClassVar[str] = "B T d, d n_s, d -> B T n_s"
    title: ClassVar[str] = "numbers of each token, by which streams are mixed"

    def forward(self, x: Tensor, W: Tensor, g: Tensor) -> Steps:
        normed = RMSNorm(self.d, affine=False)(x, name="norm") * g * (1 / self.d)
        return steps(normed=normed, y=apply("tanh", einsum("B T d, d n -> B T n", normed, W)))


@dataclass(frozen=True)
class StreamPrediction(Component):
    """What every stream is expected to become: a weighted sum of all of them.

    Weights are n_s² numbers, or where streams are ``routed`` n_s² of every token, mapped from its
    n_s numbers, and what each stream was is added.
    Source: Baykal et al. (2023), algorithm 1; transformers 5.23, ``Gemma3nTextAltUp.predict``.
    """

    n_s: Expr = sizes.n_s
    routed: bool = False

    title: ClassVar[str] = "streams as weighted sums of all streams"

    @property
    def signature(self) -> str:  # type: ignore[override]  # what enters depends on a choice
        """The type line."""
        return f"{', '.join(self.whole.values())} -> n_s B T d"

    @property
    def whole(self) -> dict[str, str]:  # type: ignore[override]  # what enters depends on a choice
        """What enters."""
        return {"x": "n_s B T d", **({"chosen": "B T n_s"} if self.routed else {})}

    def forward(self, x: Tensor, chosen: Tensor | None = None) -> Steps:
        if chosen is None:
            P = param("P", self.n_s, self.n_s)
            return steps(y=einsum("i j, j B T d -> i B T d", P, x))
        mapped = Linear(self.n_s, self.n_s**2, bias=False)(chosen, name="P")
        p = view("B T (i j) -> B T i j", mapped, i=self.n_s, j=self.n_s)
        mixed = einsum("B T i j, j B T d -> i B T d", p, x)
        return steps(p=p, mixed=mixed, y=x + mixed)


@dataclass(frozen=True)
class StreamCorrection(Component):
    """Every stream moved by what the layer's result is off from what was expected of it.

    How far is one number a stream, or where they are ``routed`` one of every token and stream.
    Source: Baykal et al. (2023), algorithm 1; transformers 5.23, ``Gemma3nTextAltUp.correct``.
    """

    n_s: Expr = sizes.n_s
    routed: bool = False

    title: ClassVar[str] = "streams moved by what was not expected"

    @property
    def signature(self) -> str:  # type: ignore[override]  # what enters depends on a choice
        """The type line."""
        return f"{', '.join(self.whole.values())} -> n_s B T d"

    @property
    def whole(self) -> dict[str, str]:  # type: ignore[override]  # what enters depends on a choice
        """What enters."""
        there = {"x": "n_s B T d", "computed": "B T d"}
        return {**there, **({"chosen": "B T n_s"} if self.routed else {})}

    def forward(self, x: Tensor, computed: Tensor, chosen: Tensor | None = None) -> Steps:
        off = view("B T d -> () B T d", computed - one_of(x))
        if chosen is None:
            how_far = view("n -> n () () ()", param("g", self.n_s))
        else:
            mapped = Linear(self.n_s, self.n_s, bias=False)(chosen, name="g")
            how_far = view("B T n -> n B T ()", mapped + 1)
        return steps(off=off, how_far=how_far, y=x + off * how_far)


@dataclass(frozen=True)
class AlternatingUpdates(Component):
    """n_s streams of vectors of which a layer computes one: predict, compute, correct.

    The layer here is a feed-forward network; a transformer's may be any. Weights of sums are
    numbers, or where they are ``routed`` mapped from what enters the layer, and what leaves it.
    Source: Baykal et al., *Alternating Updates for Efficient Transformers* (2023), algorithm 1;
    routed: transformers 5.23, ``Gemma3nTextAltUp``.
    """

    n_s: Expr = sizes.n_s
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Activation = "gelu"
    bias: bool = True
    routed: bool = False

    signature: ClassVar[str] = "n_s B T d -> n_s B T d"
    title: ClassVar[str] = "streams of vectors, one of which a layer computes"
    assumptions: ClassVar[dict[sizes.Size, Expr]] = FeedForward.assumptions
    references: ClassVar[tuple[str, ...]] = (f"{BAYKAL}, algorithm 1", GEMMA3N)

    def forward(self, x: Tensor) -> Steps:
        layer = FeedForward(self.d, self.d_ff, self.activation, self.bias)
        streams = Streams(self.n_s, self.d, self.routed)
        expected = streams.predicted(x)
        computed = layer(one_of(expected), name="network")
        return steps(expected=expected, computed=computed,
                     y=streams.corrected(expected, computed))  # fmt: skip


class Streams:
    """Both sums of a layer of streams: where they are routed, its two routers share weights."""

    def __init__(self, n_s: Expr, d: Expr, routed: bool) -> None:
        self.n_s, self.d, self.routed = n_s, d, routed
        self.weights = (param("W_router", d, n_s), param("g_router", d)) if routed else ()

    def chosen(self, x: Tensor, name: str) -> tuple[Tensor, ...]:
        """Return the numbers of every token, if streams are routed."""
        if not self.routed:
            return ()
        return (StreamRouter(self.d, self.n_s)(x, *self.weights, name=name),)

    def predicted(self, x: Tensor) -> Tensor:
        """Return what all streams are expected to become."""
        chosen = self.chosen(one_of(x), "before")
        return StreamPrediction(self.n_s, self.routed)(x, *chosen, name="predict")

    def corrected(self, x: Tensor, computed: Tensor) -> Tensor:
        """Move all streams by what was computed of one."""
        chosen = self.chosen(computed, "after")
        return StreamCorrection(self.n_s, self.routed)(x, computed, *chosen, name="correct")
