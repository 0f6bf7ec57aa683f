"""The account of a module that is traced now: its formulas, as ``derive`` gives those of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch

from symledger.accounts.account import Account
from symledger.derivations.query import requested
from symledger.errors import BadInput, shown
from symledger.targets.traced import traced_target
from symledger.traces.graph import Traced
from symledger.tracing.asked import asked
from symledger.tracing.checks import checked
from symledger.tracing.trace import trace as trace_subject


def traced(
    module: str | type[torch.nn.Module], settings: Mapping[str, str],
    inputs: Iterable[str] = (), symbols: Iterable[str] = (), training: bool = True,
    config: Mapping[str, Any] | None = None, told: Callable[[str], None] = lambda said: None,
) -> Traced:  # fmt: skip
    """Trace a module that was named, or is given as a class.

    Raises:
        SymledgerError: it cannot be traced; why, and where.
    """
    found = asked(module, settings, inputs, symbols, training, config)
    made, space = trace_subject(found.subject, found.symbols, told, found.lengths)
    told("comparing it with PyTorch, quantity by quantity")
    return checked(made, space)


def account_of(made: Traced, name: str, **conventions: Any) -> Account:
    """Return the account of a trace, under the name by which it is asked for again."""
    return Account(requested(name, **conventions), traced_target(made, name))


def trace(
    module: str | type[torch.nn.Module], *, inputs: Iterable[str] | str = (),
    symbols: Mapping[str, str] | None = None, training: bool = True,
    config: Mapping[str, Any] | None = None, **arguments: Any,
) -> Account:  # fmt: skip
    """Trace a module of PyTorch, and return the account of its formulas.

    Args:
        module: a class, or its name as in ``"my_model.py:GPT"`` or ``"transformers:GPT2Model"``.
        inputs: what enters, each as in ``"ids: int64 (B, T)"``.
        symbols: the symbols to write for arguments, as in ``{"n_embd": "d"}``.
        training: whether the module is traced as it is built, or in evaluation mode.
        config: keys of a configuration, for a class that is built of one.
        arguments: values of the constructor's arguments, and of the lengths of what enters.

    Raises:
        SymledgerError: it cannot be traced; why, and where.
    """
    if not isinstance(module, str) and not (
        isinstance(module, type) and issubclass(module, torch.nn.Module)
    ):
        raise BadInput(
            f"{shown(repr(module))} is no class of modules: give the class itself, a subclass of "
            "torch.nn.Module, and the arguments by name."
        )
    said = [f"{name}={symbol}" for name, symbol in (symbols or {}).items()]
    several = (inputs,) if isinstance(inputs, str) else tuple(inputs)
    settings = {name: str(value) for name, value in arguments.items()}
    made = traced(module, settings, several, said, training, config)
    return account_of(made, module if isinstance(module, str) else module.__name__)
