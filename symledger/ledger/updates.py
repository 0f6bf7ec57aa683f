"""What optimizers make while they update weights: an update as the names that it gives to values.

An update is written ``root denominator -root``: each word makes a value of a weight's shape and
type, ``-root`` lets one go. In a loop over weights a name holds the value of the weight before
until its next one is made; so the order of weights matters. Lists of all weights (``foreach``) are
made at once, one kernel (``fused``) makes nothing. Values of a few bytes, whatever a weight's
shape, are never the most, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from symledger.errors import BadInput, nearest, shown
from symledger.ledger.optimizers import OPTIMIZERS

Way = Literal["foreach", "single", "fused"]
"""All weights at once, list by list; one after the other; in a kernel that makes nothing."""
WAYS: tuple[Way, ...] = get_args(Way)


@dataclass(frozen=True)
class Update:
    """The values that an optimizer of ``torch.optim`` makes, in lists and in its loop.

    ``early`` is its loop in the first step, where that is another one.
    """

    foreach: str
    single: str
    fused: bool = False
    early: str | None = None


_ADAM = Update("root", "root denominator -root", fused=True)
_RMSPROP = Update("mean", "mean")
_NONE = Update("", "", fused=True)
UPDATES: Mapping[str, Update] = {
    "sgd": _NONE,
    "momentum": _NONE,
    "adam": _ADAM,
    "adamw": _ADAM,
    "amsgrad": _ADAM,
    "nadam": Update("root", "quotient denominator -quotient"),
    "radam": Update(
        "rates",
        "mean scaled root inverse rate -root -inverse product -scaled -rate step -product -step",
        early="mean scaled -scaled",
    ),
    "adamax": Update("sizes", "size -size"),
    "adagrad": Update("deviations numerators", "deviation", fused=True),
    "adadelta": Update("deviations steps", "deviation step"),
    **dict.fromkeys(
        ("rmsprop", "rmsprop-momentum", "rmsprop-centered", "rmsprop-centered-momentum"), _RMSPROP
    ),
}
"""As ``torch.optim`` of PyTorch 2.13 runs them, weights not decayed through gradients."""
MADE_BEFORE = ("adagrad",)
"""Whose states are made with the optimizer, before its first step."""
IN_PLACE = ("adam-mixed", "adam-master")
"""What no row of ``torch.optim`` runs: taken to be updated in a kernel that makes nothing."""


def way_of(optimizer: str, said: str) -> str:
    """Return how an optimizer's step is run: as was said, or as it is unless told.

    Raises:
        BadInput: there is no such way, or what it makes is not derived.
    """
    if said and said not in WAYS:
        raise BadInput(f"{shown(said)} is no way to run a step. {nearest(said, WAYS)}")
    why = refusal(optimizer, said)
    if why:
        raise BadInput(why)
    return said or ("foreach" if optimizer in UPDATES else "fused")


def refusal(optimizer: str, said: str) -> str:
    """Say why what a step makes is not derived; nothing where it is."""
    update = UPDATES.get(optimizer)
    if optimizer in IN_PLACE:
        return "" if said in ("", "fused") else (
            f"{optimizer} is no optimizer of torch.optim, and what it makes in a step that is run "
            f"{said} is not known: its step is taken as fused."
        )  # fmt: skip
    if update is None:
        ways = "adamw, adagrad, rmsprop, …"
        return (
            f"what {optimizer} makes while it updates weights is not derived, so neither is the "
            f"most in memory in its step. That of both passes is: ask for memory.peak.forward and "
            f"memory.peak.backward, or name another optimizer ({ways})."
        )
    if said == "fused" and not update.fused:
        source = OPTIMIZERS[optimizer].source
        return f"{source} has no fused step: write --step foreach or --step single."
    return ""


Copies = tuple[int, int]
"""How many values of the weight before are held, and how many of the weight that is updated."""


def together(update: str) -> int:
    """Return how many lists of values are held at most.

    >>> together("deviations numerators")
    2
    """
    return max((own for _, own in _steps(update, frozenset())), default=0)


def one_by_one(update: str, first: bool) -> tuple[Copies, ...]:
    """Return what is held at the moments that may be the largest, of the weight before and of one.

    >>> one_by_one("root denominator -root", first=False)
    ((1, 2),)
    >>> one_by_one("deviation step", first=False)
    ((2, 1), (1, 2))
    """
    left = frozenset[str]() if first else _left(update)
    found = dict.fromkeys(_steps(update, left))
    return tuple(a for a in found if not any(a != b and _covers(b, a) for b in found))


def _steps(update: str, left: frozenset[str]) -> Iterator[Copies]:
    """Yield what is held while each value is made; of the weight before, what is left of it."""
    before, own = set(left), set[str]()
    for word in update.split():
        if word.startswith("-"):
            own.discard(word[1:])
            before.discard(word[1:])
        else:
            yield len(before), len(own | {word})
            own.add(word)
            before.discard(word)


def _left(update: str) -> frozenset[str]:
    """Return the names that hold a value behind an update."""
    held = set[str]()
    for word in update.split():
        (held.discard if word.startswith("-") else held.add)(word.removeprefix("-"))
    return frozenset(held)


def _covers(one: Copies, other: Copies) -> bool:
    return one[0] >= other[0] and one[1] >= other[1]
