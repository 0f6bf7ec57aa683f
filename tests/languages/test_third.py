"""A third language is a file: it is filled with the keys, said where it has words, and marked."""

import shutil

import pytest

from symledger.accounts.account import derive
from symledger.languages import language as catalogues
from symledger.languages.language import known, languages
from symledger.languages.message import message, say
from symledger.ledger.quantities import QUANTITIES
from symledger.recording import messages as recording
from symledger.report.page import page

BEGUN = """\
msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""
GERMAN = {
    "page.total": "Summe", "part.token_embedding": "Token-Einbettung", "unit.parameters":
    "Parameter", "quantity.params": "verschiedene Parameter", "parts.tied": "{part}, mit {to} eins",
}  # fmt: skip


@pytest.fixture
def german(tmp_path, monkeypatch):
    """A folder of catalogues in which somebody has begun German."""
    folder = tmp_path / "locale"
    shutil.copytree(catalogues.LOCALE / "en", folder / "en")
    for module in (catalogues, recording):
        monkeypatch.setattr(module, "LOCALE", folder)
    file = folder / "de" / "LC_MESSAGES" / "symledger.po"
    file.parent.mkdir(parents=True)
    file.write_text(BEGUN, encoding="utf-8")
    record("de")
    yield file
    catalogues.catalogue.cache_clear()


def record(language):
    kind = recording.Messages()
    return kind.write({language: kind.make(language).data})


def translate(file):
    text = file.read_text("utf-8")
    for key, said in GERMAN.items():
        begin, end = text.split(f'msgid "{key}"\nmsgstr ""', 1)
        text = f'{begin}msgid "{key}"\nmsgstr "{said}"{end}'
    file.write_text(text, encoding="utf-8")
    record("de")


def test_recording_fills_in_every_key_with_the_english_that_it_renders(german):
    text = german.read_text("utf-8")
    assert text.count("\nmsgid ") == len(dict(recording.messages(recording.read("en"))))
    assert '#. {part}, tied to {to}\nmsgid "parts.tied"\nmsgstr ""' in text
    assert known("de") == "de"
    assert languages() == ("en", "de")


def test_what_is_translated_is_said_and_the_rest_is_english(german):
    translate(german)
    shown = page(derive("mini_gpt"), ("params",), 2, 100, "de").text()
    assert f"PARAMS: {GERMAN['quantity.params']}" in shown
    assert "Token-Einbettung" in shown
    assert "head, mit E eins" in shown  # the part is English yet, in a sentence of German
    assert "131\u202f392 Parameter" in shown
    assert "line by line" in shown
    assert recording.stale("de") == []


def test_a_translation_of_words_that_are_said_otherwise_now_is_left_out(german):
    translate(german)
    english = german.parents[2] / "en" / "LC_MESSAGES" / "symledger.po"
    said = english.read_text("utf-8").replace('"{part}, tied to {to}"', '"{part}, one with {to}"')
    english.write_text(said, encoding="utf-8")
    for language in ("en", "de"):
        record(language)
    assert recording.stale("de") == ["parts.tied"]
    tied = message("parts.tied", part="head", to="E")
    assert (tied, say("de", tied)) == ("head, one with E", "head, one with E")
    assert say("de", QUANTITIES["params"].meaning) == GERMAN["quantity.params"]
