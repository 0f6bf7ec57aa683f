"""Adapted maps: what is trained, counted by hand; what is alive, by runs; what is refused."""

import pytest

from symledger import derive
from symledger.checks.alive import measured
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.errors import BadInput
from symledger.readings.pullback import pullback
from tests.invoke import run

BYTES = {"value": 4, "statistic": 4, "mask": 1, "index": 8}


def test_by_hand():
    """Of a map: x is kept for A, xA for B; both products and their gradients are of rank r."""
    found = derive("attention", lora="r=4:Q", assume="h_kv = h")
    assert found.memory_gradients.text == "32d"
    pairs = {"frozen": derive("attention", frozen="*", assume="h_kv = h"), "adapted": found}
    saved = {name: a["memory.saved"].corollary for name, a in pairs.items()}
    flops = {name: a["flops.forward"].corollary for name, a in pairs.items()}
    assert str((saved["adapted"] - saved["frozen"]).expand()) == "4*B*T*d + 16*B*T"
    assert str((flops["adapted"] - flops["frozen"]).expand()) == "16*B*T*d"


def test_a_published_count():
    """Llama 3 8B at rank 16, queries and values, as peft's `print_trainable_parameters` has it."""
    account = derive("llama-3-8b", lora="r=16")
    assert account.params.value - derive("llama-3-8b").params.value == 6_815_744
    assert account.memory_gradients.value == 4 * 6_815_744
    assert account.memory_optimizer.value == 8 * 6_815_744


@pytest.mark.parametrize("lora", ["r=2", "r=3:attention,feed_forward"])
@pytest.mark.parametrize("name", ["gpt2", "llama"])
@pytest.mark.parametrize("depth", [2, 5])
def test_a_peak_is_the_most_that_a_run_has_in_memory(name, lora, depth):
    program = derive(name, lora=lora).program
    sizes = sizes_for(program, 0, distinct=False)
    trial = Trial(program, pullback(program, frozen=("*",)),
                  {s: depth if s.name == "L" else n for s, n in sizes.items()})  # fmt: skip
    account = derive(name, set={s.name: n for s, n in trial.sizes.items()}, lora=lora, step="fused")
    there = account["memory.parameters"].value + account["memory.optimizer"].value
    assert account["memory.peak.train"].value == there + max(
        m.bytes for m in measured(trial, BYTES)
    )


def test_decoding_is_adapted_too_and_plans_go_with_it():
    plain, account = derive("llama-3-8b"), derive("llama-3-8b", lora="r=8:Q")
    assert account.flops_decode.value - plain.flops_decode.value == 2 * 32 * 8 * (4096 + 4096)
    again = derive("llama-3-8b", lora="r=8", recompute="full")
    assert again["memory.saved"].value < account["memory.saved"].value


def test_quantised_weights_with_adapters():
    """QLoRA: what is frozen in 4 bits, the adapters as values."""
    whole = derive("llama-3-8b", lora="r=16", dtype="bf16", weights="nf4:block.*")
    frozen = derive("llama-3-8b", frozen="*", dtype="bf16", weights="nf4:block.*")
    more = whole["memory.parameters"].value - frozen["memory.parameters"].value
    assert more == 2 * 6_815_744


@pytest.mark.parametrize(("name", "lora", "message"), [
    ("gpt2", "16", "is no LoRA"), ("gpt2", "r=0", "is no LoRA"), ("gpt2", "r=2:", "is no LoRA"),
    ("gpt2", "r=2:atention", "no linear map is named.*attention"),
    ("gpt2", "r=2:head,wte", "no linear map is named wte"),
    ("gpt2", "r=2:head", "is not only multiplied by"),
    ("mixtral", "r=2:experts", "in another way than a matrix is"),
])  # fmt: skip
def test_what_is_not_derived_is_refused_by_name(name, lora, message):
    with pytest.raises(BadInput, match=message):
        derive(name, lora=lora)


def test_nothing_else_is_frozen_by_name():
    with pytest.raises(BadInput, match="leave out --freeze"):
        derive("gpt2", lora="r=2", frozen="*")
    page = run("derive", "gpt2", "--lora", "r=16", "--quantity", "memory.gradients")
    assert "2,359,296 bytes" in page.out
