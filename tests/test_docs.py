"""The pages of docs/ are true."""

import json

import pytest

from tests import documents

PAGES = sorted((documents.ROOT / "docs").glob("*.md"))
OWN_MODEL = documents.ROOT / "docs" / "own_model.md"
TRACING = documents.ROOT / "docs" / "tracing.md"
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


def test_the_lesson_on_tracing_shows_the_whole_file():
    source = (documents.ROOT / "examples" / "pytorch" / "gated.py").read_text("utf-8")
    shown = [line for text in documents.blocks(TRACING, "python") for line in lines(text)]
    assert shown == lines(source[source.index("from torch") :])


def test_the_lesson_on_tracing_shows_what_counters_answered(monkeypatch):
    monkeypatch.syspath_prepend(str(documents.ROOT / "benchmarks"))
    import counters

    record = json.loads(counters.RECORD.read_text("utf-8"))
    assert [row["module"] for row in record["cases"]] == [c.module for c in counters.CASES]
    assert counters.table(record) in TRACING.read_text("utf-8")


def test_the_tutorial_quotes_softmax_as_it_is():
    source = documents.ROOT / "symledger" / "components" / "heads_and_losses" / "softmax.py"
    quoted = lines(documents.blocks(OWN_MODEL, "python")[-1])
    assert "\n".join(quoted) in "\n".join(lines(source.read_text("utf-8")))


def test_every_option_of_derive_is_explained():
    from symledger.cli.derived import derive

    text = (documents.ROOT / "docs" / "cli.md").read_text("utf-8")
    options = [name for p in derive.params for name in p.opts if name.startswith("--")]
    assert options
    assert [name for name in options if f"`{name}" not in text] == []


def test_every_key_of_the_promised_json_is_explained():
    from symledger.accounts.account import derive

    text = (documents.ROOT / "docs" / "cli.md").read_text("utf-8")
    found = derive("mini_gpt").to_dict(["flops.forward"])
    formula = found["formulas"]["flops.forward"]
    keys = {*found, *formula, *formula["leading"], *found["tree"]}
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []


def test_every_option_and_key_of_explain_is_explained():
    from symledger.cli.main import explain
    from symledger.explain.answer import explain as answer

    text = (documents.ROOT / "docs" / "cli.md").read_text("utf-8")
    text = text[text.index("## `symledger explain") : text.index("## `symledger check")]
    options = [name for p in explain.params for name in p.opts if name.startswith("--")]
    found = answer("1234567").to_dict() | answer("2362368").to_dict()
    nearest = answer("1234567").to_dict()["nearest"][0]
    keys = {*found, *found["gives"][0], *found["occurs"][0], *nearest} - {"schema"}
    assert [name for name in [*options, *sorted(keys)] if f"`{name}" not in text] == []


def test_every_convention_is_explained():
    from symledger.ledger.conventions import DTYPES
    from symledger.ledger.optimizers import OPTIMIZERS

    text = (documents.ROOT / "docs" / "conventions.md").read_text("utf-8")
    names = [*DTYPES, *OPTIMIZERS, "full", "half", "exact"]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_option_format_and_key_of_cite_is_explained():
    from symledger.citing.citation import cite as citation
    from symledger.cli.main import CITED, cite

    text = (documents.ROOT / "docs" / "citing.md").read_text("utf-8")
    options = [name for p in cite.params for name in p.opts if name.startswith("--")]
    keys = {*citation("linear.params").to_dict()} - {"schema"}
    assert [name for name in [*options, *CITED, *sorted(keys)] if f"`{name}" not in text] == []
