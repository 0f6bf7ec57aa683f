"""What pages are made of, by its content: the same sources give the same pages.

Definitions of components and models, and templates, are told apart from each other, and from all
the rest.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment
from jinja2.meta import find_referenced_templates

from symledger.site import resources

PACKAGE = Path(__file__).parents[1]
DEFINITIONS = ("components/*/*.py", "models/shared/*.py", "models/*/model.py")
"""The files of definitions."""
WHOLE = {"components", "models"}
"""The packages that they are in."""
LIBRARIES = ("sympy", "jinja2", "markupsafe", "griffelib")
"""What writes on pages beside this package."""


def digest(*parts: object) -> str:
    """Return a hash of texts, bytes and data."""
    found = sha256()
    for part in parts:
        known = part if isinstance(part, bytes) else json.dumps(part).encode()
        found.update(b"%d " % len(known) + known)
    return found.hexdigest()


class Sources:
    """Files as they are on disk now, each read once."""

    @cached_property
    def definitions(self) -> dict[str, bytes]:
        """The modules of definitions: ``components.maps.linear``, ``models.gpt2.model``."""
        return {module_of(file): file.read_bytes() for file in self._files}

    @cached_property
    def _files(self) -> list[Path]:
        found = (file for pattern in DEFINITIONS for file in PACKAGE.glob(pattern))
        return sorted(file for file in found if file.stem != "__init__")

    @cached_property
    def rest(self) -> str:
        """All else: the package, its data and evidence, libraries, Python.

        It is the same in a wheel, which carries what stands beside a checkout's package within.
        """
        content = [
            (file.relative_to(PACKAGE).as_posix(), sha256(file.read_bytes()).hexdigest())
            for file in within(PACKAGE)
            if file not in self._files and not file.is_relative_to(resources.INSIDE)
        ]  # fmt: skip
        return digest(sys.version, [version(name) for name in LIBRARIES], content)

    @cache  # noqa: B019  # as long as a build
    def template(self, name: str) -> str:
        """Return a hash of a template, and of all that it takes macros from."""
        reader = Environment()  # noqa: S701  # nothing is filled in
        found: dict[str, str] = {}
        new = [name]
        while new:
            at = new.pop()
            found[at] = (resources.templates() / at).read_text(encoding="utf-8")
            named = find_referenced_templates(reader.parse(found[at]))
            new += {other for other in named if other} - found.keys()
        return digest(sorted(found.items()))

    def text(self, module: str) -> str:
        """Return a hash of a module of definitions as it is written."""
        return digest(self.definitions[module])

    @cache  # noqa: B019  # as long as a build
    def code(self, module: str) -> str:
        """Return a hash of what a module says, and all that it imports: comments have no part."""
        return digest([(name, self._own(name)[0]) for name in sorted(self._reached(module))])

    def _reached(self, module: str) -> set[str]:
        found, new = {module}, [module]
        while new:
            named = set(self._own(new.pop())[1])
            several = self.definitions.keys() if named & WHOLE else named
            more = several & self.definitions.keys() - found
            found |= more
            new += more
        return found

    @cache  # noqa: B019  # as long as a build
    def _own(self, module: str) -> tuple[str, tuple[str, ...]]:
        tree = ast.parse(self.definitions[module])
        return digest(ast.dump(tree)), tuple(imported(tree))


def module_of(file: Path) -> str:
    """Return the module that a file of the package is, as it is called within."""
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts)


def within(folder: Path) -> list[Path]:
    """Return the files of a folder, but for what Python compiled."""
    return sorted(f for f in folder.rglob("*") if f.suffix != ".pyc" and f.is_file())


def changed(folder: Path, since: int) -> bool:
    """Whether a file of a folder was changed, or put there, since a time in nanoseconds."""
    times = (file.stat() for file in within(folder))
    return any(max(found.st_mtime_ns, found.st_ctime_ns) > since for found in times)


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules of this package that a module imports, wherever in it."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)]
        yield from (name.removeprefix("symledger.") for name in names)
