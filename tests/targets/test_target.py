"""From what a user names to a component: catalogue names, files, options, symbols."""

import sys

import pytest

from symledger import derive
from symledger.catalogue.options import parse_option
from symledger.errors import BadInput, DefinitionError, SymledgerError, UnknownTarget
from symledger.targets.resolve import resolve

HEAD = """
from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Symbol

from symledger import Component, sizes, steps
from symledger.notation.verbs import einsum, param
"""

GOOD = '''
@dataclass(frozen=True)
class TwoLayer(Component):
    """Two maps without biases."""

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    bias: bool = False
    kind: Literal["plain", "square"] = "plain"

    signature = "B d -> B d"
    assumptions = {sizes.d_ff: 4 * sizes.d}
    configuration = {"d": 8}

    def forward(self, x):
        y = einsum("B i, i o -> B o", x, param("W_1", self.d, self.d_ff))
        y = einsum("B i, i o -> B o", y * y if self.kind == "square" else y,
                   param("W_2", self.d_ff, self.d))
        return steps(y=y + param("b", self.d) if self.bias else y)
'''


@pytest.fixture
def model(tmp_path, monkeypatch):
    """Write a model file; return what names a class in it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(body, name="TwoLayer", file="model.py"):
        (tmp_path / file).write_text(HEAD + body)
        return f"{tmp_path / file}:{name}"

    return write


def test_a_catalogue_name_is_an_entry_with_its_owner():
    target = resolve("gpt3-175b")
    assert (target.name, target.owner) == ("gpt3-175b", "gpt2")
    assert target.configuration["d"] == 12288
    assert target.origin == ""


def test_a_users_own_component_is_derived(model):
    account = derive(model(GOOD))
    assert account.target.name == "TwoLayer"
    assert account.target.title == "Two maps without biases"
    assert account.params.id == "two_layer.params"
    assert account.params.text == "8d²"
    assert account.params.value == 8 * 8**2
    assert account.flops_backward.value is None
    assert account.subs(B=3).flops_backward.value == 2 * 2 * 3 * 8 * 8**2
    assert account.subs(d_ff=5).params.value == 2 * 8 * 5
    assert derive(model(GOOD), {"bias": True}).params.value == 8 * 8**2 + 8
    assert derive(model(GOOD), {"kind": "square"}).params.value == 8 * 8**2


def test_options_are_choices_and_sizes_are_not(model):
    target = resolve(model(GOOD))
    assert target.choices == {"bias": (False, True), "kind": ("plain", "square")}
    assert target.options == target.defaults == {"bias": False, "kind": "plain"}
    chosen = target.with_options({"bias": True})
    assert chosen.options == {"bias": True, "kind": "plain"}
    assert chosen.defaults == target.defaults


@pytest.mark.parametrize("text", ["true", "True", " YES ", "on"])
def test_a_choice_is_true(text):
    assert parse_option(resolve("linear").choices, "bias", text) is True


@pytest.mark.parametrize("text", ["false", "FALSE", "no", "off"])
def test_a_choice_is_false(text):
    assert parse_option(resolve("linear").choices, "bias", text) is False


@pytest.mark.parametrize(
    ("target", "name", "text", "said"),
    [
        ("linear", "bias", "1", "bias = 1 is not a choice: it is true or false"),
        ("linear", "bias", "", "is not a choice"),
        ("mini_gpt", "positions", "rotery", "rotary, learned, sinusoidal. Did you mean rotary"),
        ("feed_forward", "activation", "gelu_tan", "Did you mean gelu_tanh"),
    ],
)
def test_what_is_no_choice_is_refused(target, name, text, said):
    with pytest.raises(BadInput, match=said):
        parse_option(resolve(target).choices, name, text)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("mini_gtp", UnknownTarget, "Did you mean mini_gpt"),
        ("", UnknownTarget, "is not in the catalogue"),
        ("Linear", UnknownTarget, "Did you mean linear"),
        ("no/such.py:Model", BadInput, "there is no such file"),
        ("meta-llama/Meta-Llama-3-8B", BadInput, "It is known here as llama-3-8b"),
        ("google-T5/t5-small", BadInput, "It is known here as t5-small"),
        ("someone/llama-3-8", BadInput, "nothing is downloaded. Did you mean llama-3-8b"),
        ("/", BadInput, "a folder without config.json"),
        ("a/" + "x" * 5000, BadInput, "is no file or folder"),
        ("model.py", BadInput, "does not say which class"),
        ("model.py:", BadInput, "does not say which class"),
        ("model.py:a b", BadInput, "does not say which class"),
        ("model.py:x.y", BadInput, "does not say which class"),
        (".:Model", BadInput, "it is a folder"),
        ("a\0b.py:Model", BadInput, "cannot be read"),
        ("x" * 5000 + ".py:Model", BadInput, "cannot be read"),
    ],
)
def test_what_names_nothing_is_refused(text, error, said):
    with pytest.raises(error, match=said):
        resolve(text)


def test_a_folder_is_no_unknown_name_but_may_be_called_like_a_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("checkpoint", "gpt2"):
        (tmp_path / name).mkdir()
    with pytest.raises(BadInput, match="checkpoint is a folder"):
        resolve("checkpoint")
    assert resolve("gpt2").owner == "gpt2"


PLAIN = "@dataclass(frozen=True)\nclass Model(Component):\n    d: Expr = sizes.d\n"
TYPED = PLAIN + '    signature = "B d -> B d"\n'
IDENTITY = "    def forward(self, x):\n        return steps(y=2 * x)\n"

BROKEN = {
    "raises": ("x = 1\n\nraise ValueError('two\\nlines')", BadInput,
               "the file in .* raised ValueError at line 11: two. Run the file"),
    "does not parse": ("def (:", BadInput, "raised SyntaxError at line 9: invalid syntax"),
    "leaves": ("raise SystemExit(0)", BadInput, "raised SystemExit at line 9: 0"),
    "imports nothing": ("import no_such_module", BadInput, "raised ModuleNotFoundError"),
    "lacks the class": ("class Modle(Component): pass", UnknownTarget, "Did you mean Modle"),
    "holds no class": ("", UnknownTarget, "has no class Model. There is nothing to choose from"),
    "is no component": ("class Model: pass", BadInput, "not a symledger Component"),
    "is no class": ("Model = 3", BadInput, "not a symledger Component"),
    "is no dataclass": ("class Model(Component):\n    signature = 'B d -> B d'", BadInput,
                        "is not a dataclass: write @dataclass"),
    "needs a size": (PLAIN.replace(" = sizes.d", "") + IDENTITY, BadInput,
                     r"Model\(\) in .* raised TypeError"),
    "has an unknown type": (PLAIN + "    e: 'Nothing' = 3\n" + IDENTITY, BadInput,
                            "raised NameError"),
    "has no signature": (PLAIN + IDENTITY, DefinitionError, "Model has no signature"),
    "has a broken signature": (PLAIN + '    signature = "B (d -> d"\n' + IDENTITY,
                               DefinitionError, "cannot be read"),
    "has no forward": (TYPED, DefinitionError, "Model has no forward"),
    "returns no steps": (TYPED + "    def forward(self, x):\n        return x\n",
                         DefinitionError, "end it with `return steps"),
    "returns nothing": (TYPED + "    def forward(self, x):\n        pass\n", DefinitionError,
                        "returned NoneType"),
    "forward raises": (TYPED + "    def forward(self, x):\n        return 1 / 0\n", BadInput,
                       "Model.forward in .* raised ZeroDivisionError at line 14"),
    "forward leaves": (TYPED + "    def forward(self, x):\n        raise SystemExit\n", BadInput,
                       "Model.forward in .* raised SystemExit"),
    "forward calls itself": (TYPED + "    def forward(self, x):\n        return Model()(x)\n",
                             BadInput, "raised RecursionError"),
    "has wrong shapes": (TYPED + '    def forward(self, x):\n        return steps(y=einsum('
                         '"B i, i o -> B o", x, param("W", self.d, 2 * self.d)))\n',
                         DefinitionError, r"axis d:  expected d,  got 2\*d"),
    "contracts what does not fit": (TYPED + '    def forward(self, x):\n        return steps(y='
                                    'einsum("B i, i o -> B o", x, param("W", 3, self.d)))\n',
                                    DefinitionError, "3"),
    "pullback raises": (TYPED + IDENTITY + "    def pullback(self, at, dy):\n        at[0]\n",
                        SymledgerError, "Model.pullback in .* raised"),
    "configures nonsense": (TYPED + '    configuration = {"d": "x"}\n' + IDENTITY, BadInput,
                            "d = x is not a size"),
    "configures zero": (TYPED + '    configuration = {"d": 0}\n' + IDENTITY, BadInput,
                        "d = 0 is out of range"),
    "configures no table": (TYPED + "    configuration = 7\n" + IDENTITY, BadInput,
                            "raised TypeError"),
    "assumes text": (TYPED + '    assumptions = {"d": "4"}\n' + IDENTITY, BadInput,
                     "write equations between sizes"),
    "assumes a fraction of a sum": (TYPED + "    assumptions = {sizes.d: 1 / (sizes.B + 1)}\n"
                                    + IDENTITY, BadInput, "cannot be divided by a sum"),
    "has two symbols of one name": (TYPED.replace("sizes.d", 'Symbol("B")') + IDENTITY,
                                    DefinitionError, "both written B"),
    "has a size that is no polynomial": (
        TYPED + '    def forward(self, x):\n        W = param("W", self.d, self.d)\n'
        '        return steps(y=einsum("B i, i o -> B o", x, W) * 2)\n'
        "    assumptions = {sizes.d: sizes.B ** sizes.B}\n", BadInput, "not a polynomial"),
}  # fmt: skip


@pytest.mark.parametrize("how", BROKEN)
def test_a_file_that_cannot_be_used_is_refused(model, how):
    body, error, said = BROKEN[how]
    with pytest.raises(error, match=said):
        _ = derive(model(body, "Model")).memory_saved


def test_what_a_file_prints_goes_to_stderr(model, capsys):
    derive(model('print("aside")\n' + GOOD.replace("y = einsum", 'print("here"); y = einsum', 1)))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.split() == ["aside", "here"]


def test_a_file_of_another_ending_is_refused(model):
    with pytest.raises(BadInput, match=r"its name must end in \.py"):
        resolve(model(GOOD, file="model.txt"))


def test_files_of_one_name_in_two_folders_do_not_meet(model, tmp_path):
    (tmp_path / "other").mkdir()
    first = model(GOOD)
    second = model(GOOD.replace("4 * sizes.d", "3 * sizes.d"), file="other/model.py")
    assert [derive(name).params.text for name in (first, second, first)] == ["8d²", "6d²", "8d²"]


@pytest.mark.parametrize(
    ("target", "symbols"),
    [
        ("linear", "B d_in d_out"),
        ("self_attention", "B T d d_k d_v h h_kv"),
        ("attention", "B S T d d_k d_v h h_kv"),
        ("mini_gpt", "B L T V d d_ff d_h h"),
        ("softmax", "B T n"),
    ],
)
def test_symbols_are_those_that_the_program_has(target, symbols):
    assert " ".join(sorted(derive(target).symbols)) == symbols
