"""Plans of recomputation: what is kept, what is run again, and what is in memory meanwhile."""

import pytest
from sympy import Integer

from symledger import algebra, derive
from symledger.checks.alive import differing
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.errors import BadInput
from symledger.readings.pullback import pullback

BYTES = {"value": 2, "statistic": 4, "mask": 1, "index": 8}
TORCH = [
    ({"B": 2, "T": 32, "d": 64, "h": 4, "L": 3, "V": 256}, 67_633_152,
     {"full": 81_788_928, "block:2": 83_886_080, "attention.core": 68_419_584}),
    ({"B": 2, "T": 128, "d": 64, "h": 2, "L": 2, "V": 64}, 207_618_048,
     {"full": 257_949_696, "block:2": 266_338_304, "attention.core": 216_006_656}),
]  # fmt: skip
"""FLOPs of a training step of a GPT with an untied head under ``torch.utils.checkpoint``, counted
by ``torch.utils.flop_counter.FlopCounterMode`` of torch 2.13.0 on meta tensors."""


@pytest.mark.parametrize(("sizes", "plain", "under"), TORCH)
def test_as_many_operations_as_torch_executes_with_its_early_stop(sizes, plain, under):
    given = {**sizes, "T_max": sizes["T"], "tied": "false", "bias": "false"}
    assert derive("gpt2", set=given)["flops.training"].value == plain
    for plan, counted in under.items():
        account = derive("gpt2", set=given, recompute=f"{plan}:early")
        assert account["flops.training"].value == counted


def test_what_a_whole_run_adds():
    """Of the core of attention both products, 4BT²d a layer; torch stops before the second."""
    plain = derive("gpt2")["flops.backward"]
    whole, early = (derive("gpt2", recompute=f"attention.core{end}") for end in ("", ":early"))
    assert extra(whole, plain) == "4BLT²d"
    assert extra(early, plain) == "2BLT²d"


def extra(account, plain):
    found = account["flops.backward"].corollary_terms
    return algebra.text(algebra.subtract(found, plain.corollary_terms))


def test_korthikanti_table_2():
    """Of a layer in 16 bit with dropout are kept: all, without the core, and what enters it.

    Table 2 of Korthikanti et al. (2022), without parallelism: sbh(34 + 5as/h), 34sbh, 2sbh. It
    leaves out the statistics of norms, 16 bytes a token.
    """
    given = {"dropout": "true"}
    forms = {
        plan: derive("gpt2", set=given, dtype="fp16", recompute=plan)["memory.saved"].text
        for plan in ("none", "attention.core", "full")
    }
    assert forms["none"].startswith("5BLT²h + 34BLTd + 16BLT")
    assert forms["attention.core"].startswith("34BLTd + 16BLT")
    assert forms["full"].startswith("2BLTd")


def test_full_is_what_models_call_recompute():
    plan, option = derive("gpt2", recompute="full"), derive("gpt2", set={"recompute": "true"})
    for quantity in ("memory.saved", "flops.backward", "memory.peak.train"):
        assert plan[quantity].hash == option[quantity].hash


@pytest.mark.parametrize("plan", ["full:early", "attention.core", "attention.core:early",
                                  "feed_forward", "block:2", "block:2:early"])  # fmt: skip
@pytest.mark.parametrize("depth", [2, 4, 6, 12])
def test_every_step_is_what_a_run_has_alive(plan, depth):
    program = derive("gpt2", set={"dropout": "true"}, recompute=plan).program
    found = sizes_for(program, 0, (Integer(1),), distinct=False)
    sizes = {s: depth if s.name == "L" else n for s, n in found.items()}
    assert differing(Trial(program, pullback(program), sizes), BYTES) == []


@pytest.mark.parametrize(("plan", "said"), [
    ("attention.kernel", r"no component is named attention\.kernel\. Did you mean .*attention"),
    ("block:0", "is no plan"), ("block:x", "is no plan"), ("full:2", "is no plan"),
    ("", "is no plan"), ("norm_1:2", "no repeated component is named norm_1"),
    ("block:13", "13 of block cannot be run again together: there are 12"),
])  # fmt: skip
def test_a_plan_that_cannot_be_is_refused(plan, said):
    with pytest.raises(BadInput, match=said):
        derive("gpt2", recompute=plan or " ")


def test_nothing_is_repeated_in_a_component():
    with pytest.raises(BadInput, match="nothing is repeated"):
        derive("attention", recompute="full")


def test_a_trace_has_no_plan():
    with pytest.raises(BadInput, match="is a trace"):
        derive("examples/gpt.trace.json", recompute="full")


@pytest.mark.parametrize(("plan", "depth"), [("block:2", 5), ("block:3:early", 8), ("block:4", 5)])
def test_the_last_blocks_may_be_fewer(plan, depth):
    """What a run has alive; kept is what enters each part, parameters are those of all blocks."""
    account = derive("gpt2", {"L": depth}, recompute=plan)
    assert account.params.value == derive("gpt2", {"L": depth}).params.value
    found = sizes_for(account.program, 0, (Integer(1),), distinct=False)
    sizes = {s: depth if s.name == "L" else n for s, n in found.items()}
    assert differing(Trial(account.program, pullback(account.program), sizes), BYTES) == []
    number = int(plan.split(":")[1])
    kept = account.subs(B=1, T=1)["memory.saved"].value
    one_more = derive("gpt2", {"L": depth + number}, recompute=plan).subs(B=1, T=1)
    assert one_more["memory.saved"].value - kept == 4 * 768
