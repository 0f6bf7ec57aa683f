"""The catalogues: how each language says the messages, and how it writes numbers.

A catalogue is a file of GNU gettext, in which an English sentence has no privilege: what is looked
up is its key. ``symledger record messages`` makes the ``.mo`` files, which are read here, of the
``.po`` files, which translators edit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations
from pathlib import Path

from symledger.errors import BadInput, nearest, shown

ENGLISH = "en"
"""The language that every message is in; others may lack some."""
LOCALE = Path(__file__).parent / "locale"
SEPARATORS = {ENGLISH: ","}
"""What stands between groups of three digits, where it is not a narrow space (U+202F).

A point or a comma would be misread by whoever is used to the other.
"""
SPACE = "\u202f"
GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\d|,\d)")
"""A whole number, or that part of another one, as English groups it."""
SPACES = " \u00a0\u2009\u202f"
"""Spaces that stand between groups of digits: plain, no-break, thin, narrow no-break."""
SPACED = re.compile(rf"(?<![\w.,])\d{{1,3}}([{SPACES}])\d{{3}}(?:\1\d{{3}})*(?![\w]|[,{SPACES}]\d)",
                    re.ASCII)
"""A whole number, or that part of another one, as languages with spaces group it."""


def languages() -> tuple[str, ...]:
    """Return the languages that there are catalogues of, English first."""
    found = sorted(file.parents[1].name for file in LOCALE.glob("*/LC_MESSAGES/symledger.mo"))
    return (ENGLISH, *(name for name in found if name != ENGLISH))


def known(language: str) -> str:
    """Return a language that there is a catalogue of.

    Raises:
        BadInput: there is none.
    """
    if language not in languages():
        raise BadInput(
            f"there is no catalogue of messages in {shown(language)}. "
            f"{nearest(language, languages())}"
        )
    return language


@cache
def catalogue(language: str) -> GNUTranslations:
    """Return the catalogue of a language."""
    with (LOCALE / language / "LC_MESSAGES" / "symledger.mo").open("rb") as file:
        return GNUTranslations(file)


def pattern(language: str, key: str, n: int | None = None) -> str | None:
    """Return what a catalogue says for a key, values not filled in; None where it lacks it.

    What has plural forms and is asked for without a number is said of one: ``gettext`` itself does
    so in newer versions of Python alone.
    """
    words = catalogue(language)
    found = words.ngettext(key, key, 1 if n is None else n)
    if found == key:
        found = words.gettext(key)
    return None if found == key else found


def filled(language: str, key: str, values: Mapping[str, str | int]) -> str:
    """Say a key with its values in a language, or in English where it lacks the key.

    Raises:
        KeyError: no catalogue has the key, or the sentence names a value that is not there.
    """
    return put(language, sentence(language, key, values), values)


def sentence(language: str, key: str, values: Mapping[str, str | int]) -> str:
    """Return what a language says for a key, or English where it lacks it, values not filled in.

    Raises:
        KeyError: no catalogue has the key.
    """
    n = values.get("n")
    number = n if isinstance(n, int) else None
    found = pattern(language, key, number) or pattern(ENGLISH, key, number)
    if found is None:
        raise KeyError(f"{key!r} stands in no catalogue of messages: add it to {LOCALE}/en")
    return found


def put(language: str, sentence: str, values: Mapping[str, str | int]) -> str:
    """Put values into a sentence, whole numbers as the language groups their digits.

    Raises:
        KeyError: the sentence names a value that is not there.
    """
    return sentence.format_map({
        name: regrouped(language, f"{value:,}") if isinstance(value, int) else value
        for name, value in values.items()
    })  # fmt: skip


def regrouped(language: str, text: str) -> str:
    r"""Write the numbers in a text as a language groups digits.

    >>> regrouped("en", "2,362,368 B"), regrouped("es", "2,362,368 B ≈ 9,449.5")
    ('2,362,368 B', '2\u202f362\u202f368 B ≈ 9\u202f449.5')
    """
    separator = SEPARATORS.get(language, SPACE)
    return GROUPED.sub(lambda m: m[0].replace(",", separator), text)


def ungrouped(text: str) -> str:
    """Read numbers without the spaces between groups of three digits; all of one kind they are.

    >>> ungrouped("2\u202f362\u202f368 B"), ungrouped("9 449.5 MiB"), ungrouped("12 34, 1 2345")
    ('2362368 B', '9449.5 MiB', '12 34, 1 2345')
    """
    return SPACED.sub(lambda m: m[0].replace(m[1], ""), text)
