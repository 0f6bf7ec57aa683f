"""Attention that depends on how far a key lies from a query: windows and relative positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Symbol

from symledger import sizes
from symledger.components.attention.dot_product import SEEN, HeadAttention
from symledger.components.attention.masks import (
    EVERYTHING,
    Masked,
    causal_mask,
    image_mask,
    near_mask,
    packed_mask,
    recent_mask,
    window_mask,
)
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import gather, indices, param, table, view
from symledger.sizes import Size

BELTAGY = "Beltagy et al., Longformer: The Long-Document Transformer (2020), section 3.1"


@dataclass(frozen=True)
class WindowAttention(HeadAttention):
    """Causal attention to the last w positions.

    Run operation by operation on all T² pairs, as a masked product is; under the exact
    convention only the pairs inside the window are charged.
    Source: Beltagy et al., *Longformer* (2020), section 3.1; Jiang et al., *Mistral 7B* (2023).
    """

    w: Expr = sizes.w
    sinks: bool = False
    capped: bool = False

    signature: ClassVar[str] = SEEN
    title: ClassVar[str] = "causal attention to the last w positions"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k}
    references: ClassVar[tuple[str, ...]] = (
        BELTAGY, "Jiang et al., Mistral 7B (2023), section 2",
    )

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        masked = self.masked(q.shape[1], k.shape[1])
        return self.mixed(q, k, v, masked, sinks=self.sinks, capped=self.capped)

    def masked(self, T: Expr, S: Expr) -> Masked:
        """Return which of S keys each of T queries may see."""
        return window_mask(T, S, self.w)


@dataclass(frozen=True)
class RecentAttention(WindowAttention):
    """Attention to the last w positions, where no other keys are there: S ≤ T + w − 1.

    So it is after a cache that keeps no more than a window needs.
    Source: Jiang et al., *Mistral 7B* (2023), section 2, rolling buffer cache.
    """

    def masked(self, T: Expr, S: Expr) -> Masked:
        return recent_mask(T, S, self.w)


@dataclass(frozen=True)
class ImageAttention(HeadAttention):
    """Causal attention where images stand first, each of which sees all of itself.

    Source: Gemma Team, *Gemma 3* (2025), section 2.1.
    """

    n_img: Expr = sizes.n_img
    T_tok: Expr = sizes.T_tok

    signature: ClassVar[str] = SEEN
    title: ClassVar[str] = "causal attention, images seen by themselves in both directions"
    references: ClassVar[tuple[str, ...]] = ("Gemma Team, Gemma 3 (2025), section 2.1",)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        masked = image_mask(q.shape[1], k.shape[1], None, self.n_img, self.T_tok)
        return self.mixed(q, k, v, masked)


@dataclass(frozen=True)
class RecentImageAttention(RecentAttention):
    """The same where no query sees further back than a window, an image or not.

    Source: Gemma Team, *Gemma 3* (2025), section 2.1.
    """

    n_img: Expr = sizes.n_img
    T_tok: Expr = sizes.T_tok

    def masked(self, T: Expr, S: Expr) -> Masked:
        return image_mask(T, S, self.w, self.n_img, self.T_tok)


@dataclass(frozen=True)
class PackedAttention(HeadAttention):
    """Attention in one sequence of what is T_img positions long each, and seen by itself alone.

    Run operation by operation on all pairs, as a masked product is; under the exact convention only
    the pairs inside of each are charged.
    Source: Agrawal et al., *Pixtral 12B* (2024), section 2.2.
    """

    T_img: Expr = sizes.T_img

    signature: ClassVar[str] = "B T h d_k, B T h_kv d_k, B T h_kv d_v -> B T h d_v"
    title: ClassVar[str] = "attention inside of each image, all of them packed into one sequence"
    references: ClassVar[tuple[str, ...]] = ("Agrawal et al., Pixtral 12B (2024), section 2.2",)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        return self.mixed(q, k, v, packed_mask(q.shape[1], self.T_img))


@dataclass(frozen=True)
class NearAttention(HeadAttention):
    """Attention to the positions near a query: itself, and w − 1 on either side.

    Run operation by operation on all T² pairs, as a masked product is; under the exact
    convention only the pairs inside the window are charged.
    Source: Beltagy et al., *Longformer* (2020), section 3.1.
    """

    w: Expr = sizes.w
    dropout: bool = False

    signature: ClassVar[str] = "B T h d_k, B T h_kv d_k, B T h_kv d_v -> B T h d_v"
    title: ClassVar[str] = "attention to the w positions nearest on either side"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k}
    references: ClassVar[tuple[str, ...]] = (BELTAGY,)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        return self.mixed(q, k, v, near_mask(q.shape[1], self.w), dropout=self.dropout)


@dataclass(frozen=True)
class ALiBiAttention(HeadAttention):
    """Causal attention whose scores fall with the distance, in every head at its own rate.

    The rates are 2^(−8i/h) for i = 1 … h; they are computed, and nothing is learned.
    Source: Press, Smith, Lewis, *Train Short, Test Long* (2022), section 3.
    """

    signature: ClassVar[str] = SEEN
    title: ClassVar[str] = "causal attention with linear biases (ALiBi)"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k, sizes.S: sizes.T,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Press, Smith, Lewis, Train Short, Test Long (2022), section 3",
    )

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        T, S, group = q.shape[1], k.shape[1], self.h / self.h_kv

        def falling(g: Symbol, r: Symbol, t: Symbol, s: Symbol) -> Expr:
            rate = Integer(2) ** (-8 * (g * group + r + 1) / self.h)
            return rate * (s - t + T - S)

        bias = table("bias", falling, self.h_kv, group, T, S)
        return self.mixed(q, k, v, causal_mask(T, S), bias)


@dataclass(frozen=True)
class RelativeAttention(HeadAttention):
    """Attention with a learned bias for each head and each bucket of distances.

    In T5, half of the buckets hold one distance each, and the others grow geometrically; which
    distance falls into which bucket changes no count, so the buckets are an input here.
    Source: Raffel et al., *Exploring the Limits of Transfer Learning* (2020), section 2.1.
    """

    n_b: Expr = sizes.n_b
    causal: bool = False

    signature: ClassVar[str] = SEEN
    title: ClassVar[str] = "attention with a learned bias for each bucket of distances (T5)"
    assumptions: ClassVar[dict[Size, Expr]] = ALiBiAttention.assumptions
    references: ClassVar[tuple[str, ...]] = (
        "Raffel et al., Exploring the Limits of Transfer Learning (2020), section 2.1",
    )

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        T, S = q.shape[1], k.shape[1]
        bucket = indices("bucket", self.n_b, T, S)
        learned = gather(param("R", self.n_b, self.h), bucket)
        bias = view("T S (g r) -> g r T S", learned, g=self.h_kv)
        masked = causal_mask(T, S) if self.causal else EVERYTHING
        return steps(bias=bias, **self.mixed(q, k, v, masked, bias).named)


@dataclass(frozen=True)
class BiasedAttention(HeadAttention):
    """Attention with a bias for each head and pair that is given, its scores ``scaled`` or not.

    In T5 the first layer has a table of biases for buckets of distances, and all layers use them;
    without a bias it is T5's attention to what the encoder gave. It does not scale scores.
    Source: Raffel et al., *Exploring the Limits of Transfer Learning* (2020), section 2.1.
    """

    causal: bool = False
    scaled: bool = False
    dropout: bool = False

    signature: ClassVar[str] = f"{SEEN.partition(' ->')[0]}, h T S -> B T h d_v"
    title: ClassVar[str] = "attention with biases that layers share (T5)"
    assumptions: ClassVar[dict[Size, Expr]] = ALiBiAttention.assumptions
    references: ClassVar[tuple[str, ...]] = RelativeAttention.references

    @property
    def scale(self) -> Expr:
        """What products of queries and keys are multiplied by: nothing, unless ``scaled``."""
        return super().scale if self.scaled else ONE

    def forward(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None) -> Steps:
        masked = causal_mask(q.shape[1], k.shape[1]) if self.causal else EVERYTHING
        if bias is not None:
            bias = view("... (g r) T S -> ... g r T S", bias, g=self.h_kv)
        return self.mixed(q, k, v, masked, bias, self.dropout)
