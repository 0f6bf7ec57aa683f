"""Many hands: one build of MkDocs by several processes, each rendering pages of its own.

MkDocs renders one page after the other. Once the navigation is known, the process is forked, and
each process goes on with the build, passing over the pages of the others. One that was forked
writes what it renders, tells what the search, the links and the log have to know, and ends.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from symledger.site import workers as shares

LOG = logging.getLogger("mkdocs")
FEW = 100
"""Pages that one process renders sooner than others are started."""


class Notes(logging.Handler):
    """A log that is kept, in a form that can be told to another process."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record, its message written out."""
        record.msg, record.args, record.exc_info = record.getMessage(), None, None
        self.records.append(record)


@dataclass
class Told:
    """What a process knows of the pages that it rendered."""

    anchors: dict[str, set[str] | None] = field(default_factory=dict)
    """The places in a page, by the path of its source."""
    links: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    """The links of a page that lead to such places, by the paths of both."""
    entries: list[dict[str, Any]] = field(default_factory=list)
    """Of the search."""
    records: list[logging.LogRecord] = field(default_factory=list)
    """Of the log."""


@dataclass
class Hands:
    """The processes of one build, as one of them sees them: alone, the first, or forked."""

    config: MkDocsConfig
    files: Files
    pages: dict[str, File]
    """All pages by their addresses, whoever renders them."""
    others: list[tuple[int, BinaryIO]] = field(default_factory=list)
    """Processes that were forked, and where they tell what they know."""
    told: Told = field(default_factory=Told)
    out: BinaryIO | None = None
    """Where this process tells it, if it was forked."""

    @classmethod
    def of(cls, config: MkDocsConfig, files: Files) -> Hands:
        """Return those of a build whose navigation is known: one process, so far.

        Addresses are asked for here: MkDocs keeps what it finds while every page is one.
        """
        return cls(config, files, {f.page.url: f for f in files.documentation_pages() if f.page})

    @property
    def entries(self) -> list[dict[str, Any]] | None:
        """What the theme's search found, to be put together; other searches do not show it."""
        plugin = self.config.plugins.get("material/search")
        return getattr(getattr(plugin, "search_index", None), "entries", None)

    def part(self, shown: Sequence[Page]) -> None:
        """Go on as a process for each processor; all of them return from here.

        ``shown`` are the pages whose titles stand in navigations.
        """
        number = shares.processes() if len(self.pages) >= FEW and self.entries is not None else 1
        if number == 1:
            return
        self._settle(shown)
        for first in range(1, number):
            out = tempfile.TemporaryFile()  # noqa: SIM115  # closed when it is read
            process = os.fork()
            if not process:
                self._fork(out)
                self._keep(first, number)
                return
            self.others.append((process, out))
        atexit.register(self.stop)  # where this one is interrupted
        self._keep(0, number)

    def _settle(self, shown: Iterable[Page]) -> None:
        """Settle the titles that pages say of each other, and write what is to be written once.

        A title is what MkDocs makes of a page's beginning; the rest is rendered later, by one.
        """
        for page in shown:
            page.read_source(self.config)
            page.markdown = (page.markdown or "").strip().partition("\n\n")[0]
            page.render(self.config, self.files)
            page.title = page.title
        gc.freeze()
        sys.stdout.flush()
        sys.stderr.flush()

    def _keep(self, first: int, number: int) -> None:
        """Keep a share of the pages and of all other files; others render and copy the rest."""
        pages = list(self.pages.values())
        rest = [file for file in self.files if not file.is_documentation_page()]
        mine = {*pages[first::number], *rest[first::number]}
        hide(file for file in self.files if file not in mine)

    def _fork(self, out: BinaryIO) -> None:
        """Be a process that was forked: an interruption ends it, and its log is told."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        notes = Notes()
        self.out, self.others, self.told.records = out, [], notes.records
        LOG.handlers, LOG.propagate = [notes], False
        self.config.theme.static_templates.clear()
        self.config.extra_templates.clear()

    def read(self) -> None:
        """Note where links lead, now that pages are read: all of them are checked at the end."""
        for file in self.files.documentation_pages():
            if file.page:
                links = file.page.links_to_anchors or {}
                self.told.links[file.src_uri] = {to.src_uri: said for to, said in links.items()}
                self.told.anchors[file.src_uri] = file.page.present_anchor_ids
                file.page.links_to_anchors = None

    def end(self, code: int = 0) -> None:
        """End this process if it was forked, telling what it knows."""
        if self.out:
            self.told.entries = self.entries or []
            pickle.dump(self.told, self.out)
            self.out.flush()
            os._exit(code)

    def join(self) -> None:
        """Wait for the others, and put together what all of them know.

        Raises:
            PluginError: one of them could not render its pages.
        """
        parted = bool(self.others)
        while self.others:
            process, out = self.others.pop(0)
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            with out:
                told = self._learn(out)
            if code or not told:
                self.stop()
                raise PluginError(f"A process that rendered pages ended with exit code {code}.")
        if parted:
            atexit.unregister(self.stop)
            show(self.files)
            self._order()
        self._check()

    def _learn(self, out: BinaryIO) -> bool:
        """Learn what another process told; whether it came to that."""
        if not out.seek(0, os.SEEK_END):
            return False
        out.seek(0)
        told: Told = pickle.load(out)  # noqa: S301  # our own
        self.told.links |= told.links
        self.told.anchors |= told.anchors
        (self.entries or []).extend(told.entries)
        for record in told.records:
            logging.getLogger(record.name).handle(record)
        return True

    def _order(self) -> None:
        """Bring what the search found into the order of the pages."""
        place = {address: n for n, address in enumerate(self.pages)}
        (self.entries or []).sort(key=lambda entry: place[entry["location"].partition("#")[0]])

    def _check(self) -> None:
        """Ask every page whether its links lead to places that there are."""
        for file in self.pages.values():
            if file.page:
                file.page.present_anchor_ids = self.told.anchors[file.src_uri]
                links = self.told.links[file.src_uri].items()
                file.page.links_to_anchors = {
                    page: said for path, said in links
                    if (page := self.files.get_file_from_path(path))
                }  # fmt: skip
        level = self.config.validation.links.anchors
        for file in self.pages.values():
            if file.page:
                file.page.validate_anchor_links(files=self.files, log_level=level)

    def stop(self) -> None:
        """Stop the others: what they render will not be used."""
        while self.others:
            process, out = self.others.pop()
            os.kill(process, signal.SIGTERM)
            os.waitpid(process, 0)
            out.close()


def hide(files: Iterable[File]) -> None:
    """Have MkDocs pass over pages and files: others render and copy them."""
    for file in files:
        vars(file).update(is_documentation_page=lambda: False, copy_file=lambda *_: None)


def show(files: Iterable[File]) -> None:
    """Take that back."""
    for file in files:
        vars(file).pop("is_documentation_page", None)
        vars(file).pop("copy_file", None)
