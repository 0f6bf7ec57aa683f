"""What checks showed on purpose, recorded for the pages: errors by step, and mistakes found.

It travels with the package, a file an owner, so that a page needs neither NumPy nor time. ``of``
is the fingerprint of the formulas that it was recorded for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

from symledger import records
from symledger.derivations.derivation import Derivation
from symledger.evidence.records import recorded, variant

FOLDER = records.FOLDER / "demonstrations"

Steps = tuple[tuple[str, str], ...]
"""Pairs of a step and the relative error of a central difference with it."""


@dataclass(frozen=True)
class Found:
    """The check that found a mistake: its kind, what it compares, and what it saw.

    ``steps`` are the errors by step with that mistake in the backward pass.
    """

    kind: str
    claim: str
    detail: str
    steps: Steps = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {**vars(self), "steps": [list(pair) for pair in self.steps]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Found:
        """Read what ``to_dict`` gave."""
        return cls(**{**data, "steps": pairs(data["steps"])})


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
            "steps": [list(pair) for pair in self.steps], "analytic": self.analytic,
            "mistakes": {name: found.to_dict() for name, found in self.mistakes.items()},
        }  # fmt: skip


@cache
def demonstration(owner: str) -> Demonstration | None:
    """Return what was recorded for an owner; None where nothing was."""
    file = FOLDER / f"{owner}.json"
    if not file.is_file():
        return None
    data = json.loads(file.read_text(encoding="utf-8"))
    mistakes = {name: Found.from_dict(found) for name, found in data.pop("mistakes").items()}
    return Demonstration(**{**data, "steps": pairs(data["steps"])}, mistakes=mistakes)


def pairs(data: Iterable[tuple[str, str]]) -> Steps:
    """Read pairs of a step and an error."""
    return tuple((step, error) for step, error in data)


def fingerprint(derivation: Derivation) -> str:
    """Return the fingerprint of everything that is on record about a target."""
    about = recorded(derivation.target.owner).get(variant(derivation), {"hashes": {}})
    hashes = json.dumps(about["hashes"], sort_keys=True)
    return sha256(hashes.encode()).hexdigest()[:16]
