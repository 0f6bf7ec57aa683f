"""How long one run of a user's module may take: what loops for ever is stopped, and said."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from symledger.errors import SymledgerError

SECONDS = 120
"""For one building and one run without elements, which take a second mostly."""


class TooLong(SymledgerError):
    """A module that runs longer than is waited; no other sizes are tried then."""


@contextmanager
def limited(what: str) -> Iterator[None]:
    """Stop what runs too long, where signals can be had: in the main thread.

    Raises:
        TooLong: it ran longer.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    seconds = SECONDS

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong(
            f"{what} has run for {seconds:g} seconds, the most that is waited: does it loop for "
            "ever, or over something very long? Give it smaller sizes by --set."
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)  # again, where the code catches everything
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
