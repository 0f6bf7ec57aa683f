"""Messages on pages: in markup they stay messages, until it is known who reads it.

A view puts a message into a table, a drawing or a formula, and knows no language. What then stands
in the markup is the message sealed (``symledger/languages/sealing.py``); a page opens it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from markupsafe import Markup

from symledger.languages.language import ENGLISH, filled, regrouped
from symledger.languages.message import Text, say
from symledger.languages.sealing import escaped, opened

SILENT = re.compile(
    r"(<(?:code|pre|annotation|script)\b.*?</(?:code|pre|annotation|script)>|<[^>]*>"
    r"|^ *```.*?^ *```$|`[^`\n]*`|\]\([^)\s]*\))",
    re.DOTALL | re.MULTILINE,
)
"""What is the same in every language: tags, code, what only programs read."""


def spaced(markup: str) -> str:
    """Keep the spaces at the ends of words among formulas, which MathML would drop."""
    kept = markup.replace("<mtext></mtext>", "").replace("<mtext> ", "<mtext>\u00a0")
    return kept.replace(" </mtext>", "\u00a0</mtext>")


def numbered(language: str, markup: str) -> str:
    """Write the numbers of a page as a language groups digits, but for code and attributes."""
    if language == ENGLISH:
        return markup
    parts = SILENT.split(markup)
    parts[::2] = [regrouped(language, part) for part in parts[::2]]
    return "".join(parts)


def speaker(language: str) -> Callable[..., Markup]:
    """Return what a template calls for its own words, which may be markup: ``_("home.title")``.

    A value that is markup is put in as it is, another text is escaped.
    """

    @cache
    def plain(key: str) -> Markup:
        return Markup(filled(language, key, {}))  # noqa: S704  # a catalogue of ours

    def speak(key: str, **values: Any) -> Markup:
        if not values:
            return plain(key)
        known = {name: v if isinstance(v, int) else escaped(v) for name, v in values.items()}
        return Markup(filled(language, key, known))  # noqa: S704  # escaped above

    return speak


def said(language: str, found: Any) -> Any:
    """Say what a view has prepared, where a template wants it as a text: a message, or markup."""
    if isinstance(found, Text):
        return str(say(language, found))
    if isinstance(found, Markup):
        return Markup(opened(language, found))  # noqa: S704  # it was markup before
    return found
