"""The index: the surveys of the whole catalogue, read from files instead of being derived.

``python -m symledger.explain`` writes them into the package, one for parameters and bytes and one
for FLOPs. They hold a fingerprint of the sources that they were derived with: where these are other
ones, nothing is read, and everything is derived, with the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from sympy import Symbol

from symledger.algebra import Number, Terms, ordered
from symledger.catalogue import ENTRIES
from symledger.explain.lines import Amount, Kind, Weight
from symledger.explain.outline import Frame, Outline
from symledger.explain.readings import QUANTITIES, Asked
from symledger.explain.survey import Survey, survey
from symledger.sizes import named

PACKAGE = Path(__file__).parents[1]
FOLDER = PACKAGE / "explain" / "indexed"
SOURCES = (
    "account.py", "algebra.py", "assumptions.py", "catalogue.py", "conventions.py",
    "expressions.py", "formulas.py", "ledger.py", "quantities.py", "sizes.py", "target.py",
    "citing/canonical.py", "components/*.py", "core/*.py", "models/*.py", "readings/*.py",
    "explain/index.py", "explain/lines.py", "explain/outline.py", "explain/readings.py",
    "explain/survey.py",
)  # fmt: skip
"""What outlines are made by."""
FILES = {"params": QUANTITIES["bytes"], "flops.forward": QUANTITIES["flop"]}
"""Each file's name, which is the quantity that choices are told by, and what it holds."""


def indexed(asked: Sequence[Asked]) -> dict[str, Survey] | None:
    """Return the surveys of the catalogue, by entry; None where the index is not up to date."""
    try:
        text = (FOLDER / f"{asked[0].quantity}.json").read_text(encoding="utf-8")
        found = json.loads(text)
        if found["sources"] != fingerprint():
            return None
        return read(found, asked)
    except (OSError, ValueError, LookupError, TypeError):
        return None  # it is not there, or is no index: only slower


def derived(asked: Iterable[Asked]) -> dict[str, Survey]:
    """Return the same, derived."""
    asked = tuple(asked)
    return {entry.name: survey(entry.name, asked) for entry in ENTRIES if not entry.owner}


@cache
def fingerprint() -> str:
    """Return the fingerprint of the sources that outlines are made by."""
    digest = sha256()
    for pattern in SOURCES:
        for path in sorted(PACKAGE.glob(pattern)):
            digest.update(f"{path.name}\n{path.read_text(encoding='utf-8')}\n".encode())
    return digest.hexdigest()[:16]


class Numbered(dict[str, int]):
    """Things written in JSON, each once, by their numbers."""

    def of(self, thing: object) -> int:
        """Return the number of a thing."""
        return self.setdefault(json.dumps(thing, ensure_ascii=False), len(self))


def written(surveys: dict[str, Survey]) -> str:
    """Write surveys: the polynomials, the frames, then the outlines of each entry."""
    polynomials, frames = Numbered(), Numbered()
    entries = [
        f"{json.dumps(name)}: [{json.dumps(found.choices)}, [\n" + ",\n".join(
            json.dumps(_data(drawn, polynomials, frames), ensure_ascii=False)
            for drawn in found.outlines
        ) + "]]" for name, found in surveys.items()
    ]  # fmt: skip
    return (
        f'{{"sources": "{fingerprint()}",\n'
        f'"polynomials": [\n{_lines(polynomials)}],\n"frames": [\n{_lines(frames)}],\n'
        f'"entries": {{\n{_lines(entries)}}}}}\n'
    )


def _lines(texts: Iterable[str]) -> str:
    return ",\n".join(texts)


def _data(drawn: Outline, polynomials: Numbered, frames: Numbered) -> list[Any]:
    def number(p: Terms) -> int:
        return polynomials.of(
            [[_coefficient(c), *((s.name, n) for s, n in monomial)] for monomial, c in ordered(p)]
        )

    f = drawn.frame
    return [
        drawn.changed, drawn.case,
        frames.of([f.symbols, f.defaults, f.definitions, f.lengths, f.bounds, f.configuration]),
        {s.name: number(p) for s, p in drawn.equations.items()}, drawn.bindings,
        {" ".join(a): [[kind, said, number(p)] for kind, said, p in found]
         for a, found in drawn.amounts.items()},
        [[where, number(a), number(b)] for where, a, b in drawn.weights],
    ]  # fmt: skip


def _coefficient(c: Number) -> int | str:
    return int(c) if c.denominator == 1 else str(c)


def read(data: dict[str, Any], asked: Iterable[Asked]) -> dict[str, Survey]:
    """Read surveys back, with those amounts that are asked for."""
    frames = [Frame(*map(_frozen, frame)) for frame in data["frames"]]
    polynomials = Polynomials(data["polynomials"])
    return {
        name: Survey({n: tuple(values) for n, values in choices.items()}, tuple(
            _outline(drawn, frames, polynomials, asked) for drawn in outlines
        )) for name, (choices, outlines) in data["entries"].items()
    }  # fmt: skip


class Polynomials(dict[int, Terms]):
    """The polynomials of an index by their numbers, made when they are asked for."""

    def __init__(self, data: list[Any]) -> None:
        self.data = data
        self.made: dict[object, dict[Symbol, Terms]] = {}

    def equations(self, data: dict[str, int]) -> dict[Symbol, Terms]:
        """Return equations, the same object for the same ones."""
        key = tuple(data.items())
        if key not in self.made:
            self.made[key] = {named(s): self[n] for s, n in key}
        return self.made[key]

    def __missing__(self, number: int) -> Terms:
        self[number] = {
            tuple((named(s), n) for s, n in monomial): Fraction(c) if isinstance(c, str) else c
            for c, *monomial in self.data[number]
        }
        return self[number]


def _outline(
    data: list[Any], frames: list[Frame], polynomials: Polynomials, asked: Iterable[Asked]
) -> Outline:
    changed, case, frame, equations, bindings, amounts, weights = data
    return Outline(
        _frozen(changed), case, frames[frame],
        polynomials.equations(equations), bindings,
        {a: tuple(_amounts(amounts[" ".join(a)], polynomials)) for a in asked},
        tuple(_weights(weights, polynomials)) if Asked("params") in asked else (),
    )  # fmt: skip


def _amounts(data: list[tuple[Kind, str, int]], polynomials: Polynomials) -> Iterator[Amount]:
    for kind, said, number in data:
        yield kind, said, polynomials[number]


def _weights(data: list[tuple[str, int, int]], polynomials: Polynomials) -> Iterator[Weight]:
    for where, a, b in data:
        yield where, polynomials[a], polynomials[b]


def _frozen(data: Any) -> Any:
    return tuple(map(_frozen, data)) if isinstance(data, list) else data
