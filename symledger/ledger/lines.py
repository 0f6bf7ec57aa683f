"""The ledger: a tree of labelled lines, the same for every quantity.

A reading says how much arises where; the ledger arranges that by component. A line's own amount
and its parts add up to one pass; ``times`` says how often it happens. Opening the tree level by
level is the derivation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sympy import Expr

from symledger import algebra
from symledger.algebra import Terms
from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import Scope
from symledger.readings.params import TIED
from symledger.readings.tally import ZERO, Amount, Tally


@dataclass(frozen=True)
class Line:
    """One labelled line: an amount of its own, and parts.

    ``own`` and ``times`` are as they were recorded; ``each`` and ``total`` are multiplied out.
    ``component`` is the kind of component that the line is about (``linear``).
    ``note`` gives the reason where the amount alone would puzzle (a tied weight costs nothing).
    """

    label: str
    path: tuple[str, ...]
    own: Expr = ZERO
    times: Expr = ONE
    parts: tuple[Line, ...] = ()
    shape: Shape | None = None
    note: str = ""
    component: str = ""

    @cached_property
    def each(self) -> Terms:
        """One pass: the own amount and the parts, multiplied out."""
        if not self.parts:
            return algebra.terms(self.own)
        return algebra.add([algebra.terms(self.own), *(part.total for part in self.parts)])

    @cached_property
    def total(self) -> Terms:
        """All passes, multiplied out."""
        if self.times == ONE:
            return self.each
        return algebra.multiply(algebra.terms(self.times), self.each)

    @cached_property
    def height(self) -> int:
        """How many levels of parts are below it."""
        return 1 + max(part.height for part in self.parts) if self.parts else 0

    @property
    def is_leaf(self) -> bool:
        """Whether this line is a single tensor's amount."""
        return not self.parts and self.shape is not None

    @property
    def written(self) -> Expr:
        """The total with its factors as they were recorded; for numbers, not for show."""
        return self.times * sum((part.written for part in self.parts), start=self.own)

    @property
    def tied_to(self) -> tuple[str, ...]:
        """The path of the weight that this one is, where it is tied; else nothing."""
        return tuple(self.note.removeprefix(TIED).split(".")) if self.note.startswith(TIED) else ()

    def walk(self) -> Iterator[Line]:
        """Yield this line and all below it."""
        yield self
        for part in self.parts:
            yield from part.walk()

    @property
    def weights(self) -> tuple[Line, ...]:
        """The leaves of this line and of unrepeated parts below it."""
        if self.is_leaf:
            return (self,)
        return tuple(leaf for part in self.parts for leaf in part.weights)


@dataclass
class _Node:
    """A component while its line is being put together."""

    scope: Scope
    times: Expr = ONE
    items: list[Amount | _Node] = field(default_factory=list)
    below: dict[Scope, _Node] = field(default_factory=dict)

    def at(self, scope: Scope) -> _Node:
        """Return the node of a component below this one, made where it is missing."""
        if scope is self.scope or scope.parent is None:
            return self
        above = self.at(scope.parent)
        if scope not in above.below:
            above.below[scope] = _Node(scope)
            above.items.append(above.below[scope])
        return above.below[scope]

    def line(self, path: tuple[str, ...] = ()) -> Line:
        """Return the finished line, which stands at ``path`` in the tree."""
        parts = tuple(
            i.line((*path, i.scope.name)) if isinstance(i, _Node)
            else Line(i.label, (*path, i.label), i.own, shape=i.shape or (), note=i.note)
            for i in self.items
        )  # fmt: skip
        return Line(self.scope.name, path, ZERO, self.times, parts, component=self.scope.kind)


def ledger(tally: Tally) -> Line:
    """Arrange a reading's amounts as a tree of lines, by component."""
    return _node(tally).line()


def total(tally: Tally) -> Terms:
    """Add a reading's amounts up: the total of its line, for which no tree is needed."""
    own = Counter(item.own for item in tally.items if isinstance(item, Amount))
    each = algebra.combine([
        *((n, algebra.terms(e)) for e, n in own.items()),
        *((1, total(item)) for item in tally.items if isinstance(item, Tally)),
    ])  # fmt: skip
    return each if tally.times == ONE else algebra.multiply(algebra.terms(tally.times), each)


def _node(tally: Tally) -> _Node:
    node = _Node(tally.scope, tally.times)
    for item in tally.items:
        if isinstance(item, Tally):
            if item.items:
                parent = item.scope.parent
                node.at(parent if parent else tally.scope).items.append(_node(item))
        else:
            node.at(item.scope).items.append(item)
    return node
