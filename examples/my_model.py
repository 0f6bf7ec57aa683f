"""A transformer with adapters: large blocks that stay as they are, small parts that are trained.

Derive it with ``symledger derive examples/my_model.py:AdaptedGPT``; with ``--freeze`` and a name
such as ``layer.block.*`` the weights of that name are not trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import Component, Size, Steps, Tensor, apply, param, repeat, sizes, steps
from symledger.components import LayerNorm, Linear, LMHead, PreLNBlock, TokenEmbedding

BOTTLENECK = Size("r", "bottleneck width of an adapter")


@dataclass(frozen=True)
class Adapter(Component):
    """Down to a bottleneck, a nonlinearity, up again, and a residual path around it all.

    Source: Houlsby et al., *Parameter-Efficient Transfer Learning for NLP* (2019), section 2.1.
    """

    d: Expr = sizes.d
    r: Expr = BOTTLENECK

    signature: ClassVar[str] = "... d -> ... d"

    def forward(self, x: Tensor) -> Steps:
        narrow = apply("relu", Linear(self.d, self.r)(x, name="down"))
        return steps(narrow=narrow, y=x + Linear(self.r, self.d)(narrow, name="up"))


@dataclass(frozen=True)
class AdaptedLayer(Component):
    """A pre-LN block, and an adapter after it."""

    block: Component
    adapter: Component

    signature: ClassVar[str] = "B T d -> B T d"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=self.adapter(self.block(x, name="block"), name="adapter"))


@dataclass(frozen=True)
class AdaptedGPT(Component):
    """A decoder-only transformer with an adapter after every block."""

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    r: Expr = BOTTLENECK
    tied: bool = True

    signature: ClassVar[str] = "B T in V -> B T V"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d, BOTTLENECK: sizes.d / 16,
    }  # fmt: skip
    configuration: ClassVar[dict[str, int]] = {
        "V": 50257, "d": 768, "L": 12, "h": 12, "T": 1024, "B": 1,
    }  # fmt: skip

    def forward(self, tokens: Tensor) -> Steps:
        E = param("E", self.V, self.d)
        block = PreLNBlock(self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff)
        layer = AdaptedLayer(block, Adapter(self.d, self.r))
        x = TokenEmbedding(self.V, self.d)(tokens, E, name="token_embedding")
        x = repeat(layer, self.L, x, name="layer")
        x = LayerNorm(self.d)(x, name="final_norm")
        return steps(x=x, logits=LMHead(self.V, self.d)(x, E if self.tied else None, name="head"))
