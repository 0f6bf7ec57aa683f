"""JSON data that anybody may have written: looked at piece by piece, refused with the place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from symledger.errors import BadInput, nearest, shown

LARGEST = 10**18
NAME = re.compile(r"[A-Za-z_]\w{0,99}", re.ASCII)
NUMBER = re.compile("[1-9][0-9]{0,17}")
"""A whole number that stands where a size may."""


@dataclass(frozen=True)
class Place:
    """A piece of JSON data, and the path to it: ``graph.nodes[3].shape``."""

    data: Any
    path: str = ""

    def refuse(self, why: str) -> NoReturn:
        """Refuse it.

        Raises:
            BadInput: always, with the place.
        """
        raise BadInput(f"{self.path or 'at its top'}: {why}")

    def has(self, key: str) -> bool:
        """Whether it is an object with a key."""
        return isinstance(self.data, dict) and key in self.data

    def __getitem__(self, key: str) -> Place:
        if key not in self.object():
            self.refuse(f"{key} is missing.")
        return Place(self.data[key], f"{self.path}.{key}".lstrip("."))

    def object(self) -> dict[str, Any]:
        """Return it as an object."""
        if not isinstance(self.data, dict):
            self.refuse("an object {…} is expected.")
        return self.data

    def only(self, *keys: str) -> None:
        """Refuse an object that has other keys."""
        for key in self.object():
            if key not in keys:
                self.refuse(f"there is no key {shown(key)}. {nearest(key, keys)}")

    def items(self, most: int) -> Iterator[tuple[str, Place]]:
        """Yield what an object holds, by names."""
        if len(self.object()) > most:
            self.refuse(f"it holds {len(self.data):,} entries, and {most:,} may be.")
        for key in self.data:
            if not NAME.fullmatch(key):
                self.refuse(f"{shown(key)} is no name.")
            yield key, self[key]

    def list(self, most: int) -> list[Place]:
        """Return it as a list."""
        if not isinstance(self.data, list):
            self.refuse("a list […] is expected.")
        if len(self.data) > most:
            self.refuse(f"it holds {len(self.data):,} entries, and {most:,} may be.")
        return [Place(x, f"{self.path}[{i}]") for i, x in enumerate(self.data)]

    def text(self, most: int = 200) -> str:
        """Return it as a text, which may be empty."""
        if not isinstance(self.data, str):
            self.refuse("a text is expected.")
        if len(self.data) > most or not self.data.isprintable():
            self.refuse(f"a text of at most {most} characters that can be seen is expected.")
        return self.data

    def whole(self, low: int = 0, high: int = LARGEST) -> int:
        """Return it as a whole number."""
        if isinstance(self.data, bool) or not isinstance(self.data, int):
            self.refuse("a whole number is expected.")
        if not low <= self.data <= high:
            self.refuse(f"a whole number from {low} to {high} is expected.")
        return self.data

    def truth(self) -> bool:
        """Return it as true or false."""
        if not isinstance(self.data, bool):
            self.refuse("true or false is expected.")
        return self.data


def parsed(content: bytes) -> Any:
    """Parse JSON: text in UTF-8, no key twice in one object, no NaN.

    Raises:
        BadInput: it is something else; where, if that can be said.
    """
    try:
        return json.loads(content.decode(), object_pairs_hook=_unique, parse_constant=_constant)
    except UnicodeDecodeError as error:
        raise BadInput(f"it is not text in UTF-8 (byte {error.start:,}).") from error
    except json.JSONDecodeError as error:
        raise BadInput(
            f"it is not JSON: {error.msg}, line {error.lineno}, column {error.colno}."
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadInput("its numbers or its nesting are absurd.") from error


def _unique(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadInput(f"the key {shown(twice)} stands twice in one object.")
    return found


def _constant(word: str) -> NoReturn:
    raise BadInput(f"{word} stands in it, which is no number of JSON.")
