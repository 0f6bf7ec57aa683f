"""The memory of earlier builds: what is made of the same as before is not made again.

A page is a pure function of what it reads. Each piece (a page, the files beside it, a table that
many pages share) is kept with a hash of everything that was read while it was made: definitions
that an account was derived of, and what was asked of such a table. All else is one hash; where
that differs nothing is known.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from time import time_ns
from typing import Any, TypeVar

from symledger import site
from symledger.site import resources
from symledger.site.pages import Page
from symledger.site.sources import PACKAGE, Sources, changed, digest

PLACE = "SYMLEDGER_CACHE"
"""The variable that names the folder of the memory; empty for none."""

Made = TypeVar("Made")


def place() -> Path | None:
    """Return the file of the memory: in the checkout, in the folder that is named, or nowhere."""
    folder = os.environ.get(PLACE)
    if folder is None and resources.root() == resources.CHECKOUT:
        folder = str(resources.CHECKOUT / ".cache")
    return Path(folder) / "site.json" if folder else None


class Memory:
    """What was made, by name; without a file nothing is remembered."""

    def __init__(self, file: Path | None = None, language: str = "en") -> None:
        self.file = file
        self.began = time_ns()
        self.sources = Sources()
        self.asked: dict[str, Callable[[str], str]] = {
            "code": self.sources.code, "text": self.sources.text,
        }  # fmt: skip
        self.rest = digest(language, self.sources.rest) if file else ""
        self._known = self._read()
        self._kept: dict[str, Any] = {}
        self._reads: list[dict[str, str]] = []

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self.file.read_text(encoding="utf-8")) if self.file else {}
            return dict(found["pieces"]) if found.get("rest") == self.rest else {}
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return {}

    def save(self) -> None:
        """Write down what was made, unless files were changed while it was."""
        if not self.file or self._kept == self._known:
            return
        if not (changed(PACKAGE, site.STARTED) or changed(resources.templates(), self.began)):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            other = self.file.with_suffix(f".{os.getpid()}")
            other.write_text(json.dumps({"rest": self.rest, "pieces": self._kept}))
            other.replace(self.file)

    def note(self, kind: str, name: str) -> None:
        """Say that what is being made reads something of a kind that is in ``asked``."""
        if self._reads:
            self._reads[-1][f"{kind} {name}"] = self._state(kind, name)

    def note_definition(self, kind: type) -> None:
        """Say that what is being made reads the definition of a component or model."""
        self._note_module("code", kind.__module__)

    def note_text(self, *modules: str) -> None:
        """Say that what is being made shows the text of modules: ``symledger.models.gpt``."""
        for module in modules:
            self._note_module("text", module)

    def _note_module(self, kind: str, module: str) -> None:
        name = module.removeprefix("symledger.")
        if self._reads and name in self.sources.definitions:
            self.note(kind, name)

    def note_all(self) -> None:
        """Say that what is being made may read every definition."""
        for module in self.sources.definitions if self._reads else ():
            self.note("code", module)

    def _state(self, kind: str, name: str) -> str:
        self._reads.append({})  # what the answer is made of is not what it is
        try:
            return self.asked[kind](name)
        finally:
            self._reads.pop()

    def page(self, name: str, make: Callable[[], Page]) -> Page:
        """Return a page."""
        return self.pages(name, lambda: [make()])[0]

    def pages(self, name: str, make: Callable[[], Iterable[Page]]) -> list[Page]:
        """Return pages that are made together."""
        found = self.data(
            f"page {name}", lambda: [(p.path, p.source, list(p.blocks)) for p in make()]
        )
        return [Page(path, source, tuple(blocks)) for path, source, blocks in found]

    def files(self, name: str, make: Callable[[], dict[str, bytes]]) -> dict[str, bytes]:
        """Return files of text."""
        found = self.data(
            f"files {name}", lambda: {path: text.decode() for path, text in make().items()}
        )
        return {path: text.encode() for path, text in found.items()}

    def data(self, name: str, make: Callable[[], Made]) -> Made:
        """Return data that JSON can hold: as it was made before, of the same, or made now."""
        if not self.file:
            return make()
        if name not in self._kept:
            known = self._known.get(name)
            if not (known and all(map(self._holds, known["reads"].items()))):
                self._reads.append({})
                try:
                    made = make()
                finally:
                    reads = self._reads.pop()
                known = {"reads": reads, "made": made}
            self._kept[name] = known
        if self._reads:
            self._reads[-1].update(self._kept[name]["reads"])
        found: Made = self._kept[name]["made"]
        return found

    def _holds(self, read: tuple[str, str]) -> bool:
        (kind, _, name), state = read[0].partition(" "), read[1]
        try:
            return self._state(kind, name) == state
        except KeyError:  # there is no such thing any more
            return False
