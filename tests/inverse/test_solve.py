"""`solve` against brute force: every size of a box is derived anew, the last that fits taken."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput, SymledgerError
from symledger.inverse.solve import solve
from tests.invoke import assert_answers, assert_refuses, run

SMALL = {"T": 16, "V": 100, "T_max": 20, "d": 24, "h": 4, "L": 2, "B": 1}
PLAIN = {name: n for name, n in SMALL.items() if name != "T_max"}
CASES = [
    ("gpt", SMALL, {}, "d", "params"), ("gpt", SMALL, {}, "h", "memory.training"),
    ("gpt", SMALL, {"recipe": "mixed"}, "B", "memory.training"),
    ("gpt", SMALL, {"causal": "exact"}, "T", "flops.training"),
    ("gpt", SMALL, {}, "T", "memory.saved"),
    ("llama", {**PLAIN, "d_ff": 40, "h_kv": 2}, {"dtype": "bf16"}, "h_kv", "params"),
    ("llama", {**PLAIN, "d_ff": 40, "h_kv": 1}, {}, "h", "flops.forward"),
    ("mistral", {**PLAIN, "d_ff": 40, "w_max": 9}, {"causal": "exact"}, "T", "flops.forward"),
    ("mistral", {**PLAIN, "d_ff": 40, "w_max": 9}, {}, "T", "memory.kv_cache"),
    ("conv2d", {"B": 1, "C_in": 3, "C_out": 4, "K_h": 3, "K_w": 3, "s_h": 2, "W": 9}, {}, "H",
     "memory.training"),
    ("resnet50", {}, {}, "H", "flops.forward"),
    ("gpt2", {}, {}, "T", "memory.training"),
]  # fmt: skip
FAR = 60


def outcome(account, size, n, quantity):
    try:
        return account.subs({size: n})[quantity].value
    except SymledgerError:
        return None


@pytest.mark.parametrize(("target", "sizes", "conventions", "size", "quantity"), CASES)
def test_it_is_what_brute_force_finds(target, sizes, conventions, size, quantity):
    settings = {name: n for name, n in sizes.items() if name != size}
    account = derive(target, settings, **conventions)
    by_hand = {n: outcome(account, size, n, quantity) for n in range(1, FAR + 1)}
    legal = {n: value for n, value in by_hand.items() if value is not None}
    assert legal
    values = sorted(legal.values())
    for budget in (values[0], values[len(values) // 2], values[len(values) // 2] - 1):
        if budget < values[0]:
            with pytest.raises(BadInput, match="nothing meets"):
                solve(account, size, quantity, budget)
            continue
        found = solve(account, size, quantity, budget)
        if found.proof == "falls":
            assert found.inside.size == min(n for n, v in legal.items() if v <= budget)
            continue
        fitting = max(n for n, v in legal.items() if v <= budget)
        if found.inside.size <= FAR:
            assert (found.inside.size, found.inside.value) == (fitting, legal[fitting])
        after = [n for n in legal if n > found.inside.size]
        assert not after or (found.outside.size, found.outside.value) == (after[0], legal[after[0]])


TINY = {"B": 3, "T": 2, "h": 5, "d_h": 5, "d": 3, "d_ff": 2, "V": 3}
FEW = [
    ("t5", {**TINY, "L_enc": 2, "S": 2, "n_b": 5}, "L_dec", "memory.peak.decode", 7),
    ("gemma2", {**TINY, "L": 5, "h_kv": 5, "d_h": 6, "w_max": 5}, "L_w", "memory.peak.train", 5),
    ("gpt", {name: n for name, n in SMALL.items() if name != "L"}, "L", "memory.peak.train", 7),
]  # fmt: skip


@pytest.mark.parametrize(("target", "sizes", "size", "quantity", "most"), FEW)
def test_a_peak_of_few_blocks_has_a_formula_of_its_own(target, sizes, size, quantity, most):
    account = derive(target, sizes)
    values = {n: outcome(account, size, n, quantity) for n in range(1, most + 1)}
    legal = {n: value for n, value in values.items() if value is not None}
    for budget in legal.values():
        fitting = max(n for n, value in legal.items() if value <= budget)
        assert solve(account, size, quantity, budget).inside.size == fitting


def test_sizes_that_cannot_be_are_passed_over_and_said():
    found = solve(derive("llama-3-8b"), "d", "params", 7 * 10**9)
    assert (found.inside.size, found.outside.size, found.nearest.size) == (3584, 3648, 3648)
    assert "divisible by" in found.refused


def test_an_equation_that_holds_by_accident_is_none():
    """d_ff is four times d here, and does not follow d where it was set."""
    account = derive("gpt", {**SMALL, "d_ff": 96})
    found = solve(account, "d", "params", 60_000)
    assert found.inside.value == account.subs({"d": found.inside.size}).params.value
    assert account.subs({"d": found.outside.size}).params.value > 60_000


def test_a_trace_is_asked_in_its_authors_words():
    found = solve(derive("examples/gpt.trace.json"), "n_embd", "params", 10**9)
    assert found.inside.size == 2460


def test_crossovers_are_of_lines_and_of_powers():
    found = solve(derive("gpt2"), "d", "params", 7 * 10**9)
    assert [(t.kind, t.since) for t in found.turns] == [
        ("lines", 1), ("lines", 348), ("powers", 1), ("powers", 358),
    ]  # fmt: skip


COMMAND = ("solve", "gpt2", "--for", "B", "--budget", "80GB")


def test_the_command_answers():
    assert_answers(*COMMAND)
    found = json.loads(run(*COMMAND, "--json").out)
    assert found["schema"] == "symledger.solve/1"
    assert int(found["solution"]["value"]) <= 80 * 10**9 < int(found["beyond"]["value"])
    assert found["monotone"] == "rises"


@pytest.mark.parametrize(("arguments", "said"), [
    (("gpt2", "--for", "B"), "one amount"), (("gpt2", "--for", "B", "--budget", "1MB"), "nearest"),
    (("gpt2", "--for", "B", "--budget", "80"), "no unit"),
    (("gpt2", "--for", "B", "--budget", "1GB", "--params", "1e9"), "one amount"),
    (("gpt2", "--for", "B", "--params", "1e9"), "does not depend on B"),
    (("gpt2", "--for", "Q", "--params", "1e9"), "neither a symbol"),
    (("gpt2", "--for", "tied", "--params", "1e9"), "a choice"),
    (("gpt2", "--for", "B", "--budget", "1GB", "--set", "B=3"), "cannot be set as well"),
    (("gpt2", "--for", "B", "--budget", "1GB", "--quantity", "params"), "amount of bytes"),
    (("gpt2", "--for", "B", "--flops", "1e9", "--quantity", "intensity.forward"), "amount of FLOP"),
    (("linear", "--for", "d_in", "--params", "1e6"), "--set d_out"),
    (("gpt2", "--for", "d_h", "--params", "1e9", "--assume", "d_h = 64"), "d_h"),
])  # fmt: skip
def test_bad_questions_are_refused(arguments, said):
    assert_refuses("solve", *arguments, said=said)


@pytest.mark.parametrize("arguments", [
    ("gpt2", "--for", "V", "--budget", "99999999999PiB"), ("gpt2", "--for", "h", "--budget", "8GB"),
    ("llama-3-8b", "--for", "h", "--params", "9e9"), ("gpt2", "--for", "d_h", "--params", "1e9"),
])  # fmt: skip
def test_odd_questions_are_answered(arguments):
    assert_answers("solve", *arguments)
