"""Pieces that several processes make are those that one makes; what none has made is made later."""

import subprocess
import sys
from functools import partial

import pytest

from symledger.site import workers as shares
from symledger.site.atlas import Atlas
from symledger.site.kinds import families
from symledger.site.kinds.checkpoints import by_family
from symledger.site.memory import Memory, Piece
from symledger.site.pages import Page
from tests.site.apart import answers

SCRIPT = """
import json, os, sys
from symledger.site import workers as shares
from symledger.site.memory import Memory
from symledger.site.pages import Page

here, how = os.getpid(), sys.argv[1]
shares.processes = lambda: 2
if how == "none":
    def no_semaphore(*_, **__):
        raise OSError("no space left")
    shares.ProcessPoolExecutor = no_semaphore
memory = Memory()
memory.keeps = True

def page(name):
    def make():
        if how == "killed" and name == "page 5" and os.getpid() != here:
            os._exit(1)
        if how == "wrong" and name == "page 5":
            raise ValueError("no such page")
        return Page(name, f"# {name}", (str(os.getpid() == here),))
    return memory.page(name, make)

names = [f"page {n}" for n in range(20)]
with memory.later() as pieces:
    listed = [page(name) for name in names]
assert not any(found.path for found in listed) and len(pieces) == 20
try:
    shares.make(memory, pieces)
    found = [page(name) for name in names]
    assert [(p.path, p.source) for p in found] == [(name, f"# {name}") for name in names]
    print(json.dumps([p.blocks[0] for p in found]))
except ValueError as error:
    print(json.dumps(str(error)))
"""


@pytest.fixture(scope="module")
def made():
    cases = {how: [how] for how in ("well", "killed", "none", "wrong")}
    return answers(SCRIPT, "symledger.site.workers symledger.site.memory", cases)


def test_other_processes_make_what_is_listed(made):
    assert made["well"] == ["False"] * 20


def test_what_a_killed_process_did_not_make_is_made_here(made):
    assert "True" in made["killed"]


def test_where_no_process_can_be_had_all_is_made_here(made):
    assert made["none"] == ["True"] * 20


def test_an_error_is_raised_here(made):
    assert made["wrong"] == "no such page"


def test_what_is_about_the_same_is_made_together_and_whole_kinds_come_first():
    names = ("page linear", "page formulas of linear", "page gpt2", "page site.kinds.question",
             "files formulas of linear", "files gpt2")  # fmt: skip
    found = shares.groups([Piece(name, dict) for name in names])
    assert [[piece.name for piece in group] for group in found] == [
        ["page site.kinds.question"],
        ["page linear", "page formulas of linear", "files formulas of linear"],
        ["page gpt2", "files gpt2"],
    ]


def test_only_what_is_not_known_is_listed(tmp_path):
    memory = Memory(tmp_path / "site.json")
    memory.page("known", lambda: Page("known.md", "# known"))
    with memory.later() as pieces:
        assert memory.page("known", lambda: pytest.fail("made again")).path == "known.md"
        memory.files("new", dict)
    assert [piece.name for piece in pieces] == ["files new"]


def test_families_are_compared_when_the_numbers_of_all_are_there(tmp_path):
    """One of two is known, as after a change of a component that the other has."""
    atlas = Atlas(memory=Memory(tmp_path / "site.json"))
    two = dict(by_family(Atlas())[:2])
    atlas.once("published configurations", lambda: list(two.items()))
    known, missing = two
    atlas.memory.table(f"compared {known}", partial(families._known, atlas, known, two[known]))
    with atlas.memory.later() as pieces:
        assert not families.families(atlas).groups
        assert not families.assets(atlas)
    assert {piece.name for piece in pieces} == {f"table compared {missing}"}
    assert [group.family for group in families.families(atlas).groups] == [known, missing]


def test_beside_a_thread_no_process_is_forked():
    script = (
        "import _thread, threading; from symledger.site import workers as shares\n"
        "ready, never = threading.Event(), threading.Event()\n"
        "_thread.start_new_thread(lambda: ready.set() or never.wait(), ())\n"
        "ready.wait(); print(shares.processes())"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  # our own
    assert done.stdout == "1\n"
