"""The recorded evidence: what was compared, and whether it is about this very formula."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from symledger.account import Account
    from symledger.formulas import Formula

FILE = "evidence.json"
Status = Literal["passed", "failed", "stale"]


@dataclass(frozen=True)
class Record:
    """One recorded comparison: its kind, the claim, the points, and how far off the worst was.

    ``status`` is ``stale`` where the formula has changed since.
    """

    kind: str
    claim: str
    status: Status
    points: tuple[dict[str, int], ...] = ()
    seed: int = 0
    worst: str = "0"
    hash: str = field(default="", compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        return {
            "kind": self.kind, "claim": self.claim, "status": self.status,
            "points": [dict(p) for p in self.points], "seed": self.seed, "worst": self.worst,
        }  # fmt: skip


def variant(owner: str, name: str, options: dict[str, Any], defaults: dict[str, Any]) -> str:
    """Name what evidence is about: an owner, and the options that are not the default ones."""
    changed = [f"{k}={v}" for k, v in sorted(options.items()) if defaults.get(k) != v]
    return owner + (f"[{','.join(changed)}]" if changed else "")


@cache
def recorded() -> dict[str, Any]:
    """Read the evidence that travels with the package."""
    source = files("symledger") / FILE
    if not source.is_file():
        return {}
    found: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return found


def of(account: Account, formula: Formula) -> list[Record]:
    """Return what was recorded about a formula; empty where it was not checked."""
    return []


def matches(name: str, pattern: str) -> bool:
    """Whether a dotted weight name matches a pattern with ``*``."""
    return fnmatchcase(name, pattern)
