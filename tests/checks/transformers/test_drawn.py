"""Configurations drawn at random: what differs is found, and nothing else is called so."""

import json

import pytest

pytest.importorskip("torch", reason="needs PyTorch")
pytest.importorskip("transformers", reason="needs PyTorch")

from symledger.checks.transformers import building, comparison, drawn
from symledger.errors import BadInput
from tests import invoke

TINY = {"model_type": "gpt2", "vocab_size": 100, "n_embd": 8, "n_layer": 1, "n_head": 2,
        "n_positions": 32}  # fmt: skip
ALL = ("params", "flops.forward", "flops.backward", "flops.decode")


@pytest.mark.parametrize(("changed", "outcome", "said"), [
    ({}, "same", ""),
    ({"n_head": 3}, "refused", "not a positive whole number"),
    ({"model_type": "donut-swin", "use_absolute_embeddings": True}, "refused", "a class vector"),
    ({"model_type": "internvl_vision", "image_size": [13, 448]}, "refused", "no patch of 14 × 14"),
    ({"model_type": "voxtral", "text_config": {"num_hidden_layers": 1}}, "same", ""),
    ({"model_type": "wav2vec2", "num_hidden_layers": 1, "hidden_act": "xielu"}, "same", ""),
])  # fmt: skip
def test_a_configuration_is_compared_as_far_as_both_know_it(changed, outcome, said):
    given = changed if "model_type" in changed else {**TINY, **changed}
    found = drawn.compared(given)
    assert found.outcome == outcome
    assert said in found.detail
    assert found.compared == (() if outcome == "refused" else ALL[: len(found.compared)])


def test_what_the_implementation_has_besides_is_a_difference(monkeypatch):
    plain = comparison.shapes
    monkeypatch.setattr(comparison, "shapes", lambda model: {**plain(model), "odd": {(3,): 1}})
    found = drawn.compared(TINY)
    assert (found.outcome, found.compared) == ("different", ())
    assert "odd is none of our weights" in found.detail


def test_what_the_implementation_does_not_build_is_no_difference(monkeypatch):
    def fails(found):
        raise ZeroDivisionError("no such model")

    monkeypatch.setattr(building, "_transformer", fails)
    assert drawn.compared(TINY).outcome == "unbuilt"


def test_a_seed_draws_the_same_configurations_again(monkeypatch):
    monkeypatch.setattr(drawn, "compared", lambda document: document)
    family = drawn.types(("llama",))["llama"]
    first, again, other = (list(drawn.drawn(family, 20, seed)) for seed in (0, 0, 1))
    assert first == again != other
    assert all(1 <= d["num_hidden_layers"] <= drawn.DEEPEST for d in first)
    plain = {"model_type", "architectures", "num_hidden_layers"}
    changed = {key for d in first for key in d} - plain
    assert len(changed) > 5


def test_every_type_has_configurations_to_be_drawn(monkeypatch):
    monkeypatch.setattr(drawn, "compared", lambda document: document)
    for name, family in drawn.types().items():
        for document in drawn.drawn(family, 2):
            assert document["model_type"] == name
            assert json.loads(json.dumps(document)) == document


def test_the_command_says_how_many_were_the_same_of_a_part_of_the_types():
    part = ("--number", "1", "--shard", "2/2", "--json")
    found = invoke.run("check", "--types", "gpt2", "ctrl", "llama", *part)
    assert found.code == 0
    said = json.loads(found.out)
    assert said["passed"]
    assert [row["model_type"] for row in said["types"]] == ["ctrl"]
    assert sum(said["types"][0][o] for o in ("same", "refused", "unbuilt")) == 1


@pytest.mark.parametrize(("arguments", "said"), [
    (("--types", "lama"), "no model_type that is read. Did you mean llama"),
    (("--types", "--shard", "0/4"), "is no part of the types"),
    (("--types", "--shard", "2"), "is no part of the types"),
    (("--types", "--trace"), "ask for one of them"),
    (("linear", "--seed", "3"), "which configurations --types draws"),
])
def test_what_cannot_be_drawn_is_refused(arguments, said):
    found = invoke.run("check", *arguments)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


def test_types_that_are_not_read_are_refused():
    with pytest.raises(BadInput, match="no model_type"):
        drawn.types(("no_such_type",))
