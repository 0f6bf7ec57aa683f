"""Decoders of which some layers look back at a window only."""

import pytest

from symledger import derive
from symledger.errors import BadInput

SIZES = {"V": 100, "d": 32, "L": 6, "h": 4, "h_kv": 2, "d_ff": 64, "B": 2}
OF = {"none": {}, "all": {"w_max": 8}, "some": {"w_max": 8, "L_w": 4}}
PAIR = 2 * 2 * 2 * 32
"""What a pair of positions costs in a layer: scores and their mixture, 2 FLOP, B = 2, d = 32."""


ENCODER = {"V": 100, "d": 32, "L": 6, "L_w": 4, "h": 4, "d_ff": 64, "B": 2}


def model(windows, **settings):
    return derive("mistral", {**SIZES, "windows": windows, **OF[windows], **settings})


# Two tensors, 4 bytes, B = 2, heads of 32/4 · 2 = 16, for 4 layers with a window and 2 without
@pytest.mark.parametrize(("T", "positions"), [(5, 4 * 5 + 2 * 5), (100, 4 * 8 + 2 * 100)])
def test_the_cache_of_a_windowed_layer_ends_with_the_window(T, positions):
    assert model("some", T=T).memory_kv_cache.value == 2 * 4 * 2 * 16 * positions


@pytest.mark.parametrize("quantity", ["flops.forward", "flops.decode", "memory.kv_cache"])
def test_a_window_longer_than_the_text_changes_nothing(quantity):
    windowed, full = model("all", T=8), model("none", T=8)
    for causal in ("full", "exact"):
        ours, theirs = (a.under(causal=causal)[quantity].value for a in (windowed, full))
        assert ours == theirs


# A query sees its key and 7 before it: 1 + 2 + … + 7 + 93 · 8 of 100 positions
@pytest.mark.parametrize("flash", [False, True])
def test_pairs_inside_the_window_are_charged_exactly(flash):
    windowed, full = (
        model(kind, T=100, flash=flash).under(causal="exact").flops_forward.value
        for kind in ("all", "none")
    )
    assert full - windowed == (100 * 101 // 2 - (28 + 93 * 8)) * 6 * PAIR


# One token sees 8 positions in 4 layers and 100 in 2
def test_a_step_of_decoding_sees_the_window():
    some, none = (model(kind, T=100).flops_decode.value for kind in ("some", "none"))
    assert none - some == 4 * (100 - 8) * PAIR


# Three tokens after 17: they see 8 positions each, 10 together; without a window 18, 19 and 20
def test_several_tokens_see_the_window_before_each():
    windowed, full = (model(kind, T=3, S=20, cached=True) for kind in ("all", "none"))
    assert full.flops_forward.value - windowed.flops_forward.value == 3 * (20 - 10) * 6 * PAIR
    exact = [a.under(causal="exact").flops_forward.value for a in (full, windowed)]
    assert exact[0] - exact[1] == (18 + 19 + 20 - 3 * 8) * 6 * PAIR


# Of 10 positions the first and the last see 3, the next 4, and six see 5; all 10 without a window
def test_a_window_on_either_side_is_charged_exactly():
    found = derive("modernbert", {**ENCODER, "T": 10, "w_max": 3})
    full, half, exact = (
        found.under(causal=causal).flops_forward.value for causal in ("full", "half", "exact")
    )
    assert full == half
    assert full - exact == (100 - (3 + 4 + 6 * 5 + 4 + 3)) * 4 * PAIR


def test_a_window_on_either_side_longer_than_the_text_changes_nothing():
    found = derive("modernbert", {**ENCODER, "T": 10, "w_max": 30})
    assert found.under(causal="exact").flops_forward.value == found.flops_forward.value


def test_more_windowed_layers_than_layers_are_refused():
    with pytest.raises(BadInput):
        model("some", L_w=7)
