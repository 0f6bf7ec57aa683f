"""A configuration as text: one JSON object of modest size, or one clear message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from symledger.configs.files import LARGEST, STANDARD_INPUT, content, kind
from symledger.errors import BadInput, shown

DEEPEST = 12
Document = Mapping[str, Any]


def load(path: str) -> Document:
    """Read a configuration from a file, from the ``config.json`` of a folder, or from stdin (-).

    Raises:
        BadInput: it cannot be read, is too large, or is no JSON object.
    """
    inside = f"{path}/config.json" if kind(path) == "a folder" else path
    return parse(content(inside), "standard input" if path in STANDARD_INPUT else path)


def parse(content: bytes, name: str) -> Document:
    """Parse a configuration.

    Raises:
        BadInput: it is too large, no JSON object, nested too deeply, or gives a key twice.
    """
    where = shown(name)
    if len(content) > LARGEST:
        raise BadInput(f"{where} is larger than {LARGEST:,} bytes: is it a configuration?")
    try:
        found = json.loads(
            content.decode("utf-8-sig"), object_pairs_hook=_sound, parse_constant=float
        )
    except UnicodeDecodeError as error:
        raise BadInput(f"{where} is no configuration: it is not text in UTF-8.") from error
    except json.JSONDecodeError as error:
        raise BadInput(
            f"{where} is no configuration: it is not JSON ({error.msg}, line {error.lineno})."
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        known = isinstance(error, _Nothing)
        said = str(error) if known else "its numbers or its nesting are absurd"
        raise BadInput(f"{where} is no configuration: {said}.") from error
    if not isinstance(found, dict):
        raise BadInput(f"{where} is no configuration: it holds no JSON object {{…}}.")
    if _depth(found) > DEEPEST:
        raise BadInput(f"{where} is no configuration: it is nested more than {DEEPEST} deep.")
    return found


class _Nothing(ValueError):
    """What stands in it means nothing: a key twice in one object, or no number."""


def _sound(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; Infinity, which some files hold (time_step_limit), counts nothing."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Nothing(f"the key {shown(twice)} stands in it twice")
    for key, value in pairs:
        if _has_nan(value):
            raise _Nothing(f"its key {shown(key)} holds NaN, which is no value")
    return found


def _has_nan(value: object) -> bool:
    """Whether a value is NaN, or a list that holds one; objects have been looked through."""
    return value != value if not isinstance(value, list) else any(map(_has_nan, value))


def _depth(value: object) -> int:
    inner: list[object] = []
    if isinstance(value, dict):
        inner = list(value.values())
    elif isinstance(value, list):
        inner = value
    return 1 + max(map(_depth, inner), default=0)
