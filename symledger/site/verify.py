"""Is a built site what it should be? Every page, anchor, block and file is looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from symledger.errors import BadInput
from symledger.site.generator import Site
from symledger.site.pages import unmarked

HEADING = re.compile(r"^#+ .*\{: #([\w-]+)(?: [\w-]+)? \}$", re.MULTILINE)


def problems(folder: Path, site: Site | None = None) -> list[str]:
    """Return what is missing in a built site or differs from ``site``, the one that is expected.

    What is expected is made anew, unless it is given.

    Raises:
        BadInput: there is no such folder.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder: name one that `symledger site build` made.")
    return list(_problems(folder, site or Site()))


def _problems(folder: Path, site: Site) -> Iterator[str]:
    for page in site.pages.values():
        file = folder / page.address
        if not file.is_file():
            yield f"missing page: {page.address}"
            continue
        html = file.read_text(encoding="utf-8")
        for anchor in HEADING.findall(page.source):
            if f'id="{anchor}"' not in html:
                yield f"missing anchor: {page.address}#{anchor}"
        for i, block in enumerate(page.blocks):
            if block not in html and unmarked(block) not in html:
                yield f"different content: {page.address}, block {i}"
    for path, content in site.assets.items():
        if not (folder / path).is_file():
            yield f"missing file: {path}"
        elif (folder / path).read_bytes() != content:
            yield f"different file: {path}"
