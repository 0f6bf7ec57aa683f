"""``python -m symledger.configs.record``: write the defaults of the implementation down.

They are facts from outside: the fields of each configuration class of Hugging Face's transformers
with their defaults, what they take for a value, and the other names that keys go by; of diffusers,
which has no such classes, what a model is told when it is made. Needs the extra ``torch``.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, fields
from importlib import import_module
from importlib.metadata import version
from inspect import getsource, signature
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from symledger.config_keys.family import DEFAULTS, Family
from symledger.configs.families import every_family

PLAIN: dict[Any, str] = {
    **{kind: kind.__name__ for kind in (bool, int, float, str, list, dict)},
    tuple: "list", NoneType: "None",
}  # fmt: skip
"""The types that a value in JSON may have; a tuple is written as a list there."""


def found(family: Family) -> dict[str, Any]:
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
    return {
        "class": kind.__name__, "keys": keys, "types": types, "aliases": dict(kind.attribute_map),
        "padded": _padded(kind),
    }  # fmt: skip


def _padded(kind: type) -> bool:
    """Whether a row of the tables of tokens is that of padding, which has to be one of them."""
    models = import_module(kind.__module__.replace(".configuration_", ".modeling_"))
    return "padding_idx" in getsource(models)


def _kinds(said: Any) -> list[str]:
    """Return the types of JSON among those that a field may be, null as ``None``."""
    each = [get_origin(kind) or kind for kind in get_args(said) or (said,)]
    if get_origin(said) in PLAIN:
        each = [get_origin(said)]
    if get_origin(said) is Literal:
        each = [type(value) for value in get_args(said)]
    return list(dict.fromkeys(PLAIN[kind] for kind in each if kind in PLAIN))


def _default(f: Field[Any]) -> Any:
    return _plain(f.default_factory() if f.default_factory is not MISSING else f.default)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def main() -> None:
    """Write the file."""
    every = every_family()
    families = {family.model_type: found(family) for family in every if not family.like}
    lines = [f'  {json.dumps(name)}: {json.dumps(row)}' for name, row in sorted(families.items())]
    versions = {name: version(name) for name in sorted({family.library for family in every})}
    DEFAULTS.write_text(
        f'{{"versions": {json.dumps(versions)},\n "families": {{\n' + ",\n".join(lines) + "\n}}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
