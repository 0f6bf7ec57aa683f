"""Python that a user wrote and named: what it raises is said in one message, with file and line.

It may raise anything, ``GeneratorExit`` and ``KeyboardInterrupt`` too; only what the user does at
the keyboard meanwhile is no fault of the file.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import NoReturn

from symledger.errors import BadInput, SymledgerError, raised, shown

MODULE = "symledger_user_"
"""How the name of a module that is made of a user's file begins."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Tell Ctrl-C from a KeyboardInterrupt that some code raises by itself."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise Interrupted


@contextmanager
def guarded(path: str, what: str) -> Iterator[None]:
    """Turn whatever a user's model file raises into one clear message; send its prints aside.

    It may put something else in place of the streams, but not for long.

    Raises:
        BadInput: the code inside raised anything that is not already a refusal of ours.
    """
    with interruptible():
        try:
            with redirect_stderr(sys.stderr), redirect_stdout(sys.stderr), staying():
                yield
        except (SymledgerError, Interrupted):
            raise
        except BaseException as error:
            raise _refused(error, path, what) from error


@contextmanager
def blamed() -> Iterator[None]:
    """Say of what a user's file raises later, while results are shown, that it was the file.

    Raises:
        BadInput: code of such a file was running when something was raised.
    """
    with interruptible():
        try:
            yield
        except (SymledgerError, Interrupted):
            raise
        except BaseException as error:
            path = _path(error)
            if not path:
                raise
            raise _refused(error, path, "the file") from error


@contextmanager
def staying() -> Iterator[None]:
    """Let ``os._exit`` raise, as ``sys.exit`` does; processes that were split off end here."""
    exit_at_once, here = os._exit, os.getpid()

    def leave(status: int) -> NoReturn:
        if os.getpid() != here:
            exit_at_once(status)
        raise SystemExit(status)

    os._exit = leave
    try:
        yield
    finally:
        os._exit = exit_at_once
        if os.getpid() != here:  # else it would go on as we do, and so would its own, at every run
            exit_at_once(0)


def _refused(error: BaseException, path: str, what: str) -> BadInput:
    said = f"{what} in {shown(path)} {raised(error, Path(path))}"
    run = "Run the file with" if path.endswith(".py") else "Build it in"
    return BadInput(f"{said} {run} Python to see it all.")


def _path(error: BaseException) -> str:
    """Return the user's file that was running when something was raised, if one was."""
    found, at = "", error.__traceback__
    while at:
        if str(at.tb_frame.f_globals.get("__name__")).startswith(MODULE):
            found = at.tb_frame.f_code.co_filename
        at = at.tb_next
    return found
