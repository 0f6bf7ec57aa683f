"""What earlier builds remember is what a build would make, and is made anew when it is not."""

import ast
import json
from functools import partial

import pytest

from symledger.catalogue.entries import BY_NAME, ENTRIES
from symledger.site import generator, memory, resources
from symledger.site.generator import remembered
from symledger.site.memory import PLACE, Memory, place
from symledger.site.pages import Page
from symledger.site.sources import Sources, imported
from symledger.site.tongues import Tongue
from tests.site.whole import REMEMBERED

LINEAR, BLOCK = "symledger.components.maps.linear", "symledger.models.block"
FILES = {
    "components.maps.linear": b"class Linear:\n    size = 1\n",
    "components.norms.norms": b"class Norm: ...\n",
    "models.block": b"from symledger.components.maps.linear import Linear\n",
}


@pytest.fixture
def unchanged(monkeypatch):
    """Take no notice of files that are edited while tests run."""
    monkeypatch.setattr(memory, "changed", lambda folder, since: not since)


@pytest.fixture
def build(tmp_path, unchanged):
    """Return a build: it makes pieces of some files, and says which it made anew."""

    def run(rest="", **changed):
        known = Memory(tmp_path / "site.json")
        known.sources.definitions = FILES | {n.replace("__", "."): t for n, t in changed.items()}
        made = []

        def piece(name, *modules, shows=()):
            def make():
                made.append(name)
                for module in modules:
                    known._note_module("code", module)
                known.note_text(*shows)
                return Page(f"{name}.md", "# x", (f"<p>{name}</p>",))

            return known.page(name, make)

        pieces = (piece("linear", LINEAR, shows=[LINEAR]), piece("block", BLOCK), piece("home"))
        known.save()
        assert [p.path for p in pieces] == ["linear.md", "block.md", "home.md"]
        assert pieces[1].blocks == ("<p>block</p>",)
        return made

    return run


def test_what_was_made_of_the_same_is_not_made_again(build):
    assert build() == ["linear", "block", "home"]
    assert build() == []
    assert build(components__norms__norms=b"class Norm: size = 2") == []


def test_a_change_reaches_all_that_is_made_of_it_and_a_comment_what_shows_it(build):
    build()
    linear = FILES["components.maps.linear"]
    assert build(components__maps__linear=linear + b"# why\n") == ["linear"]
    assert build(components__maps__linear=b"class Linear:\n    size = 2\n") == ["linear", "block"]
    assert build(models__block=b"import symledger.components.norms.norms\n") == ["linear", "block"]


def test_every_definition_of_the_catalogue_is_told_apart_from_the_rest():
    """Files lie in folders of topics and families: what is not found there would seem unchanged."""
    found = Sources().definitions
    defined = {entry.definition.partition(":")[0] for entry in ENTRIES}
    assert defined - found.keys() == set()
    assert not [name for name in found if name.endswith((".config", "__init__"))]
    assert {entry.load().__module__ for entry in ENTRIES} == {f"symledger.{n}" for n in defined}


def test_a_changed_definition_remakes_its_own_pages_and_no_others(tmp_path, unchanged):
    """With the modules of the package as they are, by what pages note of the classes they show."""
    source = Sources().definitions

    def run(changed=None):
        known, made = Memory(tmp_path / "site.json"), []
        known.sources.definitions = source | (changed or {})

        def make(name):
            made.append(name)
            known.note_definition(BY_NAME[name].load())
            return Page(f"{name}.md", name)

        for name in ("linear", "feed_forward", "conv2d", "softmax"):
            known.page(name, partial(make, name))
        known.save()
        return made

    assert run() == ["linear", "feed_forward", "conv2d", "softmax"]
    linear = source["components.maps.linear"]
    assert run({"components.maps.linear": linear + b"# why\n"}) == []
    assert run({"components.maps.linear": linear + b"WHY = 1\n"}) == ["linear", "feed_forward"]
    assert run({"components.heads_and_losses.softmax": b"WHY = 1\n"}) == [
        "linear", "feed_forward", "softmax",
    ]  # fmt: skip  # the map is as it was again


def test_where_anything_else_differs_nothing_is_known(build, monkeypatch):
    build()
    monkeypatch.setattr(Sources, "rest", "another")
    assert build() == ["linear", "block", "home"]


@pytest.mark.parametrize("text", ["", "[]", '{"rest": 1}', "\x00"])
def test_a_memory_that_cannot_be_read_is_none(build, tmp_path, text):
    build()
    (tmp_path / "site.json").write_text(text)
    assert build() == ["linear", "block", "home"]


@pytest.mark.usefixtures("unchanged")
def test_what_a_table_says_counts_and_not_what_it_is_made_of(tmp_path):
    def run(answer, text):
        known, made = Memory(tmp_path / "site.json"), []
        known.sources.definitions = FILES | {"components.maps.linear": text}

        def table():
            known._note_module("code", LINEAR)
            return answer

        known.asked["table"] = lambda _: json.dumps(known.data("table", table))

        def make():
            known.note("table", "x")
            made.append("page")
            return Page("x.md", answer)

        found = known.page("x", make)
        known.save()
        return made, found.source

    assert run("a", b"1") == (["page"], "a")
    assert run("a", b"2") == ([], "a")
    assert run("b", b"2") == ([], "a")  # the table is made of the same: it is not asked again
    assert run("b", b"3") == (["page"], "b")


@pytest.mark.usefixtures("unchanged")
def test_a_template_reaches_the_pages_that_are_written_with_it(tmp_path, monkeypatch):
    folder = tmp_path / "templates"
    folder.mkdir()
    monkeypatch.setattr(resources, "templates", lambda: folder)
    texts = {
        "a.md.j2": "{% from 'parts.j2' import part with context %}{{ part() }}",
        "b.md.j2": "b",
        "parts.j2": "{% macro part() %}1{% endmacro %}",
    }

    def run(**changed):
        for name, text in (texts | {f"{n}.j2": t for n, t in changed.items()}).items():
            (folder / name).write_text(text)
        known = remembered()
        page = known.templates(Tongue()).page
        found = [
            known.memory.page(name, partial(page, f"{name}.md", f"{name}.md.j2"))
            for name in "ab"
        ]
        kept, before = known.memory._kept, known.memory._known
        made = [name for name in "ab" if kept[f"page {name}"] is not before.get(f"page {name}")]
        known.memory.save()
        return made, "".join(page.source for page in found)

    monkeypatch.setenv(PLACE, str(tmp_path))
    assert run() == (["a", "b"], "1b")
    assert run() == ([], "1b")
    assert run(parts="{% macro part() %}2{% endmacro %}") == (["a"], "2b")
    assert run(**{"b.md": "c"}) == (["a", "b"], "1c")


def test_imports_are_found_wherever_they_stand():
    text = (
        "import symledger.components.a\nfrom symledger.components import b\n"
        "def f():\n    from symledger.models.c import C\n"
    )
    assert {"components.a", "components.b", "models.c"} <= set(imported(ast.parse(text)))


def test_the_memory_lies_where_it_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv(PLACE, str(tmp_path))
    assert place() == tmp_path / "site.json"
    monkeypatch.setenv(PLACE, "")
    assert place() is None
    assert Memory(place()).data("x", lambda: 1) == 1


def test_a_remembered_site_is_the_same_byte_by_byte(monkeypatch, site):
    made = site.made
    site.memory.save()
    monkeypatch.setenv(PLACE, str(REMEMBERED.parent))
    monkeypatch.setattr(generator, "Memory", type(site.memory))
    again = remembered()
    different = [path for path, content in again.made.items() if content != made.get(path)]
    assert different == []
    assert again.made.keys() == made.keys()
    assert again.memory._kept.keys() == again.memory._known.keys()


def test_what_was_kept_in_the_same_process_need_not_be_read(tmp_path, unchanged):
    first = Memory(tmp_path / "site.json")
    assert first.data("x", lambda: 1) == 1
    assert not (tmp_path / "site.json").exists()
    again = Memory(tmp_path / "site.json", before=first.kept)
    assert again.data("x", lambda: pytest.fail("made again")) == 1
    nothing = Memory()
    nothing.keeps = True
    assert nothing.data("x", lambda: 3) == 3
    assert nothing.kept == {}


def test_what_was_made_while_files_changed_is_not_kept(build, monkeypatch):
    monkeypatch.setattr("symledger.site.STARTED", 0)
    assert build() == ["linear", "block", "home"]
    assert build() == ["linear", "block", "home"]
