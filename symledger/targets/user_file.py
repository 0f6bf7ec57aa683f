"""A user's own model: a Python file that they named, run because they did, and its class."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from sympy import Expr, Symbol

from symledger.algebra.assumptions import parse_size
from symledger.catalogue.options import choices_of
from symledger.configs.files import LARGEST, content, kind
from symledger.errors import BadInput, UnknownTarget, nearest, shown
from symledger.notation.component import Component
from symledger.user_code import MODULE, guarded, noted


@dataclass(frozen=True)
class ModelFile:
    """A component that a user's file defines, with what its class states about it."""

    path: str
    name: str
    title: str
    component: Component
    configuration: Mapping[str, int]


def opened(text: str) -> ModelFile:
    """Run the file that the user named, and make a component of its class.

    Raises:
        UnknownTarget: the file has no such class.
        BadInput: no class is named, the file cannot be read or raises, its class is no component.
    """
    path, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise BadInput(
            f"{shown(text)} does not say which class: write path/to/model.py:ClassName."
        )
    module = imported(path)
    with guarded(path, shown(name)):
        return _defined(module, path, name)


def _defined(module: ModuleType, path: str, name: str) -> ModelFile:
    """Make a component of a class, where looking at it may run what its file defines."""
    kind = getattr(module, name, None)
    known = [
        n for n, c in vars(module).items()
        if isinstance(c, type) and issubclass(c, Component) and c.__module__ == module.__name__
    ]  # fmt: skip
    if kind is None:
        raise UnknownTarget(f"{shown(path)} has no class {shown(name)}. {nearest(name, known)}")
    if not (isinstance(kind, type) and issubclass(kind, Component)):
        raise BadInput(
            f"{shown(name)} in {shown(path)} is not a symledger Component: subclass "
            f"symledger.Component and give it a signature and a forward. {nearest(name, known)}"
        )
    if not is_dataclass(kind):
        raise BadInput(
            f"{shown(name)} in {shown(path)} is not a dataclass: write @dataclass(frozen=True) "
            "above its class."
        )
    with guarded(path, f"{shown(name)}()"):
        choices_of(kind)  # its type hints are read here, where a failure is the file's
        title = str(kind.title) or _first_line(kind)
        return ModelFile(path, name, title, kind(), _sizes_of(kind, path))


def _first_line(kind: type[Component]) -> str:
    said = (kind.__doc__ or "").strip().partition("\n")[0].rstrip(".")
    return "" if said.startswith(f"{kind.__name__}(") else said  # what dataclasses write


def _sizes_of(kind: type[Component], path: str) -> dict[str, int]:
    """Return the configuration that a user's class states, after a look at its equations."""
    for equations in (kind.assumptions, *kind.corollaries.values()):
        for symbol, e in equations.items():
            if not (isinstance(symbol, Symbol) and isinstance(e, Expr | int)):
                raise BadInput(
                    f"{shown(kind.__name__)} in {shown(path)} assumes {shown(repr(symbol))} = "
                    f"{shown(repr(e))}: write equations "
                    "between sizes, as in {sizes.d_ff: 4 * sizes.d}."
                )
    stated: Mapping[str, object] = dict(getattr(kind, "configuration", {}))
    return {name: parse_size(str(name), str(n)) for name, n in stated.items()}


def imported(path: str) -> ModuleType:
    """Run the file that the user named as a module of its own."""
    found = kind(path)
    if found != "a file":
        reason = f"it is {found}" if found else "there is no such file"
        raise BadInput(f"{shown(path)} cannot be read: {reason}.")
    if len(content(path)) > LARGEST:
        raise BadInput(f"{shown(path)} is larger than {LARGEST:,} bytes: is it a model?")
    file = Path(path)
    spec = spec_from_file_location(f"{MODULE}{file.stem}", file)
    if spec is None or spec.loader is None:
        raise BadInput(f"{shown(path)} is not a Python file: its name must end in .py.")
    module = module_from_spec(spec)
    noted(path)
    sys.modules[spec.name] = module
    with guarded(path, "the file"), among_its_neighbours(file):
        spec.loader.exec_module(module)
    return module


@contextmanager
def among_its_neighbours(file: Path) -> Iterator[None]:
    """Let a file import those beside it, as Python does where it is run."""
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
