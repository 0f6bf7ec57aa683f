"""Decoders of which some layers look back at a window only, and some have no experts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.models.shared.decoder import Layers
from symledger.models.shared.sparse import SparseDecoder
from symledger.models.shared.windows import ZERO, WindowedDecoder, Windows


@dataclass(frozen=True)
class WindowedSparseDecoder(WindowedDecoder, SparseDecoder):
    """A decoder with experts, L_d of whose layers are dense and L_w of whose layers have a window.

    ``dense_windows`` says which of the dense layers have the window, L_wd if some, and
    ``sparse_windows`` which of the others.
    """

    L_wd: Expr = sizes.L_wd
    dense_windows: Annotated[Windows, Seldom()] = "some"
    sparse_windows: Annotated[Windows, Seldom()] = "some"

    def layers(self) -> Layers:
        if self.windows != "some" or not self.dense_layers:
            return super().layers()
        full = SparseDecoder.layers(self)
        dense = {"none": ZERO, "some": self.L_wd, "all": self.L_d}[self.dense_windows]
        return {
            **self.split("dense_block", full, self.dense_windows, self.L_wd),
            **self.split("block", full, self.sparse_windows, self.L_w - dense),
        }
