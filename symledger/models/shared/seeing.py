"""Decoders that see: vectors of images stand in the sequence, in the place of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.errors import DefinitionError
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import LanguageModel
from symledger.notation.component import Component, Steps
from symledger.notation.verbs import drawn, gather, indices, join, narrow, param, total, view
from symledger.sizes import Size

Answer = Literal["lm", "bare"]
"""What is made of the hidden vectors: scores of the next token; nothing."""


@dataclass(frozen=True)
class Seeing(LanguageModel):
    """A decoder, an encoder of images and a projector that leads from the one to the other.

    A sequence has T positions, words and images together. Each of its n_img images fills T_tok of
    them: there the vectors that the projector gives take the place of rows of the table, which are
    looked up all the same. Where in the sequence images stand changes no count.
    Source: Liu et al., *Visual Instruction Tuning* (2023), section 4.1.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d_img: Expr = sizes.d_img
    L_img: Expr = sizes.L_img
    h_img: Expr = sizes.h_img
    f_img: Expr = sizes.f_img
    n_img: Expr = sizes.n_img

    signature: ClassVar[str] = "B T in V, B n_img C_in H W -> B T out"
    whole: ClassVar[dict[str, str]] = {"tokens": "B T in V", "images": "B n_img C_in H W"}

    def tower(self) -> Component:
        """Return the encoder of images; a family has its own."""
        raise DefinitionError(f"{type(self).__name__} has no tower: define what sees images.")

    def project(self, seen: Tensor) -> Tensor:
        """Make vectors of the decoder's width of those that the tower gave."""
        raise DefinitionError(f"{type(self).__name__} has no projector: define it.")

    def look(self, images: Tensor) -> Tensor:
        """Encode all images of all sequences, and project what was seen."""
        apart = view("b n c h w -> (b n) c h w", images)
        return self.project(self.tower()(apart, name="tower"))

    def among(self, x: Tensor, seen: Tensor) -> Tensor:
        """Put what is seen where images stand: here, before the words."""
        seen = view("(b n) t d -> b (n t) d", seen, b=x.shape[0])
        length = seen.shape[1]
        return join([seen, narrow(x, 1, length, x.shape[1] - length)], axis=1)

    def forward(self, tokens: Tensor, images: Tensor | None = None) -> Steps:
        """Embed words, see images, and do with both what the decoder does with words."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        return self.ended(x if images is None else self.among(x, self.look(images)), E)


def grid(side: Expr, down: Expr, across: Expr) -> dict[Size, Expr]:
    """Return how large images are, which so many squares fill, and how many positions each fills.

    >>> grid(sizes.P, sizes.H_p, sizes.W_p)
    {H: H_p*P, W: P*W_p, T_tok: H_p*W_p}
    """
    return {sizes.H: side * down, sizes.W: side * across, sizes.T_tok: down * across}


def shares(T_max: Expr, d: Expr, T: Expr, around: Expr) -> Tensor:
    """Return what each patch takes of so many rows of a table that lie around its place."""
    rows = gather(param("table", T_max, d), indices("row", T_max, T, around))
    taken = total(view("t k d -> t d k", rows * drawn("share", T, around, ONE)))
    return view("t d one -> () t (d one)", taken)
