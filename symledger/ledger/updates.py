"""What optimizers make while they update weights: an update as the names that it gives to values.

An update is written ``root denominator -root``: each word makes a value of a weight's shape and
type (or of another size, ``rows:rows``), ``-root`` lets one go, ``estimate>update`` calls one
otherwise, and ``*`` stands for values that are made for one weight of a list after the other. In a
loop over weights a name holds the value of the weight before until its next one is made; so the
order of weights matters. Lists of all weights (``foreach``) are made at once, one kernel
(``fused``) makes nothing. Values of a few bytes, whatever a weight's shape, are named only where
they may be part of the most.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from symledger.errors import BadInput, nearest, shown
from symledger.ledger.optimizers import OPTIMIZERS

Way = Literal["foreach", "single", "fused"]
"""All weights at once, list by list; one after the other; in a kernel that makes nothing."""
WAYS: tuple[Way, ...] = get_args(Way)


Size = Literal["", "mask", "rows", "columns", "means", "one", "number", "half", "copied", "square"]
"""How large a value is: as the weight; a byte an element; one number for each row, column or matrix
of it; one; one in fp32; in bf16 as the weight, always or if that is of another type, and a square
of its shorter side."""
SIZES: tuple[Size, ...] = get_args(Size)
Of = TypeVar("Of", bound=Hashable)


@dataclass(frozen=True)
class Update:
    """The values that an optimizer of ``torch.optim`` makes, in lists and in its loop.

    ``early`` is its loop in the first step, where that is another one. ``each`` are the values that
    are made for one weight of a list after the other. ``vectors`` are weights of a single axis,
    whose update is another one, in lists of their own. ``matrices`` are those that no rows are
    picked from, which an optimizer of their own updates in a loop, before all others. ``usual`` is
    how it is run unless told.
    """

    foreach: str
    single: str
    fused: bool = False
    early: str | None = None
    each: str = ""
    vectors: Update | None = None
    matrices: Update | None = None
    usual: Way = "foreach"


_ADAM = Update("root", "root denominator -root", fused=True)
_RMSPROP = Update("mean", "mean")
_NONE = Update("", "", fused=True)
_ROUND = "gram:square product:square ortho:half "
_MUON = Update("", f"update ortho:copied {3 * _ROUND}-gram -product ortho>update")
_FACTORS = "rows:rows{0} columns:columns{1} estimate mean:means -mean estimate>update"
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
    "rprop": Update(
        "signs * -signs steps",
        "-chosen product sign -product chosen step -step",
        each="mask:mask zero:one chosen -mask -zero -chosen",
    ),
    "asgd": Update("decayed -decayed difference -difference", "eta:number mu:number"),
    "adafactor": Update(
        _FACTORS.format(" -rows", " -columns"),
        _FACTORS.format("", ""),
        vectors=Update(
            "squares -squares estimate estimate>update norm:one -norm",
            "squares estimate estimate>update norm:one -norm",
        ),
        usual="single",
    ),
    "muon": Update("root", "root denominator -root", fused=True, matrices=_MUON),
}  # fmt: skip
"""As ``torch.optim`` of PyTorch 2.13 runs them, weights not decayed through gradients.

A loop is written as often as it is until what is held is as the time before (that of Muon thrice).
The loop of ``asgd`` makes but two numbers in its first million steps (``t0``).
"""
MADE_BEFORE = ("adagrad",)
"""Whose states are made with the optimizer, before its first step."""
IN_PLACE = ("adam-mixed", "adam-master", "adam8bit")
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
    update = UPDATES.get(optimizer)
    return said or (update.usual if update else "fused")


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


Made = tuple[Of, Size]
"""A value: of which weights, and how large."""


def run(
    update: str, of: Of, held: dict[str, Made[Of]], each: str = "", members: Iterable[Of] = ()
) -> Iterator[tuple[Made[Of], ...]]:
    """Yield what is held each time before something is let go; ``held`` is what is left, by name.

    >>> left = {}
    >>> list(run("root denominator -root", "E", left))
    [(('E', ''), ('E', '')), (('E', ''),)]
    >>> [len(made) for made in run("root denominator -root", "W", left)]
    [3, 2, 1]
    """
    for word in update.split():
        name, _, more = word.partition(">")
        if word == "*":
            for member in members:
                for made in run(each, member, {}):
                    yield (*held.values(), *made)
        elif more:
            yield tuple(held.values())
            held[more] = held.pop(name)
        elif word.startswith("-"):
            yield tuple(held.values())
            held.pop(word[1:], None)
        else:
            name, _, size = word.partition(":")
            if name in held:
                yield (*held.values(), (of, _size(size)))
            held[name] = of, _size(size)
    yield tuple(held.values())


def _size(said: str) -> Size:
    return next(size for size in SIZES if size == said)
