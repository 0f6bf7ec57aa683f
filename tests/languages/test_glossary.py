"""The glossary: its words are those that catalogues say."""

import re

import pytest

from symledger.languages.glossary import glossary
from symledger.languages.language import ENGLISH, languages
from symledger.recording.messages import messages, read, sentences

FOREIGN = [name for name in languages() if name != ENGLISH]
PLURAL = "(?:e?s)?"
OTHERS = ("embeddings?", "kernels?", "feed-forward", "batch", "adelante", "mapas?", "películas?",
          "trozos?", "transformer (?:de)?codificador")  # fmt: skip


def said(language):
    return " ".join(text for _, m in messages(read(language)) for text in sentences(m)).lower()


@pytest.mark.parametrize("language", FOREIGN)
def test_catalogues_say_the_words_of_the_glossary(language):
    english, text = said(ENGLISH), said(language)
    words = [word for term in glossary() if term.english in english
             for word in term.others[language].split(", ")]  # fmt: skip
    forms = {word: rf"\b{word.removesuffix('o')}[oa]?{PLURAL}\b" for word in words}
    assert len(words) > 30
    assert [word for word, form in forms.items() if not re.search(form, text)] == []


def test_every_term_is_there_once_in_every_language():
    english = [term.english for term in glossary()]
    assert len(english) == len(set(english)) > 40
    assert [t.english for t in glossary() if set(t.others) != set(FOREIGN)] == []


def test_a_text_keeps_to_the_glossary():
    """What has one word in Spanish is not said by another one that it was chosen before."""
    assert re.findall(rf"(?<!\.)\b(?:{'|'.join(OTHERS)})\b", said("es")) == []
