"""A family of configurations: what each key of it does, and what its classes build.

The defaults of missing keys are facts about the reference implementation, kept in
``records/reference_defaults.json``. What a key does is a ``Use``, as for an argument of a layer;
what several keys say together is a rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from symledger import records
from symledger.arguments.specs import Remark, Settings, SizeOf, Use, size
from symledger.errors import DefinitionError

Values = Mapping[str, Any]
DEFAULTS = records.FOLDER / "reference_defaults.json"
COMMAND = "`symledger record defaults`"
ROTARY = ("rope_parameters", "rope_scaling", "rope_theta")


@dataclass(frozen=True)
class Built:
    """What a class of the implementation builds: an entry of the catalogue, with choices made.

    With ``labels`` it sorts into classes, as many as the configuration names. ``uses`` are those
    of keys that this class reads otherwise than its family, ``rules`` what they say together
    there, and ``parts`` the configurations inside that it reads otherwise. ``remarks`` say of a key
    what has to be known besides what it sets, or nothing.
    """

    entry: str
    options: Settings = field(default_factory=dict)
    labels: bool = False
    uses: Mapping[str, Use] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    parts: Mapping[str, Family] = field(default_factory=dict)
    remarks: Mapping[str, Callable[[Values], Remark | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    """What some keys say together, as what is to be set; ``read`` may refuse it.

    ``keys`` are those that it reads besides the ones whose use is ``Ruled``.
    """

    keys: tuple[str, ...]
    read: Callable[[Values], Settings]


@dataclass(frozen=True)
class Family:
    """One ``model_type``: what its classes build, and what each key does.

    A configuration of diffusers names its class instead, as ``_class_name``.

    ``builds`` begins with what is meant where no class is named. ``tensors`` says which of our
    weights each parameter of the implementation is, layers written as ``*``. ``implied`` is what
    is set whatever the keys are, and ``classes`` how many there are where none are named.
    ``like`` names the model_type whose defaults it has, where the implementation knows it by that
    name only. ``parts`` are the keys that hold a configuration of their own, and ``library`` is
    the implementation. ``follows`` are keys that are as another one is, where they are missing: so
    the class makes them before it hears of other names of that one. ``needs`` are keys that have to
    be there, whatever the default is. ``kinds`` are families that the class builds instead, where
    a key has a value, which may be that of a part (``text_config.model_type``). Of a family that is
    a part of another one, ``others`` may stand in its place, by the model_type that the part names,
    and ``absent`` are its keys where there is no such part, or, where it is ``filled``, those that
    a part does not name.
    ``flat`` is the part whose keys stand outside of it in older files, which lack it.
    """

    model_type: str
    builds: Mapping[str, Built]
    uses: Mapping[str, Use]
    rules: tuple[Rule, ...] = ()
    tensors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    implied: Settings = field(default_factory=dict)
    like: str = ""
    classes: int = 2
    parts: Mapping[str, Family] = field(default_factory=dict)
    library: str = "transformers"
    follows: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    kinds: Mapping[tuple[str, object], Family] = field(default_factory=dict)
    others: tuple[Family, ...] = ()
    absent: Values = field(default_factory=dict)
    filled: bool = False
    flat: str = ""

    def nested(self, document: Values) -> dict[str, Any]:
        """Return a configuration with the keys of a part in it, where an older file has none."""
        if not self.flat or document.get(self.flat) is not None:
            return dict(document)
        part = self.parts[self.flat]
        known = {*part.facts["keys"], *part.uses, *ROTARY} - {"tie_word_embeddings"}
        inside = {key: value for key, value in document.items() if key in known}
        rest = {key: value for key, value in document.items() if key not in known}
        return {**rest, self.flat: inside} if inside else rest

    def part(self, document: object) -> Family:
        """Return the family that a part of a configuration is of: the one that it names."""
        said = document.get("model_type") if isinstance(document, dict) else None
        return next((other for other in self.others if other.model_type == said), self)

    @property
    def key(self) -> str:
        """The key of a configuration that names the family: that of diffusers names its class."""
        return "_class_name" if self.library == "diffusers" else "model_type"

    @property
    def implementation(self) -> str:
        """The implementation and its version, which its defaults are of."""
        return f"{self.library} {facts()['versions'][self.library]}"

    @property
    def is_typed(self) -> bool:
        """Whether the implementation declares of which types the values of keys are."""
        return bool(self.facts["types"])

    @property
    def facts(self) -> Mapping[str, Any]:
        """The defaults of its keys, their types, and by which other names they go.

        Raises:
            DefinitionError: they were not written down yet.
        """
        name = self.like or self.model_type
        if name not in facts()["families"]:
            raise DefinitionError(
                f"the defaults of {self.key} {name} are not in symledger/records/{DEFAULTS.name}: "
                f"{COMMAND} writes down what {self.library} says, which has to know that name."
            )
        found: Mapping[str, Any] = facts()["families"][name]
        return found


@cache
def facts() -> Mapping[str, Any]:
    """Read the defaults of all families, with the versions of the implementations they are of."""
    found: Mapping[str, Any] = json.loads(DEFAULTS.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class Ruled(Use):
    """What is read by a rule, together with other keys."""


@dataclass(frozen=True)
class Unless(Use):
    """A use of a key that may be null: nothing is set then but what ``absent`` says."""

    use: Use
    absent: Settings = field(default_factory=dict)

    def settings(self, name: str, value: object) -> Settings:
        """Return what the key sets."""
        return dict(self.absent) if value is None else self.use.settings(name, value)

    def called(self, name: str) -> Settings:
        """Return what the symbols are called."""
        return self.use.called(name)


@dataclass(frozen=True)
class Shifted(SizeOf):
    """A whole number, given to a symbol after something is added: rows that a table has more."""

    by: int = 0

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbol's value."""
        return dict.fromkeys((self.symbol, *self.also), str(size(name, value) + self.by))

    def called(self, name: str) -> Settings:
        """Return nothing: what the symbol is has no name of its own."""
        return {}


@dataclass(frozen=True)
class AtLeast(SizeOf):
    """A whole number for a symbol, that with less could not be computed."""

    least: int = 1

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbol's value."""
        return {self.symbol: str(size(name, value, self.least))}


@dataclass(frozen=True)
class Several(Use):
    """Several uses of one key."""

    uses: tuple[Use, ...]

    def settings(self, name: str, value: object) -> Settings:
        """Return what they all set."""
        found: Settings = {}
        for use in self.uses:
            found.update(use.settings(name, value))
        return found

    def called(self, name: str) -> Settings:
        """Return what the symbols are called."""
        return {symbol: said for use in self.uses for symbol, said in use.called(name).items()}


@dataclass(frozen=True)
class Context(Use):
    """The longest sequence: changes nothing, but is what T is unless it is set."""

    def settings(self, name: str, value: object) -> Settings:
        """Return the number of tokens that are meant where nothing else is said."""
        return {"T": str(size(name, value))}
