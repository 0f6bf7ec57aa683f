"""Published configurations built by transformers: the same weights, tensor by tensor, and FLOPs."""

import json

import pytest

pytest.importorskip("torch", reason="needs PyTorch")
pytest.importorskip("transformers", reason="needs PyTorch")
pytest.importorskip("diffusers", reason="needs PyTorch")

from symledger import derive, evidence
from symledger.checks import built
from symledger.configurations import record
from symledger.configurations.families import FAMILIES
from symledger.configurations.family import facts
from symledger.configurations.published import published
from symledger.configurations.reading import named

FIRST = {
    known.config[named(known.config)]: name
    for name, known in reversed(published().items()) if known.config
}  # fmt: skip
"""One published configuration of each family."""


@pytest.mark.parametrize("model_type", FIRST)
def test_the_implementation_has_our_weights_and_flops(model_type):
    found = list(built.witnessed(derive(FIRST[model_type])))
    assert found
    assert [e.detail for e in found if not e.passed] == []


SMALL = {"vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
UNUSUAL = {
    "a mixer as wide as is said": {
        "model_type": "mamba", "vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 1,
        "state_size": 4, "intermediate_size": 24,
    },
    "labels without names": {
        **SMALL, "model_type": "bert", "architectures": ["BertForSequenceClassification"],
        "intermediate_size": 24, "max_position_embeddings": 32, "num_labels": 5,
    },
    "key heads of a saved file": {
        "model_type": "gpt_bigcode", "vocab_size": 100, "n_embd": 16, "n_layer": 1, "n_head": 2,
        "n_positions": 32, "num_key_value_heads": 1,
    },
    "two experts": {
        **SMALL, "model_type": "phimoe", "num_key_value_heads": 2, "intermediate_size": 24,
        "max_position_embeddings": 32, "num_local_experts": 4, "sliding_window": 32,
    },
}  # fmt: skip


@pytest.mark.parametrize("unusual", UNUSUAL)
def test_what_few_files_say_is_built_as_it_is_counted(unusual, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(UNUSUAL[unusual]), "utf-8")
    found = list(built.witnessed(derive(str(path))))
    assert found
    assert [e.detail for e in found if not e.passed] == []


def test_another_configuration_is_told_apart():
    account = derive(FIRST["llama"], {"h_kv": 1})
    assert "params" in {e.quantity for e in built.witnessed(account) if not e.passed}


def test_every_published_configuration_of_an_implementation_is_recorded():
    assert evidence.built().keys() == {name for name, one in published().items() if one.config}


def test_what_was_recorded_of_published_configurations_holds():
    for name, about in evidence.built().items():
        account = derive(name)
        assert all(e["passed"] for e in about["evidence"]), name
        assert about["hashes"] == {q: account.fingerprint(q) for q in about["hashes"]}, name


KNOWN = [family for family in FAMILIES if not family.like]


@pytest.mark.parametrize("family", KNOWN, ids=lambda f: f.model_type)
def test_defaults_are_those_of_the_implementation(family):
    assert facts()["families"][family.model_type] == record.found(family)
