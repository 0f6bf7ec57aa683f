"""A family beside its reference at three sizes: the same numbers, and what differs is found."""

from dataclasses import replace

import pytest

from symledger.checks.traced.vectors import vectors

pytest.importorskip("torch")
pytest.importorskip("transformers")

from symledger.checks.traced import sized
from symledger.checks.traced.comparison import at_sizes
from symledger.checks.traced.reference import class_of, entering
from symledger.errors import BadInput
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence
from symledger.evidence.traced import AT_SIZES, Vector

FEW = {"num_hidden_layers": 2, "hidden_size": 48, "num_attention_heads": 6,
       "num_key_value_heads": 2, "intermediate_size": 80, "vocab_size": 100}  # fmt: skip


@pytest.fixture
def llama():
    first = vectors("llama")[0]
    return replace(first, document={**first.document, **FEW})


def test_llama_is_the_same_at_three_sizes(llama):
    about = "LlamaForCausalLM, tied", "transformers 5.23.0", "2.13.0"
    row = Vector(*about, refused="why", **at_sizes(llama))
    assert row.passed
    assert row.same_at_sizes == [*row.built] == [*AT_SIZES]
    assert len({p["d"] for p in row.points} | {p["L"] for p in row.points}) > sized.SIZES
    found = next(iter(row.evidence))
    assert found.passed
    assert found.sentence == (
        "LlamaForCausalLM of transformers 5.23.0, built on the meta device, has the same "
        "parameters, tensor by tensor, at 3 points"
    )


def test_what_differs_at_one_size_differs(llama, monkeypatch):
    passed = iter((True, False))

    def witnessed(account):
        claim = Claim("built parameters", ("LlamaForCausalLM", "transformers 5.23.0"))
        yield Evidence("params", claim, ({"d": 1},), 0, "0", next(passed), "d is 2")

    monkeypatch.setattr(sized, "witnessed", witnessed)
    found = at_sizes(llama)
    assert found["differs"] == {"params": "d is 2"}
    assert len(found["points"]) == 2


@pytest.mark.parametrize(("owner", "enters"), [
    ("llama", ("input_ids: int64 (B, T)",)),
    ("t5", ("input_ids: int64 (B, S)", "decoder_input_ids: int64 (B, T)")),
    ("vit", ("pixel_values: float (B, num_channels, image_size, image_size)",)),
    ("llama4_vision", ("pixel_values: float (B, num_channels, image_size, image_size)",)),
    ("llava", "input_ids and pixel_values enter LlavaForConditionalGeneration"),
    ("mllama_vision", "pixel_values and aspect_ratio_ids and aspect_ratio_mask enter"),
])  # fmt: skip
def test_what_enters(owner, enters):
    vector = vectors(owner)[0]
    kind = class_of(vector.configuration)
    if isinstance(enters, tuple):
        assert entering(kind, vector) == enters
        return
    with pytest.raises(BadInput, match=enters):
        entering(kind, vector)
