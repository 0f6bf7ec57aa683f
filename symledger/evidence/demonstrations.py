"""What checks showed on purpose, recorded for the pages: errors by step, and mistakes found.

It travels with the package, a file an owner, so that a page needs neither NumPy nor time. ``of``
is the fingerprint of the formulas that it was recorded for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

from symledger import records
from symledger.catalogue.entries import place
from symledger.derivations.derivation import Derivation
from symledger.evidence.claims import Claim, Kind
from symledger.evidence.records import recorded, variant
from symledger.languages.message import Text, joined, message

FOLDER = records.FOLDER / "demonstrations"

Steps = tuple[tuple[str, str], ...]
"""Pairs of a step and the relative error of a central difference with it."""

SEEN = {
    key: re.compile(written)
    for key, written in {
        "found.away": r"(?P<leaf>\S+) is (?P<far>\S+) away",
        "found.kept_in_vain": r"(?P<tensor>.+) is kept, but no gradient depends on it",
        "found.pairs": r"at (?P<at>.+) (?P<stated>\d+) pairs are stated, (?P<true>\d+) are true",
        "found.gradient_of_shape": r"the gradient of (?P<leaf>.+) came out as (?P<shape>.+)",
        "found.of_shape": r"(?P<tensor>.+) came out as (?P<shape>.+)",
    }.items()
}
"""What checks say when they refuse, by the message that says it to readers."""


@dataclass(frozen=True)
class Found:
    """The check that found a mistake: what it compares, at how many points, and what it saw.

    ``steps`` are the errors by step with that mistake in the backward pass.
    """

    quantity: str
    said: Claim
    points: int
    detail: str
    steps: Steps = ()

    @property
    def kind(self) -> Kind:
        """How it compares."""
        return self.said.kind

    @property
    def claim(self) -> str:
        """What it compares, in a sentence."""
        return self.said.said(self.quantity, self.points)

    @property
    def seen(self) -> Text:
        """What it saw, in words for readers."""
        return joined(map(_seen, self.detail.split("; ")), "; ")

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        claim = [self.said.name, self.quantity, self.points, *self.said.words]
        return {"claim": claim, "detail": self.detail, "errors": [e for _, e in self.steps]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], steps: Iterable[str]) -> Found:
        """Read what ``to_dict`` gave, and which steps its errors are of."""
        name, quantity, points, *words = data["claim"]
        claim = Claim(name, tuple(words))
        return cls(quantity, claim, points, data["detail"], pairs(steps, data["errors"]))


def _seen(detail: str) -> str:
    for key, written in SEEN.items():
        found = written.fullmatch(detail)
        if found:
            return message(key, **found.groupdict())
    return detail


@dataclass(frozen=True)
class Demonstration:
    """What was recorded for an owner.

    ``steps`` are along one direction of all inputs and weights at once; ``analytic`` is the error
    of a complex step, empty where the program has none; ``mistakes`` are those of its text, by
    what they say.
    """

    of: str
    point: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    steps: Steps = ()
    analytic: str = ""
    mistakes: Mapping[str, Found] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "of": self.of, "point": dict(self.point), "seed": self.seed,
            "steps": [step for step, _ in self.steps],
            "errors": [error for _, error in self.steps], "analytic": self.analytic,
            "mistakes": {name: found.to_dict() for name, found in self.mistakes.items()},
        }  # fmt: skip


@cache
def demonstration(owner: str) -> Demonstration | None:
    """Return what was recorded for an owner; None where nothing was."""
    file = place(FOLDER, owner)
    if not file.is_file():
        return None
    data = json.loads(file.read_text(encoding="utf-8"))
    steps = data["steps"]
    return Demonstration(
        data["of"], data["point"], data["seed"], pairs(steps, data["errors"]), data["analytic"],
        {name: Found.from_dict(found, steps) for name, found in data["mistakes"].items()},
    )


def pairs(steps: Iterable[str], errors: Sequence[str]) -> Steps:
    """Put each step beside its error, where there are errors."""
    return tuple(zip(steps, errors, strict=True)) if errors else ()


def fingerprint(derivation: Derivation) -> str:
    """Return the fingerprint of everything that is on record about a target."""
    about = recorded(derivation.target.owner).get(variant(derivation))
    hashes = json.dumps(about.hashes if about else {}, sort_keys=True)
    return sha256(hashes.encode()).hexdigest()[:16]
