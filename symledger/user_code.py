"""Python that a user wrote and named: what it raises is said in one message, with file and line.

It may raise anything, ``GeneratorExit`` and ``KeyboardInterrupt`` too; only what the user does at
the keyboard meanwhile is no fault of the file.
"""

from __future__ import annotations

import builtins
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType, MappingProxyType, ModuleType, TracebackType
from typing import NoReturn

from symledger import replaced
from symledger.errors import BadInput, SymledgerError, raised, shown

MODULE = "symledger_user_"
"""How the name of a module that is made of a user's file begins."""
BUILTINS = vars(builtins)
"""Names that every module finds, if it has no other."""
FREE = ("print", "open", "input")
"""Those that many a file puts something of its own in place of; nothing here suffers from it."""
MODULES = sys.modules
"""All modules by name: where every import looks first, ours too."""


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


class guarded:  # noqa: N801  # a context, as those that functions make
    """Turn whatever a user's model file raises into one clear message; send its prints aside.

    It may put something else in place of the streams, but not for long; what it puts in place of
    Python's own names is taken out again before anything else is done, for all runs on them, and
    modules that it forgot are known again.

    Raises:
        BadInput: the code inside raised anything that is not already a refusal of ours, or left
            other names of Python's.
    """

    def __init__(self, path: str, what: str) -> None:
        self.path, self.what, self.inner = path, what, _said(path, what)

    def __enter__(self) -> None:
        self.names, self.modules = BUILTINS.copy(), MODULES.copy()
        self.inner.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:  # fmt: skip
        """Put names back, and refuse to go on if there were other ones."""
        others = _put_back(self.names)
        gone = _known_again(self.modules)
        if gone and isinstance(error, Exception) and not isinstance(error, SymledgerError):
            self.inner.__exit__(None, None, None)
            raise BadInput(
                f"{shown(self.path)} takes modules such as {gone[0]} out of sys.modules, or puts "
                f"something else there, where every import looks; {self.what} "
                f"{raised(error, Path(self.path))} Leave it as it is."
            ) from error
        if not others:
            return self.inner.__exit__(kind, error, trace)
        self.inner.__exit__(None, None, None)
        raise BadInput(
            f"{shown(self.path)} puts something else in place of Python's own {', '.join(others)}, "
            "which all that is done here runs on, too. Leave it as it is."
        ) from error


def _put_back(names: Mapping[str, object]) -> list[str]:
    """Put Python's own names back, and return those that were others; no such name is used."""
    others = [n for n in names if n not in FREE and BUILTINS.get(n, FREE) is not names[n]]
    for n in others:
        BUILTINS[n] = names[n]
    return others


def _known_again(modules: Mapping[str, ModuleType]) -> list[str]:
    """Put modules back that were there, those of users' files apart, and return their names."""
    sys.modules = MODULES
    gone = [
        n for n, module in modules.items()
        if MODULES.get(n) is not module and not str(n).startswith(MODULE)
    ]
    for n in gone:
        MODULES[n] = modules[n]
    return gone


@contextmanager
def _said(path: str, what: str) -> Iterator[None]:
    """Turn what is raised inside into one message."""
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
        BadInput: code of such a file was running when something was raised, or it had put something
            else in place of what others run on.
    """
    Ran.path, Ran.names = "", {}  # of files that were run for other commands
    with interruptible():
        try:
            yield
        except (SymledgerError, Interrupted):
            raise
        except BaseException as error:
            path = _path(error)
            if path:
                raise _refused(error, path, "the file") from error
            others = replaced.others(Ran.names, MODULE)
            if not others:
                raise
            raise BadInput(
                f"{shown(Ran.path)} puts something else in place of {', '.join(others[:3])}"
                f"{' and others' if len(others) > 3 else ''}; what runs on it "
                f"{raised(error, Path(Ran.path))} Leave it as it is."
            ) from error


class Ran:
    """The file of a user's that was run last, and what names meant before."""

    path = ""
    names: replaced.Names = MappingProxyType({})


def noted(path: str) -> None:
    """Note what names mean before a user's file is run, to say of what fails later what it was."""
    Ran.path, Ran.names = path, replaced.names()


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
