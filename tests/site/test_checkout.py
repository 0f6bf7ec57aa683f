"""In a checkout it is the checkout that is shown, whatever else is installed."""

import os
import sys
from pathlib import Path

import pytest

from symledger.site import checkout, resources

NAMED = '[project]\nname = "symledger"\n'


def checked_out(folder, project=NAMED):
    """Make a folder that looks like a checkout with a package of its own."""
    (folder / "symledger" / "site").mkdir(parents=True)
    (folder / "symledger" / "site" / "checkout.py").touch()
    (folder / "pyproject.toml").write_text(project)
    return folder


@pytest.fixture
def started(monkeypatch):
    """What is started in place of this process."""
    found = []
    monkeypatch.setattr(os, "execve", lambda *said: found.append(said))
    monkeypatch.setattr(sys, "orig_argv", ["python", "-X", "dev", "symledger", "site", "serve"])
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    return found


def test_the_same_command_is_started_with_the_package_of_the_checkout(started, tmp_path, capsys):
    folder = checked_out(tmp_path)
    checkout.prefer(folder)
    ((program, arguments, environment),) = started
    assert (program, arguments) == (
        sys.executable, [sys.executable, "-X", "dev", "symledger", "site", "serve"]
    )  # fmt: skip
    assert environment["PYTHONPATH"].split(os.pathsep) == [str(folder), "elsewhere"]
    said = capsys.readouterr()
    assert said.out == ""
    assert str(folder) in said.err
    assert str(checkout.RUNNING.parent) in said.err


def test_it_is_started_once_even_where_python_looks_elsewhere(started, tmp_path, monkeypatch):
    folder = checked_out(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    checkout.prefer(folder)
    assert started == []


@pytest.mark.parametrize(
    "project", ['[project]\nname = "other"\n', "[project]\n", "project = 1\n", "no toml"]
)
def test_a_folder_of_something_else_is_left_alone(started, tmp_path, project):
    checkout.prefer(checked_out(tmp_path, project))
    assert started == []


def test_nothing_is_started_where_this_package_runs(started, tmp_path):
    checkout.prefer(tmp_path)
    checkout.prefer(resources.CHECKOUT)
    checkout.prefer(Path(checkout.RUNNING))
    assert started == []
