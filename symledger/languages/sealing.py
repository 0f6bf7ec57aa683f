"""Texts in markup: sealed while nobody knows in which language they will be read, then opened.

What is sealed stands between two characters that no text has, as letters and digits alone, so that
whoever puts markup together finds nothing in it to escape, to break or to wrap.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from functools import cache

from symledger.languages.language import ENGLISH, pattern, put, sentence

BEGIN, END = "\ue000", "\ue001"
SEALED = re.compile(f"{BEGIN}([^{END}]*){END}")
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;"})


class Raw(str):
    """Markup: put into a message it stays what it is."""

    def __html__(self) -> str:
        return str(self)


def escaped(text: str) -> str:
    """Return a text as markup; what is markup already, or a message, says itself what it is there.

    >>> escaped("a < b")
    'a &lt; b'
    """
    return str(text.__html__()) if hasattr(text, "__html__") else text.translate(ESCAPES)


def sealed(key: str, values: Mapping[str, str | int] | str) -> str:
    """Return a message with its values, texts among them as markup, or a word with its English."""
    data = json.dumps([key, values]).encode()
    return f"{BEGIN}{urlsafe_b64encode(data).decode()}{END}"


def opened(language: str, markup: str) -> str:
    """Say every text that is sealed in some markup; what catalogues say is no markup there."""
    while BEGIN in markup:
        markup = SEALED.sub(lambda found: _said(language, found[1]), markup)
    return markup


@cache
def _said(language: str, code: str) -> str:
    key, values = json.loads(urlsafe_b64decode(code))
    if isinstance(values, str):
        known = pattern(ENGLISH, key) == values
        said = (pattern(language, key) if known else None) or values
        return said.translate(ESCAPES)
    return put(language, sentence(language, key, values).translate(ESCAPES), values)
