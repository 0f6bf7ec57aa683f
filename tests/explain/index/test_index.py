"""The index: it holds what is derived now, and where it is not there the answers are the same."""

import subprocess
import sys

import pytest

from symledger import algebra
from symledger.accounts.account import derive
from symledger.catalogue.entries import place
from symledger.evidence.records import recorded
from symledger.explain import tables
from symledger.explain.answer import explain
from symledger.explain.index import checkpoint_sizes, files, sources, update, writer
from symledger.explain.index.outline import outline
from symledger.explain.index.readings import QUANTITIES, Asked
from symledger.explain.index.sources import catalogue
from symledger.explain.index.survey import survey
from symledger.explain.lines import candidates
from symledger.tags.canonical import fingerprint
from tests.every import CATALOGUE, chosen

SURVEYS = {asked[0].quantity: asked for asked in (QUANTITIES["bytes"], QUANTITIES["flop"])}


def test_there_is_a_file_for_each_owner_and_no_other():
    assert update.owners() == CATALOGUE
    assert {*files.FOLDER.rglob("*.json")} == set(map(files.path, CATALOGUE))
    for asked in SURVEYS.values():
        assert set(files.surveys(asked)) == set(CATALOGUE)


@pytest.mark.parametrize("owner", CATALOGUE)
def test_a_file_is_what_is_derived_now(owner):
    assert not update.is_stale(owner, chosen(owner).values())


def test_what_is_read_of_a_file_is_what_was_written():
    for owner in CATALOGUE:
        found = {name: files.surveys(asked)[owner] for name, asked in SURVEYS.items()}
        assert update.path(owner).read_text(encoding="utf-8") == writer.text(found)


@pytest.mark.parametrize("quantity", ["params", "flops.forward"])
def test_files_are_of_the_formulas_that_evidence_is_about(quantity):
    """Which takes no derivation, so that it is looked at for each owner and choice."""
    asked, checked = Asked(quantity), 0
    for owner, found in files.surveys(SURVEYS[quantity]).items():
        for drawn in found.outlines:
            chosen = [f"{name}={str(value).lower()}" for name, value in sorted(drawn.changed)]
            name = owner + (f"[{','.join(chosen)}]" if chosen else "")
            about = recorded(owner).get(name)
            if about and not drawn.case and quantity in about.hashes:
                whole = algebra.canonical(drawn.whole(asked) or {})
                assert about.hashes[quantity] == fingerprint(whole), name
                checked += 1
    assert checked > 300


@pytest.mark.parametrize("owner", CATALOGUE)
def test_of_equal_amounts_the_first_stands_for_all(owner):
    """They are told apart by one number each: here, by what they come to."""
    asked = Asked("params")
    for drawn in files.surveys([asked])[owner].outlines:
        first = {}
        for kind, said, amount in candidates(drawn.lines[asked]) if drawn.lines[asked] else ():
            first.setdefault(frozenset(amount.terms.items()), (kind, said, amount.terms))
        first.pop(frozenset(), None)
        found = drawn.amounts(asked)
        assert [(kind, said, n.terms) for kind, said, n in found] == list(first.values())


def test_the_sizes_of_checkpoints_are_those_that_were_published(monkeypatch, tmp_path):
    stale = [unit for unit in checkpoint_sizes.units() if checkpoint_sizes.is_stale(unit)]
    assert not stale, "run symledger record index"
    there = set(checkpoint_sizes.FOLDER.rglob("*.json"))
    assert there == set(map(checkpoint_sizes.path, checkpoint_sizes.units()))
    assert checkpoint_sizes.known() == checkpoint_sizes.gathered()
    monkeypatch.setattr(checkpoint_sizes, "FOLDER", tmp_path)
    assert checkpoint_sizes.known.__wrapped__() == checkpoint_sizes.gathered()


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


def test_of_an_index_only_what_is_asked_for_is_read():
    (plain,) = files.surveys(QUANTITIES["parameters"])["softmax"].outlines
    assert list(plain.lines) == [Asked("params")]


FEW = ("linear", "layer_norm", "attention", "lstm", "gpt2")
ASKED = [("2362368", {}), ("1048576", {"d": "512", "h": "8"}), ("7087872", {"bias": "true"})]


@pytest.mark.parametrize(("number", "settings"), ASKED)
def test_without_an_index_answers_are_the_same(number, settings, monkeypatch, tmp_path):
    """Of a few targets: that all of them are read as they are derived is tested above."""
    entries = [entry for entry in sources.ENTRIES if entry.name in FEW]
    assert len(entries) == len(FEW)
    monkeypatch.setattr(sources, "ENTRIES", entries)
    monkeypatch.setattr(tables, "_WHOLE", {})
    monkeypatch.setattr(tables, "sought", lambda: None)
    asked = []
    monkeypatch.setattr(sources, "survey", lambda *of: asked.append(of) or survey(*of))
    read = explain(number, settings=settings).to_dict()
    assert read["gives"]
    assert not asked
    monkeypatch.setattr(tables, "_WHOLE", {})
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    assert explain(number, settings=settings).to_dict() == read
    assert len(asked) == len(FEW)


@pytest.mark.parametrize(
    "change",
    [lambda text: "", lambda text: "[]", lambda text: "{}", lambda text: "not JSON",
     lambda text: text.replace('"format": 1', '"format": 0'),
     lambda text: text.replace('"linear",', '"linear",["line"],')],
)  # fmt: skip
def test_what_is_no_index_is_not_used_and_the_files_beside_it_are(change, tmp_path, monkeypatch):
    text = files.path("linear").read_text(encoding="utf-8")
    other = files.path("bilinear").read_bytes()
    place(tmp_path, "linear").parent.mkdir(parents=True)
    place(tmp_path, "linear").write_text(change(text), encoding="utf-8")
    place(tmp_path, "bilinear").write_bytes(other)
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    assert list(files.surveys(QUANTITIES["parameters"])) == ["bilinear"]


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
