"""Choices: the options of a definition, and what each may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.errors import BadInput, nearest, shown


@cache
def choices_of(kind: type[Any]) -> dict[str, tuple[Any, ...]]:
    """Return the fields of a definition that are choices, and what each may be.

    One that a definition narrows to a single value is no choice there.
    """
    hints = get_type_hints(kind)
    found: dict[str, tuple[Any, ...]] = {}
    for f in fields(kind):
        if hints[f.name] is bool:
            found[f.name] = (False, True)
        elif get_origin(hints[f.name]) is Literal and len(get_args(hints[f.name])) > 1:
            found[f.name] = get_args(hints[f.name])
    return found


@cache
def tried_of(kind: Any) -> dict[str, tuple[Any, ...]]:
    """Return the same choices without those that are seldom made."""
    hints = get_type_hints(kind, include_extras=True)
    found = dict(choices_of(kind))
    for name in found:
        marks = hints[name].__metadata__ if get_origin(hints[name]) is Annotated else ()
        for mark in marks:
            if isinstance(mark, Seldom):
                found[name] = mark.but
    return found


@cache
def deciding_of(kind: Any) -> frozenset[str]:
    """Return those that decide a size, and change no formula."""
    hints = get_type_hints(kind, include_extras=True)
    return frozenset(
        name for name in choices_of(kind) if get_origin(hints[name]) is Annotated
        and any(isinstance(m, Seldom) and m.decides for m in hints[name].__metadata__)
    )


def parse_option(choices: Mapping[str, tuple[Any, ...]], name: str, text: str) -> Any:
    """Read the value of one of several options.

    Raises:
        BadInput: it is not one of the option's values.
    """
    allowed = choices[name]
    if allowed == (False, True):
        words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        if text.strip().lower() in words:
            return words[text.strip().lower()]
        raise BadInput(f"{name} = {shown(text)} is not a choice: it is true or false.")
    spelled = {str(value): value for value in allowed}
    if text.strip() in spelled:
        return spelled[text.strip()]
    raise BadInput(
        f"{name} = {shown(text)} is not a choice: it is {', '.join(spelled)}. "
        + nearest(text.strip(), spelled)
    )
