"""Formula pages: every tag has its page and files, and they say what the ledger says."""

import json

import pytest

from symledger.site.kinds.formula import views
from symledger.site.links import Links
from symledger.tags.registry import citable, registered
from tests.site.some import Blank
from tests.site.whole import ATLAS


@pytest.fixture(scope="module")
def found():
    return {view.tagged.id: view for entry in ATLAS.owners for view in views(ATLAS, entry)}


def test_every_tag_has_a_page_and_its_files(site):
    stems = [tagged.page.removesuffix(".html") for tagged in citable()]
    assert {f"{stem}.md" for stem in stems} <= set(site.pages)
    made = [stem for stem in stems if not isinstance(site.pages[f"{stem}.md"], Blank)]
    assert made
    for stem in made:
        assert {f"{stem}.{ending}" for ending in ("json", "tex", "bib", "py")} <= set(site.assets)


@pytest.mark.parametrize("name", ["mini_gpt.params", "linear.flops.backward", "gru.memory.saved"])
def test_the_python_beside_a_page_gives_the_value(site, found, name):
    formula = found[name].formula
    scope = {}
    exec(site.assets[f"{found[name].stem}.py"].decode(), scope)  # noqa: S102  # as a reader would
    at = dict.fromkeys(formula.corollary.free_symbols, 12)
    result = scope[name.replace(".", "_")](**{s.name: n for s, n in at.items()})
    assert result == formula.corollary.subs(at)


def test_the_json_beside_a_page_is_the_citation_with_its_evidence(site, found):
    view = found["mini_gpt.params"]
    data = json.loads(site.assets[f"{view.stem}.json"])
    assert (data["tag"], data["id"]) == (view.tagged.tag, "mini_gpt.params")
    assert data["value"] == "131392"
    assert {e["kind"] for e in data["evidence"]} >= {"substitution", "identity"}


def test_a_page_has_every_part(site, found):
    page = site.pages[found["attention.params"].path]
    for anchor in ("statement", "symbols", "conventions", "derivation", "links", "evidence",
                   "references", "cite"):  # fmt: skip
        assert f"{{: #{anchor} data-search-exclude }}" in page.source
    html = page.merged
    assert 'data-sym="d_v"' in html
    assert "@misc{symledger:" in html
    assert "SL-" in html


def test_what_a_formula_is_made_of_is_part_of_it():
    links = Links(ATLAS)
    made = {part.id for part in links.depends["mini_gpt.params"]}
    assert made == {"token_embedding.params", "pre_ln_block.params", "rms_norm.params",
                    "lm_head.params"}  # fmt: skip
    for name, parts in links.depends.items():
        for part in parts:
            assert name in {p.id for p in links.used_by[part.id]}
            assert part.id in registered()
    assert {p.id for p in links.depends["linear.flops.training"]} == {
        "linear.flops.forward", "linear.flops.backward",
    }  # fmt: skip


def test_values_are_those_of_the_configurations(found):
    values = {v.entry.name: v.value for v in found["gpt2.params"].values}
    assert values["gpt2"] == "124,439,808"
    assert values["gpt3-175b"] == "174,604,259,328"
