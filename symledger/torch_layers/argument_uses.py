"""What the arguments of layers do besides: several sizes, chances, functions, layers inside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Protocol, runtime_checkable

from symledger.algebra.parsing import LARGEST
from symledger.arguments.specs import BOOLS, Settings, SizeOf, Use, among, size, written
from symledger.errors import BadInput


@dataclass(frozen=True)
class Function:
    """A function of torch.nn.functional that is handed over by its name, and what it applies."""

    name: str
    applied: str

    def __repr__(self) -> str:
        return f"nn.functional.{self.name}"


@runtime_checkable
class Written(Protocol):
    """A layer that is handed over as it is written."""

    @property
    def values(self) -> Mapping[str, object]:
        """The values of its arguments."""


@dataclass(frozen=True)
class Shape(SizeOf):
    """A whole number, or a shape like (64, 8, 8), of which the product is given to a symbol."""

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbol's value."""
        lengths = value if isinstance(value, tuple) and value else (value,)
        found = prod(size(name, length) for length in lengths)
        if found > LARGEST:
            raise BadInput(f"{name} = {written(value)} is out of range: sizes are 1 to 10^18.")
        return super().settings(name, found)


@dataclass(frozen=True)
class SizesOf(Use):
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
class Padding(SizesOf):
    """Sizes that may be zero, or a word: ``'valid'`` is none, ``'same'`` follows from others."""

    least: int = 0

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbols' values; nothing for ``'same'``, which a rule of the layer gives."""
        if isinstance(value, str):
            word = among(name, value, ("valid", "same"))
            return dict.fromkeys(self.symbols, "0") if word == "valid" else {}
        return super().settings(name, value)


@dataclass(frozen=True)
class Around(SizesOf):
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
        ends = SizesOf(self.after, self.least).settings(name, after) if before != after else {}
        return super().settings(name, before) | ends


NAMED = ("relu", "gelu")
"""The nonlinearities that PyTorch knows by name (``_get_activation_fn``, PyTorch 2.13)."""


@dataclass(frozen=True)
class Acting(Use):
    """A nonlinearity: its name, of which PyTorch knows two, its function, or a module of it."""

    option: str

    def settings(self, name: str, value: object) -> Settings:
        """Return what the option is."""
        if isinstance(value, Function):
            return {self.option: value.applied}
        if value not in NAMED:
            raise BadInput(
                f"{name} = {written(value)} is not supported, only 'relu' or 'gelu' is, a function "
                "of each element as F.silu, or a module of one as nn.Mish()."
            )
        return {self.option: str(value)}

    def of_module(self, name: str, module: object, function: str) -> Settings:
        """Return what a module makes of it, which applies a function."""
        return {self.option: function}


@dataclass(frozen=True)
class Copied(Acting):
    """The nonlinearity of decoder layers that PyTorch copies: a copy has ReLU where a module was.

    ``copy.deepcopy`` takes a module for missing (``TransformerDecoderLayer.__setstate__``, PyTorch
    2.13); what is given by name or as a function stays. Weights of the module would stay too, and
    be used by nothing.
    """

    def of_module(self, name: str, module: object, function: str) -> Settings:
        """Return ReLU, whatever the module applies."""
        if function == "prelu":
            raise BadInput(
                f"{name} = {written(module)} is not supported: copies of a decoder layer run ReLU "
                "in its place, and keep a slope that nothing uses. Write another module or F.relu."
            )
        return {self.option: "relu"}


@dataclass(frozen=True)
class CopiedInDecoder(Copied):
    """The nonlinearity of an encoder, and of a decoder whose layers PyTorch copies."""

    encoder: str

    def of_module(self, name: str, module: object, function: str) -> Settings:
        """Return that of the encoder, and ReLU for the decoder."""
        own = {} if function == "relu" else {self.encoder: function}
        return {**super().of_module(name, module, function), **own}


@dataclass(frozen=True)
class EntryOf(Use):
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
class Inner(Use):
    """A layer inside this one: what its arguments do here, and what its presence sets."""

    layer: str
    uses: Mapping[str, Use]
    sets: Mapping[str, str] = field(default_factory=dict)
    optional: bool = False
