"""What the theme leaves to be done on every built page, whichever engine built it."""

from __future__ import annotations

import re

from symledger.languages.language import ENGLISH
from symledger.site.mkdocs.navigation import say
from symledger.site.mkdocs.policy import secured

SEARCH = 'data-md-component="search" role="dialog"'
"""The dialog of the search, which the theme leaves without a name."""

PERMALINK = "Permanent link"
"""What Markdown says of a link to a heading, whatever the language."""

MADE = re.compile(r"\bMade with(?=\s+<a\b)")
"""What the theme says at the foot of a page, whatever the language."""


def completed(html: str, language: str = ENGLISH) -> str:
    """Name what has no name, and put the policy at the head.

    A page in another ``language`` says which; Zensical takes all pages for those of one.
    """
    search, permalink = say(language, "Search"), say(language, PERMALINK)
    html = html.replace(f"{SEARCH}>", f'{SEARCH} aria-label="{search}">')
    if language != ENGLISH:
        html = html.replace(f'title="{PERMALINK}"', f'title="{permalink}"')
        html = MADE.sub(say(language, "Made with"), html)
        html = html.replace(f'<html lang="{ENGLISH}"', f'<html lang="{language}"', 1)
    return secured(html)
