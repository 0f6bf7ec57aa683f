"""Products in fewer bits: what is kept in which type, and what is in memory with it."""

import pytest
from sympy import Integer

from symledger import algebra, derive
from symledger.checks.alive import differing
from symledger.checks.gradients import finite_differences
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.errors import BadInput, NotKnown
from symledger.readings.pullback import pullback

BYTES = {"value": 2, "statistic": 4, "mask": 1, "index": 8, "fp8": 1, "e5m6": 3}
DISCARDED = ("norm_1,norm_2,final_norm,attention.Q_up,attention.KV_up,experts.gating,"
             "shared_experts.gating:discard")  # fmt: skip
"""What DeepSeek-V3 runs again: its report, sections 3.2.3 and 3.3.3."""


def saved(target, **asked):
    return algebra.text(derive(target, dtype="bf16", **asked)["memory.saved"].corollary_terms)


@pytest.mark.parametrize("choices", [{}, {"flash": "true"}])
def test_what_maps_are_given_takes_fewer_bits(choices):
    """Of a block of LLaMA: the norms' results and the product, 1 + 4/128; what O is given, 1.5."""
    plain, cast = (saved("llama", set=choices, products=p) for p in (None, "fp8"))
    each = {"16BLTd": "435BLTd/32", "8BLT·d_ff": "225BLT·d_ff/32"}
    for before, after in each.items():  # 10 + 2 · 33/32 + 49/32 and 6 + 33/32 bytes
        plain = plain.replace(before, after)
    assert cast == plain


def test_of_deepseek_v3_what_its_report_keeps_is_left():
    """Of a layer with experts: both residual vectors, latent ones, what O and experts are given.

    The gate's u and v in fp8; of the router p, weights, slots and what was weighted, as ever.
    """
    found = derive("deepseek", set={"experts": "all"}, dtype="bf16", products="fp8",
                   recompute=DISCARDED)["memory.saved"].corollary_terms  # fmt: skip
    assert algebra.text(found) == (
        "33B·E_s·LT·d_exp/16 + 2BLT²h + 97BLTdk/32 + 33BLT·d_exp·k/16 + 49BLT·d_h·h/32 + 2BELT "
        "+ 4BLTd + 2BLT·d_c + 2BLT·d_q + 4BLT·d_rot + 10BLTk + 2BTd + 8BT"
    )


@pytest.mark.parametrize(("target", "choices", "asked"), [
    ("deepseek", {}, {"products": "fp8", "recompute": DISCARDED}),
    ("llama", {"flash": "true"}, {"products": "fp8"}),
    ("llama", {}, {"products": "fp8", "recompute": "feed_forward.gating"}),
    ("gpt2", {}, {"recompute": "attention:discard"}),
    ("gpt2", {"dropout": "true"}, {"recompute": "attention.core,norm_1:discard"}),
])  # fmt: skip
def test_a_run_has_such_gradients_and_as_much_alive(target, choices, asked):
    program = derive(target, set=choices, **asked).program
    found = sizes_for(program, 0, (Integer(1),), distinct=False)
    trial = Trial(program, pullback(program), {
        s: 5 if s.name == "L" else n for s, n in found.items()
    })  # fmt: skip
    assert differing(trial, BYTES) == []
    assert finite_differences(trial).passed


def test_operations_are_as_many():
    plain, cast = (derive("deepseek", products=p)["flops.training"] for p in (None, "fp8"))
    assert plain.hash == cast.hash


def test_up_projections_are_run_again_and_gates_multiply_no_matrix():
    plain = derive("deepseek")["flops.training"].general
    again = derive("deepseek", recompute=DISCARDED)["flops.training"].general
    assert algebra.text(algebra.subtract(again, plain)) == (
        "2BLT·d_c·d_h·h + 2BLT·d_c·d_v·h + 2BLT·d_h·d_q·h + 2BLT·d_q·d_rot·h"
    )


@pytest.mark.parametrize(("target", "behind"), [
    ("deepseek_v4", {"attention.out"}), ("llama", {"attention.O"}), ("diffllama", {"attention.O"}),
    ("qwen3_next", {"attention.O"}), ("rwkv", set()),
])  # fmt: skip
def test_which_map_is_behind_attention_follows_from_the_program(target, behind):
    """Of two steps the first; behind states, none. Whatever a map is called."""
    bodies = derive(target, products="fp8").program.bodies
    cast = {".".join(t.scope.path[-2:]) for b in bodies for t in b.tensors if t.storage == "e5m6"}
    assert cast == behind


def test_the_recipe_is_composed():
    found = derive("llama", recipe="deepseek-v3-fp8")
    parts = derive("llama", dtype="bf16", optimizer="adam-master", gradients="fp32",
                   products="fp8")  # fmt: skip
    for name in ("memory.training", "memory.peak.train"):
        assert found[name].hash == parts[name].hash


@pytest.mark.parametrize(("target", "asked", "said"), [
    ("llama", {"products": "fp4"}, "is not a known type of products"),
    ("llama", {"products": "fp8", "dtype": "fp8"}, "2 bytes or more"),
    ("llama", {"products": "fp8", "weights": "nf4"}, "no --weights"),
    ("llama", {"products": "fp8", "lora": "r=8"}, "is for definitions whose weights are trained"),
    ("examples/gpt.trace.json", {"products": "fp8"}, "is for definitions"),
    ("gpt2", {"products": "fp8", "set": {"d": 100, "h": 4}}, "no whole number of the 128"),
    ("resnet50", {"products": "fp8"}, "is seen through windows"),
])  # fmt: skip
def test_what_cannot_be_is_refused(target, asked, said):
    with pytest.raises(BadInput, match=said):
        derive(target, **asked)


def test_nothing_is_said_of_serving():
    with pytest.raises(NotKnown, match="Leave out --products"):
        derive("llama", products="fp8")["memory.peak.decode"]
