"""The catalogue of messages of a language: what a reader sees, in English and in that language.

A message is looked up word for word; where it holds numbers, such as ``at 3 points``, also without
them: ``"at {} points" = "an {} Stellen"``. In markup each piece of text is a message of its own;
mathematics and code stay as they are, but for words between formulas.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache

from markupsafe import Markup, escape

from symledger.site import resources

ENGLISH: Mapping[str, str] = {}
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?!\w)")
WORD = re.compile(r"[^\W\d_]{2}")
PIECE = re.compile(r"(<(?:math|code)\b.*?</(?:math|code)>|<[^>]*>)", re.DOTALL)
BETWEEN = re.compile(r"(?<=<mtext>)[^<]*(?=</mtext>)")
"""Words that stand in a formula."""


class Messages(dict[str, str]):
    """English messages and their translations; ``get`` also finds a message without its numbers.

    >>> Messages({"at {} points": "an {} Stellen"}).get("at 3 points", "")
    'an 3 Stellen'
    """

    def get(self, text: str, default: str) -> str:  # type: ignore[override]  # texts alone
        """Return the translation of a message, or what stands for it where there is none."""
        if text in self:
            return self[text]
        without = NUMBER.sub("{}", text)
        return self[without].format(*NUMBER.findall(text)) if without in self else default


@cache
def messages(language: str) -> Mapping[str, str]:
    """Return the catalogue of a language; empty for English."""
    file = resources.templates() / "messages" / f"{language}.toml"
    if not file.is_file():
        return ENGLISH
    return Messages(tomllib.loads(file.read_text(encoding="utf-8")))


def said(known: Mapping[str, str], found: object) -> object:
    """Say what views have prepared in another language: a text, or the texts of markup."""
    if not known or not isinstance(found, str):
        return found
    if isinstance(found, Markup):
        parts = PIECE.split(found)
        parts[::2] = [_piece(known, part) for part in parts[::2]]
        parts[1::2] = [BETWEEN.sub(lambda m: _piece(known, m[0]), part) for part in parts[1::2]]
        return Markup("".join(parts))  # noqa: S704  # it was markup before
    return known.get(found, found) if WORD.search(found) else found


def _piece(known: Mapping[str, str], text: str) -> str:
    """Translate a piece of text within markup; the spaces around it stay."""
    plain = str(Markup(text).unescape())  # noqa: S704  # a piece of markup
    inner = plain.strip()
    if not WORD.search(inner):
        return text
    return str(escape(plain.replace(inner, known.get(inner, inner))))
