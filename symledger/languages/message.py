"""A message: its key, the values in it, and how it is said in English."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.languages.language import ENGLISH, filled, regrouped


class Message(str):
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


def message(key: str, /, **values: str | int) -> Message:
    """Return the message of a key, with values by their names."""
    return Message(key, values)


def say(language: str, text: str) -> str:
    r"""Say a message in a language; of another text only the numbers are written anew.

    What a language lacks is said in English.

    >>> say("es", "131,392 = 12·2·64² + …")
    '131\u202f392 = 12·2·64² + …'
    """
    if language == ENGLISH:
        return text
    if not isinstance(text, Message):
        return regrouped(language, text)
    values = {
        name: value if isinstance(value, int) else say(language, value)
        for name, value in text.values.items()
    }
    return filled(language, text.key, values)
