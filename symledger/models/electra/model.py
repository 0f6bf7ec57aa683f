"""ELECTRA: an encoder that tells which tokens of a text are not those that were written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger.components.feed_forward.nonlinearities import act
from symledger.components.heads_and_losses.heads import Pooled
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.albert.model import Narrow
from symledger.models.bert.model import CausalEncoder
from symledger.models.shared.encoder import Task
from symledger.notation.verbs import view


@dataclass(frozen=True)
class Electra(CausalEncoder, Narrow):
    """BERT that tells for every token whether a smaller model, its generator, has replaced it.

    The generator is another one of these, that scores masked tokens, with the table of tokens once
    more where it is ``tied``. Tables have a width of their own where they are ``narrow``.
    Source: Clark et al., *ELECTRA* (2020), section 2 and appendix A.
    """

    head: Task = "masked"
    tied: bool = True
    narrow: bool = True

    spares: ClassVar[bool] = False
    pools: ClassVar[bool] = False
    pooled_by: ClassVar[Pooled] = "gelu"
    title: ClassVar[str] = "BERT trained to tell which tokens were replaced"
    references: ClassVar[tuple[str, ...]] = (
        "Clark et al., ELECTRA (2020), section 2 and appendix A",
    )

    @property
    def gives(self) -> dict[str, str]:
        """What the heads give: that of pre-training, one score a token."""
        return {**super().gives, "pretraining": "B T"}

    @property
    def d_table(self) -> Expr:
        """The width of the tables at the entrance."""
        return self.d_e if self.narrow else self.d

    def through(self, x: Tensor) -> Tensor:
        """Let every token see all others, L times."""
        return super().through(self.widen(x) if self.narrow else x)

    def pretrain(self, hidden: Tensor, E: Tensor) -> dict[str, Tensor]:
        """Do what the model was trained for: tell which tokens were replaced."""
        seen = act(self.activation, Linear(self.d, self.d)(hidden, name="replaced_map"))
        score = Linear(self.d, ONE)(seen, name="replaced_head")
        return {"seen": seen, "replaced": view("B T one -> B (T one)", score)}
