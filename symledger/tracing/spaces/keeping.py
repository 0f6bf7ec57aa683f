"""Sizes that keep their value: where a module is not understood for any, it may be for one.

How many columns a window of any size gives may follow no formula that is known here; for 3 × 3 it
does. So a size on which such a length depends is no size then: it is fixed, and said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from sympy import Expr

from symledger.errors import BadInput
from symledger.sizes import named
from symledger.traces.graph import Traced
from symledger.traces.rules.table import Refused
from symledger.tracing.assemble import Unfitted
from symledger.tracing.modules.subject import Subject
from symledger.tracing.spaces.points import Crowded
from symledger.tracing.spaces.space import Space

MOST = 5
"""How often one more size is kept."""
T = TypeVar("T")


def with_sizes_kept(subject: Subject, attempt: Callable[[], T]) -> T:
    """Trace a module; where that goes for no size of any value, with one more that keeps its own.

    Raises:
        BadInput: it goes for no values; why, at first.
    """
    first: BadInput | None = None
    for _ in range(MOST):
        try:
            return attempt()
        except Particular as error:
            first = first or error
            more = set(error.names) - subject.kept
            if not more:
                break
            subject.kept |= more
        except BadInput as error:
            raise (first or error) from error
    assert first
    raise first


class Particular(BadInput):
    """A refusal that may not hold where some sizes keep their value; which."""

    def __init__(self, said: str, names: Iterable[str]) -> None:
        super().__init__(said)
        self.names = tuple(names)


def unfitted(error: Unfitted | Crowded) -> Particular:
    """Return the refusal of a length, or of most sizes, as one for a size of any value."""
    one = 1 if isinstance(error, Unfitted) else None
    return Particular(str(error), error.names[:one])


def particular(error: Refused, traced: Traced, space: Space) -> Particular:
    """Return the refusal of an operation as one that holds for a size of any value.

    All lengths that have to be numbers become such; else one argument after the other.
    """
    found: set[Expr] = set()
    for e in error.lengths:
        found |= e.free_symbols
    for symbol, e in reversed(list(traced.definitions.items())):
        if named(symbol) in found:
            found |= e.free_symbols
    names = [own for s, own in traced.names.items() if named(s) in found and own in space.sizes]
    if error.several:
        return Particular(str(error), names)
    own = sorted((n for n in names if space.is_argument(n)), key=space.base.__getitem__)
    return Particular(str(error), own[:1])
