"""The index: it holds what is derived now, and where it cannot be used the answers are the same."""

import json
import subprocess
import sys

import pytest

from symledger.accounts.account import derive
from symledger.explain import answer
from symledger.explain.answer import explain
from symledger.explain.index import outlines as index
from symledger.explain.index import sources, usual
from symledger.explain.index.outline import outline
from symledger.explain.index.readings import QUANTITIES, Asked
from symledger.explain.index.sources import catalogue
from symledger.explain.index.survey import Accounts, survey
from tests.every import CATALOGUE, share


@pytest.mark.parametrize("asked", index.FILES.values(), ids=index.FILES)
def test_the_index_is_up_to_date_and_holds_every_owner(asked):
    found = index.indexed(asked)
    assert found is not None, "run symledger record index"
    assert tuple(found) == CATALOGUE
    text = (index.FOLDER / f"{asked[0].quantity}.json").read_text(encoding="utf-8")
    assert text == index.written(found)


def test_the_sizes_beside_the_index_are_those_that_were_published(monkeypatch):
    file = index.FOLDER / usual.FILE
    assert file.read_text(encoding="utf-8") == usual.written(), "run symledger record index"
    assert usual.known() == usual.gathered()
    monkeypatch.setattr(usual, "fingerprint", lambda: "of other sources")
    assert usual.known.__wrapped__() == usual.gathered()


def test_an_answer_that_is_in_the_index_imports_nothing_that_derives():
    """It takes as long as the search; the modules are those of a process of its own."""
    code = (
        "import sys\nfrom symledger.explain.answer import explain\n"
        "assert explain('2362368').gives\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,  # noqa: S603  # our own
                          check=True)  # fmt: skip
    modules = set(done.stdout.split())
    assert "symledger.explain.index.table" in modules
    unused = {"accounts.account", "targets.target", "models.gpt2.model"}
    assert not modules & {f"symledger.{name}" for name in unused}


@pytest.mark.parametrize("owner", share(CATALOGUE, 20))
def test_the_index_is_what_is_derived_now(owner):
    accounts = Accounts(owner)
    for asked in index.FILES.values():
        assert index.indexed(asked)[owner] == survey(owner, asked, accounts)


def test_of_an_index_only_what_is_asked_for_is_read():
    (plain,) = index.indexed(QUANTITIES["parameters"])["softmax"].outlines
    assert list(plain.amounts) == [Asked("params")]


FEW = ("linear", "layer_norm", "attention", "lstm", "gpt2")
ASKED = [("2362368", {}), ("1048576", {"d": "512", "h": "8"}), ("7087872", {"bias": "true"})]


@pytest.mark.parametrize(("number", "settings"), ASKED)
def test_a_stale_index_is_not_used_and_changes_no_answer(number, settings, monkeypatch):
    """Of a few targets: that all of them are read as they are derived is tested above."""
    entries = [entry for entry in sources.ENTRIES if entry.name in FEW]
    assert len(entries) == len(FEW)
    monkeypatch.setattr(sources, "ENTRIES", entries)
    monkeypatch.setattr(answer, "_everything", answer._everything.__wrapped__)
    asked = []
    monkeypatch.setattr(sources, "survey", lambda *of: asked.append(of) or survey(*of))
    read = explain(number, settings=settings).to_dict()
    assert read["gives"]
    assert not asked
    monkeypatch.setattr(index, "fingerprint", lambda: "of other sources")
    assert index.indexed(QUANTITIES["parameters"]) is None
    assert explain(number, settings=settings).to_dict() == read
    assert len(asked) == len(FEW)


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"sources": 1}', "not JSON"])
def test_what_is_no_index_is_not_used(text, tmp_path, monkeypatch):
    monkeypatch.setattr(index, "FOLDER", tmp_path)
    if text is not None:
        (tmp_path / "params.json").write_text(text)
    assert index.indexed(QUANTITIES["parameters"]) is None


def test_a_broken_index_is_not_used(tmp_path, monkeypatch):
    data = json.loads((index.FOLDER / "flops.forward.json").read_text(encoding="utf-8"))
    data["polynomials"] = data["polynomials"][:1]
    (tmp_path / "flops.forward.json").write_text(json.dumps(data))
    monkeypatch.setattr(index, "FOLDER", tmp_path)
    assert index.indexed(QUANTITIES["flop"]) is None


@pytest.mark.parametrize(
    ("name", "settings"),
    [("attention", {"d": "768", "h": "12"}), ("attention", {"d": "512", "h": "8", "d_v": "32"}),
     ("conv2d", {"H": "32", "W": "32", "K_h": "3", "K_w": "3"}), ("gpt2", {"d": "1536"}),
     ("lstm", {"d_s": "256"}), ("mixtral", {"E": "4"})],
)  # fmt: skip
def test_an_outline_holds_the_sizes_that_a_derivation_does(name, settings):
    here = outline(derive(name), [Asked("params")]).at(settings)
    there = derive(name, settings).assumed
    assert here.equations == there.equations
    assert here.bindings == {s.name: n for s, n in there.bindings.items()}


def test_with_a_choice_made_the_others_that_matter_are_looked_at():
    found = {str(s.variant) for s in catalogue(QUANTITIES["parameters"], {"causal": "true"})}
    assert {"attention with causal", "attention with bias, causal", "linear"} <= found
    assert "attention" not in found


def test_a_choice_that_cannot_take_what_is_set_is_left_out_alone():
    found = {str(s.variant) for s in catalogue(QUANTITIES["parameters"], {"L": "2"})}
    assert "lstm" in found  # stacked in L layers
    assert "lstm with no stacked" not in found  # one layer: there is no L to set
