"""Standard output and standard error: every character goes out, and nobody has to read to the end.

A tool whose reader has left (``| head -1``) is ended by SIGPIPE, which a shell sees as 141. That
signal is not taken here: it would end ``site serve`` with the first browser that hangs up.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

READER_GONE = 141
"""128 and the number of SIGPIPE: the exit code of every tool whose output nobody reads any more."""


class ReaderGone(Exception):
    """Whoever read what is written here has closed the pipe."""


@contextmanager
def watched() -> Iterator[None]:
    """Say that the reader has gone in a way that Click does not take for its own.

    Raises:
        ReaderGone: something was written into a closed pipe.
    """
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error


def prepare() -> None:
    """Make every stream take every character; one that is closed swallows what is written."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # open until the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def leave(code: int, said: str = "") -> NoReturn:
    """Say on stderr why, if there is a reason, and leave with an exit code.

    What cannot be written any more changes no exit code, and is not tried again by Python.
    """
    try:
        sys.stderr.write(said)
        sys.stderr.flush()
    except (OSError, ValueError):  # its reader has gone, its disk is full, it is closed
        _discard("stderr")
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _discard("stdout")
    sys.exit(code)


def _discard(name: str) -> None:
    """Let what a stream still holds go nowhere, so that Python does not fail at it in the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):  # it is no file, as in a test
        os.dup2(nowhere, getattr(sys, name).fileno())
    os.close(nowhere)
