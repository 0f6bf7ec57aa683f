"""What is to be recorded: everything, or what some names stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import AXIOMS, BY_NAME, ENTRIES, find
from symledger.catalogue.entry import CATALOGUE
from symledger.configs.read import entry_of
from symledger.errors import UnknownTarget, nearest, shown

CATALOGUED = tuple(dict.fromkeys(entry.family for entry in ENTRIES))
"""The owners of formulas that are cited and searched."""
OWNERS = (*CATALOGUED, *(entry.name for entry in AXIOMS))
"""These, and the axioms: all that has evidence."""


@dataclass(frozen=True)
class Selection:
    """Owners, configurations beside theirs, and kinds of records.

    Owners without kinds are asked for in every kind, kinds without owners of everything, both in
    these kinds alone; without any of them everything is asked for.
    """

    owners: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    @property
    def everything(self) -> bool:
        """Whether nothing is named."""
        return not (self.owners or self.configurations or self.kinds)

    def wants(self, kind: str) -> bool:
        """Whether a kind of record is asked for, of whatever it is."""
        return not self.kinds or kind in self.kinds

    def whole(self, kind: str) -> bool:
        """Whether a kind of record is asked for of all that it is made of."""
        return self.wants(kind) and not (self.owners or self.configurations)

    def named(self, kind: str) -> bool:
        """Whether a kind that belongs to no owner is asked for: by its name, or with everything."""
        return self.everything or kind in self.kinds

    def includes(self, kind: str, names: Collection[str]) -> bool:
        """Whether a kind of record is asked for of what has any of these names."""
        asked = {*self.owners, *self.configurations}
        return self.whole(kind) or (self.wants(kind) and not asked.isdisjoint(names))

    def among(self, kind: str, owners: Sequence[str]) -> tuple[str, ...]:
        """Return those of some owners of which a kind of record is asked for."""
        return tuple(owner for owner in owners if self.includes(kind, (owner,)))


def selected(names: Iterable[str], kinds: Collection[str]) -> Selection:
    """Read names of the catalogue, of published configurations, and of kinds of records.

    Raises:
        UnknownTarget: there is no such thing to be recorded.
    """
    owners: list[str] = []
    configurations: list[str] = []
    whole: list[str] = []
    axioms = {entry.name for entry in AXIOMS}
    for name in names:
        if name in kinds:
            whole.append(name)
        elif name in checkpoints():
            configurations.append(name)
        elif name in BY_NAME or name in axioms:
            owners.append(find(name).family)
        else:
            known = {*BY_NAME, *axioms, *checkpoints(), *kinds}
            raise UnknownTarget(
                f"nothing is recorded of {shown(name)}: it is no name of the catalogue, "
                f"no published configuration and no kind of record. {nearest(name, known)} "
                f"What is new needs its line in {CATALOGUE['component']} or {CATALOGUE['model']}."
            )
    unique = (tuple(dict.fromkeys(found)) for found in (owners, configurations, whole))
    return Selection(*unique)


def family_of(configuration: str) -> str:
    """Return the owner of the formulas of a published configuration."""
    return find(entry_of(checkpoints()[configuration])).family
