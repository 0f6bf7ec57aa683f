"""Transducers: Parakeet hears, a recurrent network reads what was written, and both are joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.maps.linear import Linear
from symledger.components.recurrence.recurrent import LSTM
from symledger.ir.tensor import Tensor
from symledger.models.conformer.model import Parakeet
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import expand, view
from symledger.sizes import Size

GRAVES = "Graves, Sequence Transduction with Recurrent Neural Networks (2012)"
XU = "Xu et al., Efficient Sequence Transduction by Jointly Predicting Tokens and Durations (2023)"


@dataclass(frozen=True)
class Transducer(Parakeet):
    """Parakeet, and an LSTM that reads the T_u words so far: every frame is joined with every word.

    Scores of V words, one of which is none, are made for each pair; where it is ``timed``, of
    n_dur durations as well: how many frames further the next word is looked for.
    Source: Graves, *Sequence Transduction with Recurrent Neural Networks* (2012), section 2; Xu et
    al., *Efficient Sequence Transduction by Jointly Predicting Tokens and Durations* (2023).
    """

    d_dec: Expr = sizes.d_dec
    L_dec: Expr = sizes.L_dec
    T_u: Expr = sizes.T_u
    n_dur: Expr = sizes.n_dur
    timed: bool = True
    head: Literal["letters"] = "letters"
    joined_by: Plain = "relu"

    title: ClassVar[str] = "conformer and LSTM, every frame joined with every word"
    assumptions: ClassVar[dict[Size, Expr]] = Parakeet.assumptions
    references: ClassVar[tuple[str, ...]] = (
        f"{GRAVES}, section 2", f"{XU}, section 3", *Parakeet.references,
    )  # fmt: skip

    @property
    def out(self) -> Expr:
        """How many scores each pair has."""
        return self.V + self.n_dur if self.timed else self.V

    @property
    def signature(self) -> str:  # type: ignore[override]  # words are read as well
        """The type line."""
        return "B T_f C, B T_u in V -> B T T_u out"

    def forward(self, spectrum: Tensor, words: Tensor) -> Steps:  # type: ignore[override]  # words
        heard = self.read(self.shorten(spectrum))
        frames = Linear(self.d, self.d_dec)(heard, name="frames")
        embedded = TokenEmbedding(self.V, self.d_dec)(words, name="token_embedding")
        memory = LSTM(self.d_dec, self.d_dec, self.L_dec)
        read, *_ = memory.apply(embedded, name="lstm")
        said = Linear(self.d_dec, self.d_dec)(read, name="said")
        every = (heard.shape[0], heard.shape[1], self.T_u, self.d_dec)
        joined = expand(view("b t d -> b t () d", frames), every) + expand(
            view("b u d -> b () u d", said), every
        )
        logits = Linear(self.d_dec, self.out)(act(self.joined_by, joined), name="head")
        return steps(heard=heard, frames=frames, said=said, logits=logits)
