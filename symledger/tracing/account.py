"""The account of a module that is traced now: its formulas, as ``derive`` gives those of others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch

from symledger.accounts.account import Account
from symledger.derivations.query import requested
from symledger.targets.traced import traced_target
from symledger.traces.alive import How
from symledger.traces.graph import Traced
from symledger.traces.rules.table import Refused
from symledger.tracing.assemble import Unfitted
from symledger.tracing.checking.checks import checked
from symledger.tracing.modules.asked import asked
from symledger.tracing.runs.limit import limited_in_all
from symledger.tracing.spaces.keeping import particular, unfitted, with_sizes_kept
from symledger.tracing.spaces.points import Crowded
from symledger.tracing.trace import trace as trace_subject


def traced(
    module: str | type[torch.nn.Module], settings: Mapping[str, str],
    inputs: Iterable[str] = (), symbols: Iterable[str] = (), training: bool = True,
    config: Mapping[str, Any] | None = None, told: Callable[[str], None] = lambda said: None,
    peaks: bool = False,
) -> Traced:  # fmt: skip
    """Trace a module that was named, or is given as a class.

    ``peaks`` says whether it is looked at what is in memory when.

    Raises:
        SymledgerError: it cannot be traced; why, and where.
    """
    with without_warnings():
        found = asked(module, settings, inputs, symbols, training, config)

        def attempt() -> Traced:
            try:
                made, space = trace_subject(
                    found.subject, found.symbols, told, found.lengths, peaks
                )
            except (Crowded, Unfitted) as error:
                raise unfitted(error) from error
            told("comparing it with PyTorch, quantity by quantity")
            try:
                return checked(made, space)
            except Refused as error:
                raise particular(error, made, space) from error

        with limited_in_all(found.subject.name):
            return with_sizes_kept(found.subject, attempt)


def looked(made: Traced, accumulate: bool, dtype: str) -> Traced:
    """Return a trace that says what is in memory when, where a step is run otherwise, too.

    Raises:
        BadInput: that cannot be said.
    """
    asked = [How(gradient, accumulate, dtype) for gradient in (True, False)]
    if made.looking is None or not made.eager or asked[0] in (e.how for e in made.eager):
        return made
    with without_warnings():
        return replace(made, eager=(*made.eager, *map(made.looking, asked)))


@contextmanager
def without_warnings() -> Iterator[None]:
    """Let PyTorch warn of nothing: what it says is of sizes that nobody asked for."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"torch\b")
        yield


def account_of(made: Traced, name: str, **conventions: Any) -> Account:
    """Return the account of a trace, under the name by which it is asked for again."""
    return Account(requested(name, **conventions), traced_target(made, name))
