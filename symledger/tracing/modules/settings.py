"""Values of arguments: as settings are typed, as JSON writes them, as defaults are."""

from __future__ import annotations

import ast
import copy
import dataclasses
from typing import Any


def decoded(value: Any) -> Any:
    """Return a value of a ``config.json``, with the floats for which JSON has no word."""
    if isinstance(value, dict):
        if value.keys() == {"__float__"}:
            return float(value["__float__"])
        return {n: decoded(v) for n, v in value.items()}
    return [decoded(v) for v in value] if isinstance(value, list) else value


def copied(value: Any) -> Any:
    """Return a list or a mapping of its own, so that a configuration may change it."""
    return copy.deepcopy(value) if isinstance(value, list | dict) else value


def default_of(f: Any) -> Any:
    """Return the default of a field of a data class, None where it has none."""
    if f.default_factory is not dataclasses.MISSING:
        return f.default_factory()
    return None if f.default is dataclasses.MISSING else f.default


def valued(text: str, default: Any) -> Any:
    """Return what a setting means: a number, a truth, a list of numbers, else the text itself."""
    text = text.strip()
    lowered = text.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    if lowered == "none":
        return None
    if text[:1] + text[-1:] in ("[]", "()", "{}"):
        return literal(text)
    try:
        return int(text.replace(",", "").replace("_", ""))
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def literal(text: str) -> Any:
    """Return a list or a mapping as it is written in Python, words without quotes too."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        parts = [valued(part, None) for part in text[1:-1].split(",") if part.strip()]
        return tuple(parts) if text.startswith("(") else parts
