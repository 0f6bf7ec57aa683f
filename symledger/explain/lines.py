"""The lines of a target as they may be meant: all of it, one line, a few together, all but some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from symledger.algebra import Terms
from symledger.explain.branch import (
    SUM,
    WHOLE,
    WITHOUT,
    Amount,
    Branch,
    Lacking,
    Place,
    Where,
    first_of_equal,
)
from symledger.explain.sums import Polynomial, all_but

Weight = tuple[str, Terms, Terms]
"""Where a weight of two axes stands, and how long these are."""


@cache
def amounts(root: Branch, together: bool) -> tuple[Amount, ...]:
    """Return everything of a target that may be meant, the plainest first.

    Sums of lines are left out but ``together``. Of several amounts with the same polynomial the
    first stands for all.
    """
    found: list[Iterable[Amount]] = [_whole(root), *(part.lines for part in root.parts)]
    if together:
        found += [_together(root), *(part.sums for part in root.parts)]
        found += [_lacking(root, part.lacking) for part in root.parts]
        found.append(_without(root))
    return first_of_equal(chain.from_iterable(found))


@cache
def every_amount(root: Branch) -> tuple[Amount, ...]:
    """Return the same of a target that was asked about: each is an answer, whatever equals it."""
    first: dict[Where, Amount] = {}
    for amount in candidates(root):
        if amount[2].mark:
            first.setdefault(amount[1], amount)
    return tuple(first.values())


def candidates(root: Branch) -> Iterator[Amount]:
    """Return all that may be meant, the plainest first, whatever is equal."""
    places = [here for part in root.parts for here in part.places]
    return chain(
        _whole(root), *(here.lines for here in places),
        _together(root), *(here.sums for here in places),
        _lacking(root, places), _without(root),
    )  # fmt: skip


def weights(root: Branch) -> Iterator[Weight]:
    """Yield the weights of two axes."""
    for part in root.parts:
        for here in part.places:
            if here.branch.axes:
                yield here.said, *here.branch.axes


def _whole(root: Branch) -> Iterator[Amount]:
    yield WHOLE, "", root.total.alone


def _together(root: Branch) -> Iterator[Amount]:
    return ((SUM, said, amount) for said, amount in root.together)


def _lacking(root: Branch, places: Iterable[Place]) -> Iterator[Amount]:
    """Yield all but one line."""
    for here in places:
        yield WITHOUT, Lacking(here.said), all_but(root.total, [here.amount])


def _without(root: Branch) -> Iterator[Amount]:
    """Yield all but the lines of one kind: without the biases, the norms."""
    alike: dict[tuple[str, str], list[Polynomial]] = {}
    for part in root.parts:
        for key, several in part.alike.items():
            alike.setdefault(key, []).extend(several)
    for (what, above), several in alike.items():
        if len(several) > 1:
            yield WITHOUT, Lacking(what, above, every=True), all_but(root.total, several)
