"""The processes that make records, each taking the next job that is left."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import active_children, get_all_start_methods, get_context
from pathlib import Path
from traceback import print_exc
from typing import Any, TypeAlias

from symledger.errors import DefinitionError, SymledgerError
from symledger.recording.kind import Kind

_kinds: dict[str, Kind] = {}
"""The kinds of records by name, in a process that makes them."""


@dataclass(frozen=True)
class Task:
    """A unit of a kind of record, which is left alone where it ``may_be_fresh`` and is."""

    kind: str
    unit: str
    may_be_fresh: bool


Job: TypeAlias = "tuple[Task, ...]"
"""What one process makes, one after the other."""


@dataclass(frozen=True)
class Done:
    """What became of a unit: files that changed, or ``data`` that is still to be written."""

    kind: str
    unit: str
    made: bool = False
    data: Any = None
    changed: tuple[Path, ...] = ()
    failed: tuple[str, ...] = ()
    error: SymledgerError | None = None


def performed(
    jobs: Sequence[Job], kinds: Mapping[str, Kind], processes: int | None
) -> Iterator[tuple[int, Done]]:
    """Yield what became of the units of each job, with the number of jobs that are done.

    A single job is done in this process.
    """
    number = min(cores() if processes is None else processes, len(jobs))
    if number <= 1:
        _begin(kinds)
        for i, job in enumerate(jobs, 1):
            yield from ((i, done) for done in _perform(job))
        return
    method = "fork" if "fork" in get_all_start_methods() else "spawn"
    pool = ProcessPoolExecutor(
        number, get_context(method), initializer=_begin_aside, initargs=(kinds,)
    )
    try:
        futures = [pool.submit(_performed, job) for job in jobs]
        for i, future in enumerate(as_completed(futures), 1):
            yield from ((i, done) for done in future.result())
    except BaseException:  # interrupted: what is at work is not waited for
        for process in active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def cores() -> int:
    """Return how many cores may be used."""
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)
    return len(usable)


def _begin(kinds: Mapping[str, Kind]) -> None:
    gc.enable()
    if gc.get_threshold()[0]:  # at 0 nothing is looked for: what runs this has decided so
        gc.set_threshold(100_000, 50, 50)  # millions of numbers are made, none of them in circles
    _kinds.clear()
    _kinds.update(kinds)


def _begin_aside(kinds: Mapping[str, Kind]) -> None:
    """Begin in a process of its own, which the one that waits for it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _begin(kinds)


def _performed(job: Job) -> list[Done]:
    return list(_perform(job))


def _perform(job: Job) -> Iterator[Done]:
    for task in job:
        try:
            yield _made(task)
        except SymledgerError as error:
            yield Done(task.kind, task.unit, error=error)
        except Exception as error:  # a mistake in one definition stops no other
            print_exc(file=sys.stderr)
            said = f"{type(error).__name__}: {error}"
            yield Done(task.kind, task.unit, error=DefinitionError(said))


def _made(task: Task) -> Done:
    kind = _kinds[task.kind]
    if task.may_be_fresh and kind.fresh(task.unit):
        return Done(task.kind, task.unit)
    made = kind.make(task.unit)
    if kind.writing != "apart":
        return Done(task.kind, task.unit, True, made.data, failed=made.failed)
    changed = tuple(kind.write({task.unit: made.data}))
    return Done(task.kind, task.unit, True, changed=changed, failed=made.failed)
