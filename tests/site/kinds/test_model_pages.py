"""Model pages and the course: what they show is what the ledger says."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from symledger import derive
from symledger.catalogue import texts
from symledger.site.html import maths
from symledger.site.kinds import checkpoints, course, families
from symledger.site.kinds import model as kind
from symledger.site.kinds.model import Model, figures
from symledger.site.kinds.model.numbers import signed, signed_percent
from symledger.site.plots.figure import grouped
from tests.invoke import run
from tests.site.some import left_out
from tests.site.whole import ATLAS, SITE

MODELS = {entry.name: Model(ATLAS, entry) for entry in ATLAS.models}
PUBLISHED = {model.name: model for _, those in checkpoints.by_family(ATLAS) for model in those}
EVERY = {**MODELS, **PUBLISHED}
MADE_MODELS = {n: model for n, model in MODELS.items() if not left_out(n)}
MADE = {n: model for n, model in PUBLISHED.items()
        if not left_out(f"published {model.entry.family}")}  # fmt: skip
"""The models that have pages where these tests run."""
BOUND = [entry.name for entry in ATLAS.models if entry.configured]


@pytest.fixture(scope="module")
def pages():
    about = {path: page for path, page in SITE.pages.items() if path.startswith("models/")}
    return {path: page.merged for path, page in about.items()} | {
        course.PATH: SITE.pages[course.PATH].merged
    }


def number(text):
    return int(text.replace(",", "").replace("\u2212", "-"))


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


@pytest.mark.parametrize(
    ("name", "params", "forward"),
    [
        ("mini_gpt", 131_392, 71_303_168),
        ("mini_gpt-small", 41_120, None),
        ("gpt2", 124_439_808, None),
        ("gpt3-175b", 174_604_259_328, None),
        ("llama-7b", 6_738_415_616, None),
        ("vgg16", 138_357_544, 30_940_528_640),
        ("bert-base", 109_482_240, None),
        ("mixtral-8x7b", 46_702_792_704, None),
    ],
)
def test_headline_numbers_are_the_published_ones(pages, name, params, forward):
    page = text_of(pages[ATLAS.page_of(name)])
    assert f"{params:,}" in page
    assert forward is None or f"{forward:,}" in page


@pytest.mark.parametrize(
    ("name", "said"),
    [("mini_gpt", ["mini-GPT"]), ("gpt2", ["GPT-2"]), ("bert", ["BERT"]), ("nanochat", []),
     ("bert_classifier", []), ("mini_gpt-small", [])],
)  # fmt: skip
def test_a_name_is_spelled_as_its_text_does(name, said):
    assert EVERY[name].spelled(texts.text_of(name)) == said


@pytest.mark.parametrize("name", MADE_MODELS)
def test_every_page_has_its_parts(pages, name):
    page = pages[f"models/{name}.md"]
    anchors = set(re.findall(r"\{: #([\w-]+)(?: data-search-exclude)? \}", page))
    parts = {"parameters", "derivation", "flops", "symbols", "evidence", "references"}
    assert parts <= anchors
    assert ({"shares", "memory", "training"} <= anchors) == (name in BOUND)
    assert ("growth" in anchors) == bool(MODELS[name].growth)


@pytest.mark.parametrize("name", MADE)
def test_every_published_page_has_its_parts(pages, name):
    page = pages[ATLAS.page_of(name)]
    anchors = set(re.findall(r"\{: #([\w-]+)(?: data-search-exclude)? \}", page))
    assert {
        "parameters", "shares", "derivation", "calculate", "flops", "memory", "training", "symbols",
        "configuration", "evidence", "references", "reproduce",
    } <= anchors  # fmt: skip
    assert ("leading" in anchors) == (PUBLISHED[name].approximation is not None)
    pointed = set(re.findall(r'data-sym="([^"]*)"', page))
    assert pointed <= set(re.findall(r'<tr data-sym="([^"]*)"', page))


@pytest.mark.parametrize("name", ["mini_gpt", "vgg16", "mixtral-8x7b"])
def test_training_memory_is_that_of_each_type_and_optimizer(name):
    for of_type in EVERY[name].memory:
        for training in of_type.training:
            account = derive(name, dtype=of_type.dtype, optimizer=training.optimizer)
            assert training.total.value == account.memory_training.value
            assert of_type.saved.value == account.memory_saved.value


@pytest.mark.parametrize("name", BOUND)
@pytest.mark.parametrize("quantity", figures.SHARES)
def test_the_parts_of_a_bar_add_up_to_the_whole(name, quantity):
    formula = MODELS[name].account[quantity]
    parts = figures.parts_of(formula, figures.portions(MODELS[name].account, formula))
    assert sum(amount for _, amount in parts) == formula.value


def test_a_bar_opens_what_is_repeated_and_puts_together_what_is_small():
    account = MODELS["mini_gpt"].account
    assert figures.parts_of(account.params, figures.portions(account, account.params)) == [
        ("token embedding", 32_768), ("attention × L", 32_768), ("feed forward × L", 65_536),
        ("everything else", 320),
    ]  # fmt: skip


@pytest.mark.parametrize("quantity", ["params", "flops.forward"])
def test_growth_is_that_of_the_leading_form(quantity):
    for plot in figures.growth(MODELS["mini_gpt"].account, quantity):
        symbol = plot.head[0]
        for row in plot.rows:
            account = derive("mini_gpt", {symbol: row[0]})
            leading = account[quantity].leading
            assert sum(map(int, row[1:])) == leading.value(account.assumed.bindings)


def test_growth_is_drawn_at_the_sizes_of_a_configuration(pages):
    assert all(MODELS[name].growth for name in MODELS if ATLAS.configurations(name))
    found = {name: MODELS[name].marked for name in ("gpt2", "llama", "gptj", "bert_classifier")}
    assert found == {
        "gpt2": "gpt2", "llama": "llama-7b", "gptj": "gpt-j-6b", "bert_classifier": "",
    }  # fmt: skip
    assert "the dashed line marks llama-7b." in pages["models/llama.md"]


def test_growth_is_drawn_for_every_size_that_matters():
    names = [plot.name for plot in MODELS["mini_gpt"].figures]
    assert {f"mini_gpt-flops-forward-{s}" for s in "dLTV"} <= set(names)
    assert "mini_gpt-params-T" not in names


@pytest.mark.parametrize("name", ["mini_gpt", "gpt2", "llama-7b", "bert-base"])
def test_what_a_choice_changes_is_the_sum_of_its_lines(name):
    for variant in EVERY[name].variants:
        option, _, value = variant.setting.partition("=")
        other = derive(name, {option: value})
        for difference in variant.differences:
            before, after = (a[difference.quantity].value for a in (EVERY[name].account, other))
            if after is None:  # a choice that brings a size which nothing sets
                assert difference.value == ""
                continue
            change = after - before
            assert number(difference.value) == change
            assert sum(number(line.value) for line in difference.lines) == change


def test_variants_name_the_lines_that_change():
    found = {v.setting: v.differences[0] for v in MODELS["mini_gpt"].variants}
    assert {line.label for line in found["bias=true"].lines} == {
        "block × L › attention", "block × L › feed forward",
    }  # fmt: skip
    assert found["tied=false"].value == "+32,768"
    assert found["positions=learned"].value == "+2,048"


@pytest.mark.parametrize(
    ("name", "rule", "value", "count"),
    [
        ("mini_gpt", "2N", 2 * 131_392, 71_303_168 // 256),
        ("mini_gpt", "6N", 6 * 131_392, 3 * 71_303_168 // 256),
        ("mini_gpt", "6N′", 6 * (131_392 - 32_768), 3 * 71_303_168 // 256),
        ("mini_gpt", "6N + 12LhQT", 6 * 131_392 + 12 * 2 * 64 * 32, 3 * 71_303_168 // 256),
        ("mixtral-8x7b", "2N", 2 * 12_879_925_248, 1_398_441_351_577_600 // 32768),
    ],
)
def test_rules_of_thumb_and_their_errors(name, rule, value, count):
    found = next(r for r in EVERY[name].rules if r.name == rule)
    assert found.value == f"{value:,}"
    assert found.errors["full"] == signed_percent(Fraction(value - count, count))


def test_images_have_no_rules_for_tokens():
    assert PUBLISHED["vgg16"].rules == []
    assert PUBLISHED["vgg16"].for_each.key == "model.for_each_image"


def test_a_family_without_sizes_shows_its_configurations(pages):
    page = text_of(pages["models/llama.md"])
    assert "llama-7b" in page
    assert "6,738,415,616" in page


@pytest.mark.parametrize(
    ("name", "blocks", "whole"),
    [
        ("gpt2", "\u221231.7\u00a0%", "\u22120.73\u00a0%"),
        ("gpt3-175b", "\u22120.38\u00a0%", "\u22120.023\u00a0%"),
        ("llama-7b", "\u22124.4\u00a0%", "\u22122.4\u00a0%"),
    ],
)
def test_the_course_says_where_the_rule_fails(name, blocks, whole):
    trial = course.Course(ATLAS).trial[name]
    assert (trial.blocks_error, trial.whole_error) == (blocks, whole)


def test_the_answers_of_the_course_are_computed(pages):
    page = text_of(pages[course.PATH])
    for answer in ("41,120", "229,952", "T = 256", "524,288 B = 512 KiB", "5,519,360", "+32,768"):
        assert answer in page


def test_scores_cost_as_much_as_the_feed_forward_network_where_the_course_says():
    account = derive("mini_gpt", {"T": course.Course(ATLAS).even})
    forward = account.flops_forward
    parts = dict(figures.parts_of(forward, figures.portions(account, forward)))
    assert parts["feed forward × L"] == 4 * 8 * 2 * 256**2 * 64


def test_every_layer_of_the_course_adds_up(pages):
    lesson = course.Course(ATLAS)
    block = sum(number(lesson.layer(label).value)
                for label in ("norm 1", "attention", "norm 2", "feed forward"))  # fmt: skip
    assert 2 * block == number(lesson.layer("block × L").value) == 98_560
    assert 2 * block + 32_768 + 64 == 131_392


def test_commands_on_pages_work():
    for command in PUBLISHED["vgg16"].commands:
        if " derive " in command:
            assert run(*command.split()[1:]).code == 0


LIGHT, HYBRID, COMPARING = 300_000, 600_000, 400_000
HYBRIDS = ("bamba", "deepseek_v4", "dots3_note", "glm5_next", "granite_hybrid",
           "kimi_linear", "minicpm_v", "mllama", "nemotron_h", "phi4_multimodal",
           "qwen3_5_moe_vl", "qwen3_5_vl", "qwen3_next", "qwen3_omni", "qwen4", "qwen4_vl")
"""Several kinds of layers in one stack, or three networks, each with equations of its own."""


def test_a_page_stays_light(pages):
    sizes = {path: len(page.encode()) for path, page in pages.items() if path.startswith("models/")}
    heavy = {
        path: size for path, size in sizes.items()
        if size >= (HYBRID if {*Path(path).with_suffix("").parts} & {*HYBRIDS} else LIGHT)
        and path != families.COMPARED
    }  # fmt: skip
    assert heavy == {}
    assert sizes[families.COMPARED] < COMPARING


def test_data_of_every_plot_is_a_file_and_is_linked(pages):
    assert MADE
    assert MADE_MODELS
    files = {**kind.assets(ATLAS), **checkpoints.assets(ATLAS)}
    for name, model in {**MADE_MODELS, **MADE}.items():
        for plot in model.figures:
            assert files[plot.file].decode().splitlines()[0].split(",")[0] == plot.head[0]
            assert f"../{plot.file}" in pages[ATLAS.page_of(name)]


def test_what_a_plot_of_families_leads_to_has_all_that_it_shows(pages):
    shown, told = pages[families.COMPARED], pages[families.NUMBERS]
    led = set(re.findall(r'href="compare-numbers\.html#([\w-]+)"', shown))
    assert {"llama", "bert"} <= led <= set(re.findall(r"\{: #([\w-]+) \}", told))
    found = families.families(ATLAS).figures
    for value in {grouped(n) for plot in found for row in plot.rows for n in row[2:]}:
        assert f">{value}</td>" in told
    for name in {row[0] for plot in found for row in plot.rows}:
        assert f">{name}</a></th>" in told


def test_no_two_plots_have_one_file():
    found = {}
    for plot in (plot for model in (MADE_MODELS | MADE).values() for plot in model.figures):
        assert found.setdefault(plot.file, plot) == plot  # a family may draw what a member does


@pytest.mark.parametrize(("n", "text"), [(5, "+5"), (-1234, "\u22121,234"), (0, "0"), (None, "")])
def test_changes_have_a_sign(n, text):
    assert signed(n) == text


def test_all_of_a_name_behind_its_first_part_is_set_low():
    assert maths.spelled("g_norm_1 W_Q (d, 4d_ff)") == (
        '<span class="spelled">g<sub>norm\u20091</sub> W<sub>Q</sub> (d, 4d<sub>ff</sub>)</span>'
    )
