"""Decoders of which some layers, or all, look back at a window only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from sympy import Expr, Integer, Min

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.flash import FlashAttention
from symledger.components.attention.relative import NearAttention, RecentAttention
from symledger.components.blocks.blocks import Block
from symledger.errors import DefinitionError
from symledger.models.shared.decoder import Decoder, Layers
from symledger.notation.component import Component
from symledger.sizes import Size

ZERO = Integer(0)
Windows = Literal["none", "some", "all"]
"""Which layers look back at a window only."""


@dataclass(frozen=True)
class WindowedDecoder(Decoder):
    """A decoder with a window: a query of such a layer sees the last w_max positions at most.

    Of a shorter text it sees all that came before: w is the smaller one of w_max and the length.
    Where ``some`` layers have it, there are L_w of them; where they stand changes no count.
    Source: Beltagy et al., *Longformer* (2020), section 3.1; Jiang et al., *Mistral 7B* (2023).
    """

    L_w: Expr = sizes.L_w
    w: Expr = sizes.w
    w_max: Expr = sizes.w_max
    S_w: Expr = sizes.S_w
    windows: Windows = "none"

    def defined(self) -> dict[Size, Expr]:
        """Return how far a query sees, and how many positions T of them see together."""
        length = self.S if self.cached else sizes.T
        return {
            **super().defined(),
            sizes.w: Min(self.w_max, length), sizes.S_w: Min(self.S, sizes.T + self.w_max - 1),
        }

    @property
    def seen_in_window(self) -> Expr | None:
        """The positions that a windowed layer attends to, where some of them are remembered.

        In a step of decoding, which sees T positions with one new token, they are the window.
        """
        if not self.cached:
            return None
        return self.w if self.S == sizes.T else self.S_w

    def layers(self) -> Layers:
        full = super().layers()
        if self.windows != "some":
            return {k: v for name in full for k, v in self.split(name, full, self.windows).items()}
        if len(full) > 1:
            raise DefinitionError(
                f"windows = some with {' and '.join(full)} is not supported: which of them have "
                "one is not said. Choose windows = none or all."
            )
        return self.split("block", full, "some", self.L_w)

    def split(self, name: str, full: Layers, which: Windows, number: Expr = ZERO) -> Layers:
        """Return one kind of block as one or two: all, none or so many see a window only."""
        block, times = full[name]
        if which == "none":
            return {name: full[name]}
        if which == "all":
            return {self.of_windows(name): (self.windowed(block), times)}
        return {f"windowed_{name}": (self.windowed(block), number), name: (block, times - number)}

    def of_windows(self, name: str) -> str:
        """Return what a kind of block is called all of which see a window only."""
        return name if self.windows == "all" else f"windowed_{name}"

    def windowed(self, block: Component) -> Component:
        """Return a block whose attention sees w positions, and is otherwise what it was.

        Raises:
            DefinitionError: it has no attention of its own to be changed.
        """
        attention = block.attention if isinstance(block, Block) else None
        if not isinstance(block, Block) or not isinstance(attention, Attention):
            raise DefinitionError(f"{type(block).__name__} has no attention that takes a window.")
        attention = self.near(attention)
        mixing = self.mixing(attention)
        flash = attention.flash and not isinstance(mixing, FlashAttention)
        changed = replace(attention, mixing=mixing, flash=flash, cached=self.seen_in_window)
        return replace(block, attention=changed)

    def mixing(self, attention: Attention) -> Component:
        """Return how the heads of a windowed layer mix what they see."""
        heads = (attention.h, attention.h_kv, attention.d_k, attention.d_v)
        if not attention.causal:
            return NearAttention(*heads, self.w)
        if attention.flash and attention.mixing is None:
            return FlashAttention(*heads, causal=True, w=self.w)
        kinds = (getattr(attention.mixing, kind, False) for kind in ("sinks", "capped"))
        return RecentAttention(*heads, self.w, *kinds)

    def near(self, attention: Attention) -> Attention:
        """Return the attention of a windowed layer but for its window; here, that of all layers."""
        return attention
