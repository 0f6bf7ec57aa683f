"""Which formulas are made of which: a model's of its components', a total's of its terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from symledger import algebra
from symledger.evidence.records import BASIS
from symledger.ir.naming import snake
from symledger.ledger.lines import Line
from symledger.site.atlas import Atlas
from symledger.site.sources import digest
from symledger.site.uses import first_names


class Part(NamedTuple):
    """A formula that another is made of: its name, and where it stands in the other."""

    id: str
    owner: str
    quantity: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class Links:
    """The graph of formulas, both ways."""

    atlas: Atlas

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The entry of the catalogue for each kind of component."""
        return {snake(kind.__name__): name for kind, name in first_names().items()}

    @cached_property
    def ids(self) -> frozenset[str]:
        """The formulas that have a page."""
        return frozenset(f"{entry.name}.{quantity}" for entry, quantity in self.atlas.formulas())

    @cached_property
    def depends(self) -> dict[str, tuple[Part, ...]]:
        """What each formula is made of."""
        found = self.atlas.memory.data("links", lambda: {
            f"{entry.name}.{quantity}": list(self._parts(entry.name, quantity))
            for entry, quantity in self.atlas.formulas()
        })  # fmt: skip
        return {
            name: tuple(Part(i, owner, of, tuple(places)) for i, owner, of, places in parts)
            for name, parts in found.items()
        }

    @cached_property
    def used_by(self) -> dict[str, tuple[Part, ...]]:
        """What each formula is a part of."""
        found: dict[str, list[Part]] = defaultdict(list)
        for name, parts in self.depends.items():
            owner, _, quantity = name.partition(".")
            for part in parts:
                found[part.id].append(Part(name, owner, quantity, part.places))
        return {name: tuple(parts) for name, parts in found.items()}

    @cached_property
    def _owned(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for name in self.depends:
            found[name.partition(".")[0]].append(name)
        return found

    def __post_init__(self) -> None:
        self.atlas.memory.asked["links"] = self._around

    def note(self, owner: str) -> None:
        """Say that what is being made shows the links of an owner's formulas."""
        self.atlas.memory.note("links", owner)

    def _around(self, owner: str) -> str:
        return digest([
            (name, self.depends[name], self.used_by.get(name, ()))
            for name in self._owned.get(owner, ())
        ])  # fmt: skip

    def _parts(self, owner: str, quantity: str) -> Iterator[Part]:
        for basis in BASIS[quantity]:
            if basis != quantity and f"{owner}.{basis}" in self.ids:
                yield Part(f"{owner}.{basis}", owner, basis)
        places: dict[str, list[str]] = {}
        for line, kind in self._children(self.atlas.account(owner)[quantity].line, owner):
            places.setdefault(kind, []).append(place(line))
        for kind, where in places.items():
            if f"{kind}.{quantity}" in self.ids:
                yield Part(f"{kind}.{quantity}", kind, quantity, tuple(where))

    def _children(self, line: Line, owner: str) -> Iterator[tuple[Line, str]]:
        """Yield the nearest parts that are components of the catalogue, each with its name."""
        for part in line.parts:
            kind = self.kinds.get(part.component)
            if kind is not None and kind != owner:
                yield part, kind
            else:
                yield from self._children(part, owner)


def place(line: Line) -> str:
    """Name a line's place: ``block × L``."""
    times = algebra.repeated(algebra.terms(line.times))
    return " › ".join(name.replace("_", " ") for name in line.path) + times
