"""What was read of a configuration: what it builds, its settings, what became of each key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from symledger.arguments.specs import Settings
from symledger.config_keys.family import Built, Family
from symledger.configs.document import Document

Status = Literal["used", "defaulted", "irrelevant"]


@dataclass(frozen=True)
class Key:
    """A key of a configuration: its value, whether it was used, and what it sets."""

    name: str
    value: str
    status: Status
    sets: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the key as JSON data."""
        return {"key": self.name, "value": self.value, "status": self.status, "sets": self.sets}


@dataclass(frozen=True)
class Configuration:
    """What a configuration says: the class that it builds, what that is here, and its settings.

    ``settings`` hold sizes and choices as ``--set`` would be told; ``keys`` what became of each
    key, those that are missing included where they matter; ``given`` is the whole of it.
    """

    family: Family
    architecture: str
    built: Built
    settings: Settings
    keys: tuple[Key, ...]
    given: Document = field(default_factory=dict)

    @property
    def model_type(self) -> str:
        """The name of its family."""
        return self.family.model_type

    @property
    def names(self) -> dict[str, str]:
        """The keys that give symbols their values, by symbol, as the file calls them."""
        found = dict(_names(self.family, self.given))
        for name, part in {**self.family.parts, **self.built.parts}.items():
            document = self.given.get(name) or {}
            inside = _names(part.part(document), document)
            found.update((symbol, f"{name}.{key}") for symbol, key in inside)
        return found

    def called(self, function: str) -> str:
        """Name the keys that chose a function."""
        return " and ".join(
            f"{key.name} = {key.value}" for key in self.keys
            if any(said.endswith(f" = {function}") for said in key.sets.split(", "))
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was read as JSON data."""
        return {
            "model_type": self.model_type, "architecture": self.architecture,
            "defaults_of": self.family.implementation, "keys": [key.to_dict() for key in self.keys],
        }  # fmt: skip


def _names(family: Family, given: Document) -> Iterator[tuple[str, str]]:
    """Yield a symbol and its key, for every symbol that one key gives a value."""
    said = {name: other for other, name in family.facts["aliases"].items() if other in given}
    for name, use in family.uses.items():
        yield from use.called(name if name in given else said.get(name, name)).items()
