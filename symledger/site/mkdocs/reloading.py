"""Serving while the package is being written: what changed on disk is imported anew.

What was built last is kept, so that MkDocs may leave alone what is the same (``--dirty``).
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Container
from importlib import import_module
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Any

from symledger import site

if TYPE_CHECKING:
    from symledger.site.generator import Site

PACKAGE = Path(__file__).parents[2]
KEPT = ("symledger", "symledger.site", "symledger.site.mkdocs", __name__)
"""What stays imported, with the module that MkDocs holds a ``Source`` in."""


class Source:
    """The package as it was when it was imported last."""

    def __init__(self, holder: str) -> None:
        self.kept_modules = (*KEPT, holder)
        self.state = state()
        self.dirty = False
        self.before: dict[str, object] = {}
        self.layout = ""
        self.titles: dict[str, str] = {}
        self.kept: dict[str, Any] = {}
        self.entries: dict[str, list[dict[str, Any]]] = {}

    def site(self) -> Site:
        """Return a new site, made by the package as it is on disk now."""
        now, found = time_ns(), state()
        if found != self.state:
            self.state = found
            site.STARTED = now
            forget(self.kept_modules)
        generator = import_module("symledger.site.generator")
        made: Site = generator.remembered(self.kept)
        return made

    def keep(self, made: Site) -> None:
        """Keep what a site was made of for the next one; on disk too, unless it is served again."""
        if not (self.dirty and self.kept):
            made.memory.save()
        self.kept = made.memory.kept

    def frames(self, layout: str) -> bool:
        """Whether what stands around every page (its navigation) is as it was; it is noted."""
        same, self.layout = layout == self.layout, layout
        return same


def state() -> dict[str, int]:
    """Return when each file of the package was changed."""
    files = (f for f in PACKAGE.rglob("*") if f.suffix in (".py", ".toml", ".json", ".txt"))
    return {str(file): file.stat().st_mtime_ns for file in files}


def forget(but: Container[str]) -> None:
    """Forget every module of the package but some, and the source lines that were read of it.

    A package that is kept would still give its modules by name.
    """
    linecache.checkcache()
    for name in list(sys.modules):
        if name.startswith("symledger.") and name not in but:
            del sys.modules[name]
            package, _, module = name.rpartition(".")
            if package in but:
                vars(sys.modules[package]).pop(module, None)
