"""Pegasus and Marian: encoder-decoders whose positions are sinusoids in frozen tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, sqrt

from symledger.components.embeddings.positions import SinusoidalPositions
from symledger.components.feed_forward.nonlinearities import Gating
from symledger.ir.tensor import Tensor
from symledger.models.bart.model import UNUSED, Tabled
from symledger.notation.verbs import narrow, param


@dataclass(frozen=True)
class Pegasus(Tabled):
    """The encoder-decoder transformer of Pegasus: pre-LN, its positions not learned.

    Sinusoids are kept as two tables of T_max rows, which are not trained.
    Source: Zhang et al., *PEGASUS* (2020), section 3, and its implementation.
    """

    title: ClassVar[str] = "encoder-decoder transformer, pre-LN LayerNorm, sinusoids in tables"
    references: ClassVar[tuple[str, ...]] = ("Zhang et al., PEGASUS (2020), section 3",)

    def hear(self, source: Tensor, E: Tensor) -> Tensor:
        """Look the source up, and place it."""
        return self.placed(super().hear(source, E), "P_enc", Integer(0))

    def place(self, x: Tensor) -> Tensor:
        """Place the tokens."""
        return self.placed(x, "P_dec", self.first(x))

    def placed(self, x: Tensor, name: str, first: Expr) -> Tensor:
        """Add a row for each position."""
        P = param(name, self.T_max, self.d, trainable=False)
        return x + narrow(P, 0, first, x.shape[1])


@dataclass(frozen=True)
class Marian(Pegasus):
    """The encoder-decoder transformer of Marian's translators: the same, with norms after the sums.

    Source: Junczys-Dowmunt et al., *Marian* (2018); Tiedemann, Thottingal, *OPUS-MT* (2020).
    """

    post: ClassVar[bool] = True
    title: ClassVar[str] = "encoder-decoder transformer, post-LN LayerNorm, sinusoids in tables"
    references: ClassVar[tuple[str, ...]] = ("Junczys-Dowmunt et al., Marian (2018)",)


@dataclass(frozen=True)
class M2M100(Pegasus):
    """The encoder-decoder transformer of M2M-100 and NLLB: Pegasus', its sinusoids computed.

    Rows of the table of tokens are multiplied by the root of the model's width.
    Source: Fan et al., *Beyond English-Centric Multilingual Machine Translation* (2020), and its
    implementation.
    """

    activation: Gating = "relu"

    title: ClassVar[str] = "encoder-decoder transformer, pre-LN LayerNorm, sinusoids computed"
    references: ClassVar[tuple[str, ...]] = (
        "Fan et al., Beyond English-Centric Multilingual Machine Translation (2020)",
    )

    def placed(self, x: Tensor, name: str, first: Expr) -> Tensor:
        """Add sines and cosines of each position, which are counted from 2."""
        places = SinusoidalPositions(self.d, first + UNUSED)
        return places(x * sqrt(self.d), name=name)
