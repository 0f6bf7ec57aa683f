"""Templates: they arrange what they are given and compute nothing; everything is escaped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from symledger.evidence.claims import Kind, kind_named
from symledger.languages.message import message, say
from symledger.languages.sealing import opened
from symledger.languages.words import place
from symledger.ledger.conventions import named
from symledger.site import resources
from symledger.site.pages import Page, Sheet
from symledger.site.text.references import cited
from symledger.site.text.speaking import numbered, said, spaced, speaker
from symledger.site.tongues import Tongue


def kind(name: Kind) -> str:
    """Return what a kind of comparison is called; PyTorch is spelled as it spells itself."""
    return "PyTorch" if name == "pytorch" else kind_named(name)


def sentence(words: str) -> str:
    """Begin words as a sentence begins: with a capital letter."""
    return words[:1].upper() + words[1:]


@dataclass(frozen=True)
class Templates:
    """The templates in one language; ``note`` is told which of them is used."""

    tongue: Tongue = field(default_factory=Tongue)
    note: Callable[[str], object] = str

    @property
    def language(self) -> str:
        """The language."""
        return self.tongue.language

    @cached_property
    def environment(self) -> Environment:
        """The environment: strict about names, HTML escaped, words from the catalogue."""
        made = Environment(
            loader=FileSystemLoader(resources.templates()), autoescape=True,
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
            keep_trailing_newline=True, auto_reload=False,
        )  # fmt: skip
        english = "" if self.tongue.is_english else ' lang="en"'
        made.globals |= {
            "_": speaker(self.language), "tongue": self.tongue, "cited": cited, "kind": kind,
            "convention": named, "place": place, "english": Markup(english),  # noqa: S704  # of ours
        }  # fmt: skip
        made.filters |= {"say": partial(said, self.language), "sentence": sentence}
        return made

    def page(self, path: str, template: str, **values: Any) -> Page:
        """Write a page: ``template`` sees the values, and ``sheet``, ``block``, ``inline``, ….

        The path is that of the English page.
        """
        self.note(template)
        speak = partial(self._spoken, path)
        sheet = Sheet(path, self.say(message("common.table")), speak)
        source = self.environment.get_template(template).render(
            sheet=sheet, block=sheet.block, inline=sheet.inline, href=sheet.href, link=sheet.link,
            **values,
        )  # fmt: skip
        return Page(self.tongue.home(path), speak(source), tuple(sheet.blocks))

    def say(self, text: str) -> str:
        """Say a text in this language."""
        return say(self.language, text)

    def _spoken(self, path: str, markup: str) -> str:
        """Say the messages in a page's markup, write its numbers and lead its links from here."""
        said = numbered(self.language, spaced(opened(self.language, markup)))
        return self.tongue.linked(path, said)
