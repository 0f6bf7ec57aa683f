"""The memory of earlier builds: what is made of the same as before is not made again.

A page is a pure function of what it reads. Each piece (a page, the files beside it, a table that
many pages share) is kept with a hash of everything that was read while it was made: definitions
that an account was derived of, the template, and what was asked of such a table. All else is one
hash; where that differs nothing is known.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import time_ns
from typing import Any, TypeVar

from symledger import site
from symledger.site import resources
from symledger.site.pages import Page
from symledger.site.sources import PACKAGE, Sources, changed

PLACE = "SYMLEDGER_CACHE"
"""The variable that names the folder of the memory; empty for none."""

Made = TypeVar("Made")
Kept = dict[str, Any]
"""The hash of all that no piece reads by name, and pieces by name."""


def place() -> Path | None:
    """Return the file of the memory: in the checkout, in the folder that is named, or nowhere."""
    folder = os.environ.get(PLACE)
    if folder is None and resources.root() == resources.CHECKOUT:
        folder = str(resources.CHECKOUT / ".cache")
    return Path(folder) / "site.json" if folder else None


@dataclass(frozen=True)
class Piece:
    """Something that is still to be made."""

    name: str
    make: Callable[[], Any]


class Memory:
    """What was made, by name; without a file nothing is remembered.

    ``keeps`` says whether what was made is kept while the site is made, file or not; ``before`` is
    what was kept by an earlier one in this process, which then need not be read.
    """

    def __init__(self, file: Path | None = None, before: Kept | None = None) -> None:
        self.file = file
        self.keeps = file is not None
        self.began = time_ns()
        self.sources = Sources()
        self.asked: dict[str, Callable[[str], str]] = {
            "code": self.sources.code, "text": self.sources.text,
            "template": self.sources.template,
        }  # fmt: skip
        self.rest = self.sources.rest if file else ""
        self._known = self._still(before or self._read())
        self._kept: dict[str, Any] = {}
        self._reads: list[dict[str, str]] = []
        self._states: dict[tuple[str, str], str] = {}
        self._later: list[Piece] | None = None

    def _read(self) -> Kept:
        try:
            return dict(json.loads(self.file.read_text(encoding="utf-8"))) if self.file else {}
        except (OSError, ValueError, TypeError):
            return {}

    def _still(self, kept: Kept) -> dict[str, Any]:
        """Return the pieces that may still hold."""
        pieces = kept.get("pieces") if kept.get("rest") == self.rest else None
        return dict(pieces) if isinstance(pieces, dict) else {}

    @property
    def kept(self) -> Kept:
        """What was made; nothing without a file, or if files were changed while it was."""
        if not self.file:
            return {}
        if changed(PACKAGE, site.STARTED) or changed(resources.templates(), self.began):
            return {}
        return {"rest": self.rest, "pieces": self._kept}

    def save(self) -> None:
        """Write down what was made."""
        kept = self.kept if self._kept != self._known else {}
        if self.file and kept:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            other = self.file.with_suffix(f".{os.getpid()}")
            other.write_text(json.dumps(kept))
            other.replace(self.file)

    def note(self, kind: str, name: str) -> None:
        """Say that what is being made reads something of a kind that is in ``asked``."""
        if self._reads:
            self._reads[-1][f"{kind} {name}"] = self._state(kind, name)

    def note_definition(self, kind: type) -> None:
        """Say that what is being made reads the definition of a component or model."""
        self._note_module("code", kind.__module__)

    def note_text(self, *modules: str) -> None:
        """Say that what is being made shows the text of modules: ``symledger.models.gpt.model``."""
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
        if (kind, name) not in self._states:
            self._reads.append({})  # what the answer is made of is not what it is
            try:
                self._states[kind, name] = self.asked[kind](name)
            finally:
                self._reads.pop()
        return self._states[kind, name]

    @contextmanager
    def later(self) -> Iterator[list[Piece]]:
        """In this block pages and files that are not known are not made, but listed."""
        self._later = []
        try:
            yield self._later
        finally:
            self._later = None

    def making(self, pieces: Iterable[Piece]) -> dict[str, Any]:
        """Make pieces, and return what is to be learned: with them what they were made of."""
        before = set(self._kept)
        for piece in pieces:
            self.data(piece.name, piece.make)
        return {name: made for name, made in self._kept.items() if name not in before}

    def learn(self, made: dict[str, Any]) -> None:
        """Take over what was made elsewhere."""
        self._kept.update(made)

    def page(self, name: str, make: Callable[[], Page]) -> Page:
        """Return a page; an empty one where it is listed for later."""
        return next(iter(self.pages(name, lambda: [make()])), Page("", ""))

    def pages(self, name: str, make: Callable[[], Iterable[Page]]) -> list[Page]:
        """Return pages that are made together."""
        found: list[tuple[str, str, list[str]]] = self._piece(
            f"page {name}", lambda: [(p.path, p.source, list(p.blocks)) for p in make()], []
        )
        return [Page(path, source, tuple(blocks)) for path, source, blocks in found]

    def files(self, name: str, make: Callable[[], dict[str, bytes]]) -> dict[str, bytes]:
        """Return files of text."""
        found: dict[str, str] = self._piece(
            f"files {name}", lambda: {path: text.decode() for path, text in make().items()}, {}
        )
        return {path: text.encode() for path, text in found.items()}

    def table(self, name: str, make: Callable[[], list[list[str]]]) -> list[list[str]]:
        """Return rows of text; none where they are listed for later."""
        return self._piece(f"table {name}", make, [])

    def _piece(self, name: str, make: Callable[[], Made], empty: Made) -> Made:
        """Return data, or nothing where it is listed for later."""
        if self._later is None or self._reads or name in self._kept:
            return self.data(name, make)
        known = self._holding(name)
        if known:
            self._kept[name] = known
            return self.data(name, make)
        self._later.append(Piece(name, make))
        return empty

    def _holding(self, name: str) -> dict[str, Any] | None:
        """Return what was made before, where all that was read for it is as it was."""
        known: dict[str, Any] | None = self._known.get(name)
        return known if known and all(map(self._holds, known["reads"].items())) else None

    def data(self, name: str, make: Callable[[], Made]) -> Made:
        """Return data that JSON can hold: as it was made before, of the same, or made now."""
        if not self.keeps:
            return make()
        if name not in self._kept:
            known = self._holding(name)
            if not known:
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
        except (KeyError, FileNotFoundError):  # there is no such thing any more
            return False
