"""The class of a vector, as it is traced: its configuration's keys, and what enters it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from inspect import signature
from typing import Any

from symledger.checks.traced.vectors import Vector
from symledger.checks.transformers.building import class_of, untied
from symledger.errors import BadInput
from symledger.traces.graph import Traced
from symledger.tracing.modules.configured import configured_subject
from symledger.tracing.modules.subject import Subject, parse_input
from symledger.tracing.spaces.space import Space
from symledger.tracing.trace import trace

TOKENS = "input_ids: int64 (B, T)"
SOURCE = ("input_ids: int64 (B, S)", "decoder_input_ids: int64 (B, T)")
KNOWN = ("input_ids", "decoder_input_ids", "pixel_values", "input_features", "input_values")
"""What the inputs of a class are called that are no masks, positions or results of others."""


def traced(vector: Vector) -> tuple[Traced, Space]:
    """Trace the class of a vector.

    Raises:
        BadInput: it cannot be traced; why.
    """
    found = subject(vector)
    logging.getLogger("transformers").setLevel(logging.ERROR)
    return trace(found)


def subject(vector: Vector) -> Subject:
    """Return what is traced, with attention operation by operation, so that it is counted."""
    kind = class_of(vector.configuration)
    document = {k: v for k, v in vector.document.items() if k != "architectures"}
    inputs = tuple(map(parse_input, entering(kind, vector)))
    found = configured_subject(kind, "transformers", {}, inputs, False, document, fused=False)
    return replace(found, make=lambda values: untied(vector.configuration, found.make(values)))


def entering(kind: type[Any], vector: Vector) -> tuple[str, ...]:
    """Return what enters a class, in words.

    Raises:
        BadInput: that is not known.
    """
    takes = signature(kind.forward).parameters
    asked = [n for n, p in takes.items() if n != "self" and p.default is p.empty
             and p.kind is p.POSITIONAL_OR_KEYWORD]  # fmt: skip
    names = [n for n in takes if n in {*KNOWN, *asked, kind.main_input_name}]
    if names == ["input_ids"]:
        return (TOKENS,)
    if {*names} == {"input_ids", "decoder_input_ids"}:
        return SOURCE
    if names == ["pixel_values"]:
        return (f"pixel_values: float ({', '.join(('B', *image(vector)))})",)
    raise BadInput(
        f"{' and '.join(names)} enter {kind.__name__}: classes are traced where tokens alone enter,"
        " or images alone."
    )


def image(vector: Vector) -> tuple[str, str, str]:
    """Return the lengths of an image, by the keys that say them where they do."""
    known: Mapping[str, Any] = {**vector.family.facts["keys"], **vector.document}
    channels = next((n for n in ("num_channels",) if n in known), "3")
    if type(known.get("image_size")) is int:
        return channels, "image_size", "image_size"
    return channels, "H", "W"
