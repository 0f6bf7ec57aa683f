"""Which owners may give a number, looked up without reading their formulas.

Every amount of every owner at every known size stands here as 28 bits that are made of its value
and its owner: an owner that has a number is found, and seldom one that has not. What is found so
is read, and searched as ever. Formulas whose sizes have to be found stand here as they are
written, each once, with their owners.

This is made of the index and of the sizes of configurations. Where it was made of other ones, or is
not there, all of the index is searched, with the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from symledger import records
from symledger.algebra import Terms
from symledger.explain.index import checkpoint_sizes, files
from symledger.explain.index.notation import read
from symledger.explain.index.readings import ALL, QUANTITIES, Asked

FORMAT = 1
FILE, NUMBERS = records.FOLDER / "sought.json", records.FOLDER / "sought.bin"
BITS = 28
"""Of so many bits a number is: 400,000 of them are met by a hundredth of what is looked up."""
COARSE = 8
"""The last bits of a float of 32 that are left out: values that differ by less than a part in
30,000 are told apart where they are worked out."""
LAST = 8
"""So many bits of each of ascending numbers are kept as they are; the others by their steps."""

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Formulas:
    """A formula with sizes to be found: who has it as all of a target, and who as a part of one."""

    left: Terms
    whole: tuple[str, ...]
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Sought:
    """What is known of all owners: ``numbers`` and what else was recorded."""

    owners: tuple[str, ...]
    numbers: Whole
    plain: Mapping[str, Whole]
    data: Mapping[str, Any]

    @cached_property
    def codes(self) -> Whole:
        """A number for each owner, which is made of its name."""
        return codes(self.owners)

    def having(self, asked: Asked, whole: bool, values: Iterable[int]) -> set[str]:
        """Return who may have one of some values: as all of a target, or as a part of one."""
        return self.having_places(asked, whole, places(values).tolist())

    def having_places(self, asked: Asked, whole: bool, near: Iterable[int]) -> set[str]:
        """Return the same of places where values may be."""
        found: set[str] = set()
        for place in near:
            looked = mixed(kind_of(asked, whole), self.codes, np.int64(place))
            at = np.minimum(np.searchsorted(self.numbers, looked), len(self.numbers) - 1)
            found.update(self.owners[i] for i in np.flatnonzero(self.numbers[at] == looked))
        return found

    def near(self, unit: str, number: int, most: int) -> list[int]:
        """Return where all targets and single lines stand that are nearest to a number."""
        known = self.plain[unit]
        (here,) = places([number])
        first, last = np.searchsorted(known, here), np.searchsorted(known, here, side="right")
        found: list[int] = known[max(first - most, 0) : last + most].tolist()
        return found

    def sizes_of(self, symbol: str) -> list[int]:
        """Return the sizes that a symbol is known to have, in order."""
        found: list[int] = self.data["sizes"][symbol]
        return found

    def repeated(self, unit: str) -> list[Mapping[str, str]]:
        """Return which targets of each owner are all the same as one before, by what is asked."""
        found: Mapping[str, list[str]] = self.data["repeated"][unit]
        return [
            {owner: marks[i] for owner, marks in found.items()}
            for i in range(len(QUANTITIES[unit]))
        ]

    def formulas(self, unit: str, quantity: str) -> Iterator[Formulas]:
        """Yield every formula of a quantity whose sizes may be found."""
        for text, whole, parts in self.data["formulas"][unit].get(quantity, ()):
            yield Formulas(read(text), self._named(whole), self._named(parts))

    def _named(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple([self.owners[i] for i in numbers])


@cache
def sought() -> Sought | None:
    """Return what is recorded, if it is of this index."""
    return recorded(FILE, NUMBERS)


def recorded(file: Path, numbers: Path) -> Sought | None:
    """Read what is recorded; None if it is not there, or was made of another index."""
    try:
        data = json.loads(file.read_bytes())
        if data["format"] != FORMAT or data["of"] != made_of():
            return None
        every = [*_unpacked(numbers.read_bytes(), data["lengths"])]
        names = tuple(data["owners"])
    except (OSError, ValueError, LookupError, TypeError):
        return None  # it is not there, or was not written by us
    return Sought(names, every[0], dict(zip(data["plain"], every[1:], strict=True)), data)


def made_of() -> str:
    """Return a fingerprint of the index and of the sizes of configurations."""
    found = 0
    for folder in (files.FOLDER, checkpoint_sizes.FOLDER):
        for file in sorted(folder.rglob("*.json")):
            found = crc32(file.read_bytes(), crc32(file.name.encode(), found))
    return f"{found:08x}"


def kind_of(asked: Asked, whole: bool) -> int:
    """Return a number for what is asked for, as all of a target or as a part of one."""
    return 2 * ALL.index(asked) + whole


def codes(owners: Iterable[str]) -> Whole:
    """Return a number for each owner, which another one does not change."""
    return np.array([crc32(name.encode()) for name in owners], np.int64)


def places(values: Iterable[int]) -> Whole:
    """Return where numbers stand among all: in their order, those together that are very near."""
    return places_of(np.array([float(n) for n in values], np.float64))


def places_of(values: Floats) -> Whole:
    """Return the same of the floats that are nearest to numbers."""
    found: Whole = values.astype(np.float32).view(np.uint32).astype(np.int64) >> COARSE
    return found


def mixed(kind: int, owners: Whole, place: Whole | np.int64) -> Whole:
    """Return BITS bits of a kind, owners and places, by which they are found again."""
    with np.errstate(over="ignore"):
        x = (owners.astype(np.uint64) + np.uint64(kind << 32)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(29))) + np.asarray(place, np.uint64)
        x = x * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
        found: Whole = (x >> np.uint64(64 - BITS)).astype(np.int64)
    return found


def packed(several: Iterable[Whole]) -> tuple[bytes, list[list[int]]]:
    """Write ascending numbers as bytes, and how long each piece of these is.

    The last bits of each stand one after the other; of the others a 1 for each number and a 0
    for each step between them (Elias, Fano).
    """
    out, lengths = b"", []
    for numbers in several:
        first = numbers >> LAST
        bits = np.zeros(len(numbers) + int(first[-1]) + 1 if len(numbers) else 0, bool)
        bits[first + np.arange(len(numbers))] = True
        steps = np.packbits(bits).tobytes()
        out += (numbers & (2**LAST - 1)).astype(np.uint8).tobytes() + steps
        lengths.append([len(numbers), len(steps)])
    return out, lengths


def _unpacked(data: bytes, lengths: Iterable[Sequence[int]]) -> Iterator[Whole]:
    start = 0
    for count, steps in lengths:
        last = np.frombuffer(data, np.uint8, count, start).astype(np.int64)
        bits = np.unpackbits(np.frombuffer(data, np.uint8, steps, start + count))
        first = np.flatnonzero(bits) - np.arange(count)
        yield (first << LAST) | last
        start += count + steps
