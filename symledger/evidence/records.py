"""The recorded evidence: what was compared, and whether it is about this very formula.

It travels with the package, a file an owner in a folder like its definition's, so that a derivation
shows it without running anything. A record holds the fingerprint of each formula that it is about,
under the default conventions; where a formula has changed since, its evidence is stale.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from symledger import records
from symledger.catalogue.entries import place
from symledger.derivations.derivation import Derivation
from symledger.evidence.claims import Kind
from symledger.evidence.comparison import Evidence, Point
from symledger.evidence.fingerprints import default_hash, fingerprint
from symledger.evidence.store import Findings, read
from symledger.evidence.traced import traced
from symledger.ledger.peaks import EAGER, PEAKS

FOLDER = records.FOLDER / "evidence"
MUTANTS = records.FOLDER / "mutants.json"
"""What became of the deliberate mistakes that are made in programs and rules."""
REFERENCE = records.FOLDER / "reference"
"""What was found when published configurations were built by the implementation they are of; a
file an owner of formulas."""
Status = Literal["passed", "failed", "stale"]

BASIS: dict[str, tuple[str, ...]] = {
    "params": ("params", "shapes"),
    "params.active": ("params.active", "shapes"),
    "flops.forward": ("flops.forward",),
    "flops.forward.pointwise": ("flops.forward.pointwise",),
    "flops.backward": ("flops.backward", "gradients"),
    "flops.backward.pointwise": ("flops.backward.pointwise", "gradients"),
    "flops.training": ("flops.forward", "flops.backward"),
    "macs.forward": ("flops.forward",),
    "macs.backward": ("flops.backward",),
    "macs.training": ("flops.forward", "flops.backward"),
    "flops.decode": ("flops.decode",),
    "memory.parameters": ("params",),
    "memory.gradients": ("params", "gradients"),
    "memory.optimizer": ("params",),
    "memory.saved": ("memory.saved",),
    "memory.training": ("params", "memory.saved"),
    "memory.kv_cache": ("memory.kv_cache",),
    "memory.peak.forward": ("params", "memory.peak.forward"),
    "memory.peak.backward": ("params", "memory.peak.backward"),
    "memory.peak.step": ("params",),
    "memory.peak.train": ("params", "memory.peak.forward", "memory.peak.backward"),
    "memory.peak.prefill": ("params", "memory.peak.prefill"),
    "memory.peak.decode": ("params", "memory.peak.decode"),
    "traffic.forward": ("traffic.forward",),
    "traffic.unfused": ("traffic.unfused",),
    "intensity.forward": ("flops.forward", "traffic.forward"),
}
"""For each quantity, the checked quantities that its evidence is made of: bytes of weights are
parameters times a convention, multiply-adds are half the FLOPs."""

BACKWARD = (
    "flops.backward", "flops.backward.pointwise", "memory.saved", "gradients",
    "memory.peak.backward",
)  # fmt: skip
"""What depends on which gradients are asked for."""
TRAINED = ("memory.gradients", "memory.optimizer", "memory.training")
"""What depends on which weights are frozen, though its evidence is about all of them."""

WEIGHTS = ("memory.parameters", "memory.training")
"""What depends on the type of weights, where they are quantised."""

STATES = ("memory.optimizer", "memory.training")
"""What depends on the shapes of weights where an optimizer looks at these."""


@dataclass(frozen=True)
class Record:
    """One recorded comparison; ``status`` is ``stale`` where the formula has changed since."""

    found: Evidence
    status: Status

    @property
    def kind(self) -> Kind:
        """How it was compared."""
        return self.found.kind

    @property
    def quantity(self) -> str:
        """The quantity that it supports."""
        return self.found.quantity

    @cached_property
    def claim(self) -> str:
        """What was compared, in a sentence."""
        return self.found.sentence

    @property
    def points(self) -> tuple[Point, ...]:
        """The sizes at which it was compared."""
        return self.found.points

    @property
    def seed(self) -> int:
        """Of what was drawn."""
        return self.found.seed

    @property
    def worst(self) -> str:
        """The largest deviation, as short text."""
        return self.found.worst

    @property
    def sizes(self) -> list[str]:
        """The points, each in words: ``B=2 T=3``."""
        return [" ".join(f"{name}={n}" for name, n in point.items()) for point in self.points]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        return {
            "kind": self.kind, "quantity": self.quantity, "claim": self.claim,
            "status": self.status, "points": [dict(p) for p in self.points],
            "seed": self.seed, "worst": self.worst,
        }  # fmt: skip


def variant(derivation: Derivation) -> str:
    """Name what evidence is about: an owner, and the options that are not its default ones.

    Those that change no formula are left out.
    """
    default, deciding = derivation.target.defaults, derivation.target.deciding
    changed = [
        f"{name}={str(value).lower()}" for name, value in sorted(derivation.target.options.items())
        if default[name] != value and name not in deciding
    ]  # fmt: skip
    return derivation.target.owner + (f"[{','.join(changed)}]" if changed else "")


@cache
def recorded(owner: str) -> Mapping[str, Findings]:
    """Read the evidence about an owner that travels with the package."""
    return read(place(FOLDER, owner))


@cache
def reference(owner: str) -> Mapping[str, Findings]:
    """Read what an owner's published configurations were compared with when they were built."""
    return read(place(REFERENCE, owner))


def every_reference() -> dict[str, Findings]:
    """Read that of all owners."""
    owners = sorted(file.stem for file in REFERENCE.rglob("*.json"))
    return {name: row for owner in owners for name, row in reference(owner).items()}


@cache
def mutants() -> dict[str, list[dict[str, Any]]]:
    """Read which check killed each mutant: wrong rules one by one, all others counted."""
    found: dict[str, list[dict[str, Any]]] = json.loads(MUTANTS.read_text(encoding="utf-8"))
    return found


def of(derivation: Derivation, quantity: str) -> list[Record]:
    """Return what was recorded about a quantity of a target; empty where it was not checked."""
    if derivation.target.origin:
        return []
    as_built = [*_built(derivation, quantity), *_traced(derivation, quantity)]
    about = recorded(derivation.target.owner).get(variant(derivation))
    if about is None:
        return as_built
    conventions = derivation.conventions
    asked_otherwise = bool(conventions.frozen) or not conventions.input_gradient
    if conventions.frozen and quantity in TRAINED:
        return []
    if conventions.weights and quantity in WEIGHTS:
        return []
    if conventions.cache and quantity == "memory.kv_cache":
        return []
    if quantity in PEAKS and not _by_program(derivation):
        return []
    if quantity in STATES and (conventions.kept.form != "each" or conventions.counters):
        return []
    records: list[Record] = []
    for basis in BASIS[quantity]:
        if asked_otherwise and basis in BACKWARD:
            return []
        fresh = about.hashes.get(basis) in (None, fingerprint(derivation, basis))
        for e in about.evidence:
            if e.quantity == basis and _applies(e, derivation, basis):
                records.append(
                    Record(e, "stale" if not fresh else "passed" if e.passed else "failed")
                )
    return records + as_built


def _by_program(derivation: Derivation) -> bool:
    """Whether a peak is of what runs of the definition itself are compared with."""
    conventions = derivation.conventions
    otherwise = conventions.weights or conventions.accumulate or derivation.target.entered
    return derivation.request.schedule != EAGER and not otherwise


def _built(derivation: Derivation, quantity: str) -> Iterator[Record]:
    """Yield what was found when this very configuration was built, as far as it still holds."""
    target = derivation.target
    about = reference(target.owner).get(target.name)
    if about is None:
        return
    fresh = {q for q, h in about.hashes.items() if h == fingerprint(derivation, q)}
    for e in about.evidence:
        if e.quantity in fresh & set(BASIS[quantity]):
            yield Record(e, "passed" if e.passed else "failed")


def _traced(derivation: Derivation, quantity: str) -> Iterator[Record]:
    """Yield what was found when the reference was traced, where that was this very formula."""
    for vector in traced(derivation.target.owner):
        for e in vector.evidence:
            same = e.quantity in BASIS[quantity]
            if same and vector.compared[e.quantity] == fingerprint(derivation, e.quantity):
                yield Record(e, "passed" if e.passed else "failed")


def _applies(e: Evidence, derivation: Derivation, basis: str) -> bool:
    """Whether a comparison is about the formula as it was asked for, not under other conditions."""
    if e.causal and e.causal != derivation.conventions.causal:
        return False
    if e.kind == "identity":
        same_bytes = default_hash(derivation, basis) == derivation[basis].hash
        return same_bytes and set(e.assumptions) <= set(derivation[basis].assumptions)
    return True


def killed() -> int:
    """How many mutants were killed."""
    found = mutants()
    return len(found["rules"]) + sum(int(row["number"]) for row in found["others"])


def everything() -> Iterator[Evidence]:
    """Yield every recorded comparison, of all owners."""
    for owner in sorted(file.stem for file in FOLDER.rglob("*.json")):
        for about in recorded(owner).values():
            yield from about.evidence


def worst(kind: str) -> list[str]:
    """Return the worst deviation of every recorded comparison of a kind."""
    return [e.worst for e in everything() if e.kind == kind]
