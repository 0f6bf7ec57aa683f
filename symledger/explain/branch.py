"""The lines of a derivation as they are searched: what each is, and where it stands.

What is worked out of a branch is kept with it: outlines of a target share most of their branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from symledger import algebra
from symledger.explain.sums import NOTHING, ONCE, Polynomial, Sum, added, added_up

MOST_SIBLINGS = 8
"""A line with more parts than this is not taken apart into sums of them."""
Kind = str
WHOLE, LINE, SUM, WITHOUT, SWAPPED = "whole", "line", "sum", "without", "swapped"


class Lacking(NamedTuple):
    """What is left out: a line, or ``every`` line of a kind, of what is above them or of all."""

    what: str
    above: str = ""
    every: bool = False


class Taken(NamedTuple):
    """A weight whose axes are taken for others."""

    weight: str
    taken: str
    own: str


Where = str | Lacking | Taken
"""Where something is in a target; words are made of it where it is shown, for most never are."""
Amount = tuple[Kind, Where, Sum]
"""A kind, where in the target that is, and how much."""
BELOW = " › "


@dataclass(frozen=True, eq=False)
class Branch:
    """A line of a derivation, with those below it.

    ``own`` is its own amount, to which the parts add; ``times`` is how often it happens. ``kind``
    is the component that it is about, and of a tensor empty; ``axes`` are the lengths of a weight
    that has two.
    """

    label: str
    kind: str = ""
    own: Polynomial = NOTHING
    times: Polynomial = ONCE
    parts: tuple[Branch, ...] = ()
    axes: tuple[Polynomial, Polynomial] | None = None

    @cached_property
    def each(self) -> Polynomial:
        """One pass."""
        return added([self.own, *[part.total for part in self.parts]]) if self.parts else self.own

    @cached_property
    def total(self) -> Polynomial:
        """All passes."""
        return self.each.times(self.times)

    @cached_property
    def name(self) -> str:
        """Its label for people."""
        return self.label.replace("_", " ")

    @cached_property
    def what(self) -> str:
        """What is left out where everything alike is: its component, or of a tensor its name."""
        if not self.kind:
            return self.name
        return "norm" if self.kind.endswith("norm") else self.kind.replace("_", " ")

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where it stands itself, seen from what it is a part of, and every branch below."""
        name, times, repeats = self.name, self.times, algebra.repeated(self.times)
        return (Place(self, name, "", times, repeats, self.total), *[
            Place(branch, f"{name}{BELOW}{said}", f"{name}{BELOW}{above}" if above else name,
                  often.times(times), repeats + again, amount.times(times))
            for part in self.parts for branch, said, above, often, again, amount in part.places
        ])  # fmt: skip

    @cached_property
    def together(self) -> tuple[tuple[str, Sum], ...]:
        """Two or three of its parts together, and what these are called."""
        few = len(self.parts) <= MOST_SIBLINGS
        chosen = [some for n in (2, 3) if few and n < len(self.parts)
                  for some in combinations(self.parts, n)]  # fmt: skip
        return tuple([
            (" + ".join([part.name for part in some]), added_up([part.total for part in some]))
            for some in chosen
        ])  # fmt: skip

    @cached_property
    def lines(self) -> tuple[Amount, ...]:
        """What its places amount to, of equal amounts the first."""
        return first_of_equal(amount for here in self.places for amount in here.lines)

    @cached_property
    def sums(self) -> tuple[Amount, ...]:
        """What a few parts at its places amount to, of equal amounts the first."""
        return first_of_equal(amount for here in self.places for amount in here.sums)

    @cached_property
    def lacking(self) -> tuple[Place, ...]:
        """What may be left out: its places, of those with equal amounts the first."""
        first: dict[int, Place] = {}
        for here in self.places:
            first.setdefault(here.amount.mark, here)
        return tuple(first.values())

    @cached_property
    def alike(self) -> dict[tuple[str, str], list[Polynomial]]:
        """All amounts of a kind, by what that is and above where: anywhere, or below a line."""
        found: dict[tuple[str, str], list[Polynomial]] = {}
        for here in self.places:
            found.setdefault((here.branch.what, here.above), []).append(here.amount)
            if here.above:
                found.setdefault((here.branch.what, ""), []).append(here.amount)
        return found


class Place(NamedTuple):
    """A branch where it stands: what it is called there and what is above.

    ``times`` is how often it happens, ``repeats`` the same in words, ``amount`` what it is in all.
    """

    branch: Branch
    said: str
    above: str
    times: Polynomial
    repeats: str
    amount: Polynomial

    @property
    def lines(self) -> Iterator[Amount]:
        """It, in one pass and in all."""
        yield LINE, self.said, self.branch.each.alone
        if self.repeats:
            yield LINE, self.said + self.repeats, self.amount.alone

    @property
    def sums(self) -> Iterator[Amount]:
        """Two or three of its parts together, in one pass and in all."""
        for said, amount in self.branch.together:
            yield SUM, f"{self.said}{BELOW}{said}", amount
            if self.repeats:
                yield SUM, f"{self.said}{BELOW}{said}{self.repeats}", amount.times(self.times)


def first_of_equal(found: Iterable[Amount]) -> tuple[Amount, ...]:
    """Return what is something, of equal amounts the first."""
    first: dict[int, Amount] = {}
    for amount in found:
        first.setdefault(amount[2].mark, amount)
    first.pop(0, None)
    return tuple(first.values())
