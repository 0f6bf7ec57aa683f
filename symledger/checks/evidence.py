"""Evidence: what was compared with what, at which sizes, and how far apart it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from symledger.errors import BadInput

Kind = Literal[
    "substitution", "counted operations", "saved set", "finite differences", "complex step",
    "identity", "pairs", "pytorch",
]  # fmt: skip
"""How a comparison was made."""

Point = dict[str, int]
"""The sizes of one comparison, by symbol name."""

PROOF = "proof"


@dataclass(frozen=True)
class Evidence:
    """One comparison that a formula went through.

    ``quantity`` names what it supports (``flops.forward``), ``claim`` says in a sentence what was
    compared, ``worst`` is the largest deviation as short text ("0" where everything was exact).
    ``causal`` says under which causal convention, ``assumptions`` under which equations, where
    that makes a difference.
    """

    kind: Kind
    quantity: str
    claim: str
    points: tuple[Point, ...]
    seed: int
    worst: str
    passed: bool
    detail: str = ""
    causal: str = ""
    assumptions: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold.

        >>> Evidence("pairs", "shapes", "as stated", ({"T": 2},), 0, "0", True).to_dict()["points"]
        [{'T': 2}]
        """
        return {**asdict(self), "points": [dict(point) for point in self.points]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Evidence:
        """Read what ``to_dict`` wrote.

        Raises:
            BadInput: the record lacks an entry, has one too many, or is of an unknown kind.
        """
        entries = dict(record)
        if entries.get("kind") not in get_args(Kind):
            raise BadInput(
                f"evidence of kind {entries.get('kind')!r} is unknown; "
                f"known are {', '.join(get_args(Kind))}."
            )
        entries["points"] = tuple(dict(point) for point in entries.get("points", ()))
        entries["assumptions"] = tuple(entries.get("assumptions", ()))
        try:
            return cls(**entries)
        except TypeError as wrong:
            raise BadInput(f"a record of evidence cannot be read: {wrong}.") from wrong


def at_points(number: int) -> str:
    """Say at how many points something was compared.

    >>> at_points(1), at_points(3)
    ('at 1 point', 'at 3 points')
    """
    return f"at {number} point{'' if number == 1 else 's'}"


def worst_of(deviations: Iterable[float]) -> str:
    """Write the largest deviation as short text.

    >>> worst_of([0, 0]), worst_of([0.0, 3.14e-10])
    ('0', '3.1e-10')
    """
    largest = max(deviations, default=0)
    if largest != largest:
        return "nan"
    return "0" if largest == 0 else f"{float(largest):.1e}"
