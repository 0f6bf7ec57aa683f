"""Templates: they arrange what they are given and compute nothing; everything is escaped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from symledger.site import resources
from symledger.site.pages import Page, Sheet
from symledger.site.text.messages import messages, said
from symledger.site.text.references import cited


def speaker(known: Mapping[str, str]) -> Callable[..., Markup]:
    """Return ``_`` as the extension has it, which would look every word up in the context again."""

    @cache
    def plain(text: str) -> Markup:
        return Markup(known.get(text, text)) % {}  # noqa: S704  # as the extension takes it

    def say(text: str, **values: Any) -> Markup:
        return Markup(known.get(text, text)) % values if values else plain(text)  # noqa: S704

    return say


@dataclass(frozen=True)
class Templates:
    """The templates in one language; ``note`` is told which of them is used."""

    language: str = "en"
    note: Callable[[str], object] = str

    @cached_property
    def environment(self) -> Environment:
        """The environment: strict about names, HTML escaped, texts from the catalogue."""
        made = Environment(
            loader=FileSystemLoader(resources.templates()), autoescape=True,
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
            keep_trailing_newline=True, extensions=["jinja2.ext.i18n"], auto_reload=False,
        )  # fmt: skip
        known = messages(self.language)
        made.install_gettext_callables(  # type: ignore[attr-defined]  # the extension adds it
            lambda text: known.get(text, text),
            lambda one, many, n: known.get(one, one) if n == 1 else known.get(many, many),
            newstyle=True,
        )
        made.globals["_"] = speaker(known)
        made.globals["cited"] = cited
        made.filters["say"] = partial(said, known)
        return made

    def page(self, path: str, template: str, **values: Any) -> Page:
        """Write a page: ``template`` sees the values, and ``sheet``, ``block``, ``inline``, …."""
        self.note(template)
        sheet = Sheet(path, messages(self.language).get("Table", "Table"))
        source = self.environment.get_template(template).render(
            sheet=sheet, block=sheet.block, inline=sheet.inline, href=sheet.href, link=sheet.link,
            **values,
        )  # fmt: skip
        return Page(path, source, tuple(sheet.blocks))
