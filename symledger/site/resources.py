"""Where templates, hand-written pages and the configuration lie: in a checkout, or in a wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

INSIDE = Path(__file__).parent / "resources"
CHECKOUT = Path(__file__).parents[2]


def root() -> Path:
    """Return the folder that holds ``templates``, ``docs`` and ``mkdocs.yml``.

    A wheel carries copies of them; a checkout has them at its top.
    """
    return INSIDE if INSIDE.is_dir() else CHECKOUT


def templates() -> Path:
    """Return the folder of the templates."""
    return root() / "templates"


def docs() -> Path:
    """Return the folder of the hand-written pages."""
    return root() / "docs"


def configuration() -> Path:
    """Return the configuration of MkDocs."""
    return root() / "mkdocs.yml"


def assets() -> Path:
    """Return the folder of the site's own scripts, styles and fonts."""
    return Path(__file__).parent / "assets"


def data(name: str) -> dict[str, Any]:
    """Read a file of data that pages are made of."""
    file = Path(__file__).parent / "data" / name
    return tomllib.loads(file.read_text(encoding="utf-8"))
