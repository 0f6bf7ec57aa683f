"""The command line, run in this process: what it exits with, and what it says where."""

import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from unittest.mock import patch

import pytest

from symledger.cli import main as cli

KINDS = "Usage|BadInput|Contradiction|UnknownTarget|UnverifiedStep|[A-Z][a-z]+Error"
REFUSAL = re.compile(f"^({KINDS}): ", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """The exit code and both streams."""

    code: int
    out: str
    err: str


def run(*arguments):
    """Run the command line with these arguments; any exception but SystemExit fails the test."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["symledger", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as left,
    ):
        cli.main()
    return Result(left.value.code or 0, out.getvalue(), err.getvalue())


@cache
def derived(name):
    """Run `symledger derive` on a target of the catalogue, once in a process."""
    return run("derive", name)


def assert_answers(*arguments):
    """Assert that the command answers on stdout and says nothing beside it."""
    assert_answered(run(*arguments))


def assert_answered(result):
    """Assert the same of what the command did."""
    assert (result.code, result.err) == (0, "")
    assert result.out.endswith("\n")


def assert_refuses(*arguments, code=2, said=""):
    """Assert one message on stderr, nothing on stdout, and the exit code."""
    result = run(*arguments)
    assert result.code == code, result
    assert result.out == ""
    assert result.err.endswith("\n")
    assert "Traceback" not in result.err
    assert len(REFUSAL.findall(result.err)) == 1, result.err
    assert REFUSAL.match(result.err), result.err
    assert re.search(said, result.err), result.err
