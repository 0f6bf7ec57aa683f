"""The site as Zensical renders it: our blocks are put in afterwards, which takes a fifth.

It knows one language for all pages, and one list of others. Which of them has the same page, and
where it lies, is said page by page once they are rendered.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urljoin

from symledger.errors import BadInput
from symledger.languages.language import ENGLISH
from symledger.languages.message import message
from symledger.site.generator import Site
from symledger.site.mkdocs.theme import completed
from symledger.site.mkdocs.tongues import LISTED, marked
from symledger.site.tongues import Tongue, counterparts, is_rendered

LISTS = re.compile(r'\n? *<link rel="alternate" href="[^"]*" hreflang="([\w-]+)">')
"""Another language, as the head of every page lists it."""
SWITCH = re.compile(r'<div class="md-header__option">\s*<div class="md-select">.*?</ul>\s*</div>'
                    r"\s*</div>\s*</div>", re.DOTALL)  # fmt: skip
CHOICE = re.compile(r'(<a href=")[^"]*(" hreflang="([\w-]+)" class="md-select__link">)')
ITEM = re.compile(r'\s*<li class="md-select__item">\s*<a href="[^"]*" hreflang="([\w-]+)".*?</li>',
                  re.DOTALL)  # fmt: skip


def command() -> str:
    """Return the command of Zensical.

    Raises:
        BadInput: it is not installed.
    """
    found = shutil.which("zensical", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if found is None:
        raise BadInput("Zensical is not installed: pip install zensical, or --engine mkdocs.")
    return found


def render(folder: Path, out: Path, site: Site, strict: bool) -> None:
    """Have Zensical render a folder that was written, and put the blocks in.

    Raises:
        BadInput: it ends with an error.
    """
    done = subprocess.run(  # noqa: S603  # the engine that the user asked for
        [command(), "build", *(["--strict"] if strict else [])],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    sys.stderr.write(done.stdout + done.stderr)
    if done.returncode:
        raise BadInput(f"Zensical ended with exit code {done.returncode}.")
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(folder / "site", out)
    made = {page.address: page for page in site.pages.values()}
    found = {file.relative_to(out).as_posix(): file for file in sorted(out.rglob("*.html"))}
    for address, file in found.items():
        html = file.read_text(encoding="utf-8")
        page = made.get(address)
        root = address.partition("/")[0]
        tongue = site.tongues[root if root in site.tongues else ENGLISH]
        there = counterparts(address, tongue, site.tongues, found)
        html = switched(page.filled(html) if page else html, address, there)
        html = marked(html, tongue, address)
        file.write_text(completed(html, tongue.language), encoding="utf-8")


def alternates(tongues: Mapping[str, Tongue]) -> list[dict[str, str]]:
    """Return the languages as the theme lists them, by their homes."""
    return [{"name": str(message("language.name").said(tongue.language)),
             "lang": tongue.language, "link": tongue.home("index.html")}
            for tongue in tongues.values()] if len(tongues) > 1 else []  # fmt: skip


def switched(html: str, address: str, there: Mapping[str, str]) -> str:
    """Let the switch of a page, and its head, lead to the same page in other languages."""
    here = posixpath.dirname(address)
    base = os.environ.get("SITE_URL", "")

    def link(language: str) -> str:
        return posixpath.relpath(there[language], here)

    def listed(m: re.Match[str]) -> str:
        if m[1] not in there or not is_rendered(address, there):
            return ""
        href = urljoin(base, there[m[1]]) if base else link(m[1])
        return f'\n      <link rel="{LISTED}" href="{href}" hreflang="{m[1]}">'

    html = LISTS.sub(listed, html)
    if not there:
        return SWITCH.sub("", html, count=1)
    html = ITEM.sub(lambda m: m[0] if m[1] in there else "", html)
    return CHOICE.sub(lambda m: m[1] + link(m[3]) + m[2], html)
