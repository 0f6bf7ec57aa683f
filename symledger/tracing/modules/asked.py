"""What a user asks to be traced: settings told apart, which are arguments, lengths and symbols."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch

from symledger.algebra.parsing import parse_size
from symledger.errors import BadInput, nearest, shown
from symledger.sizes import BY_NAME
from symledger.tracing.modules.classes import FREE, located, subject_of
from symledger.tracing.modules.names import symbols_for
from symledger.tracing.modules.subject import Subject, parse_input
from symledger.tracing.spaces.space import whole_numbers


@dataclass(frozen=True)
class Asked:
    """A subject, the lengths that what enters is to have, and the symbols that were asked for."""

    subject: Subject
    lengths: Mapping[str, int]
    symbols: Mapping[str, str]


def asked(
    module: str | type[torch.nn.Module], settings: Mapping[str, str], inputs: Iterable[str] = (),
    symbols: Iterable[str] = (), training: bool = True, config: Mapping[str, Any] | None = None,
) -> Asked:  # fmt: skip
    """Find what is to be traced.

    A setting names an argument of the constructor, a length of what enters, or a symbol.

    Raises:
        UnknownTarget: there is no such class.
        BadInput: something that was said cannot be used; what, and what can.
    """
    texts = tuple(inputs)
    kind, where = located(module) if isinstance(module, str) else (module, module.__module__)
    entering = tuple(map(parse_input, texts))
    axes = {axis for x in entering for axis in x.axes if not axis.isdecimal()}
    axes |= set() if texts else FREE
    keys = configuration_keys(kind)
    own = {n: text for n, text in settings.items() if keys is None or n in keys or n not in axes}
    called = _all_called(symbols)
    subject = subject_of(kind, where, own, entering, training, config)
    axes -= subject.arguments.keys()
    own = {n: text for n, text in settings.items() if n not in axes}
    lengths = {n: parse_size(n, settings[n]) for n in settings if n in axes}
    by_symbol = {s: n for n, s in symbols_for(whole_numbers(subject), axes, called).items()}
    renamed = {by_symbol.get(n, n) if n not in subject.arguments else n: t for n, t in own.items()}
    for name in renamed:
        if name not in subject.arguments:
            known = [*subject.arguments, *axes]
            raise BadInput(f"{subject.name} has no argument {shown(name)}. {nearest(name, known)}")
    _check_called(called, subject, axes)
    if renamed.keys() != own.keys():
        subject = subject_of(kind, where, renamed, entering, training, config)
    if texts:
        _check_inputs(subject)
    subject.given |= lengths
    return Asked(subject, lengths, called)


def configuration_keys(kind: type[torch.nn.Module]) -> set[str] | None:
    """Return the keys of the configuration that a class is built of; None where it is of none."""
    configured = getattr(kind, "config_class", None)
    return {f.name for f in fields(configured)} if is_dataclass(configured) else None


def _check_called(called: Mapping[str, str], subject: Subject, axes: Iterable[str]) -> None:
    """Refuse symbols for what is no size, and those that two sizes would have."""
    sizes = [*whole_numbers(subject), *axes]
    for name, symbol in called.items():
        if name not in sizes:
            raise BadInput(f"--symbol {name}={symbol}: {subject.name} has no size {shown(name)}. "
                           f"{nearest(name, sizes)}")  # fmt: skip
        if symbol in axes and symbol != name:
            raise BadInput(
                f"--symbol {name}={symbol}: {symbol} is a length of what enters already. Choose "
                "another symbol, or call that length otherwise in --input."
            )


def _all_called(symbols: Iterable[str]) -> dict[str, str]:
    """Read the symbols that were asked for: one for each argument, none for two."""
    found: dict[str, str] = {}
    for name, symbol in map(_called, symbols):
        if found.get(name, symbol) != symbol:
            raise BadInput(f"--symbol gives {name} two symbols, {found[name]} and {symbol}.")
        other = next((n for n, s in found.items() if s == symbol and n != name), None)
        if other:
            raise BadInput(f"--symbol gives {other} and {name} the same symbol {symbol}.")
        found[name] = symbol
    return found


def _called(text: str) -> tuple[str, str]:
    """Read ``n_embd=d``: an argument, and the symbol that is to be written for it."""
    name, equals, symbol = (part.strip() for part in text.partition("="))
    if not equals or not name or not (symbol.isidentifier() and symbol.isascii()):
        raise BadInput(f"--symbol {shown(text)} is not understood: write an argument and a symbol, "
                       "as in --symbol n_embd=d.")  # fmt: skip
    if symbol in BY_NAME and not BY_NAME[symbol].least:
        raise BadInput(
            f"--symbol {shown(text)}: {symbol} is the symbol of a size that may be zero."
        )
    return name, symbol


def _check_inputs(subject: Subject) -> None:
    """Refuse inputs that a module's ``forward`` does not have, and ask for those that it needs."""
    if subject.kind.forward is torch.nn.Module.forward:
        raise BadInput(f"{subject.name} has no forward: write what it computes.")
    if not callable(subject.kind.forward):
        raise BadInput(f"{subject.name}.forward is no function: write what it computes.")
    parameters = inspect.signature(subject.kind.forward).parameters
    found = inspect.getattr_static(subject.kind, "forward")
    itself = not isinstance(found, staticmethod | classmethod)  # which not everybody calls self
    taken = [*parameters][itself:]
    given = {x.name for x in subject.inputs}
    several = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name in given:
        if name not in taken and not several:
            raise BadInput(f"{subject.name}.forward takes no {shown(name)}. {nearest(name, taken)}")
    needed = [
        n for n, p in parameters.items()
        if n in taken and p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]  # fmt: skip
    lacking = [n for n in needed if n not in given]
    if lacking or not (given or taken):
        line = " ".join(f'--input "{n}: {usual(n)}"' for n in lacking)
        raise BadInput(f"{subject.name}.forward needs {', '.join(lacking) or 'an input'}: say what "
                       f"enters, as in {line or '--input'}.")  # fmt: skip


IDS = ("id", "idx", "tok", "label", "target")


def usual(name: str) -> str:
    """Return what an input of a name mostly is."""
    if any(word in name.lower() for word in IDS):
        return "int64 (B, T)"
    image = any(word in name.lower() for word in ("image", "img", "pixel"))
    return "float32 (B, 3, H, W)" if image else "float32 (B, T, 64)"
