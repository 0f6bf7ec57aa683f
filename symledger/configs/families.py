"""Every family that can be read, in the order of the catalogue, whose entries say where it is.

The file of a family is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from symledger.catalogue.definition import file_of
from symledger.catalogue.entries import BY_NAME, ENTRIES
from symledger.catalogue.entry import CATALOGUE, Entry
from symledger.config_keys.family import Family
from symledger.errors import DefinitionError


def _readers(named: Iterable[tuple[str, Entry]]) -> Mapping[str, Entry]:
    """Return the entry that reads each name.

    Raises:
        DefinitionError: several entries say that they do.
    """
    found: dict[str, Entry] = {}
    for name, entry in named:
        if name in found:
            raise DefinitionError(
                f"two entries in {CATALOGUE['model']} read {name}: {found[name].name} and "
                f"{entry.name}. Let one of them read it."
            )
        found[name] = entry
    return found


READERS: Mapping[str, Mapping[str, Entry]] = {
    "model_type": _readers((name, entry) for entry in ENTRIES for name in entry.reads),
    "_class_name": _readers((name, entry) for entry in ENTRIES for name in entry.reads_class),
}
"""The entry that reads a configuration, by the key that names its family and by that name."""


def home(key: str, name: str) -> str:
    """Return the file that reads the configurations of a family."""
    return file_of(READERS[key][name].reading)


@cache
def loaded(key: str, name: str) -> Family:
    """Return the family that a key of a configuration names.

    Raises:
        DefinitionError: the entry of the catalogue names what is not there, or no such family, or
            the family builds what is no entry.
    """
    entry = READERS[key][name]
    found = entry.load_reading(name)
    where = f"{entry.constant(name)} in {file_of(entry.reading)}"
    if not isinstance(found, Family) or (found.key, found.model_type) != (key, name):
        said = f"of {found.key} {found.model_type}" if isinstance(found, Family) else "none"
        raise DefinitionError(
            f"{where} is to be the Family of {key} {name}, as the entry {entry.name} in "
            f"{CATALOGUE['model']} says, and is {said}: correct the one or the other."
        )
    for built in found.builds.values():
        if built.entry not in BY_NAME:
            raise DefinitionError(
                f"{where} builds {built.entry}, which is no entry of the catalogue: correct it, or "
                f"add the entry to {CATALOGUE['model']}."
            )
    return found


def every_family() -> tuple[Family, ...]:
    """Return every family, with those that a class builds for some values."""
    found = (loaded(key, name) for key, names in READERS.items() for name in names)
    return tuple(kind for family in found for kind in (family, *family.kinds.values()))


def every_described() -> tuple[Family, ...]:
    """Return every family, and those of parts that are no file of their own."""
    every = every_family()
    read = {family.model_type for family in every}
    parts = {part.model_type: part for family in every for part in family.parts.values()}
    return (*every, *(part for name, part in parts.items() if name not in read and not part.like))
