"""How long the site takes to build, beside the same pages as static Markdown without formulas.

``python benchmarks/site.py`` prints a table: seconds of the processor for the whole build, and for
MkDocs alone on pages whose tables are written in Markdown and whose formulas are left out. Nothing
is asserted.
"""

from __future__ import annotations

import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from subprocess import run

from symledger.site import build
from symledger.site.generator import Site

SILENT = {"math", "svg", "script", "style", "button"}
CELLS = {"td", "th"}
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


def seconds(*command: str) -> float:
    """Return the seconds of the processor that a command takes."""
    before = getrusage(RUSAGE_CHILDREN)
    run([sys.executable, *command], check=True, capture_output=True)  # noqa: S603  # our own
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    site = Site()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_plain(folder / "plain", site)
        config = str(folder / "plain" / "mkdocs.yml")
        rows = [
            ("MkDocs alone, static Markdown without formulas",
             seconds("-m", "mkdocs", "build", "-q", "-f", config, "-d", str(folder / "a"))),
            ("the whole site", seconds("-m", "symledger", "site", "build",
                                       "--out", str(folder / "b"))),
        ]  # fmt: skip
    print(f"{len(site.pages)} generated pages")
    for name, time in rows:
        print(f"{name:50} {time:8.1f} s   {time / rows[0][1]:.2f} ×")


if __name__ == "__main__":
    main()
