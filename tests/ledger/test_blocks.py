"""8-bit Adam: states in blocks, at given sizes."""

import pytest

from symledger import derive
from symledger.errors import BadInput
from symledger.inverse.solve import solve

SIZES = {"V": 5000, "d": 60, "h": 2, "d_ff": 100, "T": 8}
EIGHT = {"optimizer": "adam8bit"}


def by_hand(n):
    """What bitsandbytes.optim.optimizer.Optimizer2State.init_state makes of a weight."""
    blocks = n // 256 + bool(n % 256)
    return 8 * n if n < 4096 else 2 * n + 2 * 4 * blocks


def test_small_weights_are_in_fp32_and_others_in_blocks_that_need_not_be_full():
    found = derive("llama", {**SIZES, "h_kv": 2, "L": 3}, **EIGHT)["memory.optimizer"]
    block = 4 * by_hand(60 * 60) + 3 * by_hand(60 * 100) + 2 * by_hand(60)
    assert found.value == 3 * block + 2 * by_hand(5000 * 60) + by_hand(60) + 2048
    assert by_hand(60 * 100) == 2 * 6000 + 8 * 24


def test_only_small_weights_need_no_tables():
    found = derive("linear", {"d_in": 63, "d_out": 64}, **EIGHT)["memory.optimizer"]
    assert found.value == by_hand(63 * 64) + by_hand(64)
    large = derive("linear", {"d_in": 64, "d_out": 64}, **EIGHT)["memory.optimizer"]
    assert large.value == by_hand(64 * 64) + by_hand(64) + 2048


def test_what_sizes_do_not_decide_is_refused():
    with pytest.raises(BadInput, match="adam8bit keeps states in fp32 of a weight of less than"):
        derive("linear", **EIGHT)["memory.optimizer"]
    account = derive("gpt2", **EIGHT)
    with pytest.raises(BadInput, match="is no polynomial in d"):
        solve(account, "d", "memory.training", 10**10)
    assert solve(account, "d", "params", 10**9).inside
    with pytest.raises(BadInput, match="free sizes need not keep to that"):
        solve(derive("gpt2", optimizer="muon"), "d", "memory.peak.step", 10**10)
    found = solve(account, "B", "memory.training", 10**11)
    assert derive("gpt2", {"B": found.inside.size}, **EIGHT)["memory.training"].value <= 10**11


def test_depth_stays_a_symbol():
    sizes = {**SIZES, "h_kv": 2}
    three, five = (derive("llama", {**sizes, "L": n}, **EIGHT)["memory.optimizer"] for n in (3, 5))
    assert three.corollary_terms == five.corollary_terms
    assert five.value != three.value


def test_its_step_is_taken_in_place():
    account = derive("gpt2", **EIGHT)
    step = account["memory.peak.step"]
    assert step.step == "fused"
    plain = derive("gpt2", optimizer="sgd", step="fused")["memory.peak.step"]
    assert step.value - plain.value == account["memory.optimizer"].value


def test_other_sizes_are_decided_anew():
    for first in (EIGHT, {}):
        account = derive("linear", {"d_in": 63, "d_out": 64}, **first)
        account["memory.optimizer"]
        large = account.subs(d_in=64).under(**EIGHT)["memory.optimizer"]
        assert large.value == by_hand(64 * 64) + by_hand(64) + 2048
