"""Decoders whose networks are mixtures of experts, but for some layers that are dense."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.blocks import Block
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.errors import DefinitionError
from symledger.models.shared.decoder import Decoder, Layers
from symledger.notation.component import Component


@dataclass(frozen=True)
class SparseDecoder(Decoder):
    """A decoder with E experts of width d_exp in its blocks, of which a token uses k.

    With ``dense_layers``, L_d of its L blocks have a plain gated network of width d_ff;
    which ones changes no count.
    Source: Fedus et al., *Switch Transformers* (2022), section 2.2; Dai et al., *DeepSeekMoE*
    (2024), section 3.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d_exp: Expr = sizes.d_exp
    L_d: Expr = sizes.L_d
    dense_layers: bool = False
    activation: Activation = "silu"

    def layers(self) -> Layers:
        if not self.dense_layers:
            return super().layers()
        dense = (self.dense_block(), self.L_d)
        return {"dense_block": dense, "block": (self.block(), self.L - self.L_d)}

    def dense_block(self) -> Component:
        """Return the block that has one network for all tokens."""
        block = self.block()
        if not isinstance(block, Block):
            raise DefinitionError(f"{type(block).__name__} has no network to be replaced.")
        return replace(block, network=GatedFeedForward(self.d, self.d_ff, self.activation))
