"""Texts: strictly read, and no number in them that the ledger could say."""

import re
from dataclasses import fields, is_dataclass

import pytest

from symledger.catalogue.entries import BY_NAME
from symledger.catalogue.texts import Text, files, read, text_of
from symledger.errors import BadInput

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


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_number_is_typed_that_the_ledger_can_say(file):
    assert file.stem in BY_NAME
    found = [(text, typed(text)) for text in words(read(file)) if typed(text)]
    assert found == []
    assert {name for name in read(file).before if name not in BY_NAME} == set()


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
