"""Packages that are not always installed: which extra brings each, and what is said without it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec

from symledger.errors import BadInput

EXTRAS: Mapping[str, Mapping[str, str]] = {
    "docs": {
        "mkdocs": "MkDocs", "material": "Material for MkDocs", "jinja2": "Jinja2",
        "griffe": "Griffe", "markupsafe": "MarkupSafe", "yaml": "PyYAML", "pymdownx": "PyMdown",
    },
    "torch": {"torch": "PyTorch", "transformers": "transformers", "diffusers": "diffusers"},
    "test": {"babel": "Babel"},
}  # fmt: skip
"""The modules that each extra of pyproject.toml brings, and what people call them."""
CALLED = {module: name for modules in EXTRAS.values() for module, name in modules.items()}


def missing(modules: Iterable[str]) -> tuple[str, ...]:
    """Return those modules that are not installed."""
    return tuple(module for module in modules if not _is_there(module))


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # something stands in its place, and is not it
        return False


def lack(modules: Iterable[str]) -> str:
    """Say that some modules are not installed, and the command that installs them."""
    named = list(modules)
    extras = [extra for extra, brought in EXTRAS.items() if brought.keys() & {*named}]
    said = " and ".join(filter(None, (", ".join(map(_called, named[:-1])), _called(named[-1]))))
    command = f" (pip install 'symledger[{','.join(extras)}]')" if extras else ""
    return f"{said} {'are' if len(named) > 1 else 'is'} not installed{command}"


def _called(module: str) -> str:
    return CALLED.get(module, module)


def require(modules: Iterable[str], refused: str) -> None:
    """Refuse what cannot be done without some modules, where one of them is not installed.

    Raises:
        BadInput: which, and the command that installs them.
    """
    if lacking := missing(modules):
        raise BadInput(f"{refused}: {lack(lacking)}.")
