"""Where a program is being built: in which use of a component, in which fused body."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from symledger.ir.tensor import REGION, SCOPE, Region, Scope, Tensor

_weights: ContextVar[list[Tensor] | None] = ContextVar("weights", default=None)


_idle: ContextVar[list[Tensor] | None] = ContextVar("idle", default=None)


@contextmanager
def noting_idle() -> Iterator[list[Tensor]]:
    """Note what is left idle while a program is built: it belongs to that program."""
    left: list[Tensor] = []
    token = _idle.set(left)
    try:
        yield left
    finally:
        _idle.reset(token)


def leave_idle(x: Tensor) -> None:
    """Keep a tensor in the program that is being built, though nothing uses it.

    A weight that an implementation holds, or a result that it computes, and makes nothing of.
    """
    left = _idle.get()
    if left is not None:
        left.append(x)


@contextmanager
def noting_weights() -> Iterator[list[Tensor]]:
    """Note every weight that is made in this block."""
    made: list[Tensor] = []
    token = _weights.set(made)
    try:
        yield made
    finally:
        _weights.reset(token)


def note_weight(weight: Tensor) -> None:
    """Note a weight, while a program is built."""
    made = _weights.get()
    if made is not None:
        made.append(weight)


def current_scope() -> Scope:
    """Return the use of a component whose ``forward`` is running."""
    return SCOPE.get()


def current_region() -> Region | None:
    """Return the fused body that is being built, if any."""
    return REGION.get()


class inside:  # noqa: N801  # used like a function, thousands of times: a generator takes thrice as long
    """Have the tensors made in this block belong to ``scope`` (and to a fused region)."""

    def __init__(self, scope: Scope, region: Region | None = None) -> None:
        self.scope, self.region = scope, region

    def __enter__(self) -> None:
        self.tokens = SCOPE.set(self.scope), REGION.set(REGION.get() or self.region)

    def __exit__(self, *error: object) -> None:
        scope_token, region_token = self.tokens
        SCOPE.reset(scope_token)
        REGION.reset(region_token)
