"""Texts in other languages: of the English of now, with its calls and no number of their own."""

import re
import tomllib
from collections import Counter

import pytest

from symledger.catalogue.texts import LANGUAGE, PACKAGE, files, place_of, revision, text_of
from tests.catalogue.test_texts import FILLED
from tests.every import EVERY_CASE

LANGUAGES = sorted(
    {path.parent.name for path in PACKAGE.glob("*/*/texts/*/*.toml")} - {LANGUAGE}
)  # fmt: skip
LINKED = re.compile(r"""link\((["'])(\w+)\1(?:,\s*(["']).*?\3)?\)""", re.DOTALL)
FREE = {
    "before", "settings", "options", "quantity", "wrong", "mistake", "target", "search",
}  # fmt: skip
"""What has no language, or need not have as many words in each."""
WHOLE = {"maps", "attention", "feed_forward", "norms", "embeddings", "heads_and_losses", "blocks"}
"""The topics whose components all have a Spanish text."""
WANTED = {"es": {name for name, file in files(LANGUAGE).items() if file.parents[2].name in WHOLE}}
TEXTS = [(language, name) for language in LANGUAGES
         for name in sorted({*files(language), *WANTED.get(language, ())})]  # fmt: skip
"""Every text in another language that there is, or has to be."""


def said(value, at=()):
    """Yield every string that is in words, and where it stands."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in FREE:
                yield from said(item, (*at, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from said(item, (*at, i))
    else:
        yield at, value


def topic(file):
    """Return the folder of a definition that a text is about."""
    return file.parents[2].name


def raw(language, name):
    return dict(said(tomllib.loads(files(language)[name].read_text(encoding="utf-8"))))


def calls(text):
    """Count the calls of a text; the words of a link are not of the call."""
    found = FILLED.findall(text)
    return Counter(LINKED.sub(r"link(\2)", " ".join(call.split())) for call in found)


def typed(text):
    """Count the numbers that stand in a text outside of its calls."""
    return Counter(re.findall(r"\d+", FILLED.sub("", text)))


def test_there_are_texts_in_spanish():
    assert ("es", "mini_gpt") in TEXTS


@EVERY_CASE
@pytest.mark.parametrize(("language", "name"), TEXTS)
def test_a_text_renders_english_as_it_is(language, name):
    """A component that is new in a topic without gaps is said, and of a change all is said anew."""
    english, other = files(LANGUAGE).get(name), files(language).get(name)
    if english is None:
        pytest.fail(f"{place_of(other)}: there is no English text of that name", pytrace=False)
    now = revision(english)
    if other is None:
        file = english.parents[1] / language / english.name
        pytest.fail(f"{place_of(file)} is missing: begin it with renders = {now!r}", pytrace=False)
    if raw(language, name).get(("renders",)) != now:
        pytest.fail(f"{place_of(other)}: compare it with {place_of(english)}, then write renders = "
                    f"{now!r}", pytrace=False)  # fmt: skip


@pytest.mark.parametrize(("language", "name"), [*filter(lambda at: at[1] in files(at[0]), TEXTS)])
def test_a_text_asks_the_ledger_for_what_english_asks(language, name):
    english, other = raw(LANGUAGE, name), raw(language, name)
    both = {
        at: (english[at], words) for at, words in other.items()
        if at in english and at[0] != "also"
    }  # fmt: skip
    assert {at for at, (e, w) in both.items() if calls(e) != calls(w)} == set()
    assert {at for at, (e, w) in both.items() if typed(e) != typed(w)} == set()
    assert {at for at in other if at not in english and at[0] != "also"} == {("renders",)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_name_is_of_one_text_alone(language):
    texts = [text_of(name, language) for name in files(language)]
    names = Counter(n for t in texts for n in {name.lower() for name in (t.name, *t.also)} if n)
    assert [name for name, times in names.items() if times > 1] == []
    assert not [text.name for text in texts if {text.name, *text.also} & set(text.search)]


def test_what_spanish_says_whole_stays_whole():
    """No part of a text is left."""
    assert {topic(files(LANGUAGE)[name]) for name in WANTED["es"]} == WHOLE
    left = [(name, at) for name in files("es") for at in raw(LANGUAGE, name)
            if at[0] != "also" and at not in raw("es", name)]  # fmt: skip
    assert left == []


def test_what_differs_from_english_is_seen():
    assert calls("{{ n('params') }}") != calls("{{ n('params', d=2) }}")
    assert calls('{{ link("a", "b") }}') == calls("{{ link('a') }}") != calls("{{ link('b') }}")
    assert typed("12d² {{ at('7') }}") == typed("las 12") != typed("13d²")
