"""AFMoE (Trinity) and Laguna: gates behind attention, windows, routed and shared experts."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar, Literal

from sympy import Expr, Integer, Rational

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, SandwichBlock
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.sparse_llama import SparseLlama
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, param, view
from symledger.sizes import Size

CAP, ADDED, KEPT = Integer(30), Rational(1, 2), Rational(3, 4)
"""What logits stay below, and what both sides of sums are scaled by; others count the same."""
Gated = Literal["heads", "elements"]
"""What the gate of a layer multiplies: each head as a whole, or every element of heads."""


@dataclass(frozen=True)
class Afmoe(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of AFMoE: every element of heads is gated, parts are sandwiched.

    Layers with a window turn queries and keys by their position; the others are told none. A number
    for each expert, which is a parameter without a gradient, balances them.
    Source: Singh et al., *Arcee Trinity Large Technical Report* (2026), section 2; transformers,
    ``AfmoeForCausalLM``.
    """

    E_s: Expr = sizes.E_s
    windows: Windows = "some"

    title: ClassVar[str] = "decoder-only transformer, gated heads, sandwich norms, windows, experts"
    references: ClassVar[tuple[str, ...]] = (
        "Singh et al., Arcee Trinity Large Technical Report (2026), section 2",
    )

    def attention(self) -> Attention:
        return replace(
            super().attention(), qk_norm="rms", rotary=False, gate="elements", unbiased=("gate",)
        )

    def near(self, attention: Attention) -> Attention:
        return replace(attention, rotary=True)

    def network(self) -> Component:
        widths = (self.E, self.k, self.d, self.d_exp, self.E_s)
        return MixtureOfExperts(*widths, self.activation, shared=True, balanced=True)

    def block(self) -> Block:
        return SandwichBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )


@dataclass(frozen=True)
class Laguna(SparseLlama, WindowedSparseDecoder):
    """The decoder-only transformer of Laguna: softplus gates, and other heads where a window is.

    Layers with a window have h_w query heads, which are turned wholly; the others turn a part of
    each. The gate is one of each head, or of every element. A number for each expert, which is a
    parameter without a gradient, balances them.
    Source: transformers, ``LagunaForCausalLM`` (2026).
    """

    d_sh: Expr = sizes.d_sh
    d_rot: Expr = sizes.d_rot
    h_w: Expr = sizes.h_w
    windows: Windows = "some"
    gated: Gated = "heads"
    partly: bool = True

    title: ClassVar[str] = "decoder-only transformer, gated heads, windows, experts and shared ones"
    assumptions: ClassVar[dict[Size, Expr]] = {**SparseLlama.assumptions, sizes.h_w: sizes.h}
    references: ClassVar[tuple[str, ...]] = ("transformers, LagunaForCausalLM (2026)",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), qk_norm="rms", d_rot=self.d_rot if self.partly else None,
            gate="heads by softplus" if self.gated == "heads" else "elements by softplus",
            unbiased=("gate",),
        )  # fmt: skip

    def near(self, attention: Attention) -> Attention:
        return replace(attention, h=self.h_w, d_rot=None)

    def network(self) -> Component:
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, activation=self.activation, balanced=True,
            beside=GatedFeedForward(self.d, self.d_sh, self.activation),
        )  # fmt: skip


@dataclass(frozen=True)
class ScaledSandwichBlock(SandwichBlock):
    """A block with norms on either side of its parts, and constants on either side of its sums."""

    def forward(self, x: Tensor) -> Steps:
        attended = self.normalize(self.attend(self.normalize(x, 1)), 2)
        middle = attended * ADDED + x * KEPT
        fed = self.normalize(self.feed(self.normalize(middle, 3)), 4)
        return steps(middle=middle, y=fed * ADDED + middle * KEPT)


@dataclass(frozen=True)
class BiasedGateAttention(Attention):
    """Attention whose gate of every element has one bias for each head.

    Source: transformers 5.23, ``BeamAttention``.
    """

    title: ClassVar[str] = "attention behind a gate with a bias for each head"

    def gating(self, x: Tensor, width: Expr) -> Tensor:
        moved = Linear(self.d, width, bias=False)(x, name="gate")
        heads = view("B T (h v) -> B T h v", moved, h=self.h)
        biased = heads + view("h -> h ()", param("gate_bias", self.h))
        return apply("sigmoid", view("B T h v -> B T (h v)", biased))


@dataclass(frozen=True)
class Beam(Afmoe):
    """The decoder-only transformer of Beam: AFMoE's layers, with a bias of each head's gate.

    No expert is shared, and no number balances them; logits are capped. That both sides of residual
    sums are scaled by the depth, and queries of layers that are told no positions by theirs, is a
    product with constants.
    Source: transformers 5.23, ``BeamForCausalLM``.
    """

    Y: Expr = ONE
    E_s: Expr = ONE
    head: Literal["lm", "bare"] = "lm"
    capped_logits: bool = True

    title: ClassVar[str] = "decoder-only transformer, biased gates, sandwich norms, experts"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, BeamForCausalLM",)

    def attention(self) -> Attention:
        plain = super().attention()
        return BiasedGateAttention(**{f.name: getattr(plain, f.name) for f in fields(plain)})

    def network(self) -> Component:
        return MixtureOfExperts(self.E, self.k, self.d, self.d_exp, activation=self.activation)

    def block(self) -> Block:
        return ScaledSandwichBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        y = super().score(x, E)
        capped = self.capped_logits and self.head == "lm"
        return apply("tanh", y * (1 / CAP)) * CAP if capped else y
