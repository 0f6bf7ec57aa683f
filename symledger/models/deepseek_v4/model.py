"""DeepSeek-V4: one vector for key and value, compressed keys, residual streams, hash routing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Min, floor

from symledger import sizes
from symledger.components.attention.shared_key import Far, SharedKeyAttention
from symledger.components.blocks.blocks import Norm
from symledger.components.blocks.hyper import TINY, StreamMixing, written
from symledger.components.feed_forward.hashed import HashRoutedMixture
from symledger.components.feed_forward.nonlinearities import Gating, Seldom, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder, Layers
from symledger.models.shared.hybrid import Which
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, expand, param, reduce, view
from symledger.sizes import Size

PAPER = "DeepSeek-AI, DeepSeek-V4 (2026), section 2"
CLASS = "transformers 5.23, DeepseekV4ForCausalLM"


@dataclass(frozen=True)
class LimitedNetwork(Component):
    """A gated network whose gate is cut off above, and what it multiplies on both sides.

    Source: transformers 5.23, ``DeepseekV4MLP``.
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Gating = "silu"
    bias: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "gated network that cuts values off"

    def forward(self, x: Tensor) -> Steps:
        gate, up = (Linear(self.d, self.d_ff, self.bias)(x, name=n) for n in ("gate", "up"))
        z = act(self.activation, apply("clamp_above", gate)) * apply("clamp", up)
        return steps(z=z, y=Linear(self.d_ff, self.d, self.bias)(z, name="down"))


@dataclass(frozen=True)
class StreamsLayer(Component):
    """Attention and a mixture, each of which reads a sum of streams and writes to all of them.

    Source: Xie et al., *mHC* (2025), section 4; transformers 5.23, ``DeepseekV4DecoderLayer``.
    """

    attention: Component
    mixture: Component
    d: Expr = sizes.d
    n_s: Expr = sizes.n_s
    n_n: Expr = sizes.n_n

    signature: ClassVar[str] = "B T n_s d -> B T n_s d"
    title: ClassVar[str] = "attention and a mixture of experts between residual streams"

    def forward(self, x: Tensor) -> Steps:
        middle = self.around(self.attention, "attention", x, 1)
        return steps(middle=middle, y=self.around(self.mixture, "feed_forward", middle, 2))

    def around(self, part: Component, name: str, x: Tensor, number: int) -> Tensor:
        """Let a part read a sum of streams, normalized, and write to all of them."""
        mixing_of = StreamMixing(self.n_s, self.d, self.n_n)
        writing, mixing, read = mixing_of.apply(x, name=f"streams_{number}")
        made = part(RMSNorm(self.d)(read, name=f"norm_{number}"), name=name)
        return written(x, made, writing, mixing)


@dataclass(frozen=True)
class StreamsHead(Component):
    """One vector of several streams: a sum, by a weight of each for every token.

    Source: transformers 5.23, ``DeepseekV4HyperHead``.
    """

    n_s: Expr = sizes.n_s
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T n_s d -> B T d"
    title: ClassVar[str] = "several streams made one"

    def forward(self, x: Tensor) -> Steps:
        whole = self.n_s * self.d
        flat = RMSNorm(whole, affine=False)(view("B T n d -> B T (n d)", x), name="norm")
        mapped = einsum("B T i, i n -> B T n", flat, param("W", whole, self.n_s))
        reading = apply("sigmoid", mapped * param("a", ONE) + param("b", self.n_s)) + TINY
        return steps(reading=reading, y=reduce(x * view("B T n -> B T n ()", reading), (2,)))


@dataclass(frozen=True)
class DeepSeekV4(Decoder):
    """The decoder-only transformer of DeepSeek-V4: n_s streams, and far positions compressed.

    Layers with ``windows`` (all, none, or L_w) see the last w_max positions alone. Of the others
    those with ``indexing`` (L_x, if some) see keys of r_x positions each, in overlapping groups,
    among which an indexer chooses; the rest sees one key for each r_c positions. In the first
    layers a table says which experts a token is sent to; elsewhere the best are chosen, which is
    counted alike: a table is no parameter. Numbers that balance experts are none either. Decoding
    is not derived.
    Source: DeepSeek-AI, *DeepSeek-V4* (2026), section 2; transformers 5.23,
    ``DeepseekV4ForCausalLM``.
    """

    Y: Expr = ONE
    d_q: Expr = sizes.d_q
    d_rot: Expr = sizes.d_rot
    G: Expr = sizes.G
    d_r: Expr = sizes.d_r
    w: Expr = sizes.w
    w_max: Expr = sizes.w_max
    L_w: Expr = sizes.L_w
    L_x: Expr = sizes.L_x
    r_c: Expr = sizes.r_c
    r_x: Expr = sizes.r_x
    S_c: Expr = sizes.S_c
    S_x: Expr = sizes.S_x
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    E: Expr = sizes.E
    k: Expr = sizes.k
    n_s: Expr = sizes.n_s
    n_n: Expr = sizes.n_n

    head: Literal["lm", "bare"] = "lm"
    tied: bool = False
    cached: Literal[False] = False
    windows: Windows = "none"
    indexing: Which = "some"
    activation: Gating = "silu"
    mlp_bias: Annotated[bool, Seldom()] = False

    decoding: ClassVar[dict[str, str]] = {}
    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "decoder-only transformer, compressed keys, streams, hash routing"
    references: ClassVar[tuple[str, ...]] = (PAPER, CLASS)

    def defined(self) -> dict[Size, Expr]:
        """Return how far a query sees, and how many compressed keys there are."""
        return {
            **super().defined(), sizes.w: Min(self.w_max, sizes.T),
            sizes.S_c: floor(sizes.T / self.r_c), sizes.S_x: floor(sizes.T / self.r_x),
        }  # fmt: skip

    def layer(self, far: Far) -> Component:
        """Return a layer by what it sees beyond its window."""
        groups = (self.r_x, self.S_x) if far == "chosen" else (self.r_c, self.S_c)
        attention = SharedKeyAttention(
            self.d, self.h, self.d_h, self.d_q, self.d_rot, self.G, self.d_r, self.w, *groups,
            self.n_i, self.d_x, far,
        )  # fmt: skip
        mixture = HashRoutedMixture(
            self.E, self.k, self.d, self.d_ff, self.V, self.activation, hashed=False,
            beside=LimitedNetwork(self.d, self.d_ff, self.activation, self.mlp_bias),
        )  # fmt: skip
        return StreamsLayer(attention, mixture, self.d, self.n_s, self.n_n)

    def layers(self) -> Layers:
        found: dict[str, tuple[Component, Expr]] = {}
        rest = self.L
        if self.windows != "none":
            number = self.L_w if self.windows == "some" else self.L
            found["windowed_block"] = (self.layer("none"), number)
            rest = self.L - number
        if self.windows == "all":
            return found
        number = self.L_x if self.indexing == "some" else rest
        if self.indexing != "all":
            times = rest - self.L_x if self.indexing == "some" else rest
            found["block"] = (self.layer("pooled"), times)
        if self.indexing != "none":
            found["indexed_block"] = (self.layer("chosen"), number)
        return found

    def through(self, x: Tensor) -> Tensor:
        """Make each vector n_s streams, send them through the layers, and make them one again."""
        B, T, d = x.shape
        streams = expand(view("B T d -> B T () d", x), (B, T, self.n_s, d))
        return StreamsHead(self.n_s, self.d)(super().through(streams), name="join")
