"""What the theme leaves to be done on every built page, whichever engine built it."""

from __future__ import annotations

from symledger.site.mkdocs.policy import secured

SEARCH = 'data-md-component="search" role="dialog"'
"""The dialog of the search, which the theme leaves without a name."""


def completed(html: str, search: str = "Search") -> str:
    """Name what has no name, the dialog of the ``search``, and put the policy at the head."""
    return secured(html.replace(f"{SEARCH}>", f'{SEARCH} aria-label="{search}">'))
