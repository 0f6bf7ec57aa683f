"""Storages over time: what is held from one step to another, and in which application."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sympy import Expr, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.ir.tensor import Call, Tensor

END = 1 << 60
"""Later than every step: what is held at the end of all passes."""


FORWARD, BACKWARD, STEP = "forward", "backward", "step"
GRADIENT = "gradient"
Prices = Mapping[str, Expr]
"""The bytes of an element of each storage class, and of a weight's ``gradient``."""
FIRST, SECOND, LAST_BUT_ONE, LAST = "first", "second", "last but one", "last"
MANY = 4
NAMES = ((), ("",), (FIRST, LAST), (FIRST, SECOND, LAST))
"""The applications of a body, where there are fewer than four."""


@dataclass(eq=False)
class Held:
    """A storage, ``number`` times over, from the step ``born`` to the step ``last``.

    One that is ``within`` a fused body takes storage only if something reads it later: on the way
    through the body it is never stored. ``lasting`` is set for the gradient of a weight.
    """

    tensor: Tensor
    number: Terms
    born: int
    last: int
    within: bool = False
    lasting: bool = False

    @property
    def stored(self) -> bool:
        """Whether it is ever in memory."""
        return not self.within or self.last > self.born

    def at(self, step: int) -> bool:
        """Whether it is in memory at a step."""
        return self.stored and self.born <= step <= self.last


Storages = tuple[Held, ...]
"""What a tensor is stored in: nothing for weights and tables; of many applications, several."""


@dataclass(frozen=True)
class Place:
    """Which application of a repeated body: the ``first``, the ``last``, or number ``index``.

    The only one of a body that is applied once has neither.
    """

    call: Tensor
    name: str = ""
    index: Symbol | None = None

    @property
    def op(self) -> Call:
        """The repetition itself."""
        assert isinstance(self.call.op, Call)
        return self.call.op

    @property
    def times(self) -> Terms:
        """How many applications there are."""
        return algebra.terms(self.op.times)


@dataclass(eq=False)
class Application:
    """One pass through a body, or ``number`` of them ``alike``: where its tensors are stored.

    ``measured`` says whether what is alive in it is looked at.
    """

    number: Terms
    places: tuple[Place, ...] = ()
    measured: bool = True
    alike: bool = False
    stored: dict[Tensor, Storages] = field(default_factory=dict)
    inner: dict[Tensor, list[Application]] = field(default_factory=dict)

    def hold_too(self, beside: Mapping[Held, Storages]) -> None:
        """Say that what is stored in some storages is in others beside them as well."""
        for t, storages in self.stored.items():
            more = (other for held in storages for other in beside.get(held, ()))
            self.stored[t] = tuple(dict.fromkeys((*storages, *more)))
        for app in (app for several in self.inner.values() for app in several):
            app.hold_too(beside)


@dataclass(frozen=True)
class Step:
    """One step of a pass: what is computed, in which application; nobody looks at some."""

    made: Tensor
    way: str
    places: tuple[Place, ...]
    measured: bool


def until(storages: Iterable[Held], step: int) -> None:
    """Hold storages at least until a step."""
    for held in storages:
        held.last = max(held.last, step)
