"""How long the site takes to build, beside the same pages as static Markdown without formulas.

``python benchmarks/site.py`` prints tables of seconds, by the clock and of all processors: for
MkDocs alone on pages whose tables are written in Markdown and whose formulas are left out, for the
whole build from nothing and with what an earlier build remembers (``whole``); for a quarter, half
and all of the catalogue (``growth``); and for a served site after a component or a template was
touched (``touched``). Tables that are named are printed alone. Nothing is asserted.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from argparse import ArgumentParser
from html.parser import HTMLParser
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from shutil import copytree
from subprocess import run
from time import perf_counter, process_time

try:
    from symledger.site import build, resources
    from symledger.site import workers as shares
    from symledger.site.atlas import Atlas
    from symledger.site.generator import Site
    from symledger.site.memory import PLACE
except ImportError as error:
    sys.exit(f"{error}: pip install 'symledger[docs]'.")

SILENT = {"math", "svg", "script", "style", "button"}
CELLS = {"td", "th"}
COMPONENT = "symledger/components/maps/linear.py"
"""What is touched: a component that most others are made of."""
TEMPLATE = "templates/notation.md.j2"
BREAKS = {"p", "div", "li", "dt", "dd", "summary", "figcaption", "pre", "ol", "ul", "table"}


class Plain(HTMLParser):
    """The words of a block of HTML as Markdown: tables stay tables, formulas are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.out: list[str] = []
        self.silent = 0
        self.columns = 0
        self.head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin rows and items; go silent in formulas and plots."""
        self.silent += tag in SILENT
        if tag == "tr":
            self.out.append("\n|")
            self.columns = 0
        elif tag == "table":
            self.out.append("\n\n")
            self.head = True
        elif tag == "li":
            self.out.append("\n- ")

    def handle_endtag(self, tag: str) -> None:
        """End cells, rows and items."""
        self.silent -= tag in SILENT
        if tag in CELLS:
            self.out.append("|")
            self.columns += 1
        elif tag == "tr" and self.head:
            self.out.append("\n|" + "---|" * self.columns)
            self.head = False
        elif tag in BREAKS and not self.columns:
            self.out.append("\n\n")
        if tag == "table":
            self.columns = 0
            self.out.append("\n\n")

    def handle_data(self, data: str) -> None:
        """Keep words outside of formulas."""
        if not self.silent:
            self.out.append(" ".join(data.split()).replace("|", "\\|"))


def plain(html: str) -> str:
    """Write a block of HTML as Markdown without formulas."""
    reader = Plain()
    reader.feed(html)
    return "".join(reader.out)


def write_plain(folder: Path, site: Site) -> None:
    """Write the same pages as static Markdown."""
    build.write(folder, site)
    for page in site.pages.values():
        blocks = tuple(plain(block) for block in page.blocks)
        text = type(page)(page.path, page.source, blocks).merged
        (folder / "docs" / page.path).write_text(text, encoding="utf-8")


def seconds(*command: str, memory: str = "", within: Path | None = None) -> tuple[float, float]:
    """Return the seconds that a command takes, by the clock and of all processors."""
    before, began = getrusage(RUSAGE_CHILDREN), perf_counter()
    _python(*command, memory=memory, within=within)
    after, ended = getrusage(RUSAGE_CHILDREN), perf_counter()
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ended - began, used


def _python(*command: str, memory: str = "", within: Path | None = None) -> str:
    environment = {**os.environ, PLACE: memory} | ({"PYTHONPATH": "."} if within else {})
    return run(  # noqa: S603  # our own
        [sys.executable, *command], check=True, capture_output=True, text=True, env=environment,
        cwd=within,
    ).stdout  # fmt: skip


class Part(Atlas):
    """A share of the catalogue: the first entries of every kind."""

    share = 1.0

    @property
    def owners(self):  # noqa: ANN201  # as it is there
        """The first of the entries that own formulas."""
        known = {e.name for entries in self.components.values() for e in entries}
        known |= {entry.name for entry in self.models}
        return tuple(entry for entry in super().owners if entry.name in known)

    @property
    def models(self):  # noqa: ANN201  # as it is there
        """The first of the models."""
        return self._first(super().models)

    @property
    def components(self):  # noqa: ANN201  # as it is there
        """The first components of each topic."""
        return {topic: self._first(entries) for topic, entries in super().components.items()}

    def _first(self, entries):  # noqa: ANN001, ANN202  # entries
        return entries[: max(round(len(entries) * self.share), 1)]


def growing(share: float) -> tuple[int, float, float]:
    """Make the pages of a share of the catalogue, and build them with MkDocs.

    Links to pages that are left out lead nowhere, which MkDocs would say of each.
    """
    from mkdocs.commands.build import build as make
    from mkdocs.config import load_config

    from symledger.site.mkdocs import plugin

    logging.disable()
    shares.MOST = 1  # what other processes take would not be seen
    Part.share = share
    before = process_time()
    site = Site()
    vars(site)["atlas"] = Part()
    made = len(site.made)
    generated = process_time() - before
    plugin.SOURCE.site = lambda _: site
    with tempfile.TemporaryDirectory() as out:
        make(load_config(str(resources.configuration()), site_dir=out))
    return made and len(site.pages), generated, process_time() - before


def growth() -> None:
    """Print how the time grows with the pages, each measured in a process of its own."""
    print(f"{'share of the catalogue':34} {'pages':>6} {'made':>8} {'built':>8} {'a page':>9}")
    for share in (0.25, 0.5, 1.0):
        with get_context("spawn").Pool(1) as pool:
            pages, made, built = pool.apply(growing, (share,))
        print(f"{share:34} {pages:6} {made:6.1f} s {built:6.1f} s {1000 * built / pages:6.1f} ms")


def whole() -> None:
    """Print the whole build beside MkDocs alone."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_plain(folder / "plain", Site())
        config, memory = str(folder / "plain" / "mkdocs.yml"), str(folder / "memory")
        ours = ("-m", "symledger", "site", "build", "--out", str(folder / "b"))
        plain = ("-m", "mkdocs", "build", "-q", "-f", config, "-d", str(folder / "a"))
        rows = [
            ("MkDocs alone, static Markdown without formulas", seconds(*plain)),
            ("the whole site, from nothing", seconds(*ours)),
            ("the whole site, and remembering it", seconds(*ours, memory=memory)),
            ("the whole site, all of it remembered", seconds(*ours, memory=memory)),
        ]
    print(f"{'with ' + str(shares.processes()) + ' processes':50} {'clock':>8} {'processors':>22}")
    for name, times in rows:
        said = (f"{t:8.1f} s   {t / base:.2f} ×" for t, base in zip(times, rows[0][1], strict=True))
        print(f"{name:50} {'   '.join(said)}")


def touched() -> None:
    """Print how long a served site takes after a file was touched."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary)
        for name in ("symledger", "templates", "docs"):
            copytree(resources.CHECKOUT / name, copy / name)
        (copy / "mkdocs.yml").write_bytes(resources.configuration().read_bytes())
        script = str(Path(__file__).with_name("rebuild.py").resolve())
        files = (COMPONENT, TEMPLATE)
        found = _python(script, *files, memory=str(copy / "memory"), within=copy).split()
    names = (
        "served the first time", f"after a comment in {COMPONENT}",
        f"after a change of {COMPONENT} that counts", f"after a line in {TEMPLATE}",
        "where nothing changed: MkDocs by itself",
    )  # fmt: skip
    for name, time in zip(names, found, strict=True):
        print(f"{name:58} {float(time):6.1f} s")


def main() -> None:
    """Print the tables that are asked for, all where none is named."""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    tables = {table.__name__: table for table in (whole, growth, touched)}
    reader = ArgumentParser(description="Times of the site; minutes for each table.")
    reader.add_argument("tables", nargs="*", metavar="TABLE", help=" ".join(tables))
    named = reader.parse_args().tables
    if unknown := [name for name in named if name not in tables]:
        reader.error(f"{unknown[0]} is not a table: {', '.join(tables)}")
    for name in named or tables:
        tables[name]()
        print()


if __name__ == "__main__":
    main()
