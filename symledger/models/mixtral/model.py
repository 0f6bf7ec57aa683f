"""Mixtral: Mistral's blocks with a mixture of experts in place of the feed-forward network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.experts import JIANG, MixtureOfExperts
from symledger.models.mistral.model import Mistral
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Mixtral(Mistral):
    """The decoder-only transformer of Mixtral: every token uses k of E experts in each layer.

    The weights of the chosen experts are softmax over all of them; that Mixtral divides them by
    their sum over the chosen ones changes neither parameters nor contractions.
    Source: Jiang et al., *Mixtral of Experts* (2024), section 2 and table 1.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    windows: Windows = "none"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, mixture of SwiGLU experts"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **GatedDecoder.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{JIANG} and table 1",)

    def network(self) -> Component:
        return MixtureOfExperts(self.E, self.k, self.d, self.d_ff, activation=self.activation)
