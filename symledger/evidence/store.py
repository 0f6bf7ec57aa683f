"""The files of evidence: every point, claim and comparison once, by its number.

A file is of one owner, so that what comes to another changes nothing in it. A comparison is a row:
the numbers of its claim and of its points, then how far off it was, the causal convention, the
number of its equations, and what is rare; what is usual at the end of a row is left out. Of many
points that were drawn, it holds the numbers of their symbols and of their stream, and how many.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence, Point
from symledger.evidence.drawn import MANY, Streams, points_of

Read = TypeVar("Read")


@dataclass(frozen=True)
class Findings:
    """What is recorded of one variant: the fingerprints of its formulas, and comparisons."""

    hashes: Mapping[str, str]
    evidence: tuple[Evidence, ...]


class Stored(Mapping[str, Findings]):
    """What a file holds, by variant; each is read when it is asked for."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._variants: Mapping[str, tuple[list[int], list[int]]] = data.get("recorded", {})
        self._known: dict[str, Findings] = {}
        self._comparisons: dict[int, Evidence] = {}

    def __getitem__(self, name: str) -> Findings:
        if name not in self._known:
            formulas, found = self._variants[name]
            hashes = dict(self._data["formulas"][i] for i in formulas)
            self._known[name] = Findings(hashes, tuple(map(self._comparison, found)))
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._variants)

    def __len__(self) -> int:
        return len(self._variants)

    def _comparison(self, number: int) -> Evidence:
        if number not in self._comparisons:
            row: list[Any] = self._data["comparisons"][number]
            claim, points, worst, causal, equations, rare = row + USUAL[len(row) - 2 :]
            name, quantity, *words = self._data["claims"][claim]
            assumptions = () if equations is None else self._data["equations"][equations]
            self._comparisons[number] = Evidence(
                quantity, Claim(name, tuple(words)), self._points(points),
                rare.get("seed", 0), worst, rare.get("passed", True), rare.get("detail", ""),
                causal, tuple(assumptions),
            )  # fmt: skip
        return self._comparisons[number]

    def _points(self, said: list[int] | dict[str, list[int]]) -> tuple[Point, ...]:
        if isinstance(said, list):
            return tuple(map(self._point, said))
        symbols, stream, number = said["drawn"]
        return points_of(self._data["drawn"][stream], self._data["symbols"][symbols], number)

    def _point(self, number: int) -> Point:
        symbols, *sizes = self._data["points"][number]
        return dict(zip(self._data["symbols"][symbols], sizes, strict=True))


USUAL: list[Any] = ["0", "", None, {}]
"""How a row ends where nothing else is said."""


def read(file: Path) -> Stored:
    """Read a file; where there is none, nothing is recorded."""
    return Stored(json.loads(file.read_bytes()) if file.is_file() else {})


def written(known: Mapping[str, Findings]) -> str:
    """Write a file, a row a line, so that a change can be reviewed."""
    tables = Tables()
    rows = {name: tables.recorded(known[name]) for name in sorted(known)}
    drawn = {"drawn": list(map(_json, tables.streams.every))} if tables.streams.every else {}
    parts = [f'"{name}":[\n' + ",\n".join(table) + "]"
             for name, table in {**tables.every, **drawn}.items()]  # fmt: skip
    named = ",\n".join(f"{_json(name)}:{_json(row)}" for name, row in rows.items())
    return "{" + ",\n".join(parts) + f',\n"recorded":{{\n{named}}}}}\n'


class Tables:
    """What the records of an owner share, numbered as it is met."""

    def __init__(self) -> None:
        names = ("symbols", "points", "equations", "claims", "comparisons", "formulas")
        self.every: dict[str, dict[str, int]] = {name: {} for name in names}
        self.streams = Streams()

    def recorded(self, variant: Findings) -> tuple[list[int], list[int]]:
        """Number the formulas and the comparisons of a variant."""
        formulas = [self._number("formulas", pair) for pair in sorted(variant.hashes.items())]
        return formulas, [self._comparison(e) for e in variant.evidence]

    def _comparison(self, e: Evidence) -> int:
        claim = self._number("claims", [e.claim.name, e.quantity, *e.claim.words])
        points = self._points(e)
        equations = self._number("equations", e.assumptions) if e.assumptions else None
        rare = {"seed": e.seed, "passed": e.passed, "detail": e.detail}
        usual = {"seed": 0, "passed": True, "detail": ""}
        ending = [e.worst, e.causal, equations, {k: v for k, v in rare.items() if v != usual[k]}]
        while ending and ending[-1] == USUAL[len(ending) - 1]:
            ending.pop()
        return self._number("comparisons", [claim, points, *ending])

    def _points(self, e: Evidence) -> list[int] | dict[str, list[int]]:
        names = sorted(e.points[0]) if e.points else []
        alike = all(sorted(point) == names for point in e.points)
        if len(e.points) < MANY or not alike or not e.claim.name.endswith("drawn"):
            return [self._point(point) for point in e.points]
        symbols = self._number("symbols", names)
        return {"drawn": [symbols, self.streams.number(e.points, names), len(e.points)]}

    def _point(self, point: Point) -> int:
        symbols = self._number("symbols", sorted(point))
        return self._number("points", [symbols, *(point[name] for name in sorted(point))])

    def _number(self, table: str, row: Iterable[Any]) -> int:
        return self.every[table].setdefault(_json(list(row)), len(self.every[table]))


def _json(thing: object) -> str:
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))
