"""Lists of modules that loops go along: each round runs the next module, with its own weights.

How many experts a mixture has is no depth: its router has as many rows. So the rounds of its loop
are told in every run, as those of a loop over time are; but the names of modules and weights in a
list move on by one from round to round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symledger.tracing.spaces.behind import number, shifted

NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")
"""A number in a dotted name."""


def pattern_of(path: str) -> str:
    """Return the path of a list with ``*`` for the numbers of layers around it.

    >>> pattern_of("layers.0.experts")
    'layers.*.experts'
    """
    return NUMBER.sub("*", path)


@dataclass(frozen=True)
class Lists:
    """Lists that loops may go along, by their patterns."""

    patterns: frozenset[str] = frozenset()

    @cached_property
    def _form(self) -> re.Pattern[str]:
        paths = (re.escape(p).replace(r"\*", r"\d+") for p in sorted(self.patterns))
        return re.compile(rf"((?:{'|'.join(paths)}))\.\d+(?=\.|$)")

    def around(self, name: str) -> str | None:
        """Return the path of the list that a module or a weight stands in, if there is one."""
        found = self._form.match(name) if self.patterns else None
        return found[1] if found else None

    def alike(self, name: str) -> str:
        """Return a name as all rounds have it."""
        path = self.around(name)
        return name if path is None else shifted(name, path, -(number(name, path) or 0))


NONE = Lists()
"""No list."""


class Moved:
    """Which lists the rounds of one loop go along, and in which they stay at one place."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists
        self.moving: frozenset[str] = frozenset()
        self.staying: frozenset[str] = frozenset()

    def follows(self, first: str, name: str, i: int) -> bool:
        """Whether a name is in round i what another one is in the zeroth; note which lists move."""
        path = self.lists.around(first)
        if path is None or first == name:
            self.staying |= frozenset(() if path is None else (path,))
            return first == name and path not in self.moving
        self.moving |= {path}
        return path not in self.staying and shifted(first, path, i) == name

    @property
    def saved(self) -> tuple[frozenset[str], frozenset[str]]:
        """What is known, to be set again where a round does not follow."""
        return self.moving, self.staying

    def has_weight(self, first: Mapping[str, Any], its: Mapping[str, Any], i: int) -> bool:
        """Whether a weight is in round i what another one is in the zeroth, by their arguments."""
        a, b = str(first.get("name", "")), str(its.get("name", ""))
        return a != b and {**first, "name": b} == its and self.follows(a, b, i)

    def is_own(self, name: str) -> bool:
        """Whether a weight is another one in every round."""
        return self.lists.around(name) in self.moving


def up_to(path: str, lists: Iterable[str]) -> str:
    """Return the path of a module, or of the list that it stands in where rounds go along that."""
    return next((x for x in lists if f"{path}.".startswith(f"{x}.")), path)
