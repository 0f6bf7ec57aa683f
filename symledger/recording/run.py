"""Running what is to be recorded: stage after stage, jobs of one owner each, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symledger.catalogue.entries import BY_NAME
from symledger.errors import SymledgerError
from symledger.extras import missing
from symledger.recording.journal import Journal
from symledger.recording.kind import Kind
from symledger.recording.kinds import Stages
from symledger.recording.selection import Selection
from symledger.recording.workers import Done, Job, Task, performed


@dataclass
class Outcome:
    """What a run has done: files that changed, units, checks that failed, what was kept."""

    changed: dict[Path, None] = field(default_factory=dict)
    removed: list[Path] = field(default_factory=list)
    fresh: int = 0
    made: int = 0
    failed: list[str] = field(default_factory=list)
    errors: list[SymledgerError] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    """What these say: a mistake in a definition stops every kind of record that reads it."""
    kept: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Kinds of records that were not made, or not whole, and the packages that they lack."""

    @property
    def exit_code(self) -> int:
        """0 if all is well, 1 if a check failed, else that of the first error."""
        return 1 if self.failed else self.errors[0].exit_code if self.errors else 0

    def refuse(self, done: Done, error: SymledgerError) -> None:
        """Note what could not be made, and why, once for all that it stops."""
        if str(error) not in self.refused:
            self.refused.add(str(error))
            self.errors.append(type(error)(f"{done.kind} of {done.unit}: {error}"))


Tell = Callable[[Outcome, Done, int, int], None]
"""Hears of each unit: what there is so far, what became of it, which job that was, of how many."""


def run(
    selection: Selection, stages: Stages, stale: bool, tell: Tell, processes: int | None = None
) -> Outcome:
    """Record what is selected; what an interrupted run has made is not made again.

    Args:
        selection: what is to be recorded.
        stages: the kinds of records, as ``kinds.stages`` returns them.
        stale: leave out what is fresh.
        tell: hears of every unit that is done.
        processes: how many are at work at once; one for each core unless said.
    """
    outcome, journal = Outcome(), Journal.opened()
    for kinds in stages:
        asked = {kind.name: kind.units(selection) for kind in kinds}
        lacking = {k.name: missing((*k.needs, *k.asks)) for k in kinds if asked[k.name]}
        outcome.kept |= {name: packages for name, packages in lacking.items() if packages}
        able = {kind.name: kind for kind in kinds if not missing(kind.needs)}
        waiting = {name: journal.kept(name, asked[name]) for name in able}
        tasks = [
            Task(name, unit, stale or (name, unit) in journal.done)
            for name in able for unit in asked[name] if unit not in waiting[name]
        ]  # fmt: skip
        jobs = _jobs(tasks, able)
        for number, done in performed(jobs, able, processes):
            _take(done, able[done.kind], outcome, waiting[done.kind], journal)
            tell(outcome, done, number, len(jobs))
        for name, made in waiting.items():
            _write(able[name], made, outcome)
        if selection.everything:
            outcome.removed += [p for kind in able.values() for p in kind.left_over()]
    for path in outcome.removed:
        path.unlink()
    journal.close()
    return outcome


def _jobs(tasks: Iterable[Task], kinds: Mapping[str, Kind]) -> list[Job]:
    """Return tasks by what they are about; those of models, which take longest, come first."""
    found: dict[str, list[Task]] = {}
    for task in tasks:
        found.setdefault(kinds[task.kind].about(task.unit), []).append(task)

    def comes_late(about: str) -> bool:
        return about in BY_NAME and BY_NAME[about].kind != "model"

    return [tuple(found[about]) for about in sorted(found, key=comes_late)]


def _take(
    done: Done, kind: Kind, outcome: Outcome, waiting: dict[str, Any], journal: Journal
) -> None:
    """Note what became of a unit, and write what was made of it unless it waits for others."""
    if done.error:
        outcome.refuse(done, done.error)
        return
    if not done.made:
        outcome.fresh += 1
        return
    outcome.made += 1
    outcome.failed += done.failed
    outcome.changed |= dict.fromkeys(done.changed)
    if kind.writing == "merged":
        _write(kind, {done.unit: done.data}, outcome)
    if kind.writing == "together":
        waiting[done.unit] = done.data
    if not done.failed:  # else it would not be said once more
        journal.add(kind.name, done.unit, done.data if kind.writing == "together" else None)


def _write(kind: Kind, made: Mapping[str, Any], outcome: Outcome) -> None:
    try:
        outcome.changed |= dict.fromkeys(kind.write(made) if made else ())
    except SymledgerError as error:
        outcome.errors.append(error)
