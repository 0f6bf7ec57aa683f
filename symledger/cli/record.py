"""`symledger record`: make what is recorded anew, and say what was written."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each core has a process of its own
os.environ.setdefault("OMP_NUM_THREADS", "1")

from symledger import records
from symledger.cli.progress import progress
from symledger.extras import lack
from symledger.recording.kinds import NAMES, stages
from symledger.recording.run import Outcome, run
from symledger.recording.selection import selected
from symledger.recording.workers import Done

SCHEMA = "symledger.record/1"
HOME = records.FOLDER.parents[1]


def record(
    names: Sequence[str], stale: bool, as_json: bool, why: str = "", successor: str = ""
) -> int:
    """Record what some names stand for, everything without any; return the exit code.

    Raises:
        SymledgerError: a name is not known.
    """
    started, said = monotonic(), set[Path]()

    def tell(outcome: Outcome, done: Done, number: int, of: int) -> None:
        for path in outcome.changed.keys() - said:
            said.add(path)
            if not as_json:
                progress("")
                print(f"wrote {shown(path)}", flush=True)
        minutes, seconds = divmod(int(monotonic() - started), 60)
        progress(f"{number} of {of} jobs, {minutes}:{seconds:02d}: {done.kind} of {done.unit}")

    outcome = run(selected(names, NAMES), stages(why, successor), stale, tell)
    progress("")
    if as_json:
        plain = (sys.stdout.encoding or "utf-8").lower() != "utf-8"
        print(json.dumps(to_dict(outcome), indent=2, ensure_ascii=plain))
    else:
        for path in outcome.changed.keys() - said:
            print(f"wrote {shown(path)}")
        print(page(outcome, monotonic() - started))
    for error in outcome.errors:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return outcome.exit_code


def shown(path: Path) -> str:
    """Show the path of a recorded file from where the package lies."""
    return str(path.relative_to(HOME)) if path.is_relative_to(HOME) else str(path)


def page(outcome: Outcome, seconds: float) -> str:
    """Say what a run has done."""
    lines = [f"removed {shown(path)}" for path in outcome.removed]
    lines += [f"✗ {failed}" for failed in outcome.failed]
    for name, packages in outcome.kept.items():
        lines.append(f"{name}: kept what needs {', '.join(packages)}: {lack(packages)}")
    minutes, rest = divmod(round(seconds), 60)
    lines.append(
        f"{outcome.made} made, {outcome.fresh} fresh, {len(outcome.changed)} files changed "
        f"in {minutes} min {rest} s"
    )
    return "\n".join(lines)


def to_dict(outcome: Outcome) -> dict[str, Any]:
    """Return what a run has done as JSON data."""
    return {
        "schema": SCHEMA,
        "passed": outcome.exit_code == 0,
        "changed": [shown(path) for path in outcome.changed],
        "removed": [shown(path) for path in outcome.removed],
        "made": outcome.made,
        "fresh": outcome.fresh,
        "failed": outcome.failed,
        "kept": {name: list(packages) for name, packages in outcome.kept.items()},
        "errors": [str(error) for error in outcome.errors],
    }
