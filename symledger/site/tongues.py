"""Other languages on the site: which pages each has, and where their links lead.

English has every page. Another language has those that it has words for, at the same path below
its own name: ``es/components/linear.md``. A link to a page that it lacks leads to the English one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass

from symledger.catalogue import texts
from symledger.languages.language import ENGLISH, languages, pattern
from symledger.site import resources

KEY = re.compile(r'\b_\("([\w.]+)"')
MARKDOWN = re.compile(r"(?<=\]\()(?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")
CODE = re.compile(
    r"(<(?:code|pre)\b.*?</(?:code|pre)>|^ *```.*?^ *```$|`[^`\n]*`)", re.DOTALL | re.MULTILINE
)
"""What holds no links of Markdown, however much it looks like one: ``NORMS[kind](d)``."""
HTML = re.compile(r'((?:href|data-link)=")(?!https?:|#)([^"#]+)((?:#[^"]*)?")')
ENOUGH = 0.5
"""The share of a template's messages that a language says where it has pages made of it."""


def foreign() -> tuple[str, ...]:
    """Return the languages beside English."""
    return tuple(name for name in languages() if name != ENGLISH)


def speaks(language: str, template: str) -> bool:
    """Whether a language says enough of a template's own messages for pages of it."""
    if language == ENGLISH:
        return True
    keys = set(KEY.findall((resources.templates() / template).read_text(encoding="utf-8")))
    said = sum(pattern(language, key) is not None for key in keys)
    return said >= ENOUGH * len(keys) and said > 0


def has_text(language: str, name: str) -> bool:
    """Whether a component or model has a text in a language."""
    return language == ENGLISH or name in texts.files(language)


@dataclass(frozen=True)
class Tongue:
    """A language of the site, and the pages that it has, by their English paths."""

    language: str = ENGLISH
    paths: frozenset[str] = frozenset()

    @property
    def is_english(self) -> bool:
        """Whether it is the language that has every page."""
        return self.language == ENGLISH

    def has(self, path: str) -> bool:
        """Whether it has a page."""
        return self.is_english or path in self.paths

    def home(self, path: str) -> str:
        """Return where its page lies."""
        return path if self.is_english else f"{self.language}/{path}"

    def named(self, piece: str) -> str:
        """Return what the memory calls a piece of it."""
        return piece if self.is_english else f"{self.language} {piece}"

    def linked(self, path: str, text: str) -> str:
        """Mend the links of a page that is written as the English one: some lead to English."""
        if self.is_english:
            return text
        parts = CODE.split(text)
        parts[::2] = [
            MARKDOWN.sub(lambda m: self._markdown(path, m[1], m[2] or ""), part)
            for part in parts[::2]
        ]
        return HTML.sub(lambda m: self._html(path, m), "".join(parts))

    def _markdown(self, path: str, address: str, anchor: str) -> str:
        led, other = self._led(path, address)
        return f"{led}{anchor})" + ("{: hreflang=en }" if other else "")

    def _html(self, path: str, m: re.Match[str]) -> str:
        led, other = self._led(path, m[2])
        return f"{m[1]}{led}{m[3]}" + (' hreflang="en"' if other and m[1] == 'href="' else "")

    def _led(self, path: str, address: str) -> tuple[str, bool]:
        """Return an address as seen from here, and whether it is that of an English page."""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), address))
        stem, ending = posixpath.splitext(target)
        is_page = ending in (".md", ".html")
        if is_page and self.has(f"{stem}.md"):
            return address, False
        return posixpath.relpath(target, posixpath.dirname(self.home(path))), is_page


def counterparts(
    path: str, tongue: Tongue, tongues: Mapping[str, Tongue], pages: Container[str]
) -> dict[str, str]:
    """Return where the switch of a page leads, in each language; nothing if there is no other one.

    That is the same page. What English lacks, such as the glossary of a language, leads home.
    """
    english = path.removeprefix(tongue.home(""))
    there = {t.language: t.home(english) for t in tongues.values() if t.home(english) in pages}
    if not tongue.is_english:
        there = {ENGLISH: f"index{posixpath.splitext(path)[1]}", **there}
    return there if len(there) > 1 else {}


def is_rendered(path: str, there: Mapping[str, str]) -> bool:
    """Whether a page is the one that its switch leads to, in another language."""
    return bool(there) and path.endswith(there[ENGLISH])
