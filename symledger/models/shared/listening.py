"""Decoders that hear: vectors of sounds stand in the sequence, in the place of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.errors import DefinitionError
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import LanguageModel
from symledger.notation.component import Component, Steps
from symledger.notation.verbs import join, narrow, param, view

Answer = Literal["lm", "bare"]
"""What is made of the hidden vectors: scores of the next token; nothing."""


@dataclass(frozen=True)
class Listening(LanguageModel):
    """A decoder, an encoder of sounds and a projector that leads from the one to the other.

    A sequence has T positions, words and sounds together. Each of its n_snd sounds, a spectrum of
    so many frames of C bands, fills some of them: there the vectors that the projector gives take
    the place of rows of the table, which are looked up all the same.
    Source: Chu et al., *Qwen2-Audio Technical Report* (2024), section 2.
    """

    C: Expr = sizes.C
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    f_snd: Expr = sizes.f_snd
    n_snd: Expr = sizes.n_snd

    ear_name: ClassVar[str] = "tower"
    signature: ClassVar[str] = "B T in V, B n_snd C frames -> B T out"
    whole: ClassVar[dict[str, str]] = {"tokens": "B T in V", "sounds": "B n_snd C frames"}

    @property
    def frames(self) -> Expr:
        """How many frames a spectrum has."""
        raise DefinitionError(f"{type(self).__name__} has no frames: say how many a sound has.")

    def ear(self) -> Component:
        """Return the encoder of sounds; a family has its own."""
        raise DefinitionError(f"{type(self).__name__} has no ear: define what hears sounds.")

    def project(self, heard: Tensor) -> Tensor:
        """Make vectors of the decoder's width of those that the encoder gave."""
        raise DefinitionError(f"{type(self).__name__} has no projector: define it.")

    def listen(self, sounds: Tensor) -> Tensor:
        """Encode all sounds of all sequences, and project what was heard."""
        apart = view("b n c t -> (b n) c t", sounds)
        return self.project(self.ear()(apart, name=self.ear_name))

    def forward(self, tokens: Tensor, sounds: Tensor | None = None) -> Steps:
        """Embed words, hear sounds, and do with both what the decoder does with words."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        if sounds is None:
            return self.ended(x, E)
        heard = view("(b n) t d -> b (n t) d", self.listen(sounds), b=x.shape[0])
        rest = narrow(x, 1, heard.shape[1], x.shape[1] - heard.shape[1])
        return self.ended(join([heard, rest], axis=1), E)
