"""Decoders of Mamba-2's mixers and attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.state_spaces.dual import Mamba2Mixer, StateSpaceDual
from symledger.models.shared.hybrid import HybridDecoder
from symledger.sizes import Size


@dataclass(frozen=True)
class Mamba2Hybrid(HybridDecoder):
    """A hybrid decoder whose other layers scan, in h_s heads of d_hs channels, in chunks of Q.

    Counted as the reference computes it where it has no kernels.
    Source: Dao, Gu (2024), section 7; transformers 5.23, ``BambaMixer``.
    """

    h_s: Expr = sizes.h_s
    d_hs: Expr = sizes.d_hs
    d_s: Expr = sizes.d_s
    G: Expr = sizes.G
    K: Expr = sizes.K
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    projection_bias: bool = False
    convolution_bias: bool = True
    activation: Literal["silu"] = "silu"

    definitions: ClassVar[dict[Size, Expr]] = StateSpaceDual.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        **HybridDecoder.assumptions, sizes.G: Integer(1),
        sizes.h_s: 2 * sizes.d / sizes.d_hs,
    }  # fmt: skip

    def mixer(self) -> Mamba2Mixer:
        return Mamba2Mixer(
            self.d, self.h_s, self.d_hs, self.d_s, self.G, self.K, self.Q, self.n_c,
            self.projection_bias, self.convolution_bias, self.cached,
        )  # fmt: skip
