"""DeepSeek-V4: one vector for key and value, compressed keys, residual streams, hash routing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Min, floor

from symledger import sizes
from symledger.components.attention.shared_key import Far, SharedKeyAttention
from symledger.components.blocks.blocks import Norm
from symledger.components.blocks.hyper import StreamReading
from symledger.components.feed_forward.hashed import HashRoutedMixture
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.cut import CutFeedForward
from symledger.models.shared.decoder import Decoder, Layers
from symledger.models.shared.hybrid import Which
from symledger.models.shared.streams import StreamBlock, as_streams
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component
from symledger.sizes import Size

PAPER = "DeepSeek-AI, DeepSeek-V4 (2026), section 2"
CLASS = "transformers 5.23, DeepseekV4ForCausalLM"


@dataclass(frozen=True)
class DeepSeekV4(Decoder):
    """The decoder-only transformer of DeepSeek-V4: n_s streams, and far positions compressed.

    Layers with ``windows`` (all, none, or L_w) see the last w_max positions alone. Of the others
    those with ``indexing`` (L_x, if some) see keys of r_x positions each, in overlapping groups,
    among which an indexer chooses; the rest sees one key for each r_c positions. In the first
    layers a table says which experts a token is sent to; elsewhere the best are chosen, which is
    counted alike: a table is no parameter. Numbers that balance experts are none either. A step of
    decoding is one that completes groups: others pool nothing, and have the same products of
    matrices.
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
            self.n_i, self.d_x, far, self.seen,
        )  # fmt: skip
        mixture = HashRoutedMixture(
            self.E, self.k, self.d, self.d_ff, self.V, self.activation, hashed=False,
            beside=CutFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias),
        )  # fmt: skip
        return StreamBlock(
            self.d, norm="rms", attention=attention, network=mixture, n_s=self.n_s, n_n=self.n_n,
        )  # fmt: skip

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

    def place(self, x: Tensor) -> Tensor:
        return as_streams(super().place(x), self.n_s)

    def normalize(self, x: Tensor) -> Tensor:
        return super().normalize(StreamReading(self.n_s, self.d)(x, name="join"))
