"""`symledger check --trace`: families against their reference implementations, traced."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

from symledger.cli.progress import progress
from symledger.evidence.traced import Vector, plain, traced
from symledger.extras import lack, missing

SCHEMA = "symledger.check-trace/1"
NEEDED = ("torch", "transformers")


def run(targets: Sequence[str], as_json: bool) -> int:
    """Trace the references of families (all without any), and compare; return the exit code.

    Without PyTorch what is recorded is shown.

    Raises:
        SymledgerError: a target is no family that has a reference in transformers.
    """
    from symledger.recording.traced import asked

    started = perf_counter()
    lacking = missing(NEEDED)
    found = {o: list(traced(o)) if lacking else list(_made(o)) for o in asked(targets)}
    failed = sum(not v.passed for rows in found.values() for v in rows)
    if as_json:
        plain_text = (sys.stdout.encoding or "utf-8").lower() != "utf-8"
        print(json.dumps(to_dict(found, failed, bool(lacking)), indent=2, ensure_ascii=plain_text))
        return 1 if failed else 0
    for owner, rows in found.items():
        print(page(owner, rows))
    if lacking:
        print(f"as recorded: {lack(lacking)}")
    every = [v for rows in found.values() for v in rows]
    refused = sum(bool(v.refused) for v in every)
    print(f"{len(every) - failed - refused} exact, {refused} not traced, {failed} failed in "
          f"{perf_counter() - started:.1f} s")  # fmt: skip
    return 1 if failed else 0


def _made(owner: str) -> Iterator[Vector]:
    """Trace every vector of an owner, saying on stderr which one it is."""
    from symledger.checks.traced.comparison import recorded
    from symledger.checks.traced.vectors import vectors

    for vector in vectors(owner):
        progress(f"tracing {vector.name}")
        yield recorded(vector)
    progress("")


def page(owner: str, rows: Sequence[Vector]) -> str:
    """Write what was found about one family, vector by vector."""
    lines = [owner]
    for v in rows:
        if v.refused:
            lines += [f"  – {v.name}: not traced", f"      {v.refused}"]
            if v.same_at_sizes:
                lines.append(f"      the same as it is built at {len(v.points)} sizes: "
                             f"{', '.join(v.same_at_sizes)}")  # fmt: skip
            lines += [f"      {q}: {said}" for q, said in v.differs.items()]
            continue
        lines.append(f"  {'✓' if v.passed else '✗'} {v.name}: the same polynomials: "
                     f"{', '.join(v.same) or 'none'}")  # fmt: skip
        lines += [f"      {q}: {said}" for q, said in v.differs.items()]
        for quantity, parts in v.spelled.items():
            lines.append(f"      {quantity}, as the reference is written:")
            lines += [f"        {part}" for part in parts]
    return "\n".join(lines)


def to_dict(
    found: dict[str, list[Vector]], failed: int, as_recorded: bool
) -> dict[str, Any]:
    """Return the result as JSON data."""
    return {
        "schema": SCHEMA, "passed": failed == 0, "as_recorded": as_recorded,
        "families": {owner: [plain(v) for v in rows] for owner, rows in found.items()},
    }  # fmt: skip
