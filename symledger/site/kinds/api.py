"""The API page: every public name, its signature and its docstring, read off the package."""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from griffe import Docstring, DocstringSectionKind, Parser
from markupsafe import Markup

import symledger
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.pages import Page, unmarked

PATH = "api.md"
ASKING = ("derive", "solve", "fit", "sweep", "trace", "Account", "Formula")
DEFINING = ("Component", "steps", "Steps", "Size", "Tensor")
NOTATION = "symledger.notation.verbs"
ERRORS = "symledger.errors"
CODE = re.compile(r"``(.+?)``")
STRONG = re.compile(r"\*(\S[^*]*)\*")
QUOTED = re.compile(r"(: |-> )(['\"])(.*?)\2")
"""An annotation as Python shows it: a text."""
MADE = ("Size",)
"""Classes whose instances a user makes by calling them with these arguments."""
WIDE = 88
"""Characters of a signature on one line."""
PARSER: dict[str, Any] = {"warnings": False}


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the one page."""
    del atlas
    yield templates.page(PATH, "api.md.j2", groups=groups())


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}


@dataclass(frozen=True)
class Item:
    """One thing that a docstring lists: an argument or an error, and what is said of it."""

    name: str
    text: Markup


@dataclass(frozen=True)
class Documented:
    """A public name: its signature, and its docstring in parts."""

    name: str
    home: str
    signature: str
    prose: tuple[Markup, ...]
    examples: tuple[str, ...]
    arguments: tuple[Item, ...]
    errors: tuple[Item, ...]
    members: tuple[Documented, ...] = ()

    @property
    def anchor(self) -> str:
        """The anchor on the page."""
        return self.name.replace(".", "-")


@dataclass(frozen=True)
class Group:
    """Names that belong together: a key of the template's headings."""

    key: str
    names: tuple[Documented, ...]


def groups() -> tuple[Group, ...]:
    """Return all public names in groups."""
    verbs, errors = import_module(NOTATION), import_module(ERRORS)
    return (
        Group("asking", tuple(_public(name) for name in ASKING)),
        Group("defining", tuple(_public(name) for name in DEFINING)),
        Group("notation", tuple(documented(n, getattr(verbs, n)) for n in verbs.__all__)),
        Group("errors", tuple(documented(n, o) for n, o in _classes(errors))),
    )


def _public(name: str) -> Documented:
    return documented(name, getattr(symledger, name))


def _classes(module: Any) -> list[tuple[str, Any]]:
    """The public classes that a module defines itself, in its order."""
    return [
        (name, found) for name, found in vars(module).items()
        if inspect.isclass(found) and found.__module__ == module.__name__ and name[0] != "_"
    ]  # fmt: skip


def documented(name: str, found: Any, owner: str = "") -> Documented:
    """Read a function, a class with its public members, or a property."""
    full = f"{owner}.{name}" if owner else name
    members = (
        documented(member, value, name) for member, value in vars(found).items()
        if not member.startswith("_") and _is_member(value)
    ) if inspect.isclass(found) else ()  # fmt: skip
    home = getattr(_getter(found) or found, "__module__", "")
    prose, examples, listed = [], [], dict[str, tuple[Item, ...]]()
    for section in Docstring(inspect.getdoc(found) or "").parse(Parser.google, **PARSER):
        match section.kind:
            case DocstringSectionKind.text:
                for paragraph in section.value.split("\n\n"):
                    if paragraph.lstrip().startswith(">>>"):
                        examples.append(paragraph)
                    else:
                        prose.append(written(paragraph))
            case DocstringSectionKind.examples:
                examples += [code for _, code in section.value]
            case kind:
                listed[kind.value] = tuple(
                    Item(str(getattr(i, "name", "") or i.annotation), written(i.description))
                    for i in section.value
                )
    return Documented(
        full, home, signature(full, found), tuple(p for p in prose if p), tuple(examples),
        listed.get("parameters", ()), listed.get("raises", ()), tuple(members),
    )  # fmt: skip


def _is_member(value: Any) -> bool:
    return inspect.isfunction(value) or isinstance(
        value, property | cached_property | classmethod | staticmethod
    )


def _getter(found: Any) -> Any:
    """The function behind a property; None where it is none."""
    if isinstance(found, cached_property):
        return found.func
    return found.fget if isinstance(found, property) else None


def signature(name: str, found: Any) -> str:
    """Write how it is called; of a property its type, of a class what it is built on."""
    getter = _getter(found)
    if getter:
        return f"{name}: {inspect.signature(getter).return_annotation}"
    if inspect.isclass(found) and name not in MADE:
        bases = ", ".join(base.__name__ for base in found.__bases__ if base is not object)
        return f"class {name}({bases})" if bases else f"class {name}"
    called = inspect.signature(getattr(found, "__func__", found))
    kept = [_plain(p) for n, p in called.parameters.items() if n not in ("self", "cls")]
    whole = QUOTED.sub(r"\1\3", f"{name}{called.replace(parameters=kept)}")
    if len(whole) <= WIDE:
        return whole
    inner = "".join(QUOTED.sub(r"\1\3", f"    {p},\n") for p in kept)
    return f"{name}(\n{inner}){whole[whole.rindex(')') + 1 :]}"


class Unspelled:
    """Stands where a default is an object that Python has no spelling for."""

    def __repr__(self) -> str:
        return "…"


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter whose default is written the same in every run."""
    addressed = " at 0x" in repr(parameter.default)
    return parameter.replace(default=Unspelled()) if addressed else parameter


def written(text: str) -> Markup:
    """Write a paragraph of a docstring as HTML that Markdown leaves alone."""
    plain = html.escape(" ".join(text.split()), quote=False)
    marked = STRONG.sub(r"<em>\1</em>", CODE.sub(r"<code>\1</code>", plain))
    return Markup(unmarked(marked))  # noqa: S704  # escaped above
