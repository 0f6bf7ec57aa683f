"""What was given is quoted on one line, legibly and not at length, wherever it is quoted."""

import json
import os
import subprocess
import sys
from time import process_time

import pytest

from symledger.catalogue.entries import ENTRIES
from symledger.catalogue.synonyms import meant_by
from symledger.errors import escaped, nearest, quoted, shown
from symledger.inverse.sweep.where import named
from tests.documents import ROOT
from tests.every import COSTLY
from tests.invoke import assert_refuses, run


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("d = 4 * d", "d = 4 * d"), ("", "nothing"), (" \t\n", "a blank"), ("a\n  b\tc", "a b c"),
        ("\ud800", r"\ud800"), ("\udcff", r"\xff"), ("4\0", r"4\x00"), ("\x1b[31m", r"\x1b[31m"),
        ("\u202e4", r"\u202e4"), ("\U000e0001", r"\U000e0001"), ("größe ４", "größe ４"),
        ("x" * 80, "x" * 80), ("a" + "x" * 7000 + "z", "a" + "x" * 49 + "…" + "x" * 28 + "z"),
    ],
)  # fmt: skip
def test_what_was_given_is_shown(text, said):
    assert shown(text) == said
    assert quoted(text) == (f'"{said}"' if text.strip() else said)
    assert escaped(said) == said


LONG = "x" * 7000
UNSEEN = "\x1b\ud800\u202e"
PLACES = [
    "derive {}", "derive a/{}", "derive {}.json", "derive {}.py:M", "derive m.py:{}",
    "derive {}(3)", "derive Linear({})", "derive Linear(3,4,{}=1)", "derive linear --set {}",
    "derive linear --set {}=3", "derive linear --set d_in={}", "derive linear --set bias={}",
    "derive linear --set d_in=1 --set d_in={}", "derive linear --assume {}",
    "derive linear --assume d_in={}", "derive linear --quantity {}",
    "derive linear --format {}", "derive linear --format={}", "derive linear --depth {}",
    "derive linear --dtype {}", "derive linear --optimizer {}", "derive linear --causal {}",
    "derive linear --freeze {}", "derive linear --{}", "derive linear {}", "compare {} gpt2",
    "compare gpt2 {}", "explain {}", "explain 5{}", "explain 5 --in {}",
    "explain 5 --in linear --set {}=4", "explain 5 --unit {}", "cite {}", "cite linear.{}",
    "cite {}.params", "cite linear.params --site-url {}", "cite linear.params --format {}",
    "list {}", "check {}", "record {}", "site verify {}", "site {}", "site serve --port {}",
    "{}", "--{}",
]  # fmt: skip


@COSTLY(4)
@pytest.mark.parametrize("place", PLACES)
def test_no_command_echoes_what_is_long_or_unseen(place):
    for given in (LONG, UNSEEN):
        arguments = [word.format(given) for word in place.split()]
        result = run(*arguments)
        assert (result.code in (2, 3), result.out) == (True, ""), result
        assert result.err.count("\n") == 1
        assert "x" * 100 not in result.err
        assert not set(UNSEEN) & set(result.err)


KEYS = ["model_type", "architectures", "hidden_act", "num_hidden_layers", "tie_word_embeddings",
        "rope_scaling", "torch_dtype", "id2label", "num_labels"]  # fmt: skip


@pytest.mark.parametrize("given", [LONG, UNSEEN, 10**4000, [LONG], {LONG: UNSEEN}])
@pytest.mark.parametrize("key", [*KEYS, None])
def test_no_configuration_is_echoed_at_length(key, given, tmp_path):
    config = json.loads((ROOT / "examples" / "config.json").read_text())
    config[key or str(given)] = given
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    result = run("derive", str(path), "--quantity", "params")
    assert result.code in (0, 2)
    assert "x" * 100 not in result.err + result.out
    assert "0" * 100 not in result.err + result.out
    assert not set(UNSEEN) & set(result.err + result.out)


def test_a_key_that_cannot_be_seen_is_told_from_nothing(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "\\ud800"}')
    assert_refuses("derive", str(path), said=r"model_type \\ud800 is not supported")


def test_a_byte_that_is_no_text_is_told_from_nothing():
    done = subprocess.run(  # noqa: S603  # our own program, given what no text of Python's holds
        [sys.executable, "-m", "symledger", "derive", "linear", "--set", b"d_in=\xff"], check=False,
        capture_output=True, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(rb"BadInput: d_in = \xff is not a size")


def test_a_long_name_is_refused_at_once():
    """Each took time with the product of its length and another one: seconds, or minutes."""
    meant_by("x", ENTRIES)
    long, began = "x" * 300_000, process_time()
    assert nearest(long, [entry.name for entry in ENTRIES]).startswith("Known: ")
    assert meant_by(long, ENTRIES) == []
    assert named(long) == []
    assert process_time() - began < 3
