"""What comes from outside: weights, tables, whole numbers, chance, and what is remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sympy import Expr

from symledger.ir.building import note_weight
from symledger.ir.ops import Const, Input, Param, Storage
from symledger.ir.shapes import as_size
from symledger.ir.tensor import Tensor

_HELD: ContextVar[bool] = ContextVar("held", default=False)


@contextmanager
def held(*, when: bool = True) -> Iterator[None]:
    """Make no weight of this block one that is trained: a part that was trained before."""
    token = _HELD.set(when or _HELD.get())
    try:
        yield
    finally:
        _HELD.reset(token)


def param(
    name: str, *shape: Expr | int, trainable: bool = True, used: tuple[Expr, Expr] | None = None
) -> Tensor:
    """A weight of the given shape. One that nothing uses is refused when the program is built.

    ``used`` says (k, E): it holds E experts along its first axis, of which a token uses k.
    """
    trainable = trainable and not _HELD.get()
    weight = Tensor(Param(name, trainable, used), (), tuple(as_size(n) for n in shape))
    note_weight(weight)
    return weight


def table(
    name: str, formula: Callable[..., Expr], *shape: Expr, storage: Storage = "value",
    within: tuple[tuple[Expr, Expr], ...] = (),
) -> Tensor:  # fmt: skip
    """A computed table: ``formula`` gives the element at each index.

    ``within`` are pairs (a, b) of which a may not exceed b.
    """
    return Tensor(Const(name, len(shape), formula, within), (), shape, storage)


def indices(name: str, below: Expr, *shape: Expr, average: bool = False) -> Tensor:
    """Whole numbers below a size that come from outside: which row of a table is meant where.

    With ``average`` the last axis is as long on average: all counts are linear in it.
    """
    return Tensor(Input(name, below, average=average), (), shape, "index")


def noise(name: str, keep: Expr, *shape: Expr) -> Tensor:
    """A random mask of ones (with chance ``keep``) and zeros."""
    return Tensor(Input(name, keep=keep), (), shape, "mask")


def drawn(name: str, *shape: Expr) -> Tensor:
    """Random numbers, each as likely as any other between 0 and 1."""
    return Tensor(Input(name, drawn=True), (), shape)


def remembered(name: str, *shape: Expr) -> Tensor:
    """Values that earlier decoding steps have left; they come from outside, without a gradient."""
    return Tensor(Input(name, remembered=True), (), shape)
