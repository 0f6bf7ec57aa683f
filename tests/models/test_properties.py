"""What must hold of every model, whatever its sizes: linear in layers and batch, and the like."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer, degree, expand

from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.maps.linear import Linear
from symledger.models.gpt2.model import GPT2
from symledger.models.llama.model import Llama
from symledger.models.mini_gpt.model import MiniGPT
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.readings.traffic import traffic, unfused_traffic
from symledger.sizes import ALPHABET, B, L, Size, T, V, d

BYTES = {"value": Integer(2), "statistic": Integer(4), "mask": Integer(1), "index": Integer(8)}
MODELS = [
    MiniGPT(),
    MiniGPT(tied=False, positions="learned"),
    GPT2(dropout=True),
    GPT2(dropout=True, recompute=True),
    Llama(flash=True),
]
READINGS = {
    "parameters": lambda p: params(p),
    "forward": lambda p: contraction_flops(p),
    "forward, exact": lambda p: contraction_flops(p, "exact"),
    "backward": lambda p: contraction_flops(pullback(p)),
    "backward, frozen table": lambda p: contraction_flops(pullback(p, frozen=("*.E",))),
    "pointwise": lambda p: pointwise_flops(p),
    "pointwise, backward": lambda p: pointwise_flops(pullback(p)),
    "saved": lambda p: saved(pullback(p), BYTES),
    "saved, frozen table": lambda p: saved(pullback(p, frozen=("*.E",)), BYTES),
    "traffic": lambda p: traffic(p, BYTES),
    "traffic, unfused": lambda p: unfused_traffic(p, BYTES),
}
OF_A_BATCH = [reading for reading in READINGS if reading not in ("parameters",)]


def read(reading, component):
    return expand(READINGS[reading](program_of(component)).total)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("reading", READINGS)
def test_every_count_is_affine_in_the_number_of_layers(model, reading):
    count = read(reading, model)
    second = count.xreplace({L: L + 2}) - 2 * count.xreplace({L: L + 1}) + count
    assert count.has(L)
    assert expand(second) == 0


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("layers", [1, 2, 5])
def test_a_count_at_a_number_of_layers_is_the_count_with_that_number(model, layers):
    for reading in ("parameters", "backward", "saved"):
        written = read(reading, type(model)(**{**vars(model), "L": Integer(layers)}))
        assert expand(read(reading, model).xreplace({L: Integer(layers)}) - written) == 0


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("reading", ["forward", "forward, exact", "backward", "saved"])
def test_arithmetic_and_memory_grow_as_the_batch_does(model, reading):
    assert expand(read(reading, model) - B * read(reading, model).coeff(B, 1)) == 0


@pytest.mark.parametrize("model", [MiniGPT, GPT2, Llama])
def test_tying_the_head_saves_a_table_and_no_arithmetic(model):
    tied, untied = model(tied=True), model(tied=False)
    assert read("parameters", untied) - read("parameters", tied) == V * d
    for reading in ("forward", "backward", "saved"):
        assert expand(read(reading, untied) - read(reading, tied)) == 0


@pytest.mark.parametrize("model", [MiniGPT, GPT2, Llama])
def test_flash_keeps_no_pairs_and_computes_the_scores_once_more(model):
    plain, flash = model(), model(flash=True)
    assert [degree(read("saved", m), T) for m in (plain, flash)] == [2, 1]
    assert read("forward", plain) == read("forward", flash)
    scores = 2 * L * B * T**2 * plain.h * plain.d_h
    assert expand(read("backward", flash) - read("backward", plain) - scores) == 0


SIZED = [Linear, GatedFeedForward, Attention, PreLNBlock]


@settings(max_examples=20)
@given(st.sampled_from(SIZED), st.permutations(ALPHABET[2:]), st.sampled_from(OF_A_BATCH))
def test_names_mean_nothing(component, renamed, reading):
    """A count in other letters is the count with the letters changed."""
    letters = dict(zip(ALPHABET[2:], (Size(f"{s.name}_new") for s in renamed), strict=True))
    fields = {f: letters[s] for f, s in vars(component()).items() if isinstance(s, Size)}
    own = {s: letters[s] for s in vars(component()).values() if isinstance(s, Size)}
    assert read(reading, component(**fields)) == expand(read(reading, component()).xreplace(own))
