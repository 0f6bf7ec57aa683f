"""Building with MkDocs, verifying what was built, and refusing to overwrite."""

import re
import sys
from shutil import copytree
from subprocess import run

import pytest

from symledger.citing.registry import registered
from symledger.errors import BadInput
from symledger.site import build
from symledger.site.verify import problems


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-m", "symledger", "site", "build", "--out", str(folder)]
    done = run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{folder}\n"
    return folder


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
