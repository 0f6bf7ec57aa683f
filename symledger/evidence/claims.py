"""What comparisons claim: recorded is the name of a sentence, with the numbers and words in it.

This is the one place where the sentences stand, so that another language is another table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from symledger.languages.message import message

Kind = Literal[
    "substitution", "counted operations", "saved set", "finite differences", "complex step",
    "identity", "pairs", "pytorch",
]  # fmt: skip
"""How a comparison was made."""

Word: TypeAlias = "int | str"

COUNTED = "on counting numbers are as many as the formula says, {points}"
PROVEN = "proof: equal on a grid with more points along every symbol than its degree, {0} in all"
DRAWN = "equal at {0} points, drawn below {1}"
COLLECTED = "{quantity}, collected, equals the sum of its lines"
ASSUMED = "{quantity} does so with {assumptions}"
MORE = "but for {1} more ({2}), {points}"
BUILT = "{0} of {1}, built on the meta device,"

SENTENCES: Mapping[Kind, Mapping[str, str]] = {
    "substitution": {
        "shapes":
            "the shapes of {0} arrays made in a run, forward and backward, and those of all "
            "gradients, are the symbolic ones, {points}",
        "weights":
            "the elements of all weight arrays of a run are as many as the formula says, {points}",
        "active weights":
            "the elements of all weight arrays of a run, of E experts those of k, are as many as "
            "the formula says, {points}",
        "state":
            "the arrays of a run that decoding keeps take as many bytes as the formula says, "
            "{points}",
        "moved once":
            "inputs, outputs and the weights that a run reads take the formula's bytes, {points}",
        "moved":
            "what the operations of a run read and write takes the formula's bytes, {points}",
    },
    "counted operations": {
        "contractions forward": f"the contraction operations of a forward run {COUNTED}",
        "contractions backward": f"the contraction operations of a backward run {COUNTED}",
        "visible contractions forward":
            f"the contraction operations of a forward run that skips masked pairs {COUNTED}",
        "visible contractions backward":
            f"the contraction operations of a backward run that skips masked pairs {COUNTED}",
        "pointwise forward": f"the pointwise operations of a forward run {COUNTED}",
        "pointwise backward": f"the pointwise operations of a backward run {COUNTED}",
        "decoding": f"the contraction operations of one decoding step {COUNTED}",
    },
    "pairs": {
        "pairs":
            "the stated numbers of pairs are those of the true entries of the mask tables, "
            "{points}",
    },
    "saved set": {
        "saved":
            "the saved arrays alone ({0}) reproduce every gradient bit for bit, each is needed, "
            "and their bytes are those of the formula, {points}",
    },
    "finite differences": {
        "differences":
            "the gradients of {0} leaves along random directions agree with central differences "
            "to {1} of their scale, {points}",
        "differences of one":
            "the gradient of {0} leaf along a random direction agrees with central differences "
            "to {1} of their scale, {points}",
    },
    "complex step": {
        "complex step":
            "the gradients of {0} leaves along random directions agree with a complex step "
            "to {1} of their scale, {points}",
        "complex step of one":
            "the gradient of {0} leaf along a random direction agrees with a complex step "
            "to {1} of their scale, {points}",
    },
    "identity": {
        "proven": PROVEN,
        "drawn": DRAWN,
        "collected, proven": f"{COLLECTED}; {PROVEN}",
        "collected, drawn": f"{COLLECTED}; {DRAWN}",
        "assumed, proven": f"{ASSUMED}; {PROVEN}",
        "assumed, drawn": f"{ASSUMED}; {DRAWN}",
        "same, proven": "{1} equals {2}; " + PROVEN,
        "same, drawn": "{2} equals {3}; " + DRAWN,
    },
    "pytorch": {
        "parameters": "{0} has the formula's parameters, tensor by tensor, {points}",
        "FLOPs forward": "PyTorch counts the formula's FLOPs forward in {0}, {points}",
        "FLOPs forward but":
            "PyTorch counts the formula's FLOPs forward in {0}, " + MORE,
        "FLOPs backward": "PyTorch counts the formula's FLOPs backward in {0}, {points}",
        "FLOPs backward but":
            "PyTorch counts the formula's FLOPs backward in {0}, " + MORE,
        "kept":
            "PyTorch keeps the formula's bytes for the backward pass of {0}, {points}",
        "kept but":
            "PyTorch keeps the formula's bytes for the backward pass of {0}, " + MORE,
        "values": "outputs and gradients are those of {0} to {1} of their scale, {points}",
        "built parameters": f"{BUILT} has the same parameters, tensor by tensor, {{points}}",
        "built FLOPs forward":
            f"{BUILT} takes as many FLOPs forward, by PyTorch's counter, {{points}}",
        "built FLOPs backward":
            f"{BUILT} takes as many FLOPs backward, by PyTorch's counter, {{points}}",
        "built FLOPs decoding":
            f"{BUILT} takes as many FLOPs for the last token after the others, by PyTorch's "
            "counter, {points}",
    },
}  # fmt: skip
"""The sentence of every claim, by how it was compared. ``{0}`` is its first number or word."""

KINDS: Mapping[str, Kind] = {name: kind for kind, claims in SENTENCES.items() for name in claims}
"""How each claim was compared."""


@dataclass(frozen=True)
class Claim:
    """What a comparison showed: the name of a sentence, and the numbers and words in it.

    >>> Claim("weights").said("params", points=3)
    'the elements of all weight arrays of a run are as many as the formula says, at 3 points'
    """

    name: str
    words: tuple[Word, ...] = ()

    @property
    def kind(self) -> Kind:
        """How it was compared."""
        return KINDS[self.name]

    def said(self, quantity: str, points: int, assumptions: Sequence[str] = ()) -> str:
        """Say it of a quantity that was compared at some points, under some equations."""
        return SENTENCES[self.kind][self.name].format(
            *self.words, quantity=quantity, points=at_points(points),
            assumptions=", ".join(assumptions),
        )  # fmt: skip


def at_points(number: int) -> str:
    """Say at how many points something was compared.

    >>> at_points(1), at_points(3)
    ('at 1 point', 'at 3 points')
    """
    return message("evidence.points", n=number)
