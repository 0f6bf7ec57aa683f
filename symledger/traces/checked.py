"""What a trace was compared with: one line for each check, and what is not shown if it failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

ALIVE = "memory.eager"
"""The check of what is in memory when, as PyTorch runs it: no quantity, but a schedule of its own,
which is refused where this failed."""
WITHHELD: Mapping[str, tuple[str, ...]] = {
    "params": (
        "params", "params.active", "memory.parameters", "memory.gradients", "memory.optimizer",
        "memory.training", "traffic.forward", "traffic.unfused", "intensity.forward",
    ),
    "flops.forward": (
        "flops.forward", "flops.training", "macs.forward", "macs.training", "intensity.forward",
        "flops.decode",
    ),
    "flops.backward": ("flops.backward", "flops.training", "macs.backward", "macs.training"),
    "memory.saved": ("memory.saved", "memory.training"),
    "values": (
        "flops.forward.pointwise", "flops.backward.pointwise", "memory.saved", "memory.training",
        "traffic.forward", "traffic.unfused", "intensity.forward",
    ),
    ALIVE: (),
}  # fmt: skip
"""The quantities that are not shown where a check of one of these failed."""


@dataclass(frozen=True)
class Checked:
    """One check of a trace: of what, against what, how often, and how far apart the two were.

    ``quantity`` is a key of ``WITHHELD``; ``claim`` says what was compared, ``worst`` is the
    largest deviation as short text ("0" where everything was exact), ``detail`` where they first
    differ.
    """

    quantity: str
    claim: str
    points: int
    worst: str = "0"
    passed: bool = True
    detail: str = ""


def withheld(checks: Iterable[Checked]) -> dict[str, str]:
    """Return the quantities that are not shown, each with the reason."""
    found: dict[str, str] = {}
    for check in checks:
        if not check.passed:
            for name in WITHHELD[check.quantity]:
                found.setdefault(name, f"{check.claim} failed: {check.detail}")
    return found
