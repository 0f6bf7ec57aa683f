"""Texts: strictly read, and no number in them that the ledger could say."""

import re
from dataclasses import fields, is_dataclass

import pytest

from symledger.catalogue.entries import BY_NAME
from symledger.catalogue.entry import CATALOGUE
from symledger.catalogue.texts import (
    PACKAGE,
    Text,
    files,
    place_of,
    read,
    revision,
    stale,
    text_of,
)
from symledger.errors import BadInput
from tests.every import EVERY_CASE

FILES = sorted(files("en").values())
FILLED = re.compile(r"\{\{.*?\}\}", re.DOTALL)
YEAR = re.compile(r"\b(19|20)\d\d\b")
NUMBER = re.compile(r"\d[\d,._ ]*\d\d|\d{3,}")


def words(value):
    """Every string of a text that a reader sees, but for names of quantities and polynomials."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from words(item)
    elif is_dataclass(value):
        for f in fields(value):
            if f.name not in {"quantity", "wrong", "settings", "options", "mistake", "target"}:
                yield from words(getattr(value, f.name))
    elif isinstance(value, dict):
        yield from words(tuple(value.values()))


def typed(text):
    return NUMBER.findall(YEAR.sub("", FILLED.sub("", text)))


def test_a_typed_number_is_seen():
    assert typed("It has 2,362,368 weights.")
    assert typed("768 wide")
    assert not typed("{{ n('params', d_in=768) }} in bf16, GPT-2 (2019)")


@EVERY_CASE
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_number_is_typed_that_the_ledger_can_say(file):
    where, kind = place_of(file), file.relative_to(PACKAGE).parts[0].removesuffix("s")
    if file.stem not in BY_NAME:
        pytest.fail(f"{CATALOGUE[kind]}: write an Entry for {file.stem}, which {where} is about",
                    pytrace=False)  # fmt: skip
    found = [f"{where}: {', '.join(typed(text))} is typed in {text!r}. Have the ledger say it, as "
             "docs/extending.md shows." for text in words(read(file)) if typed(text)]  # fmt: skip
    found += [f"{where}: before names {name}, which is no name of the catalogue"
              for name in read(file).before if name not in BY_NAME]  # fmt: skip
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_another_name_is_of_one_text_alone():
    texts = [read(file) for file in FILES]
    names = [n for text in texts for n in {name.lower() for name in (text.name, *text.also)}]
    assert sorted(n for n in set(names) if names.count(n) > 1 and n) == []
    assert not [text.name for text in texts if {text.name, *text.also} & set(text.search)]


def test_a_name_without_a_file_has_an_empty_text():
    assert text_of("nothing_of_the_kind") == Text()
    assert text_of("linear", "xx") == text_of("linear")


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("why = 3", "which is no str"),
        ("whi = 'x'", "unknown key whi. Did you mean why?"),
        ("[[questions]]\nask = 'x'", "lacks answer, which every question has"),
        ("[[bugs]]\ntitle = 'x'\ntext = 'y'", "give one of the two"),
        ("[[bugs]]\ntitle='x'\ntext='y'\nmistake={ kind='z', of='b' }", "unknown key of"),
        ("[example]\nsettings = { d = 1.5 }", "no int or bool or str"),
        ("why = ", "cannot be read as TOML"),
        ("example = 'd = 64'", "which is no table"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, toml, said):
    file = tmp_path / "linear.toml"
    file.write_text(toml)
    with pytest.raises(BadInput, match=re.escape(said)):
        read(file)


ENGLISH_TEXT = """
why = "Why it is."
before = ["linear"]
questions = [{ ask = "One?", answer = "Yes." }, { ask = "Two?", answer = "No." }]
bugs = [{ title = "Wrong", text = "It is.", quantity = "params", wrong = "d_in" }]
"""


def rendered(tmp_path, words):
    english, other = tmp_path / "en.toml", tmp_path / "es.toml"
    english.write_text(ENGLISH_TEXT)
    other.write_text(words)
    return read(english, other)


def test_a_text_in_another_language_is_laid_over_the_english_one(tmp_path):
    found = rendered(tmp_path, 'renders = "0"\nwhy = "Por qué."\n[[questions]]\nask = "¿Uno?"\n'
                               '[[bugs]]\ntitle = "Mal"\n')  # fmt: skip
    assert (found.why, found.before) == ("Por qué.", ("linear",))
    assert [(q.ask, q.answer) for q in found.questions] == [("¿Uno?", "Yes."), ("Two?", "No.")]
    (bug,) = found.bugs
    assert (bug.title, bug.text, bug.quantity, bug.wrong) == ("Mal", "It is.", "params", "d_in")


@pytest.mark.parametrize(("words", "said"), [
    ('why = "Por qué."', 'does not say which English it renders: write renders = "'),
    ('renders = "0"\nporque = "x"', "unknown key porque"),
    ('renders = "0"\nbugs = [{ title = "1" }, { title = "2" }]', "are 2, of which English has 1"),
])  # fmt: skip
def test_what_renders_no_english_is_refused(tmp_path, words, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        rendered(tmp_path, words)


def test_a_text_whose_english_was_changed_is_stale(tmp_path, monkeypatch):
    english, other = tmp_path / "en.toml", tmp_path / "es.toml"
    english.write_text(ENGLISH_TEXT)
    found = {"en": {"x": english}, "es": {"x": other}}
    monkeypatch.setattr("symledger.catalogue.texts.files", found.__getitem__)
    other.write_text(f'renders = "{revision(english)}"')
    assert stale("es") == {}
    english.write_text(ENGLISH_TEXT.replace("Why it is", "Why that is"))
    assert stale("es") == {"x": revision(english)}
