"""An entry of the catalogue: a name, and the definition that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal


@dataclass(frozen=True)
class Entry:
    """A name, the definition behind it, and how it is asked about.

    ``inputs`` are the axes of its inputs where they are not those of its signature;
    ``lengths`` the lengths of free axes, in the syntax of assumptions; ``options`` its choices;
    ``cases`` the named corollaries of the definition that are cases of this entry.
    """

    name: str
    definition: str
    kind: Literal["component", "model", "axiom"] = "component"
    owner: str = ""
    title: str = ""
    inputs: Mapping[str, str] | None = None
    lengths: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    cases: tuple[str, ...] = ()
    configured: bool = False

    def load(self) -> type[Any]:
        """Import the definition's class."""
        module, _, name = self.definition.partition(":")
        found: type[Any] = getattr(import_module(f"symledger.{module}"), name)
        return found

    @property
    def family(self) -> str:
        """The owner of this entry's formulas."""
        return self.owner or self.name

    def configuration(self) -> Mapping[str, int]:
        """The sizes that this entry was published with; empty for a component."""
        if not self.configured:
            return {}
        module = import_module(f"symledger.{self.definition.partition(':')[0]}")
        found: Mapping[str, int] = module.CONFIGURATIONS[self.name]
        return found
