"""Building with MkDocs, verifying what was built, and refusing to overwrite."""

import json
import re
import sys
from shutil import copytree
from subprocess import run

import pytest

from symledger.citing.registry import registered
from symledger.errors import BadInput
from symledger.site import build
from symledger.site.verify import problems


def test_a_built_site_is_complete(built):
    assert problems(built) == []


def test_what_is_missing_or_different_is_named(built, tmp_path):
    copy = tmp_path / "site"
    copytree(built, copy)
    (copy / registered()["linear.params"].page).unlink()
    page = copy / "components" / "linear.html"
    page.write_text(page.read_text().replace('id="parameters"', 'id="x"').replace("</table>", ""))
    (copy / "manifest.json").write_text("{}")
    found = problems(copy)
    assert f"missing page: {registered()['linear.params'].page}" in found
    assert "missing anchor: components/linear.html#parameters" in found
    assert any(re.match("different content: components/linear.html", line) for line in found)
    assert "different file: manifest.json" in found


def test_a_folder_of_the_users_is_not_overwritten(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(BadInput, match="would be overwritten"):
        build.build(tmp_path, "mkdocs")
    assert (tmp_path / "thesis.tex").read_text() == "mine"


def test_a_written_folder_touches_only_what_changed(tmp_path):
    build.write(tmp_path)
    page, stale = tmp_path / "docs/components/linear.md", tmp_path / "docs/f/gone.md"
    before = page.stat().st_mtime_ns
    stale.write_text("x")
    build.write(tmp_path)
    assert page.stat().st_mtime_ns == before
    assert not stale.exists()
    assert "plugins:\n- search:\n" in (tmp_path / "mkdocs.yml").read_text()


def test_a_written_folder_builds_the_same_without_our_plugin(built, tmp_path):
    build.write(tmp_path)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    run(command, cwd=tmp_path, check=True)  # noqa: S603  # our own
    other = tmp_path / "site"
    assert problems(other) == []
    assert addresses(other) == addresses(built)
    assert searched(other) == searched(built)


def searched(folder):
    index = json.loads((folder / "search" / "search_index.json").read_text())
    return {found["location"]: (found["title"], found["text"]) for found in index["docs"]}


def addresses(folder):
    return {file.relative_to(folder) for file in folder.rglob("*.html")}
