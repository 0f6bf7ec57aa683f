"""Building with either engine and from a wheel, verifying, and refusing to overwrite."""

import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfile
from subprocess import run

import html5lib
import pytest
import yaml
from mkdocs.__main__ import cli as mkdocs

from symledger.errors import BadInput
from symledger.site import build, resources, verify
from symledger.site.generator import MANIFEST
from symledger.site.pages import Page
from symledger.site.verify import problems
from symledger.tags.registry import registered
from tests import invoke
from tests.every import INTEGRATING
from tests.site.whole import KINDS, SPOKEN, page_of, part, rendered, some_of

ANCHOR = re.compile(r'<h[1-6][^>]* id="([^"]+)"')

DOCUMENTS = sorted((resources.CHECKOUT / "docs").glob("*.md"))


@pytest.fixture(scope="module")
def lacking(built, expected):
    return problems(built, expected)


def test_a_built_site_is_complete(lacking):
    assert lacking == []


def test_every_document_has_a_page_under_a_plain_address(built):
    pages = {page.relative_to(built).as_posix() for page in built.rglob("*.html")}
    assert {f"{page.stem}.html" for page in DOCUMENTS} <= pages


def test_no_page_asks_anything_of_another_host(built):
    asking = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=\"?https?:", re.I)
    pages = list(built.rglob("*.html"))
    assert pages
    assert [page.name for page in pages if asking.search(page.read_text("utf-8"))] == []


def test_mkdocs_builds_what_our_command_builds(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr("mkdocs.commands.build.build", lambda config, **_: asked.append(config))
    monkeypatch.chdir(resources.CHECKOUT)
    mkdocs(["build", "--strict", "--site-dir", str(tmp_path)], standalone_mode=False)
    build.build(tmp_path, "mkdocs")
    ours, theirs = ({k: v for k, v in c.items() if k != "plugins"} for c in asked)
    assert ours == theirs
    ours, theirs = (list(config.plugins) for config in asked)
    assert ours == theirs
    assert "symledger" in ours


def test_the_address_of_the_site_is_given_or_there_is_none(monkeypatch, site):
    said = []
    for address in (None, "", "https://example.org/ledger/"):
        with monkeypatch.context() as given:
            given.delenv("SITE_URL", raising=False)
            if address is not None:
                given.setenv("SITE_URL", address)
            said.append(yaml.safe_load(build.configuration(site))["site_url"])
    assert said == [None, None, "https://example.org/ledger/"]


FORMULA = registered()["linear.params"].page
LINEAR = "components/linear.html"


@pytest.fixture
def two(site):
    """Return a site of two pages and a file."""
    paths = (str(Path(address).with_suffix(".md")) for address in (FORMULA, LINEAR))
    return part({*paths}, [MANIFEST])


@pytest.fixture
def copy(built, tmp_path):
    """Return a folder in which they are built."""
    folder = tmp_path / "site"
    for path in (FORMULA, LINEAR, MANIFEST):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        copyfile(built / path, folder / path)
    return folder


def test_what_is_missing_or_different_is_named(copy, two):
    assert problems(copy, two) == []
    (copy / FORMULA).unlink()
    page = copy / LINEAR
    page.write_text(page.read_text().replace('id="parameters"', 'id="x"').replace("</table>", ""))
    (copy / "manifest.json").write_text("{}")
    found = problems(copy, two)
    assert f"missing page: {FORMULA}" in found
    assert "missing anchor: components/linear.html#parameters" in found
    assert any(re.match("different content: components/linear.html", line) for line in found)
    assert "different file: manifest.json" in found


def test_a_page_written_by_hand_is_looked_for(copy):
    one = part(set(), [])
    vars(one)["by_hand"] = (Page("cli.md", "# The command line"),)
    assert problems(copy, one) == ["missing page: cli.html"]
    (copy / "cli.html").write_text("<article><h1>The command</h1></article>")
    assert problems(copy, one) == ["different content: cli.html lacks line"]


@pytest.mark.parametrize("changed", ["0 parameters", "Numbers on that page are at", ""])
def test_a_changed_word_or_number_is_found_wherever_it_stands(copy, two, changed):
    page = copy / LINEAR
    was = page.read_text()
    now = was.replace("Numbers on this page are at", changed)
    assert now != was
    page.write_text(now)
    assert [line for line in problems(copy, two) if "linear.html lacks" in line]


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_each_kind_is_valid_html(built, kind):
    html = (built / page_of(kind)).with_suffix(".html").read_text(encoding="utf-8")
    parser = html5lib.HTMLParser()
    parser.parse(html)
    assert parser.errors == []
    assert "markdown=" not in html


def test_a_folder_of_the_users_is_not_overwritten(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(BadInput, match="would be overwritten"):
        build.build(tmp_path, "mkdocs")
    assert (tmp_path / "thesis.tex").read_text() == "mine"


def test_a_written_folder_touches_only_what_changed(two, tmp_path):
    page, stale = tmp_path / "docs/components/linear.md", tmp_path / "docs/f/gone.md"
    build.write(tmp_path, two)
    before, manifest = page.stat().st_mtime_ns, tmp_path / "docs" / MANIFEST
    stale.write_text("x")
    manifest.write_text("{}")
    build.write(tmp_path, two)
    assert page.stat().st_mtime_ns == before
    assert not stale.exists()
    assert manifest.read_bytes() == two.assets[MANIFEST]
    assert "plugins:\n- search:\n" in (tmp_path / "mkdocs.yml").read_text()


def quiet(configuration):
    """Let nothing be said of links to pages that are left out: Zensical draws 300 MB of these."""
    kinds = ("not_found", "absolute_links", "anchors", "unrecognized_links")
    ignored = "".join(f"    {kind}: ignore\n" for kind in kinds)
    found, n = re.subn(r"(?m)^(validation:\n  links:\n)(?: +.*\n)*", rf"\1{ignored}", configuration)
    assert n == 1
    return found


@pytest.fixture
def few(site, tmp_path):
    """Return a written folder with an English page of each kind and those written by hand."""
    folder = tmp_path / "written"
    made = {page_of(kind) for kind in KINDS if kind not in SPOKEN} & set(site.pages)
    build.write(folder, part(made, some_of(site.assets, 100)))
    configuration = folder / "mkdocs.yml"
    whole = quiet(configuration.read_text())
    configuration.write_text(re.sub(r"^nav:\n(?:[- ].*\n)*", "", whole, flags=re.MULTILINE))
    kept = made | {page.name for page in DOCUMENTS}
    return folder, {str(Path(path).with_suffix(".html")) for path in kept}


@pytest.mark.parametrize("engine", ["mkdocs", "zensical"])
def test_a_written_folder_builds_the_same_without_our_plugin(engine, built, few):
    if find_spec(engine) is None:
        pytest.skip(f"needs {engine}: pip install {engine}")
    folder, kept = few
    command = [str(Path(sys.executable).with_name(engine)), "build"]
    run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603  # our own
    there = anchors(folder / "site")
    assert kept < {str(path) for path in there}
    assert there == {path: ANCHOR.findall((built / path).read_text("utf-8")) for path in there}
    if engine == "mkdocs":
        assert searched(folder / "site").items() <= searched(built).items()


@pytest.mark.skipif(not INTEGRATING, reason="takes a minute: CI=true runs it")
def test_zensical_builds_the_same_addresses_and_anchors(built, site, tmp_path, monkeypatch):
    """It builds a tenth of pages and files, every kind among them: the whole takes minutes."""
    if find_spec("zensical") is None:
        pytest.skip("needs Zensical: pip install zensical")
    other, configuration = tmp_path / "site", build.configuration
    monkeypatch.setattr(build, "configuration", lambda *asked: quiet(configuration(*asked)))
    some = part({*map(page_of, KINDS), *sorted(rendered())[::10]}, some_of(site.assets, 10))
    build.build(other, "zensical", some, strict=False)
    assert problems(other, some) == []
    there, whole = anchors(other), anchors(built)
    assert {page.address for page in some.pages.values()} < {str(path) for path in there}
    assert there == {path: whole[path] for path in there}


def test_a_wheel_without_the_checkout_builds_the_same_site(built, lacking, installed):
    """It built the site of all these tests; this one made its own from the checkout."""
    assert not built.is_relative_to(resources.CHECKOUT)
    assert lacking == []


def test_the_command_verifies_a_folder(monkeypatch, copy, two):
    monkeypatch.setattr(verify, "Site", lambda: two)
    (copy / "index.html").touch()
    assert invoke.run("site", "verify", str(copy)).out == f"{copy}: complete\n"
    (copy / LINEAR).unlink()
    found = invoke.run("site", "verify", str(copy))
    assert (found.code, found.out) == (1, "missing page: components/linear.html\n")


def searched(folder):
    index = json.loads((folder / "search" / "search_index.json").read_text())
    return {found["location"]: (found["title"], found["text"]) for found in index["docs"]}


def anchors(folder):
    """Return every page with the anchors of its headings."""
    return {
        file.relative_to(folder): ANCHOR.findall(file.read_text(encoding="utf-8"))
        for file in folder.rglob("*.html")
    }  # fmt: skip
