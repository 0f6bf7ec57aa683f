"""The class that a user names, and how it is built: of plain arguments, or of a data class."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import torch

from symledger.errors import BadInput, UnknownTarget, nearest, shown
from symledger.extras import CALLED, require
from symledger.targets.user_file import imported
from symledger.tracing.modules.configured import configured_subject
from symledger.tracing.modules.settings import default_of, valued
from symledger.tracing.modules.subject import Entering, Subject, parse_input
from symledger.tracing.runs.devices import own_defaults
from symledger.tracing.runs.limit import limited
from symledger.user_code import guarded


def found(
    text: str, settings: Mapping[str, str], inputs: tuple[str, ...] = (), training: bool = True,
    config: Mapping[str, Any] | None = None,
) -> Subject:  # fmt: skip
    """Find the class that a text names and say how it is built.

    Raises:
        UnknownTarget: there is no such class.
        BadInput: the file cannot be read, the class is no module, or needs arguments that were not
            given.
    """
    entering = tuple(map(parse_input, inputs))
    return subject_of(*located(text), settings, entering, training, config)


def located(text: str) -> tuple[type[torch.nn.Module], str]:
    """Return the class that a text names, and the file or the module that it is in.

    Raises:
        UnknownTarget: there is no such module or class.
        BadInput: the file cannot be read, or the class is no module of PyTorch.
    """
    where, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise BadInput(f"{shown(text)} does not say which class: write path/to/model.py:ClassName, "
                       "package.module:ClassName or transformers:ClassName.")  # fmt: skip
    module = _module(where)
    kind = getattr(module, name, None)
    known = [n for n, c in vars(module).items()
             if isinstance(c, type) and issubclass(c, torch.nn.Module)]  # fmt: skip
    if kind is None:
        raise UnknownTarget(f"{shown(where)} has no class {shown(name)}. {nearest(name, known)}")
    if not (isinstance(kind, type) and issubclass(kind, torch.nn.Module)):
        raise BadInput(f"{shown(name)} in {shown(where)} is not a torch.nn.Module. "
                       f"{nearest(name, known)}")  # fmt: skip
    return kind, where


FREE = {"B", "T", "S", "H", "W", "D"}
"""Lengths that what enters has where that was guessed."""


def _module(where: str) -> ModuleType:
    if where.endswith(".py") or "/" in where:
        with limited(where), own_defaults():
            return imported(where)
    if not is_there(where):
        require(CALLED.keys() & {where.partition(".")[0]}, f"no class of {where} can be traced")
        raise UnknownTarget(
            f"there is no module {shown(where)} here; a file is named by its path, as in "
            "path/to/model.py:ClassName."
        )
    with guarded(where, "the module"):
        return import_module(where)


def is_there(module: str) -> bool:
    """Whether there is a Python module of a name."""
    try:
        return bool(module) and find_spec(module) is not None
    except (ImportError, ValueError):  # what stands around it is not there, or is no package
        return False


def subject_of(
    kind: type[torch.nn.Module], where: str, settings: Mapping[str, str],
    inputs: tuple[Entering, ...], training: bool, config: Mapping[str, Any] | None,
) -> Subject:  # fmt: skip
    """Say how a class is built.

    Raises:
        BadInput: it needs arguments that were not given.
    """
    name = kind.__name__
    configured = getattr(kind, "config_class", None)
    if dataclasses.is_dataclass(configured) and hasattr(configured, "from_dict"):
        return configured_subject(kind, where, settings, inputs, training, config)
    with guarded(where, name):
        signature = inspect.signature(kind)
    arguments: dict[str, Any] = {}
    objects: dict[str, Any] = {}
    missing: list[str] = []
    for p in signature.parameters.values():
        holder = _holder(p, kind)
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if p.name in settings and holder is None:
            arguments[p.name] = valued(settings[p.name], p.default)
        elif holder is not None:
            objects[p.name] = holder
            arguments |= _fields(holder, settings, missing)
        elif p.default is p.empty:
            missing.append(p.name)
        else:
            arguments[p.name] = p.default
    if missing:
        line = " ".join(f"--set {n}=…" for n in missing)
        raise BadInput(f"{shown(name)} needs {', '.join(missing)}: add {line}")
    own = [p for p in arguments if p in signature.parameters]

    def make(values: dict[str, Any]) -> torch.nn.Module:
        given = {p: values[p] for p in own}
        for p, holder in objects.items():
            names = [f.name for f in dataclasses.fields(holder) if f.init]
            given[p] = holder(**{n: values[n] for n in names})
        return kind(**given)

    return Subject(name, where, kind, arguments, make, inputs, training)


def _holder(p: inspect.Parameter, kind: type) -> type | None:
    """Return the data class whose object a parameter takes, if it takes one."""
    stated: Any = p.annotation
    if isinstance(stated, str):
        stated = vars(import_module(kind.__module__)).get(stated)
    if isinstance(stated, type) and dataclasses.is_dataclass(stated):
        return stated
    if dataclasses.is_dataclass(p.default) and not isinstance(p.default, type):
        return type(p.default)
    if p.default is p.empty and stated in (None, p.empty) and p.name in ("config", "cfg", "args"):
        module = vars(import_module(kind.__module__))
        of = [c for c in module.values() if isinstance(c, type) and dataclasses.is_dataclass(c)
              and c.__module__ == kind.__module__]  # fmt: skip
        return of[0] if len(of) == 1 else None
    return None


def _fields(holder: type, settings: Mapping[str, str], missing: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for f in dataclasses.fields(holder):
        if not f.init:
            continue
        default = default_of(f)
        if f.name in settings:
            found[f.name] = valued(settings[f.name], default)
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            missing.append(f.name)
        else:
            found[f.name] = default
    return found
