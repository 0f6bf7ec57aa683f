"""What hears in Granite Speech: a conformer over chunks of a spectrum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, floor

from symledger import sizes
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.shared.conformer import (
    GULATI,
    ConformerBlock,
    ConformerConvolution,
    NearnessAttention,
)
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, pad, repeat, view
from symledger.sizes import Q, Size, T_f, n_c

SAON = "Saon et al., Granite-speech: open-source speech-aware LLMs (2025), section 2"
CUT: dict[Size, Expr] = {
    n_c: floor((T_f + Q - 1) / Q), sizes.L_mid: floor(sizes.L_snd / 2),
}  # fmt: skip
"""How many chunks there are, the last filled up, and how deep half the encoder is."""


@dataclass(frozen=True)
class ChunkedAttention(Component):
    """Attention inside chunks of Q frames, the last filled up, told distances by a table.

    What fills up is mapped and attended to like frames, and left out before the last map.
    Source: Saon et al. (2025), section 2.1; Shaw et al. (2018), section 3.2, for the table.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    n_r: Expr = sizes.n_r

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "attention inside chunks, told distances by a table"
    references: ClassVar[tuple[str, ...]] = (SAON,)

    def forward(self, x: Tensor) -> Steps:
        full = pad(x, 1, 0, self.n_c * self.Q)
        q, k, v = (
            view("b (n t) (h e) -> (b n) t h e", y, n=self.n_c, h=self.h)
            for y in (Linear(self.d, self.h * self.d_h, bias=False)(full, name=x) for x in "QKV")
        )
        mixing = NearnessAttention(self.h, self.h, self.d_h, self.d_h, self.n_r)
        z = view("(b n) t h e -> b (n t) (h e)", mixing(q, k, v, name="core"), n=self.n_c)
        return steps(y=Linear(self.h * self.d_h, self.d)(narrow(z, 1, 0, x.shape[1]), name="O"))


@dataclass(frozen=True)
class ChunkedBlock(ConformerBlock):
    """A conformer's block whose attention stays inside chunks, and whose convolution is wider.

    Source: Gulati et al., *Conformer* (2020), section 2.4; Saon et al. (2025), section 2.1.
    """

    c: Expr = sizes.c_snd

    title: ClassVar[str] = "conformer block whose attention stays inside chunks"

    def attention(self) -> Component:
        assert self.mixing is not None
        return self.mixing

    def convolution(self) -> ConformerConvolution:
        return ConformerConvolution(self.d, self.K, wide=self.c, mapped=True)


@dataclass(frozen=True)
class GraniteEncoder(Component):
    """A conformer that guesses letters half-way, and is told what it guessed.

    T_f vectors of d_in numbers enter, two frames each. The chances of V_snd letters, behind L_mid
    blocks, are mapped back and added.
    Source: Saon et al. (2025), section 2.1; Gulati et al., *Conformer* (2020), section 2.
    """

    d_in: Expr = sizes.d_in
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    e_snd: Expr = sizes.e_snd
    f_snd: Expr = sizes.f_snd
    c_snd: Expr = sizes.c_snd
    V_snd: Expr = sizes.V_snd
    K: Expr = sizes.K
    n_r: Expr = sizes.n_r
    Q: Expr = sizes.Q

    signature: ClassVar[str] = "B T_f d_in -> B T_f d_snd"
    title: ClassVar[str] = "conformer over chunks, told the letters that it guesses half-way"
    definitions: ClassVar[dict[Size, Expr]] = CUT
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.e_snd: sizes.d_snd / sizes.h_snd, sizes.f_snd: 4 * sizes.d_snd,
        sizes.c_snd: 2 * sizes.d_snd,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (SAON, f"{GULATI}, section 2")

    def forward(self, x: Tensor) -> Steps:
        d, h, e = self.d_snd, self.h_snd, self.e_snd
        mixing = ChunkedAttention(d, h, e, self.Q, n_c, self.n_r)
        block = ChunkedBlock(mixing, d, h, h, e, self.f_snd, self.K, c=self.c_snd)
        half = sizes.L_mid
        heard = repeat(block, half, Linear(self.d_in, d)(x, name="in"), name="first_block")
        chances = Softmax()(Linear(d, self.V_snd)(heard, name="guess"), name="softmax")
        told = heard + Linear(self.V_snd, d)(chances, name="back")
        return steps(heard=heard, chances=chances,
                     y=repeat(block, self.L_snd - half, told, name="block"))  # fmt: skip
