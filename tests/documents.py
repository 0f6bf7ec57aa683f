"""What the documents show, run: commands and their output, and Python sessions.

A ``console`` block holds commands after ``$`` and the output lines that are shown of each; a line
``…`` stands for lines that are left out. Columns may stand apart as they like. A refusal is shown
as its message.
"""

import doctest
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from symledger import errors
from symledger.cli.main import main

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = "…"
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Command:
    """One command of a document, and the lines of output that are shown after it."""

    line: str
    shown: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return self.line

    @property
    def refusal(self) -> type[errors.SymledgerError] | None:
        """The error that the shown output is the message of, if it is one."""
        name = self.shown[0].partition(":")[0] if self.shown else ""
        found = getattr(errors, name, None)
        return found if isinstance(found, type) else None


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in FENCE.findall(page.read_text("utf-8")) if kind == language]


def commands(page: Path) -> list[Command]:
    found: list[Command] = []
    for text in blocks(page, "console"):
        for line in text.splitlines():
            if line.startswith("$ "):
                found.append(Command(line[2:]))
            else:
                found[-1].shown.append(line)
    return found


def parameters(pages: list[Path]) -> list[object]:
    return [
        pytest.param(command, id=f"{page.stem}: {command}")
        for page in pages for command in commands(page)
    ]  # fmt: skip


def run(command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run a command; assert its exit code and that it printed every line that is shown."""
    program, *arguments = shlex.split(command.line)
    assert program == "symledger", f"{command} is not a symledger command"
    if arguments[0] == "trace":
        pytest.importorskip("torch", reason="needs PyTorch")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setattr(sys, "argv", [program, *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    captured = capsys.readouterr()
    refusal = command.refusal
    assert left.value.code == (refusal.exit_code if refusal else 0), captured.err
    printed = (captured.err if refusal else captured.out).splitlines()
    assert not refusal or not captured.out
    in_order(command.shown, printed)


def in_order(shown: list[str], printed: list[str]) -> None:
    """Assert that the shown lines are printed, in order; adjacent ones one after the other."""
    printed = [" ".join(line.split()) for line in printed]
    at, gap = 0, False
    for line in (" ".join(line.split()) for line in shown):
        if line == LEFT_OUT:
            gap = True
            continue
        rest = printed[at:]
        assert line in rest, f"not printed: {line!r}; printed were\n" + "\n".join(printed)
        where = rest.index(line)
        assert gap or where == 0, f"before {line!r} there is more: {rest[:where]}"
        at, gap = at + where + 1, False
    rest = [] if gap or not shown else printed[at:]
    assert not rest, f"after the last line there is more: {rest}"


def session(text: str, name: str) -> None:
    """Run a Python session and assert that it prints what is shown."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert test.examples, f"{name} holds no >>> line"
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)
