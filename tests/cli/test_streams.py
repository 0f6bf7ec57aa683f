"""Where output goes when nobody reads it, or it cannot be written: the exit code stays true."""

import gc
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from symledger.__main__ import main
from tests.cli.test_main import ROOT
from tests.every import COSTLY
from tests.invoke import run

READER_GONE = 128 + 13
"""What a shell says of a tool that SIGPIPE has ended."""
ANSWERED = [
    "derive gpt2", "derive linear --json", "derive mini_gpt --format python", "derive --help",
    "explain 2362368 --json", "compare gpt2 gpt2-medium", "cite mini_gpt.params", "list --json",
    "check softmax --json", "site --help", "--help", "--version",
]  # fmt: skip
REFUSED = [("derive nope", 3), ("derive linear --set d_in=0", 2), ("list --nope", 2)]


@contextmanager
def unread():
    """A pipe that nobody reads any more."""
    read, write = os.pipe()
    os.close(read)
    try:
        yield write
    finally:
        os.close(write)


def outcome(command, **streams):
    """The exit code of a process, and what it says on stderr where that is caught."""
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-m", "symledger", *command.split()], check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}, **streams,
    )  # fmt: skip
    return done.returncode, done.stderr


@COSTLY(4)
@pytest.mark.parametrize("command", ANSWERED)
def test_a_reader_that_has_left_is_no_failed_check(command):
    with unread() as pipe:
        assert outcome(command, stdout=pipe, stderr=subprocess.PIPE) == (READER_GONE, b"")


@pytest.mark.parametrize(("command", "code"), REFUSED)
def test_a_refusal_that_nobody_reads_has_its_exit_code(command, code):
    with unread() as pipe:
        assert outcome(command, stdout=pipe, stderr=pipe) == (code, None)


@pytest.mark.parametrize(("command", "code"), REFUSED)
def test_a_refusal_that_cannot_be_written_has_its_exit_code(command, code):
    with open("/dev/full", "wb") as full:
        assert outcome(command, stdout=subprocess.PIPE, stderr=full) == (code, None)


@pytest.mark.parametrize("command", ["derive linear --json", "--help"])
def test_what_cannot_be_written_is_said(command):
    with open("/dev/full", "wb") as full:
        code, said = outcome(command, stdout=full, stderr=subprocess.PIPE)
    assert code == 2
    assert said.startswith(b"Output: the result could not be written: ")
    assert said.count(b"\n") == 1


@pytest.mark.parametrize(("command", "code"), [("derive linear", 0), *REFUSED])
def test_streams_that_are_closed_from_the_start_change_no_exit_code(command, code):
    done = subprocess.run(  # noqa: S602  # the shell's way to close a stream is what is tested
        f"{sys.executable} -m symledger {command} <&- >&- 2>&-", shell=True, check=False,
        timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == code


def test_an_interruption_while_the_command_line_is_imported_is_no_traceback(monkeypatch, capsys):
    """Whoever presses Ctrl-C at once meets what comes before any command."""

    class Interrupting:
        def find_spec(self, name, path=None, target=None):
            if name == "symledger.cli.main":
                raise KeyboardInterrupt

    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, "symledger.cli.main", raising=False)
    with unfrozen(), pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr() == ("", "Stopped: interrupted.\n")


@contextmanager
def unfrozen():
    """Leave Python's search for garbage as it was."""
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


@pytest.mark.parametrize("words", [(), ("site",)], ids=" ".join)
def test_a_command_of_commands_alone_is_its_help(words):
    assert run(*words) == run(*words, "--help")
    assert run(*words).code == 0
