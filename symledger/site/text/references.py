"""References: the works that definitions refer to, and where to read each of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from symledger.site import resources

DATA = "references.toml"
ARXIV = "https://arxiv.org/abs/"


@dataclass(frozen=True)
class Cited:
    """A work with its address, empty where none is known, and the place in it: ``, section 2``."""

    work: str
    address: str
    place: str


@cache
def works() -> dict[str, str]:
    """Return the address of every work."""
    found = resources.data(DATA)
    return {**{work: ARXIV + n for work, n in found["arxiv"].items()}, **found["elsewhere"]}


def cited(reference: str) -> tuple[Cited, ...]:
    """Return the works of a reference, which stand between semicolons.

    >>> cited("Misra, Mish (2019), section 2")[0].place
    ', section 2'
    """
    return tuple(_cited(part) for part in reference.split("; "))


def _cited(part: str) -> Cited:
    work = max((w for w in works() if part.startswith(w)), key=len, default=part)
    return Cited(work, works().get(work, ""), part.removeprefix(work))
