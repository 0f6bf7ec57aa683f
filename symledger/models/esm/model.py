"""ESM-1b and ESM-2: encoders of proteins, with norms before the parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from symledger.components.blocks.blocks import Block, PreLNBlock
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder import Encoder, PlainEncoder, Trained
from symledger.notation.component import Steps
from symledger.notation.verbs import param


@dataclass(frozen=True)
class Esm(PlainEncoder):
    """An encoder of proteins: pre-LN, its amino acids placed by a table or turned.

    A head that tells which of them touch reads all attention weights, with a number for each head;
    it is held always, and idle but where it is asked for.
    Source: Rives et al., *Biological structure and function emerge from scaling unsupervised
    learning to 250 million protein sequences* (2021); Lin et al., *Evolutionary-scale prediction
    of atomic-level protein structure with a language model* (2023); and their implementation.
    """

    head: Trained = "masked"
    positions: Literal["rotary", "learned"] = "rotary"
    embedding_norm: Annotated[bool, Seldom()] = False
    activation: Literal["gelu"] = "gelu"
    dropout: Literal[False] = False
    flash: Annotated[bool, Seldom()] = False
    tied: Annotated[bool, Seldom()] = True

    first_position: ClassVar[int] = 2
    title: ClassVar[str] = "encoder of proteins, pre-LN LayerNorm"
    references: ClassVar[tuple[str, ...]] = (
        "Lin et al., Evolutionary-scale prediction of atomic-level protein structure (2023)",
    )

    def forward(self, tokens: Tensor) -> Steps:
        """Look amino acids up and place them, apply L blocks, and answer."""
        E = param("E", self.V, self.d)
        for name, width in (("W_touching", self.L * self.h), ("b_touching", ONE)):
            leave_idle(param(name, width))
        return self.ended(self.place(self.look_up(tokens, E)), E)

    @property
    def shares(self) -> bool:
        """Whether the scores of masked tokens use the table at the entrance."""
        return self.tied

    def place(self, x: Tensor) -> Tensor:
        return super().place(x) if self.positions == "learned" else x

    def enter(self, x: Tensor) -> Tensor:
        return Encoder.enter(self, x) if self.embedding_norm else x

    def block(self) -> Block:
        return PreLNBlock(
            self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff, norm="layer", causal=False,
            activation=self.activation, rotary=self.positions == "rotary", flash=self.flash,
        )  # fmt: skip

    def through(self, x: Tensor) -> Tensor:
        return LayerNorm(self.d)(super().through(x), name="final_norm")
