"""The defaults of the reference implementations, asked of the classes that read configurations.

They are facts from outside: the fields of each configuration class of Hugging Face's transformers
with their defaults, what they take for a value, and the other names that keys go by; of diffusers,
which has no such classes, what a model is told when it is made. Needs the extra ``torch``.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from importlib import import_module
from importlib.util import find_spec
from inspect import getsource, signature
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from symledger.config_keys.family import Family

PLAIN: dict[Any, str] = {
    **{kind: kind.__name__ for kind in (bool, int, float, str, list, dict)},
    tuple: "list", NoneType: "None",
}  # fmt: skip
"""The types that a value in JSON may have; a tuple is written as a list there."""


def defaults(family: Family) -> dict[str, Any]:
    """Return what the class of a family says of its keys."""
    if family.library == "diffusers":
        return _told(family.model_type)
    return _fields(family.model_type)


def _told(name: str) -> dict[str, Any]:
    import diffusers

    parameters = signature(getattr(diffusers, name).__init__).parameters
    keys = {key: _plain(p.default) for key, p in parameters.items() if key != "self"}
    return {"class": name, "keys": keys, "types": {}, "aliases": {}, "padded": False}


def _fields(model_type: str) -> dict[str, Any]:
    from transformers import PreTrainedConfig
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = CONFIG_MAPPING[model_type]
    shared = {f.name: _default(f) for f in fields(PreTrainedConfig)}
    own = {f.name: _default(f) for f in fields(kind)}
    keys = {name: value for name, value in own.items() if shared.get(name, MISSING) != value}
    types = {f.name: " | ".join(_kinds(f.type)) for f in fields(kind) if f.name in keys}
    meant = dict(kind.attribute_map)
    keys, types = ({meant.get(name, name): each for name, each in found.items()}
                   for found in (keys, types))  # fmt: skip
    order = {name: i for i, name in enumerate(own)}
    heard = {a: name for a, name in meant.items()  # a later field is given its default over them
             if a not in order or name not in order or order[a] >= order[name]}  # fmt: skip
    return {
        "class": kind.__name__, "keys": keys, "types": types, "aliases": heard,
        "padded": _padded(kind),
    }  # fmt: skip


def _padded(kind: type) -> bool:
    """Whether a row of the tables of tokens is that of padding, which has to be one of them.

    Some have no models of their own, but are built by those of another type.
    """
    own = kind.__module__.replace(".configuration_", ".modeling_")
    return "padding_idx" in getsource(import_module(own if find_spec(own) else _built_by(kind)))


def _built_by(kind: type) -> str:
    """Return where the class is that is built of such a configuration: a task's if none is bare."""
    from transformers.models.auto import modeling_auto as auto

    tables = (auto.MODEL_MAPPING, auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING)
    return next(str(table[kind].__module__) for table in tables if kind in table)


def _kinds(said: Any) -> list[str]:
    """Return the types of JSON among those that a field may be, null as ``None``."""
    return list(dict.fromkeys(PLAIN[kind] for kind in _members(said) if kind in PLAIN))


def _members(said: Any) -> list[Any]:
    """Return the types among those that a field may be, those of values that are listed too."""
    if get_origin(said) is Literal:
        return [type(value) for value in get_args(said)]
    if get_origin(said) in PLAIN or not get_args(said):
        return [get_origin(said) or said]
    return [kind for part in get_args(said) for kind in _members(part)]


def _default(f: Field[Any]) -> Any:
    return _plain(f.default_factory() if f.default_factory is not MISSING else f.default)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
