"""The pages of docs/ are true, and make a site without a warning and without outside requests."""

import os
import re
import subprocess
import sys

import documents
import pytest

PAGES = sorted((documents.ROOT / "docs").glob("*.md"))
OWN_MODEL = documents.ROOT / "docs" / "own_model.md"
SESSIONS = [
    pytest.param(text, id=page.name)
    for page in PAGES for text in documents.blocks(page, "python") if text.startswith(">>>")
]  # fmt: skip


@pytest.mark.parametrize("command", documents.parameters(PAGES))
def test_a_command_prints_what_is_shown(command, monkeypatch, capsys):
    documents.run(command, monkeypatch, capsys)


@pytest.mark.parametrize("text", SESSIONS)
def test_a_session_prints_what_is_shown(text):
    documents.session(text, "docs")


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_the_tutorial_writes_the_example():
    """All but its docstring, in order; further blocks quote the package."""
    source = (documents.ROOT / "examples" / "my_model.py").read_text("utf-8")
    written = [line for text in documents.blocks(OWN_MODEL, "python") for line in lines(text)]
    example = lines(source[source.index("from __future__") :])
    assert written[: len(example)] == example


def test_the_tutorial_quotes_softmax_as_it_is():
    source = documents.ROOT / "symledger" / "components" / "softmax.py"
    quoted = lines(documents.blocks(OWN_MODEL, "python")[-1])
    assert "\n".join(quoted) in "\n".join(lines(source.read_text("utf-8")))


def test_every_option_of_derive_is_explained():
    from symledger.cli import derive

    text = (documents.ROOT / "docs" / "cli.md").read_text("utf-8")
    options = [name for p in derive.params for name in p.opts if name.startswith("--")]
    assert options
    assert [name for name in options if f"`{name}" not in text] == []


def test_every_key_of_the_promised_json_is_explained():
    from symledger.account import derive

    text = (documents.ROOT / "docs" / "cli.md").read_text("utf-8")
    found = derive("mini_gpt").to_dict(["flops.forward"])
    formula = found["formulas"]["flops.forward"]
    keys = {*found, *formula, *formula["leading"], *found["tree"]}
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []


def test_every_option_and_key_of_explain_is_explained():
    from symledger.cli import explain
    from symledger.explain.answer import explain as answer

    text = (documents.ROOT / "docs" / "cli.md").read_text("utf-8")
    text = text[text.index("## `symledger explain") : text.index("## `symledger check")]
    options = [name for p in explain.params for name in p.opts if name.startswith("--")]
    found = answer("1234567").to_dict() | answer("2362368").to_dict()
    nearest = answer("1234567").to_dict()["nearest"][0]
    keys = {*found, *found["gives"][0], *found["occurs"][0], *nearest} - {"schema"}
    assert [name for name in [*options, *sorted(keys)] if f"`{name}" not in text] == []


def test_every_convention_is_explained():
    from symledger.conventions import DTYPES, OPTIMIZERS

    text = (documents.ROOT / "docs" / "conventions.md").read_text("utf-8")
    names = [*DTYPES, *OPTIMIZERS, "full", "half", "exact"]
    assert [name for name in names if f"`{name}`" not in text] == []


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `mkdocs build --strict` builds it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONWARNINGS"}
    done = subprocess.run(  # noqa: S603  # this interpreter
        command, cwd=documents.ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_has_every_page_under_a_plain_address(site):
    pages = {page.relative_to(site).as_posix() for page in site.rglob("*.html")}
    assert {f"{page.stem}.html" for page in PAGES} <= pages


def test_no_page_asks_anything_of_another_host(site):
    asking = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=\"?https?:", re.I)
    pages = list(site.rglob("*.html"))
    assert pages
    assert [page.name for page in pages if asking.search(page.read_text("utf-8"))] == []


def test_every_option_format_and_key_of_cite_is_explained():
    from symledger.citing.citation import cite as citation
    from symledger.cli import CITED, cite

    text = (documents.ROOT / "docs" / "citing.md").read_text("utf-8")
    options = [name for p in cite.params for name in p.opts if name.startswith("--")]
    keys = {*citation("linear.params").to_dict()} - {"schema"}
    assert [name for name in [*options, *CITED, *sorted(keys)] if f"`{name}" not in text] == []
