"""Whatever lies at a path that a user names is read, or refused as what it is; nothing hangs."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from threading import Thread
from time import sleep

import pytest

from symledger.configs import files
from symledger.configs.files import LARGEST, content
from symledger.errors import BadInput
from tests.documents import ROOT
from tests.invoke import assert_refuses, run

CONFIG = (ROOT / "examples" / "config.json").read_bytes()
PARAMS = "1,235,814,400"
ASKED = {
    "derive": lambda path: ("derive", path), "left": lambda path: ("compare", path, "gpt2"),
    "right": lambda path: ("compare", "gpt2", path), "check": lambda path: ("check", path),
    "explain": lambda path: ("explain", "124439808", "--in", path),
}  # fmt: skip
"""Every command that reads what lies at a path."""


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(files, "PATIENCE", 0.2)


def made(folder):
    """Everything that can lie at a path, and what is said of it."""
    (folder / "inner.json").mkdir()
    (folder / "round.json").symlink_to("round.json")
    (folder / "zero.json").symlink_to("/dev/zero")
    with (folder / "large.json").open("wb") as file:
        file.truncate(10**11)
    with socket.socket(socket.AF_UNIX) as it:
        here = Path.cwd()
        os.chdir(folder)  # names of sockets are short
        it.bind("socket.json")
        os.chdir(here)
    return {
        "inner.json": "folder without config.json|No such file", "round.json": "symbolic links",
        "zero.json": "it is a device", "large.json": "is larger than",
        "socket.json": "it is a socket", "none.json": "No such file",
    }  # fmt: skip


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_pipe_that_nobody_writes_into_is_refused(asked, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert_refuses(*asked(str(tmp_path / "pipe")), said="nobody has written into this pipe")


def test_what_calls_itself_a_file_is_not_waited_for(tmp_path, monkeypatch):
    """/proc/kmsg does, and has something to be read when the kernel says something."""
    path = tmp_path / "log"
    os.mkfifo(path)
    monkeypatch.setattr(files, "kind", lambda path: "a file")
    with open(os.open(path, os.O_RDWR), "wb", buffering=0) as log:
        with pytest.raises(BadInput, match="there is nothing in it yet"):
            content(str(path))
        log.write(b"said")
        assert content(str(path)) == b"said"


@pytest.mark.parametrize("name", ["pipe.json", "folder/config.json"])
def test_a_pipe_by_another_name_is_refused_as_well(name, tmp_path):
    pipe = tmp_path / name
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    asked = pipe.parent if pipe.name == "config.json" else pipe
    assert_refuses("derive", str(asked), said="nobody has written into this pipe")


def test_what_is_no_file_is_refused_as_what_it_is(tmp_path):
    for name, said in made(tmp_path).items():
        assert_refuses("derive", str(tmp_path / name), said=said)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_refused(device):
    if not Path(device).exists():
        pytest.skip(f"needs {device}")
    assert_refuses("derive", device, said="it is a device")


def test_a_model_is_read_from_a_file_of_modest_size(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    assert_refuses("derive", f"{tmp_path}/pipe.py:Model", said="it is a pipe")
    with (tmp_path / "large.py").open("wb") as file:
        file.truncate(10**11)
    assert_refuses("derive", f"{tmp_path}/large.py:Model", said="is larger than")


def test_a_slow_writer_is_waited_for(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write():
        with pipe.open("wb", buffering=0) as to:
            for part in (CONFIG[:100], CONFIG[100:101], CONFIG[101:]):
                sleep(0.5)
                to.write(part)

    writer = Thread(target=write, daemon=True)
    writer.start()
    result = run("derive", str(pipe), "--quantity", "params")
    writer.join()
    assert (result.code, result.err) == (0, "")
    assert PARAMS in result.out


def test_of_a_pipe_without_an_end_no_more_is_read_than_may_be(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    endless = subprocess.Popen(["/bin/sh", "-c", f"cat /dev/zero > {pipe}"])  # noqa: S603  # a test's own
    try:
        assert len(content(str(pipe))) == LARGEST + 1
    finally:
        endless.kill()
        endless.wait()


@pytest.mark.parametrize("command", [
    "derive <(cat {0}) --quantity params", "derive <(sleep 1; head -c 99 {0}; sleep 1; "
    "tail -c +100 {0}) --quantity params", "compare <(cat {0}) <(cat {0}) --quantity params",
    "derive - --quantity params < {0}", "cat {0} | @ derive - --quantity params",
    "derive /dev/stdin --quantity params < {0}", "derive /dev/fd/0 --quantity params < {0}",
    "(sleep 1; cat {0}) | @ derive /dev/stdin --quantity params",
    "explain 1235814400 --in <(cat {0})",
])  # fmt: skip
def test_the_shell_gives_a_configuration_in_every_way(command):
    line = command if "@" in command else f"@ {command}"
    line = line.replace("@", f"{sys.executable} -m symledger")
    done = subprocess.run(  # noqa: S603  # our own program, by a shell that has such pipes
        ["/bin/bash", "-c", line.format(ROOT / "examples" / "config.json")], check=False,
        capture_output=True, text=True, timeout=120, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert PARAMS in done.stdout


def test_a_file_that_is_no_configuration_is_refused_as_that(tmp_path):
    (tmp_path / "notes.txt").write_text("about it")
    assert_refuses("derive", str(tmp_path / "notes.txt"), said="is no configuration")
