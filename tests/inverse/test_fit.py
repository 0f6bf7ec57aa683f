"""`fit`: what is needed, ways to need less, each derived anew."""

import json

import pytest

from symledger import derive
from symledger.inverse.amounts import NEEDED
from symledger.inverse.fit import PEAK, fit, usual
from tests.invoke import assert_answers, assert_refuses, run

SIZES = {"B": "8", "T": "512"}


def test_every_way_is_what_derive_says_of_it():
    found = fit(derive("gpt2", SIZES), 4 * 10**9)
    assert not found.fits
    assert {way.option.split("=")[0] for way in found.ways} == {
        "--set recompute", "--set flash", "--dtype bf16", "--optimizer adafactor",
        "--optimizer momentum", "--optimizer sgd", "--set B", "--set T", "--lora r",
    }  # fmt: skip
    assert [way.value for way in found.ways] == sorted(way.value for way in found.ways)
    for way in found.ways:
        assert again("gpt2", way.option)[NEEDED].value == way.value < found.value


def again(target, option, sizes=SIZES):
    """Derive a target as an option of a command says."""
    words, more, sizes = iter(option.split(" ")), {}, dict(sizes)
    for flag in words:
        if flag == "--accumulate":
            more["accumulate"] = True
        elif flag == "--set":
            sizes.update([next(words).split("=")])
        else:
            more[flag.removeprefix("--")] = next(words)
    return derive(target, sizes, **more)


def test_of_a_peak_small_batches_hold_the_gradients_of_others():
    found = fit(derive("gpt2", SIZES), 4 * 10**9, PEAK)
    assert {"adafactor", "nf4"} <= {way.name for way in found.ways}
    assert "accumulate" in next(way.option for way in found.ways if way.name == "B")
    for way in found.ways:
        assert again("gpt2", way.option)[PEAK].value == way.value < found.value


def test_what_has_to_fit_is_the_peak_where_one_is_derived():
    for said, quantity in (({}, PEAK), ({"optimizer": "muon"}, PEAK), ({"frozen": "*"}, NEEDED),
                           ({"lora": "r=4", "weights": "nf4:block.*"}, PEAK),
                           ({"lora": "r=4", "weights": "int8:block.*"}, NEEDED)):  # fmt: skip
        assert usual(derive("llama-2-7b", **said)) == quantity


def test_quantised_weights_are_a_way_where_the_sum_has_to_fit():
    found = fit(derive("llama-2-7b", {"B": "1"}), 10**9, NEEDED)
    four = next(way for way in found.ways if way.kind == "weights")
    assert four.option == "--lora r=16 --weights nf4"
    assert again("llama-2-7b", four.option, {"B": "1"})[NEEDED].value == four.value


def test_together_they_are_enough_and_no_more_than_that():
    found = fit(derive("llama-2-7b", {"B": "4", "T": "4096"}), 80 * 10**9)
    assert found.together[-1].value <= found.budget
    assert all(way.value > found.budget for way in found.together[:-1])


def test_what_fits_says_what_would_fit_too():
    found = fit(derive("gpt2", SIZES), 24 * 10**9)
    assert found.fits
    assert found.together == ()
    n = dict(found.room)["B"]
    assert derive("gpt2", {**SIZES, "B": n})[NEEDED].value <= found.budget
    assert derive("gpt2", {**SIZES, "B": n + 1})[NEEDED].value > found.budget


def test_recomputing_costs_what_it_costs():
    found = fit(derive("gpt2", SIZES), 4 * 10**9)
    again = next(way for way in found.ways if way.name == "recompute")
    flops = [derive("gpt2", {**SIZES, "recompute": said})["flops.training"].value
             for said in ("false", "true")]  # fmt: skip
    assert again.work == flops[1] / flops[0] or again.work * flops[0] == flops[1]


def test_the_command_answers():
    assert_answers("fit", "gpt2", "--budget", "8GB", "--set", "B=8")
    assert_answers("fit", "linear", "--budget", "1B", "--set", "d_in=3", "--set", "d_out=4",
                   "--set", "B=2")  # fmt: skip
    found = json.loads(run("fit", "gpt2", "--budget", "8GB", "--json").out)
    assert (found["schema"], found["fits"]) == ("symledger.fit/1", True)


@pytest.mark.parametrize(("arguments", "said"), [
    (("gpt2", "--budget", "8"), "no unit"), (("gpt2", "--budget", "8Gb"), "bits"),
    (("linear", "--budget", "8GB"), "--set"), (("gpt2", "--budget", "8GB", "--quantity", "params"),
                                               "amount of bytes"),
])  # fmt: skip
def test_bad_questions_are_refused(arguments, said):
    assert_refuses("fit", *arguments, said=said)
