"""What is in memory when, of a traced module: the moments of a step that may be the largest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sympy import Expr

KINDS = ("weights", "buffers", "inputs", "gradients", "kept", "working")
"""What storages are for, in the order in which they are shown."""
WAYS = ("forward", "backward")
FIRST, LAST = "first", "last"
PREFILL, DECODE = "prefill", "decode"
"""Passes of inference: tokens are read at once, or the last one behind others."""
STATIC = "static"
"""A cache that is as long as it will get from the start."""


@dataclass(frozen=True)
class AliveAt:
    """One operation of a pass, after which the most may be in memory: how many bytes of each kind.

    ``path`` is that of the module; ``which`` says in which of equal rounds, ``first`` or ``last``,
    where it is in one of several.
    """

    way: str
    operation: str
    path: str
    which: str
    bytes: Mapping[str, Expr]


@dataclass(frozen=True)
class How:
    """How a step is run: which gradients are asked for, in which type, behind other batches or not.

    ``input_gradient`` says whether gradients of what enters are asked for; ``accumulate`` whether
    a batch before has left gradients; ``dtype`` of which type floats are where none is said.
    ``serving`` is the pass of inference, where nothing is trained; ``cache`` says what keys and
    values are kept in there: a cache that grows where nothing is said, or one that is ``static``.
    """

    input_gradient: bool = True
    accumulate: bool = False
    dtype: str = "fp32"
    serving: str = ""
    cache: str = ""


@dataclass(frozen=True)
class Eager:
    """The moments of a step of training, or of a pass of inference, in the order of time.

    ``least`` says how large depths have to be for the rounds that the moments are in to be there;
    ``apart`` are pairs of sizes that may not be equal. ``every`` says of depths of how many one is
    meant, and of which: (2, 1) are the odd ones, (0, 2) is 2 alone.
    """

    how: How
    moments: tuple[AliveAt, ...]
    least: Mapping[str, int]
    apart: tuple[tuple[str, str], ...] = ()
    every: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def is_of(self, at: Mapping[str, int]) -> bool:
        """Whether it is of modules as deep as at a point."""
        deep = all(at.get(n, least) >= least for n, least in self.least.items())
        return deep and all(at.get(n, only) == only for n, only in self.shallow.items())

    @property
    def shallow(self) -> dict[str, int]:
        """The depths that it is of alone."""
        return {n: rest for n, (step, rest) in self.every.items() if not step}


class Looks(Protocol):
    """Looks at what is in memory when, as a step is run."""

    def __call__(self, how: How) -> Eager:
        """Return it for depths of which rounds repeat."""

    def at(self, how: How, sizes: Mapping[str, int]) -> Eager:
        """Return it for depths as these, however shallow."""
