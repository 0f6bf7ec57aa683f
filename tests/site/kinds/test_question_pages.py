"""Question pages: the answer first, exact, and the same that the command line gives."""

import re
import shlex
from fractions import Fraction
from functools import cache

import pytest

from symledger.site.kinds.question import answers_of
from symledger.site.text.questions import questions, related, subject
from symledger.site.verify import HEADING
from tests.invoke import run
from tests.site.whole import ATLAS, folder

QUESTIONS = {q.slug: q for q in questions()}

ANSWERS = {
    # from publications, from PyTorch, or worked out by hand
    "linear-768-3072-parameters": "2,362,368",
    "linear-768-3072-memory-fp32": "9,449,472",
    "linear-768-3072-training-adam": "37,797,888",
    "linear-768-3072-flops": f"{2 * 768 * 3072:,}",
    "embedding-50257-768-parameters": "38,597,376",
    "conv2d-1-6-5-parameters": "156",  # LeCun et al. (1998), layer C1
    "conv2d-64-64-3-parameters": "36,928",
    "batchnorm2d-64-parameters": "128",
    "lstm-128-256-parameters": f"{4 * (128 * 256 + 256 * 256 + 2 * 256):,}",
    "gru-128-256-parameters": f"{3 * (128 * 256 + 256 * 256 + 2 * 256):,}",
    "transformerencoderlayer-512-8-parameters": "3,152,384",
    "gpt-2-parameters": "124,439,808",
    "gpt-3-parameters": "174,604,259,328",
    "llama-7b-parameters": "6,738,415,616",
    "mixtral-8x7b-parameters": "46,702,792,704",
    "mixtral-8x7b-active-parameters": "12,879,925,248",
    "bert-base-parameters": "109,482,240",
    "bert-large-parameters": "335,141,888",
    "vgg-16-parameters": "138,357,544",
    "mini-gpt-parameters": "131,392",
    "bert-base-attention-parameters": "2,362,368",
    "bert-base-feed-forward-parameters": "4,722,432",
    "llama-7b-head-parameters": "131,072,000",
    "llama-7b-memory-bf16": "13,476,831,232",
    "gpt-3-memory-bf16": "349,208,518,656",
    "gpt-2-training-adam": f"{16 * 124_439_808:,}",
    "llama-7b-training-adam-mixed": f"{16 * 6_738_415_616:,}",
    "llama-7b-fine-tuning-lora": f"{2 * 6_738_415_616 + 16 * 32 * 2 * 16 * 2 * 4096:,}",
    "llama-3-8b-fine-tuning-lora":
        f"{2 * 8_030_261_248 + 16 * 32 * 16 * (2 * 4096 + 4096 + 1024):,}",
    "vgg-16-training-momentum": f"{12 * 138_357_544:,}",
    "llama-7b-kv-cache-4096": f"{2 * 32 * 4096 * 4096 * 2:,}",
    "mixtral-8x7b-kv-cache-32768": f"{2 * 32 * 8 * 128 * 32768 * 2:,}",
    "gpt-2-flops-per-token": f"{24 * 12 * 768**2 + 2 * 50257 * 768 + 4 * 12 * 1024 * 768:,}",
    "vgg-16-flops-per-image": "30,940,528,640",
}


@pytest.fixture(scope="module")
def pages(site):
    return {path: page for path, page in site.pages.items() if folder(path) == "questions"}


@cache
def answers():
    return {found.question.slug: found for found in answers_of(ATLAS)}


def asked(slug):
    return answers()[slug]


def test_there_are_many_questions_each_with_an_address_of_its_own(pages):
    assert len(QUESTIONS) == len(questions()) >= 80
    assert len({q.topic for q in questions()}) >= 8
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", slug) for slug in QUESTIONS)
    assert set(pages) == {q.path for q in questions()} | {"questions/index.md"}


@pytest.mark.parametrize(("slug", "value"), ANSWERS.items())
def test_an_answer_that_is_known_from_elsewhere(slug, value):
    assert asked(slug).value == value


@pytest.mark.parametrize("slug", QUESTIONS)
def test_a_page_begins_with_its_question_and_the_answer(slug, pages):
    found, page = asked(slug), pages[QUESTIONS[slug].path]
    title = re.search(r"^# (.*)$", page.source, re.MULTILINE)[1]
    assert f'title: "{title.replace("`", "")}"' in page.source
    assert title.endswith("?")
    first = page.source.split(title, 2)[-1].split("{: .answer }")[0]
    assert f"**{found.value}" in first
    assert f"]({QUESTIONS[slug].slug}.md)" in pages["questions/index.md"].source
    assert found.exact.denominator == 1


FIRST = {(q.topic, q.ask): q.slug for q in reversed(questions())}
"""The first question of each kind about each family: the others differ by their sizes."""
ASKED = [q.slug for q in questions() if not q.topic.startswith("Models: ")
         or FIRST[q.topic, q.ask] == q.slug]  # fmt: skip


@pytest.mark.parametrize("slug", ASKED)
def test_the_command_of_a_page_prints_its_answer(slug):
    found = asked(slug)
    printed = "".join(run(*shlex.split(c)[1:]).out for c in QUESTIONS[slug].commands)
    for formula in found.formulas:
        if formula.value is not None:
            assert f"{formula.value:,}" in printed
    if QUESTIONS[slug].ask in ("params", "part", "memory", "kv_cache", "activations"):
        assert found.value in printed or found.all in printed
    if QUESTIONS[slug].lora:
        assert found.trained_count
        assert found.peak.partition("\u00a0")[0] in printed


@pytest.mark.parametrize("slug", [q.slug for q in questions() if q.is_layer])
@pytest.mark.filterwarnings("ignore")  # what PyTorch says about its fast paths
def test_pytorch_prints_the_number_that_a_page_says_it_prints(slug, capsys):
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    lines = asked(slug).snippet
    with torch.device("meta"):  # sizes without memory
        exec(lines, {})  # noqa: S102  # the lines of our own page
    assert capsys.readouterr().out.strip() == lines.rpartition("# ")[2]


def test_parts_of_an_answer_add_up():
    for slug in ("gpt-2-parameters", "linear-768-3072-parameters", "gpt-2-attention-parameters"):
        top = [row for row in asked(slug).rows if not row.guide]
        assert sum(int(row.value.replace(",", "")) for row in top) == asked(slug).exact


@pytest.mark.parametrize(
    ("slug", "numbers"),
    [
        ("linear-768-3072-memory-fp32", ["9.012 MB"]),
        ("linear-768-3072-training-adam", ["28,348,416", "9,449,472", "36.05 MB"]),
        ("bert-base-attention-parameters", ["21,261,312", "7,077,888"]),
        ("gpt-2-parameters", [f"{124_439_808 + 50257 * 768:,}"]),
        ("llama-7b-parameters", [f"{6_738_415_616 - 131_072_000:,}"]),
        ("multiheadattention-768-12-parameters", [f"{12 * 2_362_368:,}"]),
        ("mixtral-8x7b-kv-cache-4096", [f"{2**28:,}", f"{2**31:,}", "512 MB"]),
        ("mixtral-8x7b-active-parameters", ["46,702,792,704"]),
        ("batchnorm2d-64-parameters", ["256"]),
        ("linear-768-768-parameters", []),
    ],
)  # fmt: skip
def test_numbers_that_are_met_instead_are_named(slug, numbers):
    assert [mistake.value for mistake in asked(slug).mistakes] == numbers


def test_no_mistake_is_the_answer():
    for slug in QUESTIONS:
        assert asked(slug).value not in [m.value for m in asked(slug).mistakes]


def test_a_published_mistake_that_is_right_is_refused():
    from dataclasses import replace

    from symledger.site.kinds.question.mistakes import mistakes
    from symledger.site.text.questions import Wrong

    right = replace(QUESTIONS["bert-base-attention-parameters"], wrong=(Wrong("4*(d**2+d)", ""),))
    found = asked(right.slug)
    with pytest.raises(AssertionError, match="is right"):
        list(mistakes(right, found.account, found.terms))


def test_related_questions_are_others_and_first_about_the_same():
    for q in questions():
        found = related(q)
        assert 4 <= len(found) <= 6
        assert q not in found
        assert len(set(map(id, found))) == len(found)
        assert not q.is_layer or {r.topic for r in found} == {q.topic}
        for r in found:
            assert r.ask == q.ask or r.topic == q.topic or subject(r.of) == subject(q.of)
    assert related(QUESTIONS["linear-768-3072-parameters"])[0].of == "Linear(768, 3072)"
    mixtral = related(QUESTIONS["mixtral-8x7b-flops-per-token"])
    assert {subject(r.of) for r in mixtral} == {"mixtral"}


def test_the_causal_conventions_are_side_by_side():
    (full, half, exact) = (value for _, value in asked("gpt-2-flops-per-token").causal)
    assert full == asked("gpt-2-flops-per-token").value
    rest = 24 * 12 * 768**2 + 2 * 50257 * 768
    assert half == f"{rest + 2 * 12 * 1024 * 768:,}"
    assert exact == f"{rest + 2 * 12 * 1025 * 768:,}"
    assert asked("bert-base-flops-per-token").causal == []


@pytest.mark.parametrize(
    ("slug", "sections"),
    [
        ("linear-768-3072-parameters",
         "why calculate parts memory flops variants verify occurs twins command related"),
        ("llama-7b-parameters", "why calculate parts memory flops twins mistakes command related"),
        ("bert-base-attention-parameters",
         "why calculate parts memory twins mistakes command related"),
        ("llama-7b-kv-cache-4096", "why calculate mistakes command related"),
        ("gpt-2-flops-per-token", "why calculate causal memory flops mistakes command related"),
    ],
)  # fmt: skip
def test_the_sections_of_a_page(slug, sections, pages):
    page = pages[QUESTIONS[slug].path]
    assert HEADING.findall(page.source) == sections.split()


def test_where_a_layer_occurs_and_what_has_as_many_parameters(pages):
    page = pages["questions/linear-768-3072-parameters.md"].merged
    assert "[gpt2](../models/gpt2.md)" in page
    assert "[bert-base](../models/bert/bert-base.md)" in page
    assert "`MultiheadAttention(768, h)`\n- [How many parameters does `Multihead" in page
    assert "BERT-base's attention" in page


def test_bytes_are_named_rightly():
    for slug in ("llama-7b-memory-bf16", "gpt-2-training-adam", "llama-7b-kv-cache-4096"):
        found = asked(slug)
        binary, decimal = re.fullmatch(r"[=≈]\s(.*) [=≈]\s(.*)", found.units).groups()
        assert re.fullmatch(r"[\d.]+\s[KMGT]iB", binary)
        assert re.fullmatch(r"[\d.]+\s[kMGT]B", decimal)
        power = 1024 ** ("KMGT".index(binary[-3]) + 1)
        assert abs(Fraction(binary.split()[0]) * power / found.exact - 1) < Fraction(1, 1000)
