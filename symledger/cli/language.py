"""The language of pages: what was asked for, else that of the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click

VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""What says which language somebody reads, the strongest first."""


def spoken(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that writes pages the option of their language."""
    return click.option(
        "--lang", "language", default=None, metavar="CODE", callback=_known,
        help="The language of the page, as in es; without it that of the terminal, if it is one.",
    )(command)  # fmt: skip


def shown_in(asked: str | None) -> str:
    """Return the language of a page: the one asked for; on a terminal its own; else English."""
    from symledger.languages.language import ENGLISH, languages

    if asked is not None:
        return asked
    wanted = _of_region(_environment()) if _on_terminal() else ENGLISH
    return wanted if wanted in languages() else ENGLISH


def _known(ctx: click.Context, parameter: click.Parameter, asked: str | None) -> str | None:
    """Return the language asked for; a region (``es_MX``) has the language of its name.

    Raises:
        BadInput: there is no catalogue of it.
    """
    if asked is None:
        return None
    from symledger.languages.language import known, languages

    region = _of_region(asked)
    return region if region in languages() else known(asked)


def _on_terminal() -> bool:
    return sys.stdout.isatty()


def _environment() -> str:
    return next((said for said in map(os.environ.get, VARIABLES) if said), "")


def _of_region(said: str) -> str:
    """Return the language of a locale: ``es_MX.UTF-8`` is ``es``."""
    return said.partition(".")[0].replace("-", "_").partition("_")[0].lower()
