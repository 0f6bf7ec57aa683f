"""A family against its reference, traced: the same polynomials, and a wrong definition is found."""

from dataclasses import replace

import pytest

from symledger import derive
from symledger.checks.traced.vectors import vectors
from symledger.sizes import BY_NAME

pytest.importorskip("torch")
pytest.importorskip("transformers")

from symledger import algebra
from symledger.checks.traced.comparison import EXACT, against, recorded
from symledger.checks.traced.reference import traced
from symledger.checks.traced.spelled import shared
from symledger.checks.traced.translation import Translation

ALL = set(EXACT) - {"params.active"}
FEW = {"num_hidden_layers": 3, "hidden_size": 48, "num_attention_heads": 6,
       "num_key_value_heads": 2, "intermediate_size": 80, "vocab_size": 100}  # fmt: skip


def small(owner, **keys):
    """The vector of an owner's defaults, with small sizes, so that it is traced faster."""
    first = vectors(owner)[0]
    return replace(first, document={**first.document, **FEW, **keys})


@pytest.fixture(scope="module")
def llama():
    """LLaMA's vector, and its trace."""
    vector = small("llama")
    return vector, *traced(vector)


def test_llama_is_its_reference(llama):
    vector, *made = llama
    found = against(derive("llama", vector.options), vector, *made)
    assert found.exact == dict.fromkeys({*ALL, "memory.kv_cache"}, "")
    assert set(found.spelled) <= {"flops.forward.pointwise", "flops.backward.pointwise",
                                  "memory.saved", "traffic.forward"}  # fmt: skip
    assert any(row.startswith("block.norm_1:") for row in found.spelled["memory.saved"])


MISTAKES = {
    "a bias more": ({"attention_bias": "true"}, {"params"}),
    "another bias": ({"mlp_bias": "true"}, {"params"}),
    "a head that is tied": ({"tied": "true"}, {"params"}),
    "no head": ({"head": "bare"}, ALL),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_wrong_choice_of_the_definition_is_found(llama, name):
    vector, *made = llama
    wrong, quantities = MISTAKES[name]
    found = against(derive("llama", {**vector.options, **wrong}), vector, *made)
    assert {q for q, said in found.exact.items() if said} >= quantities


@pytest.mark.parametrize(("key", "symbol"), [
    ("intermediate_size", "d"), ("num_key_value_heads", "h"), ("num_hidden_layers", "T"),
])  # fmt: skip
def test_a_key_that_gives_another_symbol_is_found(llama, key, symbol, monkeypatch):
    vector, *made = llama
    account = derive("llama", vector.options)
    right = Translation.size
    of = {"intermediate_size": "d_ff", "num_key_value_heads": "h_kv", "num_hidden_layers": "L"}
    wrong = BY_NAME[of[key]]
    monkeypatch.setattr(
        Translation, "size",
        lambda self, s: right(self, BY_NAME[symbol] if s == wrong else s),
    )
    assert not against(account, vector, *made).passed


def test_a_tensor_that_the_table_does_not_name_is_found(llama):
    vector, *made = llama
    tensors = dict(vector.family.tensors)
    del tensors["model.layers.*.mlp.up_proj.weight"]
    other = replace(vector, family=replace(vector.family, tensors=tensors))
    found = against(derive("llama", vector.options), other, *made)
    assert "model.layers.*.mlp.up_proj.weight is none of our weights" in found.exact["params"]


def test_derived_sizes_are_put_in(llama):
    vector, *made = llama
    translation = Translation(vector, derive("llama", vector.options), *made)
    keys = {"d": "hidden_size", "h_kv": "num_key_value_heads", "T": "T", "L": "num_hidden_layers"}
    for symbol, key in keys.items():
        assert algebra.text(translation.size(BY_NAME[symbol])) == key
    assert algebra.text(translation.size(BY_NAME["d_h"])) == "hidden_size/num_attention_heads"


def test_what_cannot_be_traced_is_recorded_with_the_reason():
    vector = small("llama", hidden_act="no_such_function")
    found = recorded(vector)
    assert found.refused
    assert not found.hashes
    assert found.passed


def test_shared_beginnings():
    assert shared([["a", "b", "c"], ["a", "b"], ["a", "b", "d"]]) == ["a", "b"]
    assert shared([["a"], ["b"]]) == []
