"""The home page: a formula opened, three doors that lead somewhere, and live counts."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import symledger
from symledger import derive
from symledger.evidence.claims import KINDS

RECORDED = Path(symledger.__file__).parent / "records" / "evidence"


@pytest.fixture(scope="module")
def home(site):
    return site.pages["index.md"]


def seen(html):
    """What a reader sees: no markup, no TeX of annotations."""
    return re.sub(r"<[^>]*>|[\u2061-\u2063]", "", re.sub(r"<annotation.*?</annotation>", "", html))


def test_the_formula_opens_step_by_step_and_ends_in_its_leading_form(home):
    (opening,) = [block for block in home.blocks if 'class="opening"' in block]
    steps = [seen(step) for step in opening.split("<li>")[1:]]
    assert len(steps) == len(derive("mini_gpt").params.opened_to(2)) + 3
    assert "token embedding" in steps[0]
    order = ["line by line", "parts opened", "multiplied out and collected", "with "]
    assert [at for at in order if any(step.startswith(at) for step in steps)] == order
    assert "131,392" in steps[-2]
    assert "131,072" in steps[-1]
    assert "0.24" in steps[-1]
    assert "0.26" in steps[-1]


def test_the_sizes_are_those_of_the_numbers(home):
    said = seen(home.merged).replace(" ", "")
    assert "L=2,V=512,d=64" in said


def test_three_doors_lead_to_pages_that_are_there(home, site):
    (doors,) = [block for block in home.blocks if 'class="doors"' in block]
    found = re.findall(r'href="([^"]*)\.html"', doors)
    assert len(found) == 3
    written = {"own_model.md", "citing.md"}
    assert {f"{path}.md" for path in found} <= set(site.pages) | written


def test_the_counts_are_those_of_what_is_recorded(home, site):
    kinds, comparisons = Counter(), 0
    for file in RECORDED.rglob("*.json"):
        data = json.loads(file.read_text())
        for _, numbers in data["recorded"].values():
            comparisons += len(numbers)
            claims = (data["comparisons"][number][0] for number in numbers)
            kinds.update(KINDS[data["claims"][claim][0]] for claim in claims)
    said = home.source
    assert f"**{comparisons:,} recorded comparisons** of {len(kinds)} kinds" in said
    pages = [path for path in site.pages if path.startswith("f/") and "index" not in path]
    assert f"**{len(pages):,} formulas**" in said
    mutants = json.loads((RECORDED.parent / "mutants.json").read_text())
    killed = len(mutants["rules"]) + sum(row["number"] for row in mutants["others"])
    assert f"**{killed:,} deliberate mistakes**" in said


def test_it_is_two_sentences_before_anything_else(home):
    first = home.source.split("{: .answer }")[0].strip().splitlines()[-1]
    assert first.count(". ") + first.endswith(".") == 2
