"""How the module of a case is written: the call that makes it, at given sizes and choices.

A case makes its module by a function of sizes and choices. The call is what that function made of
them: the class, and the arguments that its first ``__init__`` was given, as Python writes them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.parts import ACTIVATIONS, Options, Sizes

Given = tuple[tuple[Any, ...], Mapping[str, Any]]


class Unwritten(Exception):
    """A module has an argument that no line of Python stands for."""


Written = tuple[str, Mapping[str, int], Mapping[str, Any]]
"""A call that speaks of ``sizes`` and ``choices``, and what these are."""


def written(case: Case, sizes: Sizes, options: Options) -> Written:
    """Write the call that makes the module of a case.

    Raises:
        Unwritten: an argument is a function without a name.
    """
    given: dict[int, tuple[Any, Given]] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == "__init__":
            made, arguments = _arguments(frame)
            given.setdefault(id(made), (made, arguments))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        with torch.device("meta"):
            module = case.build(sizes, options)
    finally:
        sys.setprofile(before)
    places, named = given[id(module)][1]
    tables = [v for v in (*places, *named.values()) if isinstance(v, Mapping)]

    def word(v: Any) -> Any:
        return Name(("sizes", "choices")[tables.index(v)]) if isinstance(v, Mapping) else v

    text = _call(type(module), tuple(map(word, places)), {k: word(v) for k, v in named.items()})
    ours, chosen = (*tables, *({} for _ in range(2)))[:2]
    return text, ours, chosen


@dataclass(frozen=True)
class Name:
    """A name for a table of sizes or choices, which is written elsewhere."""

    text: str


def _arguments(frame: FrameType) -> tuple[Any, Given]:
    """Return the object that an ``__init__`` makes, and what it is given."""
    names, rest, named, here = inspect.getargvalues(frame)
    made, *places = [here[name] for name in names]
    more = here[named] if named else {}
    if rest:
        return made, ((*places, *here[rest]), more)
    return made, ((), {**dict(zip(names[1:], places, strict=True)), **more})


def _call(kind: Any, places: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """Write a call without what is as it would be anyway, by place as far as that goes."""
    signature = inspect.signature(kind)
    bound = signature.bind(*places, **named).arguments
    words, by_place = [], True
    for name, parameter in signature.parameters.items():
        value = bound.get(name, parameter.default)
        if parameter.kind is parameter.VAR_POSITIONAL:
            words += [spelled(v) for v in bound.get(name, ())]
        elif parameter.kind is parameter.VAR_KEYWORD:
            words += [f"{key}={spelled(v)}" for key, v in bound.get(name, {}).items()]
        elif _same(value, parameter.default):
            by_place = False
        else:
            by_place &= parameter.kind is not parameter.KEYWORD_ONLY
            words.append(spelled(value) if by_place else f"{name}={spelled(value)}")
    return f"{spelled(kind)}({', '.join(words)})"


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and value == default)


def spelled(value: Any) -> str:
    """Write a value as Python does.

    Raises:
        Unwritten: it is a function without a name.
    """
    if isinstance(value, Name):
        return value.text
    if isinstance(value, Mapping):
        return "{" + ", ".join(f'"{k}": {spelled(v)}' for k, v in sorted(value.items())) + "}"
    if isinstance(value, tuple):
        return f"({', '.join(map(spelled, value))}{',' * (len(value) == 1)})"
    if isinstance(value, str):
        return f'"{value}"'
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, partial):
        return _call_of_partial(value)
    return next(_names(value))


def _call_of_partial(value: partial[Any]) -> str:
    words = [spelled(v) for v in (value.func, *value.args)]
    words += [f"{k}={spelled(v)}" for k, v in value.keywords.items()]
    return f"partial({', '.join(words)})"


def _names(value: Any) -> Iterator[str]:
    """The names of a class or a function: PyTorch's, one of these files, or in a table."""
    name = getattr(value, "__name__", "")
    for prefix, home in (("nn", nn), ("F", F), ("torch", torch)):
        if getattr(home, name, None) is value:
            yield f"{prefix}.{name}"
    if getattr(sys.modules.get(getattr(value, "__module__", "")), name, None) is value:
        yield name
    yield from (f'ACTIVATIONS["{key}"]' for key, known in ACTIVATIONS.items() if known is value)
    raise Unwritten(f"{value!r} has no name")
