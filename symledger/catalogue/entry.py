"""What one line of the catalogue says, and how what it names is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from symledger.catalogue.definition import Definition, file_of
from symledger.errors import DefinitionError
from symledger.languages.message import Word, word


@dataclass(frozen=True)
class Entry:
    """A name, the definition behind it, and how it is asked about.

    ``inputs`` are the axes of its inputs where they are not those of its signature;
    ``lengths`` the lengths of free axes, in the syntax of assumptions; ``options`` its choices;
    ``cases`` the named corollaries of the definition that are cases of this entry.

    ``reads`` are the configurations that build it: a ``model_type``, and what reads it in the
    ``config.py`` of its folder; ``reads_class`` are those of diffusers, by their ``_class_name``.
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
    reads: Mapping[str, str] = field(default_factory=dict)
    reads_class: Mapping[str, str] = field(default_factory=dict)

    @property
    def line(self) -> Word:
        """A line about it: its own title, or that of its definition.

        Raises:
            DefinitionError: its definition is not there.
        """
        return word(f"title.{self.name}", self.title or str(self.load().title))

    @property
    def named(self) -> Definition:
        """The definition, as it is named here."""
        return Definition(self.definition, self.name, CATALOGUE[self.kind])

    def load(self) -> type[Any]:
        """Import the definition's class.

        Raises:
            DefinitionError: it is not there, or is not written as a definition is.
        """
        return self.named.load()

    def made(self) -> Any:
        """Make the component that this entry is about.

        Raises:
            DefinitionError: it cannot be made as this entry says.
        """
        return self.named.made(self.options, self.inputs or ())

    def corollaries(self) -> Mapping[str, Any]:
        """Return the equations of its cases.

        Raises:
            DefinitionError: the definition has no such case.
        """
        return self.named.cases(self.cases)

    @property
    def folder(self) -> str:
        """The folder of its definition: ``components/maps``, ``models/llama``, ``axioms``."""
        return "/".join(self.named.module.split(".")[:-1])

    @property
    def reading(self) -> str:
        """The module that reads its configurations."""
        return f"{self.definition.rpartition('.')[0]}.config"

    def constant(self, name: str) -> str:
        """What reads the configurations that name themselves so, as its module calls it."""
        return {**self.reads, **self.reads_class}[name]

    def load_reading(self, name: str) -> object:
        """Import that.

        Raises:
            DefinitionError: the folder has no such file, or the file no such name.
        """
        return self.named.named(self.constant(name), self.reading)

    @property
    def family(self) -> str:
        """The owner of this entry's formulas."""
        return self.owner or self.name

    def configuration(self) -> Mapping[str, int]:
        """The sizes that this entry was published with; empty for a component.

        Raises:
            DefinitionError: its file says none.
        """
        if not self.configured:
            return {}
        module = self.named.module
        found: Mapping[str, Mapping[str, int]] = self.named.named("CONFIGURATIONS", module)
        if self.name not in found:
            raise DefinitionError(
                f"the catalogue says that {self.name} has a configuration, but CONFIGURATIONS in "
                f"{file_of(module)} has none of that name: write it there."
            )
        return found[self.name]


CATALOGUE = {
    "component": "symledger/catalogue/component_entries.py",
    "model": "symledger/catalogue/model_entries.py",
    "axiom": "symledger/catalogue/entries.py",
}
"""The files that entries are in."""
