"""The command line: what it prints, where, and with which exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import symledger
from symledger.catalogue.entries import ENTRIES
from symledger.ledger.quantities import QUANTITIES
from tests.invoke import assert_answered, assert_answers, assert_refuses, derived, run

ROOT = Path(symledger.__file__).parent.parent

MODEL = """
from dataclasses import dataclass
from sympy import Expr
from symledger import Component, sizes, steps
print("aside")

@dataclass(frozen=True)
class Double(Component):
    '''Twice its input.'''
    d: Expr = sizes.d
    signature = "B d -> B d"
    def forward(self, x):
        return steps(y=2 * x)

@dataclass(frozen=True)
class Broken(Double):
    def forward(self, x):
        return 1 / 0
"""


def process(*arguments, **environment):
    """Run the command line as a process of its own."""
    return subprocess.run(  # noqa: S603  # our own program
        [sys.executable, *arguments],
        capture_output=True, text=True, check=False, timeout=60, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **environment},
    )  # fmt: skip


def imported_by(code):
    """The packages that a process has imported after running code."""
    result = process("-c", f"import sys\n{code}\nprint(*sys.modules)")
    assert (result.returncode, result.stderr) == (0, "")
    return {name.partition(".")[0] for name in result.stdout.splitlines()[-1].split()}


# -------------------------------------------------------------------------------------- derive


@pytest.mark.parametrize("form", ["text", "json", "latex", "markdown", "python"])
@pytest.mark.parametrize("target", ["linear", "mini_gpt", "attention", "layer_norm"])
def test_derive_answers_in_every_format(target, form):
    assert_answers("derive", target, "--format", form)


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_derive_answers_about_every_target(name):
    assert_answered(derived(name))


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("form", ["text", "latex", "markdown", "python"])
def test_derive_answers_about_every_quantity(quantity, form):
    assert_answers("derive", "mini_gpt", "--quantity", quantity, "--format", form)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ((), ["12Ld² + 2Ld + Vd + d", "131,392", "24.9 %", "75.0 %", "12Ld² + Vd = 131,072",
              "71,303,168", "142,606,336", "525,568 B", "≈ 513.2 KiB ≈ 525.6 kB"]),
        (("--set", "d=32", "--set", "d_ff=128"), ["41,120"]),
        (("--set", "tied=false"), ["164,160", "untied"]),
        (("--set", "d_ff=100"), ["note: d_ff = 4*d gave way to d_ff = 100"]),
        (("--assume", "d_ff = 3*d"), ["d_ff = 3d = 192", "note: d_ff = 4*d gave way"]),
        (("--dtype", "bf16"), ["262,784 B"]),
        (("--quantity", "flops.backward"), ["FLOPS.BACKWARD", "142,606,336"]),
        (("--causal", "exact", "--quantity", "flops.forward"), ["69,271,552"]),
        (("--freeze", "token_embedding.*", "--quantity", "memory.gradients"), ["394,496"]),
    ],
)  # fmt: skip
def test_derive_shows(arguments, shown):
    result = run("derive", "mini_gpt", *arguments)
    assert result.code == 0
    for text in shown:
        assert text in result.out


def test_the_shares_of_a_ratio_are_shares():
    result = run("derive", "mini_gpt", "--quantity", "intensity.forward")
    (block,) = [line for line in result.out.splitlines() if line.strip().startswith("block × L ")]
    assert block.rstrip().endswith("76.5 %")


@pytest.mark.parametrize("spelling", [("--json",), ("--format", "json")])
def test_json_is_one_object_on_stdout(spelling):
    result = run("derive", "mini_gpt", *spelling, "--set", "d=128")
    assert (result.code, result.err) == (0, "")
    shown = json.loads(result.out)
    assert shown["schema"] == "symledger.derive/1"
    assert shown["bindings"]["d"] == "128"
    assert shown["formulas"]["params"]["value"] == "459392"


def test_python_runs_and_gives_the_value():
    result = run("derive", "mini_gpt", "--format", "python", "--quantity", "flops.forward",
                 "--quantity", "params")  # fmt: skip
    names = {}
    exec(compile(result.out, "derived", "exec"), names)  # noqa: S102  # it is our own output
    assert names["mini_gpt_params"]() == 131_392
    assert names["mini_gpt_params"](d=32) == 41_120
    assert names["mini_gpt_flops_forward"]() == 71_303_168


def test_depth_opens_the_tree():
    lines = [len(run("derive", "mini_gpt", "--depth", str(n)).out.splitlines()) for n in (1, 2, 3)]
    assert lines == sorted(lines)
    assert lines[0] < lines[1] < lines[2]


# ---------------------------------------------------------------------------------------- list


def test_list_names_every_target():
    result = run("list")
    assert (result.code, result.err) == (0, "")
    words = result.out.split()
    assert all(entry.name in words for entry in ENTRIES)


def test_list_in_json_says_what_may_be_set():
    result = run("list", "--json")
    assert (result.code, result.err) == (0, "")
    targets = {target["name"]: target for target in json.loads(result.out)["targets"]}
    assert list(targets) == [entry.name for entry in ENTRIES]
    assert targets["linear"]["symbols"] == ["B", "d_in", "d_out"]
    assert targets["linear"]["options"] == {"bias": ["false", "true"]}
    assert targets["gpt2"]["configuration"]["d"] == "768"


# ---------------------------------------------------------------------------------------- help


@pytest.mark.parametrize(
    "command",
    [(), ("derive",), ("explain",), ("cite",), ("list",), ("check",), ("record",)],
)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_begins_with_an_example_that_runs(command, flag):
    result = run(*command, flag)
    assert (result.code, result.err) == (0, "")
    first = result.out.splitlines()[0]
    assert first.startswith("Example: symledger ")
    example = first.removeprefix("Example: symledger ").split()
    if example[0] not in ("check", "record"):  # which take seconds
        assert_answers(*example)


def test_version():
    assert run("--version").out == f"symledger, version {symledger.__version__}\n"


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["derive", "mini_gtp"], 3, "Did you mean mini_gpt"),
        (["derive", "mini_gpt", "--quantity", "parms"], 3, "Did you mean params"),
        (["derive", "mini_gpt", "--quantity", "flops"], 3, "is not a quantity"),
        (["derive", "mini_gpt", "--quantity", "params", "--quantity", "x"], 3, "x is not"),
        (["derive", "mini_gpt", "--set", "d_f=3"], 2, "Did you mean d_ff"),
        (["derive", "mini_gpt", "--set", "tide=no"], 2, "Did you mean tied"),
        (["derive", "mini_gpt", "--set", "positions=rope"], 2, "rotary, learned, sinusoidal"),
        (["derive", "mini_gpt", "--set", "d"], 2, "write one as --set d=128"),
        (["derive", "mini_gpt", "--set", "=3"], 2, "write one as --set d=128"),
        (["derive", "mini_gpt", "--set", ""], 2, "write one as --set d=128"),
        (["derive", "mini_gpt", "--set", "d="], 2, "is not a size"),
        (["derive", "mini_gpt", "--set", "d=0"], 2, "out of range: sizes are 1 to 10"),
        (["derive", "mini_gpt", "--set", "d=-4"], 2, "is not a size"),
        (["derive", "mini_gpt", "--set", "d=1.5"], 2, "is not a size"),
        (["derive", "mini_gpt", "--set", "d=1e3"], 2, "is not a size"),
        (["derive", "mini_gpt", "--set", "d=nan"], 2, "is not a size"),
        (["derive", "mini_gpt", "--set", "d=４"], 2, "is not a size"),
        (["derive", "mini_gpt", "--set", "d=1000000000000000001"], 2, "out of range"),
        (["derive", "mini_gpt", "--set", "d=" + "9" * 5000], 2, "out of range"),
        (["derive", "mini_gpt", "--set", "d=1", "--set", "d=2"], 2, "was set twice"),
        (["derive", "mini_gpt", "--set", "d=65"], 2, "divisible by h = 4: 64 or 68"),
        (["derive", "mini_gpt", "--assume", "d_ff"], 2, "is not an assumption"),
        (["derive", "mini_gpt", "--assume", "d_ff = f(d)"], 2, "may hold whole numbers"),
        (["derive", "mini_gpt", "--assume", "d_ff = 4*d", "--set", "d_ff=1"], 2, "both hold"),
        (["derive", "mini_gpt", "--assume", "d = d_ff", "--assume", "d_ff = 4*d"], 2, "by itself"),
        (["derive", "mini_gpt", "--dtype", "fp23"], 2, "Did you mean fp"),
        (["derive", "mini_gpt", "--optimizer", "adan"], 2, "Did you mean adam"),
        (["derive", "mini_gpt", "--causal", "none"], 2, "Known: exact, full, half"),
        (["derive", "mini_gpt", "--freeze", "nothing"], 2, "no weight is named nothing"),
        (["derive", "mini_gpt", "--depth", "0"], 2, "--depth"),
        (["derive", "mini_gpt", "--depth", "x"], 2, "--depth"),
        (["derive", "mini_gpt", "--format", "html"], 2, "--format"),
        (["derive", "mini_gpt", "linear"], 2, "unexpected extra argument"),
        (["derive", "mini_gpt", "--sett", "d=1"], 2, "No such option"),
        (["derive"], 2, "Missing argument 'TARGET'"),
        (["derve", "mini_gpt"], 2, "Did you mean derive"),
        (["--verbose"], 2, "No such option"),
        (["list", "more"], 2, "is not one of 'components'"),
        (["check", "mini_gtp"], 3, "Did you mean mini_gpt"),
        (["derive", "missing.py:Model"], 2, "there is no such file"),
        (["derive", "tests:Model"], 2, "cannot be read"),
        (["derive", "model.py"], 2, "does not say which class"),
    ],
)
def test_a_refusal_is_one_message_on_stderr_and_an_exit_code(arguments, code, said):
    assert_refuses(*arguments, code=code, said=said)


@pytest.mark.parametrize("arguments", [(), ("derive", "mini_gpt"), ("list",)])
def test_what_is_said_goes_to_one_stream(arguments):
    result = run(*arguments)
    assert bool(result.out) != bool(result.err)
    assert result.code == 0


# -------------------------------------------------------------------------- a model of one's own


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return path


def test_a_component_of_ones_own_is_derived_and_prints_aside(model):
    result = run("derive", f"{model}:Double", "--set", "d=8", "--json")
    assert (result.code, result.err) == (0, "aside\n")
    shown = json.loads(result.out)
    assert shown["owner"] == "double"
    assert shown["formulas"]["params"]["value"] == "0"


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("Doubel", 3, "has no class Doubel. Did you mean Double"),
        ("Broken", 2, "Broken.forward in .* raised ZeroDivisionError at line 19"),
        ("dataclass", 2, "not a symledger Component"),
    ],
)
def test_a_file_that_prints_and_cannot_be_used_is_refused(model, name, code, said):
    result = run("derive", f"{model}:{name}")
    assert (result.code, result.out) == (code, "")
    aside, _, message = result.err.partition("\n")
    assert aside == "aside"
    assert message.count("\n") == 1
    assert said.split(" in .*")[0] in message


CODE = [
    "__import__('pathlib').Path('canary').touch()",
    "exec(\"open('canary','w')\")",
    "(lambda: open('canary', 'w'))()",
    "d); open('canary', 'w'); (d",
    "$(touch canary)",
    "`touch canary`",
    "; touch canary",
    "| touch canary",
    "{open('canary','w')}",
    "%(d)s",
]


@pytest.mark.parametrize("code", CODE)
@pytest.mark.parametrize(
    "place",
    [
        ("derive", "{}"), ("derive", "{}.py:Model"), ("derive", "model.py:{}"),
        ("derive", "mini_gpt", "--set", "{}"), ("derive", "mini_gpt", "--set", "d={}"),
        ("derive", "mini_gpt", "--set", "{}=4"), ("derive", "mini_gpt", "--set", "tied={}"),
        ("derive", "mini_gpt", "--assume", "{}"), ("derive", "mini_gpt", "--assume", "d = {}"),
        ("derive", "mini_gpt", "--assume", "{} = d"), ("derive", "mini_gpt", "--quantity", "{}"),
        ("derive", "mini_gpt", "--dtype", "{}"), ("derive", "mini_gpt", "--optimizer", "{}"),
        ("derive", "mini_gpt", "--causal", "{}"), ("derive", "mini_gpt", "--freeze", "{}"),
        ("derive", "mini_gpt", "--format", "{}"), ("derive", "mini_gpt", "--depth", "{}"),
        ("check", "{}"), ("cite", "{}"), ("cite", "linear.params", "--site-url", "{}"), ("{}",),
    ],
)  # fmt: skip
def test_code_in_an_argument_is_never_run(tmp_path, monkeypatch, place, code):
    monkeypatch.chdir(tmp_path)
    result = run(*(part.replace("{}", code) for part in place))
    assert result.code in (2, 3)
    assert result.out == ""
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------- a whole process


def imported_by_commands(*commands):
    """The packages that a process has imported after running commands, all of which succeed."""
    return imported_by(f"""
import symledger.cli.main
for command in {commands!r}:
    sys.argv = ["symledger", *command.split()]
    try:
        symledger.cli.main.main()
    except SystemExit as left:
        assert not left.code, command
""")


def test_help_imports_nothing_heavy():
    modules = imported_by_commands(
        "--help", "derive --help", "explain --help", "cite --help", "list --help"
    )
    assert "click" in modules
    assert not modules & {"sympy", "numpy", "mkdocs", "jinja2", "rich", "mpmath"}
    assert "symledger.languages.language" not in modules  # no catalogue is read


def test_deriving_into_a_pipe_imports_neither_numpy_nor_rich():
    modules = imported_by_commands(
        "derive mini_gpt", "derive mini_gpt --json", "derive linear --format latex", "list",
        "cite linear.params",
    )
    assert "sympy" in modules
    assert not modules & {"numpy", "rich", "mkdocs", "jinja2"}


def test_importing_the_package_imports_nothing_heavy():
    modules = imported_by("import symledger; symledger.__version__")
    assert not modules & {"sympy", "numpy", "click", "rich"}


@pytest.mark.parametrize("arguments", [["derive", "mini_gpt"], ["derive", "llama-7b", "--json"]])
def test_two_runs_are_byte_for_byte_the_same(arguments):
    first, second = (
        process("-m", "symledger", *arguments, PYTHONHASHSEED=seed) for seed in ("1", "4242")
    )
    assert first.returncode == 0
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["derive", "linear"], 0),
        (["derive", "linear", "--set", "d_in=0"], 2),
        (["derive", "liner"], 3),
        ([], 0),
    ],
)
def test_a_process_exits_with_the_documented_code(arguments, code):
    result = process("-m", "symledger", *arguments)
    assert result.returncode == code
    assert "Traceback" not in result.stderr
    assert bool(result.stdout) == (code == 0)
    assert bool(result.stderr) == (code != 0)


def test_an_empty_reader_is_no_error():
    command = f"{sys.executable} -m symledger derive mini_gpt | head -n 1"
    result = subprocess.run(  # noqa: S602  # a pipe is what is tested
        command, shell=True, capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert result.stdout.startswith("mini_gpt ")
    assert result.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("softmax", "--no-input-gradient"),
        ("linear", "--freeze", "*", "--no-input-gradient"),
        ("gpt2", "--freeze", "*"),
    ],
)
def test_a_target_without_a_backward_pass_has_a_page(arguments):
    result = run("derive", *arguments)
    assert (result.code, result.err) == (0, "")
    assert "BACKWARD" not in result.out
