"""Texts that are said in the language of whoever reads them: messages, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symledger.languages.language import ENGLISH, filled, pattern, regrouped
from symledger.languages.sealing import escaped, sealed


class Text(str):
    """A text that is English, and knows how another language says it."""

    def said(self, language: str) -> str:
        """Say it in another language."""
        raise NotImplementedError

    def __html__(self) -> str:
        """In markup it stays such a text, sealed: who knows the language opens it."""
        raise NotImplementedError


class Message(Text):
    """A sentence or word for readers. As a text it is English; a language can say it anew.

    A value may be a message itself, a whole number (``n`` decides between singular and plural),
    or a text that is the same in every language: a formula, a name.

    >>> said = message("evidence.points", n=3)
    >>> said, said.key, said.values
    ('at 3 points', 'evidence.points', {'n': 3})
    >>> message("evidence.points", n=1)
    'at 1 point'
    """

    key: str
    values: Mapping[str, str | int]

    def __new__(cls, key: str, values: Mapping[str, str | int]) -> Message:
        """Say it in English.

        Raises:
            KeyError: the English catalogue has no such key, or the sentence names no such value.
        """
        self = super().__new__(cls, filled(ENGLISH, key, values))
        self.key, self.values = key, values
        return self

    def __getnewargs__(self) -> tuple[str, Mapping[str, str | int]]:  # type: ignore[override]
        return self.key, self.values

    def said(self, language: str) -> str:
        """Say it in another language, or in English where that lacks it."""
        values = {
            name: value if isinstance(value, int) else say(language, value)
            for name, value in self.values.items()
        }
        return filled(language, self.key, values)

    def __html__(self) -> str:
        known = {name: v if isinstance(v, int) else escaped(v) for name, v in self.values.items()}
        return sealed(self.key, known)


class Word(Text):
    """A word that is written where it is meant: the title in a definition, what a symbol means.

    Its key is what catalogues know it by. Where English knows other words by that key, or none, it
    is somebody's own (a symbol w of a user's file), and is the same in every language. The name of
    an option is one word, with ``_`` in it or with spaces.
    """

    key: str

    def __new__(cls, key: str, english: str) -> Word:
        """Take the English as it is written; no catalogue is looked into."""
        self = super().__new__(cls, english)
        self.key = key
        return self

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.key, str(self)

    def said(self, language: str) -> str:
        """Say it in another language, or in English where that lacks it."""
        known = _spaced(pattern(ENGLISH, self.key) or "") == _spaced(self)
        return (pattern(language, self.key) if known else None) or regrouped(language, self)

    def __html__(self) -> str:
        return sealed(self.key, str(self))


def _spaced(text: str) -> str:
    return text.replace("_", " ")


class Joined(Text):
    """Texts one after the other, in this order in every language: a list, a name behind a mark."""

    parts: tuple[str, ...]
    between: str

    def __new__(cls, parts: tuple[str, ...], between: str) -> Joined:
        """Join them."""
        self = super().__new__(cls, between.join(parts))
        self.parts, self.between = parts, between
        return self

    def __getnewargs__(self) -> tuple[tuple[str, ...], str]:  # type: ignore[override]
        return self.parts, self.between

    def said(self, language: str) -> str:
        """Say each of them."""
        return self.between.join(say(language, part) for part in self.parts)

    def __html__(self) -> str:
        return escaped(self.between).join(map(escaped, self.parts))


class Verbatim(Text):
    """What stays as it is to the letter: a command, code, what a user wrote, a cited work."""

    def said(self, language: str) -> str:
        """Leave it."""
        return str(self)

    def __html__(self) -> str:
        return escaped(str(self))


def message(key: str, /, **values: str | int) -> Message:
    """Return the message of a key, with values by their names."""
    return Message(key, values)


def word(key: str, english: str) -> Word:
    """Return a word that is written here, as catalogues know it by a key.

    >>> word("unit.bytes", "bytes").said("es"), word("symbol.w", "of mine").said("es")
    ('bytes', 'of mine')
    """
    return Word(key, english)


def joined(parts: Iterable[str], between: str = ", ") -> Joined:
    r"""Join texts that stand in this order in every language.

    >>> joined([message("evidence.points", n=2), "9,449 B"], "; ").said("es")
    'en 2 puntos; 9\u202f449 B'
    """
    return Joined(tuple(parts), between)


def written(value: str | int) -> str:
    """Write the value of a message: a whole number in groups, a text as it is."""
    return f"{value:,}" if isinstance(value, int) else value


def say(language: str, text: str) -> str:
    r"""Say a text in a language; of one that is no message only the numbers are written anew.

    What a language lacks is said in English.

    >>> say("es", "131,392 = 12·2·64² + …")
    '131\u202f392 = 12·2·64² + …'
    """
    if language == ENGLISH:
        return text
    return text.said(language) if isinstance(text, Text) else regrouped(language, text)
