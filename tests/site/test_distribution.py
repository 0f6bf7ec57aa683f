"""What ``python -m build`` makes: a source distribution, and the same wheel from it as from here.

That wheel builds the site that the tests beside this one look at.
"""

import tarfile
from zipfile import ZipFile

from tests.site import wheel

BESIDE = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md",
          "mkdocs.yml", ".ci/run", ".github/workflows/check.yml", ".pre-commit-config.yaml",
          "docs/cli.md", "examples/my_model.py", "templates/home.md.j2",
          "tests/conftest.py"}  # fmt: skip
"""Beside the package: what a contributor needs, and what the site is made from."""


def test_the_source_distribution_makes_the_same_wheel_as_the_checkout(made, tmp_path):
    assert content(made) == content(wheel.made(tmp_path, "--wheel"))


def test_the_source_distribution_has_what_a_contributor_needs(made):
    (found,) = made.parent.glob("symledger-*.tar.gz")
    with tarfile.open(found) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert BESIDE - names == set()
    assert not [name for name in names if name.startswith((".venv/", ".git/", "site/"))]


def test_the_wheel_answers_where_there_is_no_checkout(installed, tmp_path):
    asked = ("derive", "llama-3-8b", "--quantity", "params")
    assert " 8,030,261,248\n" in wheel.said(installed, *asked, folder=tmp_path)
    assert "SL-" in wheel.said(installed, "cite", "linear.params", folder=tmp_path)


def content(file):
    with ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
