"""What a user asks to be traced: settings told apart, which are arguments, lengths and symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from symledger.algebra.parsing import parse_size
from symledger.errors import BadInput, nearest, shown
from symledger.sizes import BY_NAME, Size
from symledger.tracing.names import symbols_for
from symledger.tracing.space import whole_numbers
from symledger.tracing.subject import FREE, Subject, found, parse_input, subject_of


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
    axes = {axis for text in texts for axis in parse_input(text).axes if not axis.isdecimal()}
    axes |= set() if texts else FREE
    lengths = {name: parse_size(name, settings[name]) for name in settings if name in axes}
    own = {name: text for name, text in settings.items() if name not in axes}
    called = dict(map(_called, symbols))
    subject = _found(module, own, texts, training, config)
    by_symbol = {s: n for n, s in symbols_for(whole_numbers(subject), axes, called).items()}
    renamed = {by_symbol.get(n, n) if n not in subject.arguments else n: t for n, t in own.items()}
    for name in renamed:
        if name not in subject.arguments:
            known = [*subject.arguments, *axes]
            raise BadInput(f"{subject.name} has no argument {shown(name)}. {nearest(name, known)}")
    for name in called:
        if name not in (*whole_numbers(subject), *axes):
            raise BadInput(
                f"--symbol {name}={called[name]}: {subject.name} has no size {shown(name)}. "
                + nearest(name, [*whole_numbers(subject), *axes])
            )
    if renamed.keys() != own.keys():
        subject = _found(module, renamed, texts, training, config)
    if texts:
        _check_inputs(subject, texts)
    subject.given |= lengths
    return Asked(subject, lengths, called)


def _found(
    module: str | type[torch.nn.Module], settings: Mapping[str, str], inputs: tuple[str, ...],
    training: bool, config: Mapping[str, Any] | None,
) -> Subject:  # fmt: skip
    if isinstance(module, str):
        return found(module, settings, inputs, training, config)
    entering = tuple(map(parse_input, inputs))
    return subject_of(module, module.__module__, settings, entering, training, config)


def _called(text: str) -> tuple[str, str]:
    """Read ``n_embd=d``: an argument, and the symbol that is to be written for it."""
    name, equals, symbol = (part.strip() for part in text.partition("="))
    if not equals or not name or not (symbol.isidentifier() and symbol.isascii()):
        raise BadInput(f"--symbol {shown(text)} is not understood: write an argument and a symbol, "
                       "as in --symbol n_embd=d.")  # fmt: skip
    if not Size(symbol).least or (symbol in BY_NAME and not BY_NAME[symbol].least):
        raise BadInput(f"--symbol {shown(text)}: {symbol} is the symbol of a size that may be zero.")
    return name, symbol


def _check_inputs(subject: Subject, inputs: tuple[str, ...]) -> None:
    """Refuse inputs that a module's ``forward`` does not have, and ask for those that it needs."""
    import inspect

    parameters = inspect.signature(subject.kind.forward).parameters
    taken = [n for n, p in parameters.items() if n != "self"]
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
        del inputs
        raise BadInput(f"{subject.name}.forward needs {', '.join(lacking) or 'an input'}: say what "
                       f"enters, as in {line or '--input'}.")  # fmt: skip


IDS = ("id", "idx", "tok", "label", "target")


def usual(name: str) -> str:
    """Return what an input of a name mostly is."""
    if any(word in name.lower() for word in IDS):
        return "int64 (B, T)"
    image = any(word in name.lower() for word in ("image", "img", "pixel"))
    return "float32 (B, 3, H, W)" if image else "float32 (B, T, 64)"
