"""The vectors of options at which families are traced: every choice once, none of them twice."""

import pytest

from symledger import derive
from symledger.checks.traced.vectors import DEEP, vectors
from symledger.evidence.traced import every_traced, traced
from symledger.recording.traced import owners


def test_every_key_that_chooses_is_toggled_once():
    assert [v.name for v in vectors("llama")] == [
        "LlamaForCausalLM",
        "LlamaForCausalLM, tie_word_embeddings = true",
        "LlamaForCausalLM, attention_bias = true",
        "LlamaForCausalLM, mlp_bias = true",
        "Ernie4_5ForCausalLM",
        "Ernie4_5ForCausalLM, tie_word_embeddings = false",
        "Ernie4_5ForCausalLM, use_bias = true",
        "PaddleOCRTextModel",
        "PaddleOCRTextModel, tie_word_embeddings = false",
        "PaddleOCRTextModel, use_bias = true",
        "Emu3ForCausalLM",
        "Emu3ForCausalLM, tie_word_embeddings = true",
    ]


def test_what_published_configurations_choose_is_a_vector_where_no_key_does():
    assert "StableLmForCausalLM, as stablelm-2-12b" in {v.name for v in vectors("stablelm")}


@pytest.mark.parametrize("owner", ["llama", "bert", "mixtral", "t5", "deepseek"])
def test_no_two_vectors_choose_the_same(owner):
    found = vectors(owner)
    chosen = [(v.configuration.architecture, v.entry, *v.options.items()) for v in found]
    assert len(chosen) == len(set(chosen)) == len({v.name for v in found})


def test_few_layers_are_asked_for():
    assert vectors("llama")[0].document["num_hidden_layers"] == DEEP


def test_every_family_of_transformers_has_a_vector():
    assert all(vectors(owner) for owner in owners())


def test_records_are_of_vectors_that_there_are():
    for owner, rows in every_traced().items():
        known = {v.name: v for v in vectors(owner)}
        assert {row.name for row in rows} <= known.keys(), owner


@pytest.mark.parametrize("owner", sorted(every_traced()))
def test_what_was_recorded_holds(owner):
    known = {v.name: v for v in vectors(owner)}
    for row in traced(owner)[:2]:
        assert row.passed, row.name
        vector = known[row.name]
        account = derive(vector.entry, vector.options)
        assert row.compared == {q: account.fingerprint(q) for q in row.compared}, row.name
        assert row.implementation == vector.family.implementation
