"""Writing, building and serving the site."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from symledger.accounts.gc_pause import uncollected
from symledger.errors import BadInput, shown
from symledger.site import resources, zensical
from symledger.site.generator import MANIFEST, Site, remembered
from symledger.site.memory import PLACE


def build(
    out: Path, engine: str, site: Site | None = None, cache: bool = True, strict: bool = True
) -> None:
    """Build the site into a folder with MkDocs or with Zensical.

    ``site`` is what Zensical builds, where it was generated before; MkDocs asks our plugin. With
    ``cache`` what earlier builds made of the same sources is not made again. Where it is
    ``strict``, a link that leads nowhere ends it: of a part of the site some do.

    Raises:
        BadInput: the engine is not installed, or the folder holds something that is not a site.
    """
    claim(out)
    say(f"building {out} with {engine} …")
    if not cache:
        os.environ[PLACE] = ""
    if engine == "zensical":
        zensical.command()
        site = site or Site()
        with tempfile.TemporaryDirectory() as temporary:
            write(Path(temporary), site, filled=False)
            zensical.render(Path(temporary), out, site, strict)
        return
    with _mkdocs() as (load_config, make), uncollected():
        folder = str(out.resolve())
        make(load_config(str(resources.configuration()), site_dir=folder, strict=strict))


def serve(port: int) -> None:
    """Serve the site at a port of this machine until interrupted; changes are built at once.

    Pages that a change does not concern are left alone.
    """
    with _mkdocs():
        from mkdocs.commands import serve as serving

        serving.serve(
            str(resources.configuration()), build_type="dirty", dev_addr=f"127.0.0.1:{port}"
        )


def write(folder: Path, site: Site | None = None, *, filled: bool = True) -> None:
    """Write every page as Markdown with its blocks in place, and a configuration beside them.

    Only files that changed are touched; those of an earlier writing that are gone are removed.
    Pages that are not ``filled`` have places where their blocks belong, for who puts them in later.

    Raises:
        BadInput: the folder holds something that is not such a writing.
    """
    site = site or remembered()
    empty = {} if filled else {path: p.source.encode() for path, p in site.pages.items()}
    docs = folder / "docs"
    claim(docs)
    files = {
        **{p.relative_to(resources.docs()).as_posix(): p.read_bytes()
           for p in sorted(resources.docs().rglob("*")) if p.is_file()},
        **dict(site.files()), **empty,
    }  # fmt: skip
    for path, content in files.items():
        _put(docs / path, content)
    for file in sorted(docs.rglob("*")):
        if file.is_file() and file.relative_to(docs).as_posix() not in files:
            file.unlink()
    alternate = None if filled else zensical.alternates(site.tongues)
    _put(folder / "mkdocs.yml", configuration(site, alternate).encode())
    site.memory.save()


def configuration(site: Site, alternate: list[dict[str, str]] | None = None) -> str:
    """Return a configuration for the written folder: the navigation whole, our plugin left out.

    ``alternate`` are the languages that the theme lists on every page.
    """
    import yaml
    from mkdocs.utils.yaml import yaml_load

    from symledger.site.mkdocs.navigation import expanded

    read: dict[str, Any] = yaml_load(resources.configuration().read_text(encoding="utf-8"))
    read["nav"] = expanded(read["nav"], site)
    read["plugins"] = [p for p in read["plugins"] if p != "symledger"]
    if alternate:
        read["extra"]["alternate"] = alternate
    return str(yaml.safe_dump(read, sort_keys=False, allow_unicode=True))


def claim(folder: Path) -> None:
    """Make sure that nothing of the user's is overwritten.

    Raises:
        BadInput: the folder holds files and is not a site that was built before.
    """
    if folder.is_file():
        raise BadInput(f"{shown(str(folder))} is a file: give a folder to write into.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise BadInput(
            f"{shown(str(folder))} holds files and no {MANIFEST} of an earlier build: it would be "
            "overwritten. Give an empty folder or a new one."
        )


def say(text: str) -> None:
    """Tell the progress on stderr."""
    sys.stderr.write(text + "\n")


def _put(file: Path, content: bytes) -> None:
    if not file.is_file() or file.read_bytes() != content:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


@contextmanager
def _mkdocs() -> Iterator[tuple[Any, Any]]:
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from mkdocs.commands.build import build as make
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    try:
        yield load_config, make
    except MkDocsException as error:
        raise BadInput(f"MkDocs refused: {error}") from error
