"""How a model is usually run: one line, whose command can be run and says nothing more."""

import json
import shlex

import pytest

from symledger import derive
from symledger.accounts.usual import usual
from symledger.catalogue.entries import ENTRIES
from symledger.cli.derived import derive as command
from symledger.targets.resolve import resolve
from tests.every import account
from tests.invoke import derived

DECODERS = [entry.name for entry in ENTRIES if resolve(entry.name).component.decoding]
ENCODER = {"model_type": "bert"}
DECODER = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
    "max_position_embeddings": 32,
}  # fmt: skip


def followed(words):
    """The account that a command asks for."""
    asked = command.make_context("derive", shlex.split(words)[2:]).params
    settings = dict(one.split("=", 1) for one in asked["settings"])
    return derive(asked["target"], settings, asked["assume"], asked["dtype"],
                  recipe=asked["recipe"])  # fmt: skip


@pytest.mark.parametrize("name", DECODERS)
def test_every_decoder_says_how_it_is_usually_run_and_then_no_more(name):
    found = usual(account(name))
    assert found is not None
    assert found.flash == ("flash" in account(name).target.choices)
    then = followed(found.command)
    assert then.conventions.dtype == found.dtype == "bf16"
    assert then.target.options.get("flash", found.flash) == found.flash
    assert usual(then) is None


@pytest.mark.parametrize("name", DECODERS)
def test_the_page_says_it_in_one_line(name):
    (line,) = (s for s in derived(name).out.splitlines() if "as usually run" in s)
    assert line.strip().endswith(usual(account(name)).command)


@pytest.mark.parametrize("name", ["attention", "bert", "resnet", "whisper_classifier"])
def test_what_decodes_nothing_says_nothing_by_itself(name):
    assert usual(derive(name)) is None


@pytest.mark.parametrize(
    ("said", "tail"),
    [
        ({}, "--recipe bf16-flash"),
        ({"torch_dtype": "bfloat16"}, "--recipe bf16-flash"),
        ({"dtype": "float16"}, "--recipe fp16-flash"),
        ({"torch_dtype": "torch.float16"}, "--recipe fp16-flash"),
        ({"torch_dtype": "float32"}, "--recipe fp32-flash"),
        ({"torch_dtype": "float64"}, "--set flash=true --dtype fp64"),
        ({"dtype": "float8_e4m3fn"}, "--set flash=true --dtype fp8"),
        ({"torch_dtype": "auto"}, "--recipe bf16-flash"),
        ({"dtype": "float16", "torch_dtype": "bfloat16"}, "--recipe fp16-flash"),
        ({"torch_dtype": None}, "--recipe bf16-flash"),
    ],
)
def test_the_type_is_that_of_the_configuration(tmp_path, said, tail):
    file = tmp_path / "of a model.json"
    file.write_text(json.dumps({**DECODER, **said}))
    found = usual(derive(str(file)))
    assert found.command == f"symledger derive '{file}' {tail}"
    assert found.stated == (not set(said.values()) <= {None, "auto"})
    assert usual(followed(found.command)) is None


def test_a_model_that_decodes_nothing_says_what_its_configuration_does(tmp_path):
    file = tmp_path / "config.json"
    for dtype, tail in (("bfloat16", "bf16-flash"), ("float32", ""), ("none of ours", "")):
        file.write_text(json.dumps({**ENCODER, "torch_dtype": dtype}))
        found = usual(derive(str(file)))
        assert (found.command.rpartition(" ")[2] if found else "") == tail


def test_sizes_and_equations_that_were_asked_for_stay():
    found = derive("mini_gpt", {"T": 16, "flash": False}, ["d_ff = 3*d"])
    assert usual(found).command == (
        "symledger derive mini_gpt --set T=16 --assume 'd_ff = 3*d' --recipe bf16-flash"
    )


def test_a_choice_that_forbids_fused_attention_is_kept():
    found = usual(derive("gpt2", {"dropout": True}))
    assert (found.flash, found.command) == (
        False, "symledger derive gpt2 --set dropout=true --recipe bf16"
    )
    assert usual(derive("gpt2", {"dropout": True}, dtype="bf16")) is None


@pytest.mark.parametrize("how", [
    {"dtype": "bf16", "set": {"flash": True}}, {"dtype": "fp16", "set": {"flash": True}},
    {"recipe": "mixed-flash"}, {"recipe": "inference-bf16-flash"},
])  # fmt: skip
def test_nothing_is_said_where_the_numbers_are_those(how):
    assert usual(derive("gpt2", **how)) is None
