"""How long a user's module may take: what loops for ever is stopped, and said.

One building and one run have a limit, and so has all that is done to trace a module.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from symledger.errors import SymledgerError

SECONDS = 120
"""For one building and one run without elements, which take a second mostly."""
TOTAL = 1200
"""For all of them, with what is made of them: the largest modules take minutes."""
PATIENCE = 5
"""How often what catches everything is stopped before the process is given up."""


class TooLong(SymledgerError):
    """A module that runs longer than is waited; no other sizes are tried then."""


class Clock:
    """When all has to be done, if that is limited, and what ends a process that nothing stops."""

    until: float | None = None
    given_up: Callable[[str], None] | None = None

    @classmethod
    def left(cls) -> float:
        """Return how many seconds are left in all; 0 where there is no limit."""
        return 0.0 if cls.until is None else max(cls.until - time.monotonic(), 0.001)


def in_main_thread() -> bool:
    """Whether signals can be had here."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def limited_in_all(what: str) -> Iterator[None]:
    """Stop what takes too long in all, wherever it is.

    Raises:
        TooLong: it took longer.
    """
    if not in_main_thread() or Clock.until is not None:
        yield
        return
    seconds = TOTAL

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"tracing {what} has taken {seconds:g} seconds, the most that is waited: "
                      "give it fewer layers or smaller sizes by --set.")  # fmt: skip

    Clock.until = time.monotonic() + seconds
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        Clock.until = None


@contextmanager
def limited(what: str) -> Iterator[None]:
    """Stop what runs too long, where signals can be had: in the main thread.

    Raises:
        TooLong: it ran longer.
    """
    if not in_main_thread():
        yield
        return
    seconds, stops = SECONDS, 0

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stops
        stops += 1
        said = (
            f"{what} has run for {seconds:g} seconds, the most that is waited: does it loop for "
            "ever, or over something very long? Give it smaller sizes by --set."
        )
        if stops > PATIENCE and Clock.given_up is not None:
            Clock.given_up(f"TooLong: {said}")
        raise TooLong(said)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)  # again, where the code catches everything
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, Clock.left())
