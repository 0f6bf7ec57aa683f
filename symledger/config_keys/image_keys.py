"""What configurations of image models say in the same words: sizes of images, lists of stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symledger.arguments.specs import Settings, Use, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.family import Values
from symledger.errors import BadInput

UNTIED: Mapping[str, Use] = {"tie_word_embeddings": FREE}
"""Older files say it of every model: one that scores no tokens has nothing to be tied."""
BACKBONE = {**dict.fromkeys(("out_features", "out_indices", "stage_names"), FREE), **UNTIED}
"""What a class gives that serves as a part of other models, which is refused."""
STAGES = 4
CONVOLVED = {
    "convolution.weight": "convolution.F", "normalization.weight": "norm.g",
    "normalization.bias": "norm.b",
}  # fmt: skip
"""The tensors of a convolution with its norm: as the implementation names them, and as we do."""


@dataclass(frozen=True)
class Pair(Use):
    """A whole number for two symbols, or a list of both: the height and the width of an image."""

    symbols: tuple[str, str]

    def settings(self, name: str, value: object) -> Settings:
        """Return both."""
        each = value if isinstance(value, list) else [value, value]
        if len(each) != 2:
            raise BadInput(f"{name} = {written(value)} does not fit: a whole number, or two.")
        sizes = (str(size(name, n)) for n in each)
        return dict(zip(self.symbols, sizes, strict=True))

    def called(self, name: str) -> Settings:
        """Return what both are called."""
        return dict.fromkeys(self.symbols, name)


@dataclass(frozen=True)
class Square(Use):
    """A whole number for a symbol, or a list of twice the same: the side of a square."""

    symbol: str

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbol's value."""
        each = value if isinstance(value, list) and len(value) == 2 else [value, value]
        first, second = (size(name, n) for n in each)
        if first != second:
            raise BadInput(f"{name} = {written(value)} is not supported: only squares are.")
        return {self.symbol: str(first)}

    def called(self, name: str) -> Settings:
        """Return what the symbol is called."""
        return {self.symbol: name}


@dataclass(frozen=True)
class Stages(Use):
    """A list of whole numbers, one for each of four stages."""

    letter: str

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbols' values: ``C_1`` … ``C_4``."""
        return {f"{self.letter}_{i}": str(n) for i, n in enumerate(staged(name, value), start=1)}

    def called(self, name: str) -> Settings:
        """Return what the symbols are called, the first ``name[0]``."""
        return {f"{self.letter}_{i + 1}": f"{name}[{i}]" for i in range(STAGES)}


def cut(name: str, value: object, side: int) -> Settings:
    """Return how many patches of a side an image has down and across: one at least of each.

    Raises:
        BadInput: the image is smaller than a patch.
    """
    found = Pair(("H_p", "W_p")).settings(name, value)
    if any(int(n) < side for n in found.values()):
        raise BadInput(
            f"{name} = {written(value)} does not fit: no patch of {side} × {side} pixels is in "
            f"it. Choose {side} or more."
        )
    return {key: str(int(n) // side) for key, n in found.items()}


def staged(name: str, value: object, stages: int = STAGES) -> list[int]:
    """Return a list of whole numbers, one for each stage.

    Raises:
        BadInput: it is none, or there are more stages or fewer.
    """
    if not isinstance(value, list) or len(value) != stages:
        raise BadInput(
            f"{name} = {written(value)} is not supported: models of {stages} stages are, with a "
            "number for each."
        )
    return [size(name, n) for n in value]


def coefficient(values: Values, name: str) -> float:
    """Return what widths or depths are multiplied by.

    Raises:
        BadInput: it is no number above 0.
    """
    value = values[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1000:
        raise BadInput(f"{name} = {written(value)} does not fit: a number above 0 is.")
    return value


def positive(values: Values, name: str) -> bool:
    """Return whether a number is above zero.

    Raises:
        BadInput: it is no number.
    """
    value = values[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(f"{name} = {written(value)} does not fit: a number is meant.")
    return value > 0


def quartered(
    values: Values, d: str = "hidden_size", h: str = "num_attention_heads"
) -> int:
    """Return how wide heads are that are turned by a row and by a column, by two angles each.

    Raises:
        BadInput: they do not divide the width, or 4 does not divide theirs.
    """
    width = head_width({key: size(key, values[key]) for key in (d, h)}, d, h)
    if width % 4:
        raise BadInput(
            f"{d} / {h} = {width} does not fit: a quarter of a head is turned by the row, and as "
            "much by the column, so that 4 divides it."
        )
    return width
