"""Mixtral: LLaMA's blocks with a mixture of experts in place of the feed-forward network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks import PreLNBlock
from symledger.components.dropout import Dropout
from symledger.components.embedding import LMHead, TokenEmbedding
from symledger.components.experts import JIANG, MixtureOfExperts
from symledger.components.norms import RMSNorm
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import param, repeat
from symledger.core.tensor import Tensor
from symledger.errors import DefinitionError
from symledger.sizes import Size


@dataclass(frozen=True)
class MixtureBlock(PreLNBlock):
    """A pre-LN block whose feed-forward network is a mixture of experts.

    Source: Jiang et al., *Mixtral of Experts* (2024), section 2.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k

    title: ClassVar[str] = "transformer block with a mixture of experts"
    references: ClassVar[tuple[str, ...]] = (JIANG,)

    def feed(self, x: Tensor) -> Tensor:
        """Apply the mixture of experts, and dropout to its result if there is any.

        Raises:
            DefinitionError: dropout is asked for inside the experts.
        """
        if self.hidden_dropout:
            raise DefinitionError("dropout inside the experts of a mixture is not supported.")
        mixture = MixtureOfExperts(
            self.E, self.k, self.d, self.d_ff, activation=self.activation, gated=self.gated
        )
        y = mixture(x, name="mixture")
        return Dropout()(y, name="mixture_dropout") if self.dropout else y


@dataclass(frozen=True)
class Mixtral(Component):
    """The decoder-only transformer of Mixtral: every token uses k of E experts in each layer.

    The weights of the chosen experts are softmax over all of them; that Mixtral divides them by
    their sum over the chosen ones changes neither parameters nor contractions.
    Source: Jiang et al., *Mixtral of Experts* (2024), section 2 and table 1.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    E: Expr = sizes.E
    k: Expr = sizes.k
    tied: bool = False
    flash: bool = False
    recompute: bool = False

    signature: ClassVar[str] = "B T in V -> B T V"
    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, mixture of SwiGLU experts"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{JIANG} and table 1",)

    def forward(self, tokens: Tensor) -> Steps:
        table = param("E", self.V, self.d)
        x = TokenEmbedding(self.V, self.d)(tokens, table, name="token_embedding")
        x = repeat(self.block(), self.L, x, name="block", recompute=self.recompute)
        x = RMSNorm(self.d)(x, name="final_norm")
        head = LMHead(self.V, self.d)
        return steps(x=x, logits=head(x, table if self.tied else None, name="head"))

    def block(self) -> Component:
        """Return the block that is repeated L times."""
        return MixtureBlock(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.d_ff, norm="rms",
            activation="silu", gated=True, bias=False, rotary=True, flash=self.flash,
            E=self.E, k=self.k,
        )  # fmt: skip


CONFIGURATIONS = {
    "mixtral-8x7b": {
        "V": 32000, "d": 4096, "L": 32, "h": 32, "h_kv": 8, "d_ff": 14336, "E": 8, "k": 2,
        "T": 4096, "B": 1,
    },
}  # fmt: skip
