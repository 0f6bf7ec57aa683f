"""Pieces of the site made by several processes at once, each taking the next one that is left.

A piece is a pure function of the sources, so who makes it makes no difference; what no process has
made, for whatever reason, is made afterwards where it is asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from typing import Any

from symledger.site.memory import Memory, Piece

MOST = 8
"""Processes at once; each holds the accounts of the catalogue."""
FEW = 8
"""Pieces that one process makes sooner than others are started."""

_work: list[tuple[Memory, list[Piece]]] = []
"""What processes that are forked find: nothing of it has to be written for them."""


def processes() -> int:
    """How many may be at work: one for each processor, where no thread is left behind by a fork."""
    if "fork" not in get_all_start_methods() or len(sys._current_frames()) > 1:
        return 1
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)
    return min(MOST, len(usable))


def make(memory: Memory, pieces: Sequence[Piece]) -> None:
    """Make pieces, and put them into the memory."""
    number = processes()
    if number == 1 or len(pieces) < FEW:
        return
    _work[:] = [(memory, group) for group in groups(pieces)]
    try:
        with ProcessPoolExecutor(number, mp_context=get_context("fork")) as pool:
            for made in pool.map(_made, range(len(_work))):
                memory.learn(made)
    except (BrokenExecutor, ImportError, OSError):
        pass  # no process can be had here, or one was killed: what is missing is made afterwards
    finally:
        _work.clear()


def groups(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield pieces that are about the same, the last word of their names: one process makes them.

    Those that are about all of a kind take longest, and come first.
    """
    found: dict[str, list[Piece]] = {}
    for piece in pieces:
        found.setdefault(piece.name.rpartition(" ")[2], []).append(piece)
    yield from sorted(found.values(), key=lambda group: "." not in group[0].name)


def _made(number: int) -> dict[str, Any]:
    memory, pieces = _work[number]
    return memory.making(pieces)
