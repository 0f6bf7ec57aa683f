"""The README is true: its commands print what is shown, its sessions and links hold."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests import documents

README = documents.ROOT / "README.md"


@pytest.mark.parametrize("command", documents.parameters([README]))
def test_a_command_prints_what_is_shown(command, monkeypatch, capsys):
    documents.run(command, monkeypatch, capsys)


@pytest.mark.parametrize("text", documents.blocks(README, "python"))
def test_a_session_prints_what_is_shown(text):
    documents.session(text, "README.md")


def test_install_and_test_are_one_command_each():
    installing, testing = (text.strip() for text in documents.blocks(README, "sh"))
    assert installing.endswith("symledger derive mini_gpt")
    assert testing.endswith("pytest")
    assert "\n" not in installing + testing


def test_continuous_integration_calls_the_command_of_the_readme():
    script = (documents.ROOT / ".ci" / "run").read_text("utf-8")
    testing = documents.blocks(README, "sh")[1].strip()
    assert testing in script.splitlines()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_file_and_heading_that_is_linked_exists(page):
    links = re.findall(r"\]\(([^)#:]+)(?:#([^)]+))?\)", (documents.ROOT / page).read_text("utf-8"))
    assert links
    assert [file for file, _ in links if not (documents.ROOT / file).exists()] == []
    assert [link for link in links if link[1] and link[1] not in headings(link[0])] == []


def headings(page):
    """The addresses that the headings of a document have."""
    found = re.findall(r"^#+ (.+)$", (documents.ROOT / page).read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in found}


def test_contributors_are_told_the_commands_that_are_run():
    text = (documents.ROOT / "CONTRIBUTING.md").read_text("utf-8")
    script = (documents.ROOT / ".ci" / "run").read_text("utf-8")
    for command in ("pytest", "ruff check .", "mypy"):
        assert f"| `{command}` |" in text
        assert f".venv/bin/{command}\n" in script


def test_every_quantity_is_explained():
    from symledger.ledger.peaks import PEAKS
    from symledger.ledger.quantities import QUANTITIES

    text = README.read_text("utf-8")
    assert [name for name in (*QUANTITIES, *PEAKS) if f"`{name}`" not in text] == []


BROAD = """import pytest
@pytest.mark.parametrize("n", range(200))
def test_of_many(n):
    pass
"""


@pytest.mark.parametrize("setting", ["true", ""])
def test_continuous_integration_lets_no_test_be_skipped(setting, tmp_path):
    """In a module, and in a test where there are others."""
    module = "import pytest\npytest.skip('no', allow_module_level=True)\n"
    test = "def test_one():\n    import pytest\n    pytest.skip('no')\n"
    run = "def test_two():\n    pass\n"
    shutil.copy(documents.ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_module.py").write_text(module)
    (tmp_path / "test_it.py").write_text(test)
    (tmp_path / "test_other.py").write_text(run)
    (tmp_path / "test_broad.py").write_text(BROAD)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "--continue-on-collection-errors", str(tmp_path)]  # fmt: skip
    done = subprocess.run(  # noqa: S603  # this interpreter
        command, env={**os.environ, "CI": setting, "COLUMNS": "200"}, cwd=tmp_path,
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode != 0) == (setting == "true"), done.stdout
    for refused in ("ERROR test_module.py", "FAILED test_it.py::test_one"):
        assert (f"{refused} - CI=true, and nothing may be skipped" in done.stdout) == (
            setting == "true"
        ), done.stdout
    assert ("2 skipped" in done.stdout) == (setting == "")
    assert ("a sample of what is very broad" in done.stdout) == (setting == "")
    passed = int(re.search(r"(\d+) passed", done.stdout)[1]) - 1
    assert passed == 200 if setting else 1 < passed < 80
