"""Fuyu: Persimmon, whose words and patches of images enter the same decoder, with no encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.nemotron.model import Nemotron
from symledger.models.shared.seeing import Answer, Seeing
from symledger.notation.verbs import view
from symledger.sizes import Size

BAVISHI = "Bavishi et al., Fuyu-8B: A Multimodal Architecture for AI Agents (2023)"
CUT = "B n_img (H_p W_p) (P P C_in)"
"""Images as they enter: cut into patches, row by row, the numbers of each in one vector."""


@dataclass(frozen=True)
class Fuyu(Nemotron, Seeing):
    """A decoder that sees without an encoder: one affine map makes a word of every patch.

    Source: Bavishi et al., *Fuyu-8B: A Multimodal Architecture for AI Agents* (2023).
    """

    head: Answer = "lm"
    attention_bias: bool = True
    mlp_bias: bool = True
    qk_norm: bool = True
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p

    signature: ClassVar[str] = f"B T in V, {CUT} -> B T out"
    whole: ClassVar[dict[str, str]] = {"tokens": "B T in V", "images": CUT}
    title: ClassVar[str] = "decoder-only transformer that patches of images enter as words do"
    references: ClassVar[tuple[str, ...]] = (BAVISHI,)

    def decided(self) -> Mapping[Size, Expr]:
        """Return how many positions an image fills: one for each of its patches."""
        return {sizes.T_tok: sizes.H_p * sizes.W_p}

    def look(self, images: Tensor) -> Tensor:
        patches = view("b n t p -> (b n) t p", images)
        return Linear(self.P**2 * self.C_in, self.d)(patches, name="patches")
