"""What a text names: a target of the catalogue, a layer, a configuration, or a user's own file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from os.path import isdir
from typing import Any

from symledger.algebra.parsing import parse_expression
from symledger.catalogue import entries as catalogue
from symledger.catalogue.checkpoints import Checkpoint, checkpoints, missing
from symledger.catalogue.options import parse_option
from symledger.configs.document import Document, load
from symledger.configs.files import STANDARD_INPUT, content, kind
from symledger.errors import BadInput, UnknownTarget
from symledger.ir.naming import snake
from symledger.sizes import BY_NAME
from symledger.targets.target import Target

CALL = re.compile(r"\s*([A-Za-z_][\w.]*\s*\(|(torch\.)?nn\.)")
TRACE = b"symledger.trace"
"""What stands at the beginning of the file of a trace."""
FILE = re.compile(r"\.py:\w*\s*$")


def resolve(text: str) -> Target:
    """Find what the user named: a catalogue name, a layer, or ``path/to/model.py:ClassName``.

    Raises:
        UnknownTarget: the catalogue has no such name, the file no such class, torch.nn no such
            layer.
        BadInput: the file cannot be read, raises, or its class, the layer or the configuration
            cannot be used.
    """
    if text in STANDARD_INPUT or text.endswith(".json") or holds_configuration(text):
        return _from_trace(text) if is_trace(text) else _configured(text, load(text))
    if is_call(text):
        return _constructed(text)
    if "/" in text and ".py" not in text and ":" not in text:
        raise missing(text)
    if ".py" in text or "/" in text or (":" in text and "(" not in text):
        return _from_file(text)
    known = None if text in catalogue.BY_NAME else checkpoints().get(text)
    if known:  # their files are read where the catalogue has no such name
        return _published(known)
    try:
        entry = catalogue.find(text)
    except UnknownTarget:
        if isdir(text):
            raise missing(text) from None
        raise
    return Target(
        entry.name, entry.family, entry.line, entry.made(),
        entry.inputs, entry.lengths, entry.configuration(), entry.options, entry.corollaries(),
    )  # fmt: skip


def is_call(text: str) -> bool:
    """Whether a target is written as a call, or names torch.nn; files are not."""
    return bool(CALL.match(text)) and not FILE.search(text)


def _constructed(text: str) -> Target:
    from symledger.torch_layers.call import read

    constructor = read(text)
    plain = resolve(constructor.entry)
    usual = {**(plain.configuration or {}), **constructor.layer.usual}
    own = {BY_NAME[s]: parse_expression(e, BY_NAME) for s, e in constructor.entered.items()}
    return replace(
        plain.with_options({s.name: e for s, e in own.items()}), name=constructor.text,
        constructor=constructor, configuration=usual, entered=own,
    )  # fmt: skip


def is_trace(text: str) -> bool:
    """Whether a text names a file that ``symledger trace`` wrote: its name says so, or it does."""
    if text.endswith(".trace.json"):
        return True
    return kind(text) != "a folder" and TRACE in content(text)[:100]


def _from_trace(text: str) -> Target:
    from symledger.targets.traced import traced_target
    from symledger.traces.reading import loaded

    return traced_target(loaded(content(text), text), text)


def holds_configuration(text: str) -> bool:
    """Whether a text names a folder with a configuration in it, or by its path what may be one."""
    if kind(text) == "a folder":
        return kind(f"{text}/config.json") not in ("", "a folder")
    return "/" in text and ".py" not in text and bool(kind(text))


def _configured(name: str, document: Document) -> Target:
    """The target that a configuration describes.

    A choice that it does not have (a tied head, where there is none) is left out.
    """
    from symledger.configs.read import read

    found = read(document)
    plain = resolve(found.built.entry)
    chosen = _chosen(plain, found.settings)
    sizes = {s: int(n) for s, n in found.settings.items() if s in BY_NAME}
    return replace(_preset(plain, name, chosen, sizes), configured=found)


def _published(known: Checkpoint) -> Target:
    if known.config:
        from symledger.configs.read import check_reader, mended_at

        check_reader(known)
        with mended_at(known):
            found = _configured(known.name, known.config)
        given = {**known.sizes, **(found.configuration or {})}
        return replace(found, configuration=given, source=known.source, total=known.total)
    plain = resolve(known.entry)
    chosen = _chosen(plain, known.options)
    found = _preset(plain, known.name, chosen, known.sizes)
    return replace(found, source=known.source, total=known.total)


def _chosen(plain: Target, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the choices among settings.

    Raises:
        BadInput: what an entry is alone derived with is chosen otherwise.
    """
    for name, text in settings.items():
        only = getattr(plain.component, name, None)
        if name not in plain.choices and isinstance(only, bool | str) and _spelled(only) != text:
            raise BadInput(
                f"{name} = {text} is not supported: {plain.name} is derived with {name} = "
                f"{_spelled(only)} alone."
            )
    return {
        name: parse_option(plain.choices, name, text)
        for name, text in settings.items() if name in plain.choices
    }  # fmt: skip


def _spelled(value: bool | str) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _preset(
    plain: Target, name: str, chosen: Mapping[str, Any], sizes: Mapping[str, int]
) -> Target:
    """A target at a configuration: its choices made, its sizes given, until others are set."""
    return replace(plain.with_options(chosen), name=name, configuration=sizes)


def _from_file(text: str) -> Target:
    from symledger.targets import user_file as model_file

    found = model_file.opened(text)
    return Target(
        found.name, snake(found.name), found.title, found.component,
        configuration=found.configuration, cases=dict(type(found.component).corollaries),
        origin=found.path,
    )  # fmt: skip
