"""Evidence: what was compared with what, at which sizes, and how far apart it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from symledger.evidence.claims import Claim, Kind

Point = dict[str, int]
"""The sizes of one comparison, by symbol name."""


@dataclass(frozen=True)
class Evidence:
    """One comparison that a formula went through.

    ``quantity`` names what it supports (``flops.forward``), ``claim`` says what was compared,
    ``worst`` is the largest deviation as short text ("0" where everything was exact).
    ``causal`` says under which causal convention, ``assumptions`` under which equations, where
    that makes a difference.
    """

    quantity: str
    claim: Claim
    points: tuple[Point, ...]
    seed: int
    worst: str
    passed: bool
    detail: str = ""
    causal: str = ""
    assumptions: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """How the comparison was made."""
        return self.claim.kind

    @property
    def sentence(self) -> str:
        """What was compared, in a sentence."""
        return self.claim.said(self.quantity, len(self.points), self.assumptions)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data, with its sentence.

        >>> Evidence("params", Claim("weights"), ({"T": 2},), 0, "0", True).to_dict()["claim"]
        'the elements of all weight arrays of a run are as many as the formula says, at 1 point'
        """
        return {
            "kind": self.kind, "quantity": self.quantity, "claim": self.sentence,
            "points": [dict(point) for point in self.points], "seed": self.seed,
            "worst": self.worst, "passed": self.passed, "detail": self.detail,
            "causal": self.causal, "assumptions": self.assumptions,
        }  # fmt: skip


def worst_of(deviations: Iterable[float]) -> str:
    """Write the largest deviation as short text.

    >>> worst_of([0, 0]), worst_of([0.0, 3.14e-10])
    ('0', '3.1e-10')
    """
    largest = max(deviations, default=0)
    if largest != largest:
        return "nan"
    return "0" if largest == 0 else f"{float(largest):.1e}"
