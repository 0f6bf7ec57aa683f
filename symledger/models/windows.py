"""Decoders of which some layers, or all, look back at a window only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr, Min

from symledger import sizes
from symledger.components.attention import Attention
from symledger.components.blocks import Block
from symledger.components.relative import WindowAttention
from symledger.core.component import Component
from symledger.core.tensor import ONE, Tensor
from symledger.errors import DefinitionError
from symledger.models.decoder import Decoder, Layers
from symledger.sizes import Size

Windows = Literal["none", "some", "all"]
"""Which layers look back at a window only."""


@dataclass(frozen=True)
class WindowedDecoder(Decoder):
    """A decoder with a window: a query of such a layer sees the last w_max positions at most.

    Of a shorter text it sees all that came before: w is the smaller one of w_max and T. Where
    ``some`` layers have it, there are L_w of them; where they stand changes no count.
    Source: Beltagy et al., *Longformer* (2020), section 3.1; Jiang et al., *Mistral 7B* (2023).
    """

    L_w: Expr = sizes.L_w
    w: Expr = sizes.w
    w_max: Expr = sizes.w_max
    windows: Windows = "none"

    definitions: ClassVar[Mapping[Size, Expr]] = {sizes.w: Min(sizes.w_max, sizes.T)}

    def layers(self) -> Layers:
        full = super().layers()
        if self.windows == "none":
            return full
        windowed = {name: (windowed_block(b, self.w), times) for name, (b, times) in full.items()}
        if self.windows == "all":
            return windowed
        if len(full) > 1:
            raise DefinitionError(
                f"windows = some with {' and '.join(full)} is not supported: which of them have "
                "one is not said. Choose windows = none or all."
            )
        (name, (block, times)), = full.items()
        return {f"windowed_{name}": (windowed[name][0], self.L_w), name: (block, times - self.L_w)}

    def through(self, x: Tensor) -> Tensor:
        if self.cached and self.windows != "none" and x.shape[1] != ONE:
            raise DefinitionError(
                "a window over remembered positions is derived for one new token only: "
                "choose cached = false and see the quantities of a decoding step."
            )
        return super().through(x)


def windowed_block(block: Component, w: Expr) -> Component:
    """Return a block whose attention sees w positions, and is otherwise what it was.

    Raises:
        DefinitionError: it has no attention of its own to be changed.
    """
    attention = block.attention if isinstance(block, Block) else None
    if not isinstance(block, Block) or not isinstance(attention, Attention):
        raise DefinitionError(f"{type(block).__name__} has no attention that takes a window.")
    heads = (attention.h, attention.h_kv, attention.d_k, attention.d_v)
    sinks, capped = (getattr(attention.mixing, name, False) for name in ("sinks", "capped"))
    mixing = WindowAttention(*heads, w, sinks, capped)
    return replace(block, attention=replace(attention, mixing=mixing))
