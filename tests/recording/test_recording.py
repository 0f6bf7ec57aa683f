"""One command records everything: whole or not at all, going on where it was interrupted."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest

from symledger import records
from symledger.cli.main import record
from symledger.errors import BadInput, UnknownTarget
from symledger.evidence.store import read
from symledger.extras import missing
from symledger.recording import journal, kind, selection
from symledger.recording.evidence import Evidence
from symledger.recording.formulas import sections, written
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.kinds import NAMES, stages
from symledger.recording.run import run
from symledger.recording.selection import Selection, selected
from symledger.recording.traced import Traced

HOME = records.FOLDER.parents[1]
OF_AN_OWNER = """
from symledger.recording.kinds import stages
from symledger.recording.run import run
from symledger.recording.selection import Selection
found = run(Selection(owners=("linear",)), stages(), False, lambda *_: None, processes=1)
assert not found.errors, found.errors
print(found.exit_code, sorted(path.name for path in found.changed), found.kept)
"""
*LINEAR, INDEX = (
    f"symledger/records/{kind}/components/maps/linear.json"
    for kind in ("evidence", "demonstrations", "index")
)
MERGED = ("symledger/records/scripts.json", "symledger/records/tags.txt",
          "tests/golden/formulas.txt")  # fmt: skip


@pytest.fixture
def copy(tmp_path):
    """A copy of the package with its records, as in a checkout."""
    skipped = shutil.ignore_patterns("__pycache__", ".recording")
    shutil.copytree(HOME / "symledger", tmp_path / "symledger", ignore=skipped)
    (tmp_path / "tests/golden").mkdir(parents=True)
    shutil.copy(HOME / "tests/golden/formulas.txt", tmp_path / "tests/golden")
    return tmp_path


def recorded_in(copy, code):
    """Run code in a copy; return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=copy,  # noqa: S603  # our own
                          env={**os.environ, "PYTHONPATH": str(copy)}, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def but_for_worst(file):
    """Read evidence without the deviations, which differ from machine to machine."""
    return {
        name: (found.hashes, [replace(e, worst="0") for e in found.evidence])
        for name, found in read(file).items()
    }


def test_from_nothing_an_owner_has_the_same_records(copy):
    pytest.importorskip("torch", reason="needs PyTorch")
    for name in (*LINEAR, INDEX):
        (copy / name).unlink()
    less = {owner: lines for owner, lines in sections().items() if owner != "linear"}
    (copy / MERGED[2]).write_text(written(less), encoding="utf-8")
    scripts = json.loads((copy / MERGED[0]).read_text(encoding="utf-8"))
    del scripts["linear"]
    (copy / MERGED[0]).write_text(json.dumps(scripts), encoding="utf-8")
    said = recorded_in(copy, OF_AN_OWNER)
    changed = ["formulas.txt", *["linear.json"] * 3, "scripts.json"]
    assert said == f"0 {changed} {{}}"
    assert but_for_worst(copy / LINEAR[0]) == but_for_worst(HOME / LINEAR[0])
    ours, theirs = (json.loads((home / LINEAR[1]).read_text()) for home in (copy, HOME))
    assert ours["of"] == theirs["of"]
    assert ours["mistakes"].keys() == theirs["mistakes"].keys()
    for name in (INDEX, *MERGED):
        assert (copy / name).read_bytes() == (HOME / name).read_bytes()
    assert list((copy / "symledger/records/.recording").iterdir()) == []


def test_what_is_the_same_is_not_written_again_and_without_pytorch_its_word_stays(copy):
    missing = "import sys\nsys.modules |= dict.fromkeys(['torch', 'transformers', 'diffusers'])\n"
    said = recorded_in(copy, missing + OF_AN_OWNER)
    assert said == "0 [] {'evidence': ('torch',), 'scripts': ('torch',)}"
    assert (copy / LINEAR[0]).read_bytes() == (HOME / LINEAR[0]).read_bytes()


class Toy(Kind):
    """Records of four units, each its own name; one of them may be interrupted, or wrong."""

    name = "toys"

    def __init__(self, folder, stops="", fails="", writing="apart"):
        self.folder, self.stops, self.fails = folder, stops, fails
        self.writing = writing
        self.asked = []

    def units(self, selection):
        return ("a", "b", "c", "d")

    def fresh(self, unit):
        file = self.folder / unit
        return file.is_file() and file.read_text() == unit

    def make(self, unit):
        self.asked.append(unit)
        if unit == self.stops:
            raise KeyboardInterrupt
        if unit == self.fails:
            raise BadInput("it is wrong.")
        return Made(unit)

    def write(self, made):
        if self.writing == "together" and len(made) < 4:
            return []
        return [path for unit, data in made.items() for path in replaced(self.folder / unit, data)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for module in (kind, journal):
        monkeypatch.setattr(module, "DRAFTS", tmp_path / "drafts")
    monkeypatch.setattr(journal, "sources", lambda: "these")
    return tmp_path / "toys"


def made(toy, stale=False, processes=1):
    return run(Selection(), ((toy,),), stale, lambda *_: None, processes)


@pytest.mark.parametrize("writing", ["apart", "merged", "together"])
def test_an_interrupted_run_goes_on_where_it_stopped(folder, writing):
    with pytest.raises(KeyboardInterrupt):
        made(Toy(folder, stops="c", writing=writing))
    there = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    assert there == ([] if writing == "together" else ["a", "b"])
    again = Toy(folder, writing=writing)
    made(again)
    assert again.asked == ["c", "d"]
    assert {path.name: path.read_text() for path in folder.iterdir()} == {n: n for n in "abcd"}
    once_more = Toy(folder, writing=writing)
    assert not made(once_more).changed
    assert once_more.asked == ["a", "b", "c", "d"]


def test_what_was_done_with_other_sources_or_is_gone_is_made_again(folder, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        made(Toy(folder, stops="c"))
    (folder / "a").unlink()
    again = Toy(folder, stops="d")
    with pytest.raises(KeyboardInterrupt):
        made(again)
    assert again.asked == ["a", "c", "d"]
    monkeypatch.setattr(journal, "sources", lambda: "others")
    other = Toy(folder)
    made(other)
    assert other.asked == ["a", "b", "c", "d"]


@pytest.mark.parametrize("processes", [1, 2])
def test_only_what_is_stale_is_made_by_however_many_processes(folder, processes):
    folder.mkdir()
    for unit in "abd":
        (folder / unit).write_text("of something else" if unit == "b" else unit)
    found = made(Toy(folder), stale=True, processes=processes)
    assert (found.made, found.fresh) == (2, 2)
    assert sorted(path.name for path in found.changed) == ["b", "c"]
    assert made(Toy(folder), stale=True, processes=processes).fresh == 4


@pytest.mark.parametrize("processes", [1, 2])
def test_what_cannot_be_made_stops_nothing_else_and_is_said(folder, processes):
    found = made(Toy(folder, fails="b"), processes=processes)
    assert sorted(path.name for path in folder.iterdir()) == ["a", "c", "d"]
    assert [str(error) for error in found.errors] == ["toys of b: it is wrong."]
    assert found.exit_code == BadInput.exit_code


def test_what_stops_several_kinds_or_units_is_said_once(folder):
    class Other(Toy):
        name = "others"

    found = run(Selection(), ((Toy(folder, fails="b"), Other(folder, fails="c")),), False,
                lambda *_: None, 1)  # fmt: skip
    assert [str(error) for error in found.errors] == ["toys of b: it is wrong."]


def test_the_words_of_an_owner_are_recorded_with_it_once_its_evidence_is():
    asked = [[k.name for k in stage if k.units(Selection(owners=("linear",)))]
             for stage in stages()]  # fmt: skip
    assert "evidence" in asked[1]
    assert asked[2] == ["messages"]


def test_what_needs_a_package_that_is_not_there_is_kept_and_said(folder):
    toy = Toy(folder)
    toy.needs = ("no_such_package",)
    found = made(toy)
    assert (toy.asked, found.kept) == ([], {"toys": ("no_such_package",)})


OWNED = [kind for kind in stages()[1] if kind.name not in ("reference", "traced", "alive")]
"""What is made of an owner whose name is said."""


@pytest.mark.parametrize("name", ["linear", "lstm", "vit", "axiom_call"])
@pytest.mark.parametrize("owned", OWNED, ids=lambda owned: owned.name)
def test_of_these_sources_nothing_is_stale(owned, name):
    if name in owned.units(Selection(owners=(name,))):
        if missing(owned.needs):
            pytest.skip("needs PyTorch")
        assert owned.fresh(name)


def test_evidence_is_stale_where_a_variant_is_new_a_formula_another_or_a_check_failed(monkeypatch):
    from symledger.recording import evidence

    known = evidence.recorded("linear")
    entry = known["linear"]
    failed = tuple(replace(e, passed=False) for e in entry.evidence)
    for wrong in (
        {"linear": entry}, {**known, "linear": replace(entry, evidence=failed)},
        {**known, "linear": replace(entry, hashes={**entry.hashes, "params": "0" * 16})},
    ):  # fmt: skip
        monkeypatch.setattr(evidence, "recorded", lambda owner, wrong=wrong: wrong)
        assert not Evidence().fresh("linear")


def test_names_are_those_of_the_catalogue_of_configurations_and_of_kinds():
    found = selected(["gpt2", "llama-3-8b", "axiom_map", "tags", "gpt2"], NAMES)
    assert found.owners == ("gpt2", "axiom_map")
    assert (found.configurations, found.kinds) == (("llama-3-8b",), ("tags",))
    with pytest.raises(UnknownTarget, match=r"Did you mean linear.* line in .*/component_entries"):
        selected(["linaer"], NAMES)


def units(*names: str) -> dict[str, tuple[str, ...]]:
    """What is recorded where some names are given, by kind."""
    asked = selected(names, NAMES)
    return {k.name: found for stage in stages() for k in stage if (found := k.units(asked))}


def test_names_alone_mean_every_kind_kinds_alone_everything_both_these_kinds_of_those():
    found = units("gpt2", "llama-3-8b", "axiom_map")
    assert found["evidence"] == ("gpt2", "axiom_map")
    assert "llama-3-8b" in found["reference"]
    assert "messages" in found
    assert not {"mutants", "types", "traced", "alive"} & found.keys()
    assert set(selection.CATALOGUED) <= set(units("tags")["tags"])
    both = units("tags", "alive", "gpt2", "axiom_map")
    assert {k: both[k] for k in ("tags", "alive")} == {"tags": ("gpt2",), "alive": ("gpt2",)}
    assert not {"evidence", "reference", "index", "messages"} & both.keys()
    assert units("reference", "llama-3-8b")["reference"] == ("llama-3-8b",)
    assert "alive" not in units("alive", "axiom_map")


def test_the_help_of_the_command_names_every_kind():
    assert set(NAMES) <= set(re.findall(r"\w+", record.help))


def test_references_are_traced_only_where_that_is_named():
    def traced(*names):
        return Traced().units(selected(names, NAMES))

    assert traced() == traced("gpt2") == traced("tags", "gpt2") == ()
    assert traced("traced", "gpt2", "linear") == ("gpt2",)
    assert {"gpt2", "llama", "t5"} <= set(traced("traced"))
