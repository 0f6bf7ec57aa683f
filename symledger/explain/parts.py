"""What may be meant of a target: all of it, one line, a few lines together, all but some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from symledger import algebra
from symledger.algebra import Terms
from symledger.catalogue.entries import BY_NAME
from symledger.explain.branch import (
    LINE,
    SUM,
    SWAPPED,
    WHOLE,
    WITHOUT,
    Kind,
    Lacking,
    Taken,
    Where,
)
from symledger.explain.index.known import Known
from symledger.explain.index.outline import Outline, Values
from symledger.explain.index.readings import FP32, Asked
from symledger.explain.index.usual import SELDOM
from symledger.explain.sums import Polynomial, Sum, added_up
from symledger.languages import words
from symledger.languages.message import Text, Verbatim, joined, message

RARE = 3
"""What a choice that hardly any model makes adds to how far something is from the plainest answer:
all but some of a target, and a few lines of it, come before it."""
UNLIKELY: dict[Kind, float] = {WHOLE: 0, LINE: 2, SUM: 3, WITHOUT: 4, SWAPPED: 4}


@dataclass(frozen=True)
class Variant:
    """A target with its choices, which are those of its outline; ``family`` owns its formulas.

    ``asked`` says that the user named it; ``near`` that it is only close to what the user named.
    ``choices`` are those that its survey looked at.
    """

    name: str
    family: str
    outline: Outline
    near: bool = False
    asked: bool = False
    choices: Values = field(default_factory=dict)

    @property
    def words(self) -> Text:
        """Its name, with its case and the choices: ``attention with bias``."""
        cases = [words.case(self.case)] if self.case else []
        chosen = joined((*cases, *(words.made(name, v) for name, v in self.changed)))
        name = Verbatim(self.name)
        return message("target.with", target=name, choices=chosen) if chosen else name

    def __str__(self) -> str:
        return str(self.words)

    @property
    def changed(self) -> tuple[tuple[str, object], ...]:
        """The choices that are made otherwise than by default."""
        return self.outline.changed

    @property
    def case(self) -> str:
        """The named case of the target that this is, if any."""
        return self.outline.case

    @cached_property
    def assumed(self) -> tuple[str, ...]:
        """The equations of the named case, as ``derive`` takes them."""
        from symledger.targets.resolve import resolve

        cases = resolve(self.name).cases if self.case else {}
        stated = cases.get(self.case, {}).items()
        return tuple(f"{s} = {e}" for s, e in stated if s.name in self.outline.frame.symbols)

    @cached_property
    def is_model(self) -> bool:
        """Whether this is a whole model: its sizes belong together."""
        entry = BY_NAME.get(self.name)
        return entry is not None and entry.kind == "model"

    def is_chosen(self, known: Known, every: bool) -> bool:
        """Whether a configuration of this model makes the same choices.

        Those that alone change nothing of what choices are told by are left out, but where
        ``every`` choice counts.
        """
        if not self.is_model or self.case or known.family != self.family:
            return False
        made = {
            name: text for name, text in known.options.items()
            if name in self.choices and text != _text(self.choices[name][0])
        }
        here = {name: _text(value) for name, value in self.changed}
        return all(
            made.get(name) == here.get(name) for name in {*made, *here}
            if every or len(self.choices.get(name, ())) != 1
        )

    @cached_property
    def unlikely(self) -> float:
        """How far its choices are from the default."""
        rare = sum(choice in SELDOM for choice in self.changed)
        return len(self.changed) + RARE * rare + (2 if self.case else 0)


@dataclass(eq=False, slots=True)
class Part:
    """Something of a variant that has an amount: ``amount`` is how much, in general."""

    variant: Variant
    asked: Asked
    kind: Kind
    said: Where
    amount: Sum

    @property
    def words(self) -> Text:
        """What it is: the variant, the quantity but for parameters, and where in it."""
        counted = () if self.quantity == "params" else (Verbatim(self.quantity),)
        there = joined(filter(None, (*counted, where(self.said))), " › ")
        variant = self.variant.words
        return self.typed(joined((variant, there), ": ") if there else variant)

    def typed(self, said: Text) -> Text:
        """Add the type of values, where it is not the usual one."""
        dtype = self.asked.dtype
        return said if dtype == FP32 else message("explain.typed", what=said, dtype=dtype)

    def __str__(self) -> str:
        return str(self.words)

    @property
    def general(self) -> Terms:
        """Its polynomial."""
        return self.amount.terms

    @property
    def quantity(self) -> str:
        """The quantity that the amount is of."""
        return self.asked.quantity

    @property
    def whole(self) -> Terms:
        """The polynomial of all of the variant."""
        return self.variant.outline.whole(self.asked) or {}

    @property
    def near(self) -> bool:
        """Whether this is not what was asked about, but a common mistake about it."""
        missing = self.kind == WITHOUT and not self.variant.asked
        return self.variant.near or self.kind == SWAPPED or missing

    @property
    def occurs(self) -> bool:
        """Whether it is a model or a line of one, which may stand in a configuration of it."""
        return self.kind in (WHOLE, LINE) and self.variant.is_model and not self.variant.case

    def occurs_in(self, known: Known) -> bool:
        """Whether it stands in a configuration."""
        told_by = next(iter(self.variant.outline.lines))
        return self.occurs and self.variant.is_chosen(known, self.quantity != told_by.quantity)

    @property
    def unlikely(self) -> float:
        """How far this is from the plainest answer: the default of a whole component."""
        depth = 1.25 * _depth(self.said) + (self.asked.dtype != FP32) / 4
        return UNLIKELY[self.kind] + depth + self.variant.unlikely


def parts(variant: Variant, asked: Asked) -> list[Part]:
    """Return everything of a variant that may be meant, the plainest first."""
    return [Part(variant, asked, *amount) for amount in variant.outline.amounts(asked)]


def first_part(variant: Variant, asked: Asked) -> Part | None:
    """Return the first of these, if there is any: all of the variant, which takes no search.

    Bytes in another type that are the same in fp32 are there in any case.
    """
    drawn = variant.outline
    whole = drawn.whole(asked)
    if whole is not None and (asked.dtype == FP32 or whole is not drawn.whole(asked.in_fp32)):
        return Part(variant, asked, WHOLE, "", whole.alone)
    return next(iter(parts(variant, asked)), None)


def swapped(variant: Variant) -> Iterator[Part]:
    """Yield a target with one axis of one weight taken for another: (d, d) for (h·d_v, d)."""
    params = Asked("params")
    total = variant.outline.whole(params) or Polynomial.of({})
    found = variant.outline.weights
    lengths = {algebra.text(n): n for _, *axes in found for n in axes}
    for weight, *axes in found:
        for i, axis in enumerate(axes):
            for _, other in sorted(lengths.items(), key=lambda length: len(length[0])):
                if other != axis:
                    taken = [other if j == i else a for j, a in enumerate(axes)]
                    amount = algebra.subtract(algebra.multiply(*taken), algebra.multiply(*axes))
                    said = Taken(weight, f"({_texts(taken)})", f"({_texts(axes)})")
                    yield Part(
                        variant, params, SWAPPED, said,
                        added_up((total, Polynomial.of(amount))),
                    )  # fmt: skip


def _depth(said: Where) -> int:
    """How many lines something is below."""
    match said:
        case Lacking(what, above):
            return what.count("›") + above.count("›")
        case Taken(weight):
            return weight.count("›")
        case str():
            return said.count("›")


def where(said: Where) -> Text:
    """Say where in a target something is: ``block › norm 1``, ``without every norm of block``."""
    match said:
        case Lacking(what, "", True):
            return message("explain.without_every", what=words.place(what))
        case Lacking(what, above, True):
            above_said = words.place(above)
            return message("explain.without_every_of", what=words.place(what), above=above_said)
        case Lacking(what):
            return message("explain.without", what=words.place(what))
        case Taken(weight, taken, own):
            return message("explain.taken", weight=words.place(weight), taken=taken, own=own)
        case str():
            return words.place(said)


def _text(value: object) -> str:
    """Write a choice as configurations have it."""
    return str(value).lower()


def _texts(axes: Iterable[Terms]) -> str:
    return ", ".join(algebra.text(axis) for axis in axes)
