"""Numbers of summaries, papers and course pages: what gives them, what nearly does."""

import json
import shlex

import pytest

from symledger.accounts.account import derive
from symledger.explain import search, tables
from symledger.explain.answer import explain, match_dict
from symledger.explain.index.usual import known
from symledger.explain.number import UNITS
from tests.every import COSTLY, account
from tests.invoke import assert_answers, assert_refuses, run


def first(number, **asked):
    return explain(number, **asked).sections[0][0]


LINEAR = {"B": "32", "d_in": "128", "d_out": "64"}


@COSTLY(4)
@pytest.mark.parametrize(
    ("number", "unit", "settings", "what", "sizes"),
    [
        ("2362368", "", {}, "attention with bias", {"d": 768}),
        ("1050624", "", {}, "attention with bias", {"d": 512}),
        ("1048576", "", {"d": "512", "h": "8"}, "attention", {"d": 512}),
        ("786432", "", {"d": "512", "h": "8", "d_v": "32"}, "attention",
         {"d": 512, "h": 8, "d_v": 32}),
        ("2359296", "", {"d_in": "768"}, "linear with no bias", {"d_in": 768, "d_out": 3072}),
        ("8256", "", {"d_in": "128"}, "linear", {"d_in": 128, "d_out": 64}),
        ("131392", "", {}, "mini_gpt", {"L": 2, "V": 512, "d": 64}),
        ("41120", "", {}, "mini_gpt", {"L": 2, "V": 512, "d": 32}),
        ("98560", "", {}, "mini_gpt: block × L", {"L": 2, "d": 64}),
        ("49280", "", {}, "pre_ln_block with norm rms, no bias", {"d": 64}),
        ("7087872", "", {}, "pre_ln_block", {"d": 768}),
        ("85054464", "", {}, "gpt2: block × L", {"L": 12, "d": 768}),
        ("38597376", "", {}, "token_embedding", {"V": 50257, "d": 768}),
        ("124439808", "", {}, "gpt2", {"L": 12, "T_max": 1024, "V": 50257, "d": 768}),
        ("354,823,168", "", {}, "gpt2", {"L": 24, "T_max": 1024, "V": 50257, "d": 1024}),
        ("1557611200", "", {}, "gpt2", {"L": 48, "T_max": 1024, "V": 50257, "d": 1600}),
        ("6_738_415_616", "", {}, "llama", {"L": 32, "V": 32000, "d": 4096, "d_ff": 11008}),
        ("202383360", "", {}, "llama: block", {"d": 4096, "d_ff": 11008}),
        ("124M", "", {}, "gpt2", {"L": 12, "T_max": 1024, "V": 50257, "d": 768}),
        ("524288", "flop", LINEAR, "linear: flops.forward",
         {"B": 32, "d_in": 128, "d_out": 64}),
        ("1572864", "flop", LINEAR, "linear: flops.training",
         {"B": 32, "d_in": 128, "d_out": 64}),
        ("36.05 MiB", "", {"d_in": "768", "d_out": "3072"}, "linear",
         {"d_in": 768, "d_out": 3072}),
    ],
)  # fmt: skip
def test_what_gives_a_number(number, unit, settings, what, sizes):
    match = first(number, unit=unit, settings=settings)
    assert what in [str(part) for part in match.parts]
    assert match.sizes == sizes
    assert not match.near


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("13,015,864,320", "llama-13b"), ("65,285,660,672", "llama-65b"),
        ("68,976,648,192", "llama-2-70b"), ("8,030,261,248", "llama-3-8b"),
        ("70,553,706,496", "llama-3-70b"), ("405,853,388,800", "llama-3.1-405b"),
        ("7,241,732,096", "mistral-7b-v0.1"), ("774,030,080", "gpt2-large"),
        ("174,604,259,328", "gpt3-175b"), ("6.74B", "llama-7b"), ("175B", "gpt3-175b"),
    ],
)  # fmt: skip
def test_the_size_of_a_published_model_is_found_at_its_sizes(number, value):
    assert value in first(number).known


def test_equal_polynomials_are_named_and_models_in_which_the_number_occurs():
    found = explain("2362368")
    assert found.same[0] == (
        "linear with d_in = d, d_out = 4d and attention with bias: 4(d² + d), whatever d is"
    )
    assert ("gpt2", "block › attention") in found.occurs
    assert ("gpt2", "block › feed forward › 1") in found.occurs


PUBLISHED = sorted({(k.family, *k.options.items()): k.name for k in known() if k.family}.values())
"""A configuration of each family, with each set of choices that is published."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_number_occurs_in_configurations_that_have_it_and_in_no_other(name):
    found = explain(str(account(name).params.value)).occurs
    whole = [one for one, line in found if line == "all of it"]
    assert name in whole
    assert {account(one).params.value for one in whole} == {account(name).params.value}


@pytest.mark.parametrize(
    ("number", "unit", "where"),
    [
        ("138357544", "", ["vgg16"]),  # other depths have the same sizes
        ("1498482688", "", []),  # llama-3.2-1b, were its head not tied
        ("86567656", "", ["deit-base-patch16-224", "vit-base-patch16-224"]),  # of its image
        ("8178368512", "flop", ["resnet50"]),
    ],
)
def test_choices_and_decided_sizes_belong_to_a_configuration(number, unit, where):
    found = explain(number, unit=unit)
    assert [one for one, _ in found.occurs] == where
    assert not where or found.gives[0].known == where


def test_a_part_is_named():
    said = [str(part) for match in explain("1771776").gives for part in match.parts]
    assert "attention with bias: Q + K + V" in said


NEAR = [
    # what was asked, and what the page says of the mistake
    (
        "917504 --set d=512 --set h=8 --set d_k=64 --set d_v=32",
        "131,072 more than attention: 786,432 … O › W taken as (d, d), not as (d_v·h, d)",
    ),
    ("27.04MiB --set d_in=768 --set d_out=3072", "the gradients are forgotten"),
    ("9.01MB --set d_in=768 --set d_out=3072", "it is 9.01 MiB, not 9.01MB"),
    ("262144 --unit flop --set B=32 --set d_in=128 --set d_out=64", "multiply-adds (MACs)"),
    ("163037184 --in gpt2", "gpt2 with no tied"),
    ("50380800", "multiplied by the heads"),
    ("131136 --in mini_gpt", "256 less than mini_gpt: 131,392"),
    ("262784 --in mini_gpt", "counted twice"),
    ("7084800", "post_ln_decoder: without every b"),
    ("2361600 --set d=768 --set bias=true", "768 less than attention with bias: 2,362,368"),
]


@COSTLY(3)
@pytest.mark.parametrize(("arguments", "said"), NEAR)
def test_a_near_miss_is_named_as_such(arguments, said):
    result = run("explain", *arguments.split())
    assert (result.code, result.err) == (0, "")
    printed = " ".join(result.out.split())
    for part in said.split(" … "):
        assert part in printed


@pytest.mark.parametrize(
    ("number", "target", "settings", "unit", "what"),
    [
        ("2362368", "gpt2", {}, "", "gpt2: block › attention"),
        ("28348416", "gpt2", {}, "", "gpt2: block › attention × L"),
        ("7087872", "gpt2", {}, "", "gpt2: block"),
        ("768", "gpt2", {}, "", "gpt2: final norm › g"),
        ("39383808", "gpt2", {}, "", "gpt2: token embedding + positions"),
        ("85842432", "gpt2", {}, "", "gpt2: without token embedding"),
        ("124402944", "gpt2", {}, "", "gpt2: without every norm of block"),
        ("65536", "mini_gpt", {"d": "128"}, "", "mini_gpt: block › attention"),
        ("2362368", "attention", {"bias": "true"}, "", "attention with bias"),
        ("71303168", "mini_gpt", {}, "flop", "mini_gpt: flops.forward"),
        ("142606336", "mini_gpt", {}, "flop", "mini_gpt: flops.backward"),
        ("525568", "mini_gpt", {}, "bytes", "mini_gpt"),
    ],
)
def test_a_line_or_a_few_of_a_target(number, target, settings, unit, what):
    found = explain(number, target, settings, unit)
    assert what in [str(part) for match in found.gives for part in match.parts]


@pytest.mark.parametrize(
    "arguments",
    [["1234567"], ["124439809", "--in", "gpt2"], ["2", "--in", "softmax"],
     ["999999999999999999999999999999"], ["3", "--unit", "flop"]],
)  # fmt: skip
def test_what_nothing_gives_is_said_plainly(arguments):
    result = run("explain", *arguments)
    assert (result.code, result.err) == (0, "")
    assert "GIVES THIS NUMBER" in result.out
    asked = dict(zip(arguments[1::2], arguments[2::2], strict=True))
    assert not explain(arguments[0], asked.get("--in", ""), unit=asked.get("--unit", "")).sections


def test_the_nearest_line_and_its_difference():
    found = explain("124440576", inside="gpt2")
    assert found.nearest[0].value == 124439808
    shown = found.to_dict()
    assert shown["nearest"][0]["said"] == "d, as many as one bias or one RMS norm of width d"


def test_a_rounded_number_of_a_model_that_has_another_is_answered_with_the_nearest():
    """BERT is said to have 110M, and has 109.48M."""
    found = explain("110M", inside="bert-base")
    assert 109_482_240 in [row.value for row in found.nearest]
    assert "less plausible" not in run("explain", "110M", "--in", "bert-base").out


def test_bytes_of_activations_are_looked_for_in_two_bytes_a_value_too():
    settings = {"B": "4", "d_in": "768", "d_out": "3072"}
    match = first("6144", settings=settings, unit="bytes")
    assert str(match.parts[0]) == "linear: memory.saved in bf16"
    assert derive("linear", settings, dtype="bf16")["memory.saved"].value == match.number
    arguments = [word for n, v in settings.items() for word in ("--set", f"{n}={v}")]
    result = run("explain", "6144", "--unit", "bytes", *arguments)
    assert "--quantity memory.saved --dtype bf16" in result.out


@pytest.mark.parametrize(("number", "common"), [("64", True), ("1024", True), ("124439808", False)])
def test_a_number_that_everything_gives_is_said_to_be_one(number, common):
    result = run("explain", number)
    assert ("says little by itself" in " ".join(result.out.split())) is common
    assert explain(number).to_dict()["common"] is common


def test_json_is_one_object_that_says_all():
    result = run("explain", "2362368", "--json")
    shown = json.loads(result.out)
    assert (result.code, result.err, shown["schema"]) == (0, "", "symledger.explain/1")
    attention, linear = shown["gives"][:2]
    assert (attention["formula"], attention["sizes"]) == ("attention.params", {"d": "768"})
    assert (attention["options"], attention["expr"]) == ({"bias": "true"}, "4*d**2 + 4*d")
    assert (linear["formula"], linear["gives"]) == ("linear.params", "2362368")
    assert shown["found"] is True
    assert json.loads(run("explain", "1234567", "--json").out)["found"] is False


def test_every_match_is_an_equation_that_holds():
    for number in ("2362368", "32768", "786432", "49280", "124M", "6.7B"):
        found = explain(number)
        for match in (*found.gives, *found.near):
            assert found.number.low <= match.number <= found.number.high


def test_a_named_case_is_derived_by_the_equations_that_are_named():
    found = explain("1572928")
    (match,) = [m for m in found.gives if m.parts[0].variant.name == "mixture_of_experts"]
    shown = match_dict(match)
    assert (shown["what"], shown["assume"]) == ("mixture_of_experts with dense", ["E = 1", "k = 1"])
    assert derive(shown["target"], shown["sizes"], shown["assume"]).params.value == 1572928
    command = run("explain", "1572928").out.rpartition("symledger ")[2]
    assert shlex.split(command)[3:7] == ["E = 1", "--assume", "k = 1", "--set"]
    assert run(*shlex.split(command)).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["abc"], 2, "is not a number"),
        (["-5"], 2, '"-5" is negative: a count is a whole number from 1'),
        (["--in", "gpt2", "-1.5M"], 2, '"-1.5M" is negative'),
        (["--", "-5"], 2, '"-5" is negative'),
        (["-x"], 2, "No such option"),
        (["0"], 2, "out of range"),
        (["2362368", "--in", "gtp2"], 3, "Did you mean gpt2"),
        (["2362368", "--set", "qq=1"], 2, "no target has qq"),
        (["24.9%"], 2, "is a share"),
        (["2362368", "--set", "d=0"], 2, "out of range"),
        (["2362368", "--set", "d"], 2, "write one as --set d=128"),
        (["2362368", "--in", "gpt2", "--set", "q=1"], 2, "neither a symbol nor an option"),
        (["2362368", "--unit", "parsecs"], 2, "--unit"),
        (["9 MiB", "--unit", "flop"], 2, "is no number of flop"),
    ],
)
def test_bad_input_is_refused(arguments, code, said):
    assert_refuses("explain", *arguments, code=code, said=said)


@pytest.mark.parametrize("unit", ["parameters", "bytes", "flop"])
@pytest.mark.parametrize("target", ["gpt2", "linear", "softmax", "llama", "mini_gpt-small"])
def test_every_unit_of_every_kind_of_target_is_answered(target, unit):
    assert_answers("explain", "4096", "--in", target, "--unit", unit)


@pytest.mark.parametrize("number", ["2362368", "1557611200", "124M", "1234567", "21261312"])
def test_no_line_is_wider_than_a_page_but_a_command(number):
    lines = run("explain", number).out.splitlines()
    assert [n for n in lines if len(n) > 100 and not n.startswith("    symledger derive")] == []


@pytest.mark.parametrize(
    ("number", "known"), [("1.5GB", "gpt2-large"), ("7B", "llama-7b"), ("14GB", "deepseek-llm-7b")]
)
def test_a_coarse_number_is_that_of_a_model_before_that_of_a_layer(number, known):
    said = explain(number)
    assert all(match.parts[0].variant.is_model for match in said.gives)
    assert known in {name for match in said.gives for name in match.known}


@pytest.mark.parametrize("number", ["18.9MB", "350M", "1.2 GFLOP"])
def test_of_a_rounded_number_only_what_is_far_from_plausible_is_left_out(number, monkeypatch):
    said = explain(number)
    monkeypatch.setattr(search, "NEAR", 1000)  # nothing is left out
    monkeypatch.setattr(search, "SHOWN", 1000)
    monkeypatch.setattr(search, "MOST", 10**6)
    everything = explain(number)
    assert said.omitted <= everything.omitted  # of what is left out fewer are told apart
    for shown, whole in zip(said.sections, everything.sections, strict=True):
        assert [match_dict(m) for m in shown] == [match_dict(m) for m in whole]


# --------------------------------------------------------------------- what counts something else

OTHERWISE = {
    "1751715840": ("bytes", "bert", ["bert-base"]),  # 16 bytes for each of BERT's parameters
    "16060522496": ("bytes", "llama", ["llama-3-8b"]),  # 2 bytes for each of 8,030,261,248
    "291648307200": ("flop", "gpt2", ["gpt2"]),  # a forward pass over 1,024 tokens
    "71303168": ("flop", "mini_gpt", ["mini_gpt"]),
}


@pytest.mark.parametrize("number", OTHERWISE)
def test_a_number_without_a_unit_is_looked_for_as_all_that_it_may_count(number):
    unit, target, known = OTHERWISE[number]
    found = explain(number)
    assert found.looked == UNITS
    answer = next(e for e in (found, *found.otherwise) if e.number.unit == unit)
    best = answer.sections[0][0]
    assert best.number == int(number)
    assert best.parts[0].variant.family == target
    assert set(known) <= set(best.known)
    told = explain(number, unit=unit)
    assert told.looked == (unit,)
    assert told.sections[0][0].told_apart[1:] == best.told_apart[1:]


def test_what_is_searched_in_other_units_is_made_once(monkeypatch):
    monkeypatch.setattr(tables, "sought", lambda: None)
    explain("999999937")
    monkeypatch.setattr(tables, "catalogue", None)
    assert explain("999999893").looked == UNITS


@pytest.mark.parametrize("number", ["2362368", "124439808", "8030261248", "124M", "64", "4096"])
def test_a_plausible_number_of_parameters_is_one(number):
    found = explain(number)
    assert (found.number.unit, found.looked, found.otherwise) == ("parameters", ("parameters",), ())


def test_what_gives_the_number_as_parameters_stays_beside_what_is_more_plausible():
    found = explain("262784", "mini_gpt")
    assert found.number.unit == "parameters"
    assert {m.reading.said for m in found.near} >= {"counted twice"}
    (other,) = found.otherwise
    assert other.gives[0].reading.said == "weights in fp16 or bf16"
    shown = run("explain", "262784", "--in", "mini_gpt").out
    assert shown.index("AS BYTES, WHICH IS MORE PLAUSIBLE") < shown.index("counted twice")


def test_the_json_says_what_was_looked_for():
    found = explain("7B").to_dict()
    assert found["read"].startswith("B is read as billions")
    assert explain("2362368").to_dict()["looked_for_as"] == ["parameters"]
    found = explain("71303168").to_dict()
    assert found["unit"] == "parameters"
    assert found["looked_for_as"] == list(UNITS)
    assert next(other["unit"] for other in found["otherwise"]) == "flop"  # the most plausible
    assert found["otherwise"][0]["gives"][0]["gives"] == "71303168"


def test_what_nothing_gives_is_said_of_every_unit():
    shown = " ".join(run("explain", "999999937").out.split())
    assert "looked for as parameters, bytes and FLOP; none of them gives it" in shown
