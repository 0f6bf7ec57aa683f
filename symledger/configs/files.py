"""What lies at a path that a user named: read, if it is a file or a pipe, and never waited for."""

from __future__ import annotations

import os
import stat
import sys
from functools import cache
from pathlib import Path

from symledger.errors import BadInput, shown

LARGEST = 2_000_000
"""Bytes; the largest real configurations, with a name for each of 20,000 labels, stay below."""
STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
PATIENCE = 2.0
"""Seconds for which somebody may come to write into a pipe; who has come may take any time."""
KINDS = {
    stat.S_IFDIR: "a folder", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket", stat.S_IFIFO: "a pipe",
}  # fmt: skip

_FROM_PIPES: dict[str, bytes] = {}
"""What each pipe has given so far, by its path."""


def kind(path: str | Path) -> str:
    """Say what lies at a path: ``"a file"``, ``"a pipe"``, …; nothing if nothing does."""
    try:
        return KINDS.get(stat.S_IFMT(os.stat(path).st_mode), "a file")
    except (OSError, ValueError):  # it is not there, or no name that a file could have
        return ""


def content(path: str) -> bytes:
    """Return what a file, a pipe or standard input holds, or its first bytes, one over LARGEST.

    Raises:
        BadInput: it is something else, cannot be read, or nobody writes into the pipe.
    """
    if path in STANDARD_INPUT:
        return _standard_input()
    try:
        found = kind(path)
        if found == "a pipe":
            return _piped(path)
        if found not in ("a file", ""):
            raise BadInput(f"{shown(path)} cannot be read: it is {found}.")
        with open(path, "rb", opener=_at_once) as source:
            held: bytes | None = source.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{shown(path)} cannot be read: {reason}.") from error
    if held is None:
        raise BadInput(f"{shown(path)} cannot be read: there is nothing in it yet.")
    return held


def _at_once(path: str, flags: int) -> int:
    """Open what calls itself a file; one of the kernel's (/proc/kmsg) may else be waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


@cache
def _standard_input() -> bytes:
    """Read standard input, once: it cannot be read again when a target is asked about anew."""
    try:
        return sys.stdin.buffer.read(LARGEST + 1)
    except (OSError, ValueError, AttributeError) as error:
        raise BadInput(f"standard input cannot be read: {error}.") from error


def _piped(path: str) -> bytes:
    """Read a pipe to its end, without waiting for somebody who never opens it.

    Opened so, it says of a read that there is nothing yet (None) where a writer is, and that this
    is the end (no bytes) where none is, or none is any more. What came out of it cannot be read
    again when a target is asked about anew: it stands until somebody writes another time.
    """
    from select import POLLIN, poll  # where there are pipes, there is this

    found, come = b"", path in _FROM_PIPES
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        ready = poll()
        ready.register(pipe, POLLIN)
        while len(found) <= LARGEST:
            part = pipe.read(LARGEST + 1 - len(found))
            if part is None:
                ready.poll()
            elif part:
                found += part
            elif found or come:
                break
            else:
                ready.poll(1000 * PATIENCE)
                come = True
    found = found or _FROM_PIPES.get(path, b"")
    if not found:
        raise BadInput(f"{shown(path)} cannot be read: nobody has written into this pipe.")
    _FROM_PIPES[path] = found
    return found
