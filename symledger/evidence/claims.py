"""What comparisons claim: recorded is the name of a sentence, with the numbers and words in it.

The sentences are messages, in the catalogues of every language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from symledger.languages.message import Message, Text, Verbatim, Word, joined, message, word
from symledger.languages.words import named, slug

Kind = Literal[
    "substitution", "counted operations", "saved set", "live set", "finite differences",
    "complex step", "identity", "pairs", "pytorch",
]  # fmt: skip
"""How a comparison was made."""

Recorded: TypeAlias = "int | str"

WITNESS = "witness"
BUILT = ("model", "library")
TRACED = ("model", "library", "torch")
MORE = (WITNESS, "more", "reason")
LEAVES = ("leaves", "tolerance")
SIDES = ("here", "there")
NOTHING: tuple[str, ...] = ()

CLAIMS: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    "substitution": {
        "shapes": ("arrays",),
        **dict.fromkeys(("weights", "active weights", "state", "moved once", "moved"), NOTHING),
    },
    "counted operations": dict.fromkeys((
        "contractions forward", "contractions backward", "visible contractions forward",
        "visible contractions backward", "pointwise forward", "pointwise backward", "decoding",
    ), NOTHING),
    "pairs": {"pairs": ()},
    "saved set": {"saved": ("arrays",)},
    "live set": {"alive": ()},
    "finite differences": dict.fromkeys(("differences", "differences of one"), LEAVES),
    "complex step": dict.fromkeys(("complex step", "complex step of one"), LEAVES),
    "identity": {
        f"{what}{how}": (*by, *sides)
        for what, sides in (("", ()), ("collected, ", ()), ("assumed, ", ()),
                            ("same, ", SIDES))
        for how, by in (("proven", ("number",)), ("drawn", ("number", "most")))
    },
    "pytorch": {
        **dict.fromkeys(("parameters", "FLOPs forward", "FLOPs backward", "kept"), (WITNESS,)),
        **dict.fromkeys(("FLOPs forward but", "FLOPs backward but", "kept but"), MORE),
        "values": (WITNESS, "tolerance"),
        **dict.fromkeys(("built parameters", "built FLOPs forward", "built FLOPs backward",
                         "built FLOPs decoding"), BUILT),
        **dict.fromkeys(("traced parameters", "traced active parameters", "traced FLOPs forward",
                         "traced FLOPs backward", "traced cache"), TRACED),
    },
}  # fmt: skip
"""Every claim by how it was compared, and what its numbers and words are, in their order.

The sentence of ``FLOPs forward`` is the message ``evidence.FLOPs_forward``.
"""

KINDS: Mapping[str, Kind] = {name: kind for kind, claims in CLAIMS.items() for name in claims}
"""How each claim was compared."""


@dataclass(frozen=True)
class Claim:
    """What a comparison showed: the name of a sentence, and the numbers and words in it.

    >>> Claim("weights").said("params", points=3)
    'the elements of all weight arrays of a run are as many as the formula says, at 3 points'
    """

    name: str
    words: tuple[Recorded, ...] = ()

    @property
    def kind(self) -> Kind:
        """How it was compared."""
        return KINDS[self.name]

    def said(self, quantity: str, points: int, assumptions: Sequence[str] = ()) -> Message:
        """Say it of a quantity that was compared at some points, under some equations."""
        names = CLAIMS[self.kind][self.name]
        words = (side_of(text) if name in SIDES else joined(worded(text), "; ")
                 for name, text in zip(names, self.words, strict=True))  # fmt: skip
        return message(
            f"evidence.{slug(self.name)}", quantity=quantity,
            points=at_points(points), assumptions=", ".join(assumptions),
            **dict(zip(names, words, strict=True)),
        )


def worded(recorded: Recorded) -> list[Word]:
    """Return a number or words of a claim: what PyTorch was asked, or why it counts otherwise.

    Words are known by themselves: ``words.the_zeros_that_it_starts_from_are_kept``.
    """
    return [word(f"words.{slug(text)}", text) for text in str(recorded).split("; ")]


def side_of(recorded: Recorded) -> Text:
    """Return a side of an identity: ``attention with bias, h_kv = h``."""
    name, has_choices, said = str(recorded).partition(" with ")
    if not has_choices:
        return Verbatim(name)
    choices = (each if "=" in each else joined([named(option), value], " ") if value
               else named(option) for each in said.split(", ")
               for option, _, value in (each.partition(" "),))  # fmt: skip
    return message("target.with", target=Verbatim(name), choices=joined(choices))


def kind_named(kind: Kind) -> Word:
    """Return what a kind of comparison is called."""
    return word(f"evidence.kind.{slug(kind)}", kind)


def at_points(number: int) -> Message:
    """Say at how many points something was compared.

    >>> at_points(1), at_points(3)
    ('at 1 point', 'at 3 points')
    """
    return message("evidence.points", n=number)
