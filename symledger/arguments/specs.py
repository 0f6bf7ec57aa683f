"""What an argument of a layer or a key of a configuration does: sizes, a choice, or no count.

Each use reads one literal value and says what is to be set, as ``--set`` would be told; what
cannot be is refused. Adding a kind of argument is one small class here or, if only layers have it,
in ``layers/arguments.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from types import MappingProxyType
from typing import NamedTuple

from symledger.algebra.parsing import parse_size
from symledger.errors import BadInput, shown

Settings = dict[str, str]
BOOLS: Mapping[object, str] = {True: "true", False: "false"}


class Remark(NamedTuple):
    """What is to be said of a value: the name of a sentence (``remark.NAME``), and its numbers."""

    name: str
    values: Mapping[str, str | int] = MappingProxyType({})


@dataclass(frozen=True)
class Use:
    """What an argument does; this one does nothing, and takes any value."""

    def settings(self, name: str, value: object) -> Settings:
        """Return what the argument sets.

        Raises:
            BadInput: the value is not one that it takes.
        """
        return {}

    def called(self, name: str) -> Settings:
        """Return what the symbols that it gives values are called by those who say ``name``."""
        return {}

    def note(self, value: object) -> Remark | None:
        """Return what is to be said of a value instead of what it sets, if anything is."""
        return None


@dataclass(frozen=True)
class Unread(Use):
    """A key that the implementation reads nowhere, though others do.

    ``usual`` is its value where all agree; of any other the remark of that name is ``said``.
    """

    usual: object
    said: str
    types: tuple[type, ...]

    def settings(self, name: str, value: object) -> Settings:
        """Refuse another type; nothing is set."""
        return Free(self.types).settings(name, value)

    def note(self, value: object) -> Remark | None:
        """Return what others make of it."""
        return None if value == self.usual else Remark(self.said)


@dataclass(frozen=True)
class SizeOf(Use):
    """A whole number, given to a symbol, and to others that are the same."""

    symbol: str
    also: tuple[str, ...] = ()

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbol's value."""
        return dict.fromkeys((self.symbol, *self.also), str(size(name, value)))

    def called(self, name: str) -> Settings:
        """Return what the symbol is called; those that are the same have no name by it."""
        return {self.symbol: name}


@dataclass(frozen=True)
class Maybe(Use):
    """A whole number for a symbol that an option switches on; ``absent`` switches it off."""

    symbol: str
    option: str
    absent: int = 0

    def settings(self, name: str, value: object) -> Settings:
        """Return the option, and the symbol's value where it is on."""
        if type(value) is int and value == self.absent:
            return {self.option: "false"}
        return {self.symbol: str(size(name, value)), self.option: "true"}

    def called(self, name: str) -> Settings:
        """Return what the symbol is called."""
        return {self.symbol: name}


@dataclass(frozen=True)
class Choice(Use):
    """One of some values, each of which chooses something for an option, or for several."""

    option: str
    values: Mapping[object, str] = field(default_factory=lambda: BOOLS)
    also: tuple[str, ...] = ()

    def settings(self, name: str, value: object) -> Settings:
        """Return what the options are."""
        chosen = self.values[among(name, value, tuple(self.values))]
        return dict.fromkeys((self.option, *self.also), chosen)


@dataclass(frozen=True)
class Only(Use):
    """What is supported with these values only, for the others would change what is counted.

    ``why`` says how.
    """

    values: tuple[object, ...]
    why: str = "what another value changes is not derived here"

    def settings(self, name: str, value: object) -> Settings:
        """Refuse any other value; nothing is set."""
        try:
            among(name, value, self.values)
        except BadInput as error:
            raise BadInput(f"{str(error)[:-1]}: {self.why}.") from error
        return {}


@dataclass(frozen=True)
class Free(Use):
    """What changes no count: any value of these types."""

    types: tuple[type, ...]

    def settings(self, name: str, value: object) -> Settings:
        """Refuse another type; nothing is set."""
        if type(value) not in self.types and not (type(value) is int and float in self.types):
            kinds = " or ".join(kind.__name__ for kind in self.types).replace("NoneType", "None")
            raise BadInput(f"{name} = {written(value)} does not fit: {kinds} is meant.")
        return {}


@dataclass(frozen=True)
class Number(Use):
    """A constant that something is multiplied by or added to; some would leave an operation out.

    ``above`` is what it has to be above, if anything.
    """

    without: tuple[int, ...] = ()
    above: float = -inf

    def settings(self, name: str, value: object) -> Settings:
        """Refuse what is no number, and those that would change the count; nothing is set."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(f"{name} = {written(value)} does not fit: a number is meant.")
        if value in self.without:
            raise BadInput(f"{name} = {written(value)} is not supported: "
                           "an operation less is done.")  # fmt: skip
        if value <= self.above:
            raise BadInput(f"{name} = {written(value)} does not fit: "
                           f"it has to be above {self.above}.")  # fmt: skip
        return {}


def size(name: str, value: object, least: int = 1) -> int:
    """Return a value that is a size; what only looks like a number is none.

    Raises:
        BadInput: it is not a whole number from ``least`` to 10^18.
    """
    return parse_size(name, str(value) if type(value) is int else written(value), least)


def among(name: str, value: object, known: tuple[object, ...]) -> object:
    """Return a value that is one of those known, as it is known; no bool is taken for a number.

    Raises:
        BadInput: it is none of them.
    """
    if not any(_alike(value, other) and value == other for other in known):
        meant = " or ".join(written(other) for other in known)
        raise BadInput(f"{name} = {written(value)} is not supported, only {meant} is.")
    return value


def _alike(value: object, other: object) -> bool:
    """Whether two values may be compared: 1 and 1.0 may, 1 and True may not."""
    numbers = {type(value), type(other)} <= {int, float}
    return numbers or type(value) is type(other)


def written(value: object) -> str:
    """Write a value as it stands in Python, on one line and not at length."""
    return shown(str(value) if isinstance(value, int) else repr(value))
