"""The navigation: what the configuration says, with ``components/*`` written out."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from symledger.site.generator import Site

STAR = "/*"


def localized(theme: MutableMapping[str, Any], site: Site) -> None:
    """Let the theme speak the language of the site: its own words, and those we gave it."""
    theme["language"] = site.language
    for colours in theme.get("palette", ()):
        colours["toggle"]["name"] = site.say(colours["toggle"]["name"])


def expanded(items: list[Any], site: Site) -> list[Any]:
    """Replace ``{"Components": "components/*"}`` by the pages of that folder, by topic."""
    return [_expanded(item, site) for item in items]


def _expanded(item: Any, site: Site) -> Any:
    if isinstance(item, dict):
        return {site.say(title): _value(value, site) for title, value in item.items()}
    return item


def _value(value: Any, site: Site) -> Any:
    if isinstance(value, list):
        return expanded(value, site)
    if value == "components/*":
        topics = site.atlas.components.items()
        return ["components/index.md",
                *({site.say(topic): [site.atlas.page_of(e.name) for e in entries]}
                  for topic, entries in topics)]  # fmt: skip
    if str(value).endswith(STAR):
        return site.children(str(value).removesuffix("*"))
    return value
