"""What an entry of the catalogue names, imported; what is missing is said, and where it belongs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from symledger.errors import DefinitionError, nearest, raised

ROOT = Path(__file__).parents[2]


def file_of(module: str) -> str:
    """Return the file of a module of this package: ``models.gpt2.model``."""
    return f"symledger/{module.replace('.', '/')}.py"


@dataclass(frozen=True)
class Definition:
    """A class, as ``module:Class``, that an entry names in a file of the catalogue."""

    text: str
    entry: str
    listed: str

    @property
    def module(self) -> str:
        """The module that it is in."""
        return self.text.partition(":")[0]

    @property
    def here(self) -> str:
        """Its name and its file."""
        return f"{self.text.partition(':')[2]} in {file_of(self.module)}"

    def named(self, name: str, module: str) -> Any:
        """Import a name that the entry says.

        Raises:
            DefinitionError: there is no such file, or it raises, or has no such name.
        """
        where, wanted = file_of(module), f"the entry {self.entry} of the catalogue"
        try:
            found = import_module(f"symledger.{module}")
        except Exception as error:
            absent = error.name if isinstance(error, ModuleNotFoundError) else None
            if not f"symledger.{module}.".startswith(f"{absent}."):
                raise DefinitionError(f"{where} {raised(error, ROOT / where)}") from error
            raise DefinitionError(
                f"there is no {where}, which {wanted} names: write the file, with {name} in it, or "
                f"correct the entry in {self.listed}."
            ) from error
        if not hasattr(found, name):
            raise DefinitionError(
                f"{where} has no {name}, which {wanted} names: write it there, or correct the "
                f"entry in {self.listed}."
            )
        return getattr(found, name)

    def load(self) -> type[Any]:
        """Import the class.

        Raises:
            DefinitionError: it is not there, or is not written as a definition is.
        """
        return _loaded(self)

    def made(self, options: Mapping[str, Any], inputs: Iterable[str]) -> Any:
        """Make the component that is asked about with these options and inputs.

        Raises:
            DefinitionError: it has no such option or input, or a size without a default.
        """
        kind = self.load()
        own = {f.name: f for f in fields(kind) if f.init}
        self._see("option", options, own)
        for name, f in own.items():
            if name not in options and f.default is MISSING and f.default_factory is MISSING:
                raise DefinitionError(
                    f"the field {name} of {self.here} has no default, and an entry of the "
                    f"catalogue needs one: write it, as in {name}: Expr = sizes.{name}."
                )
        if kind.forward.__qualname__ == "Component.forward":
            raise DefinitionError(f"{self.here} has no forward: define what it computes.")
        self._see("input", inputs, [*signature(kind.forward).parameters][1:])
        return kind(**options)

    def cases(self, named: Iterable[str]) -> Mapping[str, Any]:
        """Return the corollaries that the entry names as its cases.

        Raises:
            DefinitionError: there is no corollary of that name.
        """
        if not named:
            return {}
        known = self.load().corollaries
        self._see("case", named, known)
        return {case: known[case] for case in named}

    def _see(self, what: str, said: Iterable[str], known: Iterable[str]) -> None:
        """See that the definition has what the entry names."""
        for one in said:
            if one not in known:
                raise DefinitionError(
                    f"the entry {self.entry} in {self.listed} names the {what} {one}, which "
                    f"{self.here} has not. {nearest(one, known)}"
                )


@cache
def _loaded(definition: Definition) -> type[Any]:
    """Import a class, once, and see that it is written as a definition is."""
    name = definition.text.partition(":")[2]
    found: type[Any] = definition.named(name, definition.module)
    if not hasattr(found, "apply_in"):
        raise DefinitionError(
            f"{definition.here} is no Component: write class {name}(Component), and import that "
            "from symledger.notation.component."
        )
    parameters = vars(found).get("__dataclass_params__")
    if parameters is None or not parameters.frozen:
        raise DefinitionError(
            f"{definition.here} is no frozen dataclass: write @dataclass(frozen=True) above it."
        )
    return found
