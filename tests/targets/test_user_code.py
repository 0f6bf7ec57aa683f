"""Whatever a model file raises, wherever: one message with file and line, and exit code 2."""

import builtins
import colorsys
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from symledger import derive
from symledger.errors import BadInput
from symledger.user_code import Interrupted, guarded, interruptible
from tests.documents import ROOT
from tests.invoke import run

HEAD = """\
from dataclasses import dataclass
from typing import Literal
from sympy import Expr
from symledger import Component, sizes, steps
class Silent(BaseException):
    def __str__(self): raise Silent
    __repr__ = __str__
class Saying(str):
    def __str__(self): {raising}
    __repr__ = __str__
"""
MODEL = """
@dataclass(frozen=True)
class Model(Component):
    d: Expr = sizes.d
    kind: Literal["a", "b"] = "a"
    signature = "B d -> B d"
    def forward(self, x):
        return steps(y=2 * x)
"""
RAISING = [
    "raise BaseException('why')", "raise GeneratorExit", "raise KeyboardInterrupt",
    "raise SystemExit(0)", "raise StopIteration(3)", "raise EOFError", "raise BrokenPipeError",
    "raise MemoryError", "raise Silent()", "import click; raise click.Abort",
    "import sys; sys.stderr = None; sys.stdout = None; 1 / 0",
]  # fmt: skip
PLACES = {
    "import": "{raising}\n" + MODEL,
    "class creation": "class Kind(type):\n    def __new__(*of): {raising}\n"
                      "class Other(metaclass=Kind): pass\n" + MODEL,
    "module": "def __getattr__(name): {raising}\n" + MODEL.replace("Model", "Other"),
    "neighbour": MODEL + "class Odd:\n    @property\n    def __class__(self): {raising}\n"
                         "odd = Odd()\n",
    "init": MODEL + "    def __post_init__(self): {raising}\n",
    "title": MODEL + "    title = Saying('a title')\n",
    "forward": MODEL.replace("return steps", "{raising}\n        return steps"),
    "pullback": MODEL + "    def pullback(self, at, dy): {raising}\n",
    "signature": MODEL + "    @property\n    def signature(self): {raising}\n",
    "decided": MODEL + "    def decided(self): {raising}\n",
    "configuration": MODEL + "    configuration = {{'d': Saying('4')}}\n",
    "choice": MODEL.replace('= "a"', '= Saying("a")'),
}  # fmt: skip
NONSENSE = {
    "definitions = 7": "Model.forward", "definitions = {sizes.d: 'x'}": "Model.forward",
    "decoding = {'x': 'B'}": "Model.decoding", "corollaries = 7": r"Model\(\)",
    "assumptions = 7": r"Model\(\)", "__doc__ = 7": r"Model\(\)", "whole = 7": "Model.forward",
    "signature = 7": "Model.forward",
}  # fmt: skip
"""What a class says of itself that is nothing of the kind, and where that is met."""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path / "model.py"


@pytest.mark.parametrize("raising", RAISING)
@pytest.mark.parametrize("place", PLACES)
def test_whatever_a_file_raises_is_one_message(file, place, raising):
    text = (HEAD + PLACES[place]).format(raising=raising)
    file.write_text(text)
    result = run("derive", f"{file}:Model")
    assert (result.code, result.out) == (2, ""), result
    assert result.err.count("\n") == 1
    at = [i for i, line in enumerate(text.splitlines(), 1) if raising in line]
    lines = {f" at line {i}" for i in at} | {f" at line {i}:" for i in at}
    assert result.err.startswith("BadInput: ")
    assert f"/{file.name} raised" in result.err
    assert any(line in result.err for line in lines), result.err
    assert " raised " in result.err


@pytest.mark.parametrize("stated", NONSENSE)
def test_nonsense_that_a_class_states_is_the_files(file, stated):
    file.write_text(HEAD.format(raising="pass") + MODEL + f"    {stated}\n")
    with pytest.raises(BadInput, match=f"{NONSENSE[stated]} in .* raised "):
        derive(f"{file}:Model").to_dict()


@pytest.mark.parametrize("name", ["isinstance", "len", "next", "super", "BaseException"])
@pytest.mark.parametrize("place", ["import", "init", "forward"])
def test_a_name_of_pythons_own_is_put_back_and_refused(file, place, name):
    own = vars(builtins)[name]
    raising = f"import builtins; builtins.{name} = None; builtins.more = 3"
    file.write_text(HEAD.format(raising="raise Silent") + PLACES[place].format(raising=raising))
    said = run("derive", f"{file}:Model")
    assert vars(builtins)[name] is own
    assert said.code == 2
    assert f"in place of Python's own {name}, which" in said.err


def test_a_file_may_print_in_its_own_way(file):
    file.write_text(f"import builtins\nbuiltins.print = len\n{HEAD}{MODEL}".format(raising="pass"))
    with kept_print():
        assert not run("derive", f"{file}:Model").code


@contextmanager
def kept_print():
    own = print
    try:
        yield
    finally:
        builtins.print = own


def test_a_name_of_an_error_is_not_echoed_at_length(file):
    file.write_text("raise type('E' * 9000, (Exception,), {})('x' * 9000)")
    assert len(run("derive", f"{file}:Model").err) < 600


def test_the_line_is_that_of_the_file_and_not_of_another(file):
    file.write_text("import ast\n\nast.parse('(')\n")
    assert "SyntaxError at line 3:" in run("derive", f"{file}:Model").err


def test_what_a_first_line_announces_is_said_with_it(file):
    file.write_text("raise TypeError('no value of d:\\n  a text was given\\nand more')")
    assert "line 1: no value of d: a text was given. Run the file" in run("derive", f"{file}:M").err


def test_a_file_may_import_those_beside_it(file):
    file.with_name("beside_a_model.py").write_text("d = 3\n")
    file.write_text("import beside_a_model\nraise ValueError(beside_a_model.d)\n")
    assert "ValueError at line 2: 3" in run("derive", f"{file}:Model").err
    file.with_name("raising_beside.py").write_text("1 / 0\n")
    file.write_text("import raising_beside\n")
    assert "ZeroDivisionError at line 1:" in run("derive", f"{file}:Model").err
    assert str(file.parent) not in sys.path


def test_a_process_that_a_file_splits_off_ends_with_its_code():
    with guarded("model.py", "the file"):
        child = os.fork()
    if not child:
        os._exit(7)  # as it must not come to
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_ctrl_c_is_no_fault_of_a_file():
    with pytest.raises(Interrupted), guarded("model.py", "the file"):
        os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(BadInput, match="raised KeyboardInterrupt"), guarded("model.py", "it"):
        raise KeyboardInterrupt
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with interruptible(), interruptible():
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_file_that_never_ends_is_interrupted(file):
    began = file.with_name("began")
    file.write_text(f"import pathlib, time\npathlib.Path({str(began)!r}).touch()\ntime.sleep(99)\n")
    started = subprocess.Popen(  # noqa: S603  # our own program
        [sys.executable, "-m", "symledger", "derive", f"{file}:Model"], stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    while not began.exists() and started.poll() is None:
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=30)
    assert (started.returncode, said.split()) == (130, [b"Stopped:", b"interrupted."])


def test_a_file_of_another_command_is_not_blamed(file, monkeypatch):
    """What is asked for wrongly afterwards, in the same process, is no fault of that file."""
    monkeypatch.setattr(colorsys, "rgb_to_hsv", colorsys.rgb_to_hsv)
    replacing = "import colorsys\ncolorsys.rgb_to_hsv = None\n"
    file.write_text(HEAD.replace("{raising}", "pass") + MODEL + replacing)
    assert run("derive", f"{file}:Model").code == 0
    assert "Missing argument" in run("derive").err
