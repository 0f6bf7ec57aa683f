"""LASR: a conformer whose heads are turned by their positions, over a spectrum made shorter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, Rational, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.convolution.convolution import Conv1d
from symledger.components.feed_forward.nonlinearities import Plain
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.conformer import GULATI, HALF, ConformerBlock
from symledger.models.wav2vec2.model import SoundEncoder
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, repeat, view
from symledger.sizes import Size, T_f, T_i

FIVE, TWO = Integer(5), Integer(2)
"""How long windows of the front are, and how far apart (transformers 5.23)."""


@dataclass(frozen=True)
class TurnedBlock(ConformerBlock):
    """A conformer's block whose heads are turned, and whose sums weigh what entered.

    Source: Gulati et al., *Conformer* (2020), section 2.4; transformers 5.23, ``LasrEncoderBlock``.
    """

    shares: ClassVar[Mapping[str, tuple[Expr, Expr]]] = {
        "fed": (Rational(3, 2), HALF), "near": (TWO, ONE),
    }  # fmt: skip
    norm_bias: ClassVar[bool] = False
    title: ClassVar[str] = "conformer block whose heads are turned by their positions"

    def attention(self) -> Component:
        return Attention(self.d, self.h, self.h_kv, self.d_h, self.d_h, self.bias, rotary=True)


@dataclass(frozen=True)
class Lasr(Component):
    """A spectrum is mapped, made four times shorter by two convolutions, and read by a conformer.

    No norm of a block has a bias. Where windows of an even length stand changes no count: here they
    see what was before.
    Source: Gulati et al., *Conformer* (2020), section 2; transformers 5.23, ``LasrForCTC``.
    """

    V: Expr = sizes.V
    C: Expr = sizes.C
    C_1: Expr = sizes.C_i[0]
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    K: Expr = sizes.K
    head: Literal["letters", "bare"] = "letters"
    bias: bool = False
    convolution_bias: bool = False
    activation: Plain = "silu"
    recompute: bool = False

    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.T: floor((T_f - 9) / 4), T_i[0]: floor((T_f - 3) / 2),
    }  # fmt: skip
    assumptions: ClassVar[dict[Size, Expr]] = {
        **SoundEncoder.assumptions, sizes.h_kv: sizes.h,
    }  # fmt: skip
    title: ClassVar[str] = "conformer with turned heads, over a spectrum made four times shorter"
    references: ClassVar[tuple[str, ...]] = (
        f"{GULATI}, section 2", "transformers 5.23, LasrForCTC",
    )  # fmt: skip

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        return f"B T_f C -> {'B T V' if self.head == 'letters' else 'B T d'}"

    def forward(self, spectrum: Tensor) -> Steps:
        heard = self.shorten(spectrum)
        block = TurnedBlock(
            None, self.d, self.h, self.h_kv, self.d_h, self.d_ff, self.K, "batch",
            self.bias, self.convolution_bias, past=True, activation=self.activation,
        )  # fmt: skip
        hidden = repeat(block, self.L, heard, name="block", recompute=self.recompute)
        hidden = LayerNorm(self.d, bias=False)(hidden, name="norm")
        if self.head == "bare":
            return steps(heard=heard, hidden=hidden)
        return steps(heard=heard, hidden=hidden, logits=Linear(self.d, self.V)(hidden, name="head"))

    def shorten(self, x: Tensor) -> Tensor:
        """Map each frame, halve their number twice, and map what is left."""
        x = view("b t c -> b c t", apply("relu", Linear(self.C, self.d)(x, name="in")))
        for i, (C, T) in enumerate(((self.d, T_i[0]), (self.C_1, sizes.T)), start=1):
            alone = {"C_in": x.shape[1], "C_out": C, "G": ONE, "r": ONE, "T_o": T}
            shorter = Conv1d(**alone, K=FIVE, s=TWO, p=Integer(0))
            x = apply("relu", shorter(x, name=f"shorten_{i}"))
        return Linear(self.C_1, self.d)(view("b c t -> b t c", x), name="out")
