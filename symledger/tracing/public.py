"""Tracing from Python: the public function, which can be read about without PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from symledger.accounts.account import Account
from symledger.errors import BadInput, shown
from symledger.extras import require

if TYPE_CHECKING:
    import torch


def trace(
    module: str | type[torch.nn.Module], *, inputs: Iterable[str] | str = (),
    symbols: Mapping[str, str] | None = None, training: bool = True,
    config: Mapping[str, Any] | None = None, schedule: str | None = None, **arguments: Any,
) -> Account:  # fmt: skip
    """Trace a module of PyTorch, and return the account of its formulas.

    Args:
        module: a class, or its name as in ``"my_model.py:GPT"`` or ``"transformers:GPT2Model"``.
        inputs: what enters, each as in ``"ids: int64 (B, T)"``.
        symbols: the symbols to write for arguments, as in ``{"n_embd": "d"}``.
        training: whether the module is traced as it is built, or in evaluation mode.
        config: keys of a configuration, for a class that is built of one.
        schedule: when values live and die, for peaks: ``"program"``, or ``"eager"``, as PyTorch
            runs it; program unless told.
        arguments: values of the constructor's arguments, and of the lengths of what enters.

    Raises:
        SymledgerError: it cannot be traced; why, and where.
    """
    require(["torch"], "a module cannot be traced")
    import torch

    from symledger.tracing.account import account_of, traced

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
    peaks = schedule == "eager"
    made = traced(module, settings, several, said, training, config, peaks=peaks)
    name = module if isinstance(module, str) else module.__name__
    return account_of(made, name, schedule=schedule)
