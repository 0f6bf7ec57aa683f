"""What an argument of a layer does: gives sizes, makes a choice, or changes no count.

Each use reads one literal value and says what is to be set, as ``--set`` would be told; what
cannot be is refused. Adding a kind of argument is one small class here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, prod

from symledger.errors import BadInput, shown
from symledger.expressions import LARGEST, parse_size

Settings = dict[str, str]


@dataclass(frozen=True)
class Function:
    """A function of torch.nn.functional that is handed over by its name."""

    name: str

    def __repr__(self) -> str:
        return f"nn.functional.{self.name}"


BOOLS: Mapping[object, str] = {True: "true", False: "false"}


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


@dataclass(frozen=True)
class Size(Use):
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
class Shape(Size):
    """A whole number, or a shape like (64, 8, 8), of which the product is given to a symbol."""

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbol's value."""
        lengths = value if isinstance(value, tuple) and value else (value,)
        found = prod(size(name, length) for length in lengths)
        if found > LARGEST:
            raise BadInput(f"{name} = {written(value)} is out of range: sizes are 1 to 10^18.")
        return super().settings(name, found)


@dataclass(frozen=True)
class Scale(Size):
    """A whole number, maybe written as a float, or one that is the same down and across."""

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbol's value.

        Raises:
            BadInput: it is not whole, or another one across than down.
        """
        alike = isinstance(value, tuple) and len(value) == 2 and value[0] == value[1]
        factor = value[0] if isinstance(value, tuple) and alike else value
        whole = int(factor) if isinstance(factor, float) and factor.is_integer() else factor
        if isinstance(whole, tuple | float):
            raise BadInput(
                f"{name} = {written(value)} is not supported: a whole number is, the same down and "
                "across."
            )
        return super().settings(name, whole)


@dataclass(frozen=True)
class Sizes(Use):
    """A whole number for several symbols, or a tuple with one for each: ``kernel_size=3``.

    Where it is ``optional``, None leaves them as they are: a stride that is the kernel's size.
    In a tuple, None stands for the same length as that of ``kept``: ``output_size=(None, 7)``.
    """

    symbols: tuple[str, ...]
    least: int = 1
    optional: bool = False
    kept: tuple[str, ...] = ()

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbols' values."""
        if value is None and self.optional:
            return {}
        each = value if isinstance(value, tuple) else (value,) * len(self.symbols)
        if len(each) != len(self.symbols):
            raise BadInput(
                f"{name} = {written(value)} does not fit: one whole number or {len(self.symbols)}."
            )
        same = self.kept if isinstance(value, tuple) and self.kept else (None,) * len(each)
        return {
            symbol: kept if n is None and kept else str(size(name, n, self.least))
            for symbol, n, kept in zip(self.symbols, each, same, strict=True)
        }


@dataclass(frozen=True)
class Padding(Sizes):
    """Sizes that may be zero, or a word: ``'valid'`` is none, ``'same'`` follows from others."""

    least: int = 0

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbols' values; nothing for ``'same'``, which a rule of the layer gives."""
        if isinstance(value, str):
            word = among(name, value, ("valid", "same"))
            return dict.fromkeys(self.symbols, "0") if word == "valid" else {}
        return super().settings(name, value)


@dataclass(frozen=True)
class Around(Sizes):
    """How much is added around: one number, or a pair for each axis, the last axis first.

    ``symbols`` say how much is added before each axis, ``after`` how much at its other end.
    """

    least: int = 0
    after: tuple[str, ...] = ()

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbols' values; those at the other end only where they differ."""
        if not isinstance(value, tuple):
            return super().settings(name, value)
        if len(value) != 2 * len(self.symbols):
            raise BadInput(
                f"{name} = {written(value)} does not fit: one whole number or "
                f"{2 * len(self.symbols)}."
            )
        before, after = value[-2::-2], value[::-2]
        ends = Sizes(self.after, self.least).settings(name, after) if before != after else {}
        return super().settings(name, before) | ends


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


KNOWN = ("relu", "gelu", "gelu_tanh", "silu")
"""The nonlinearities that layers take."""


@dataclass(frozen=True)
class Acting(Use):
    """A nonlinearity: its name, of which PyTorch knows two, its function, or a module of it."""

    option: str

    def settings(self, name: str, value: object) -> Settings:
        """Return what the option is; ``gelu_tanh`` is no function of PyTorch, only a module."""
        if isinstance(value, Function) and value.name in KNOWN:
            return {self.option: value.name}
        functions = (Function(known) for known in ("relu", "gelu", "silu"))
        return {self.option: str(among(name, value, ("relu", "gelu", *functions)))}


@dataclass(frozen=True)
class Entry(Use):
    """One of some values, each of which chooses an entry of the catalogue."""

    values: Mapping[object, str]

    def settings(self, name: str, value: object) -> Settings:
        """Refuse what chooses no entry; nothing is set."""
        among(name, value, tuple(self.values))
        return {}


@dataclass(frozen=True)
class Chance(Use):
    """A chance from 0 to below 1; above 0 it switches options on.

    At 1 nothing is left, and PyTorch computes something else.
    """

    options: tuple[str, ...] = ()

    def settings(self, name: str, value: object) -> Settings:
        """Return what the options are."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise BadInput(f"{name} = {written(value)} is not a chance: a number from 0 to 1.")
        if value == 1:
            raise BadInput(
                f"{name} = {written(value)} leaves nothing to chance: write a number below 1."
            )
        return dict.fromkeys(self.options, BOOLS[value > 0])


@dataclass(frozen=True)
class Only(Use):
    """What is supported with these values only, for the others would change what is counted.

    ``why`` says how.
    """

    values: tuple[object, ...]
    why: str = ""

    def settings(self, name: str, value: object) -> Settings:
        """Refuse any other value; nothing is set."""
        try:
            among(name, value, self.values)
        except BadInput as error:
            raise BadInput(f"{str(error)[:-1]}: {self.why}." if self.why else str(error)) from error
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


@dataclass(frozen=True)
class Inner(Use):
    """A layer inside this one: what its arguments do here, and what its presence sets."""

    layer: str
    uses: Mapping[str, Use]
    sets: Mapping[str, str] = field(default_factory=dict)
    optional: bool = False


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
