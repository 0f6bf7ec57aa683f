"""The index: the surveys of the whole catalogue, read from files instead of being derived.

``symledger record`` writes them into the package, one for parameters and bytes and one
for FLOPs. They hold a fingerprint of the sources that they were derived with (``stamp``): where
these are other ones, nothing is read, and everything is derived, with the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from sympy import Symbol

from symledger.algebra import Monomial, Number, Terms, ordered
from symledger.catalogue.entries import ENTRIES
from symledger.explain.index.outline import Frame, Outline, Survey
from symledger.explain.index.readings import QUANTITIES, Asked
from symledger.explain.index.stamp import FOLDER, fingerprint, read_stamped
from symledger.explain.lines import Amount, Kind, Weight
from symledger.explain.sums import Sum
from symledger.sizes import named

FILES = {"params": QUANTITIES["bytes"], "flops.forward": QUANTITIES["flop"]}
"""Each file's name, which is the quantity that choices are told by, and what it holds."""


def indexed(asked: Sequence[Asked]) -> dict[str, Survey] | None:
    """Return the surveys of the catalogue, by entry; None where the index is not up to date."""
    return _indexed(FOLDER, fingerprint(), tuple(asked))


@cache
def _indexed(folder: Path, sources: str, asked: Sequence[Asked]) -> dict[str, Survey] | None:
    file = folder / f"{asked[0].quantity}.json"
    return read_stamped(file, sources, lambda data: read(data, asked))


def derived() -> dict[str, dict[str, Survey]]:
    """Return the same for each file, derived."""
    from symledger.explain.index.survey import Accounts, survey

    found: dict[str, dict[str, Survey]] = {name: {} for name in FILES}
    for entry in ENTRIES:
        if not entry.owner:
            accounts = Accounts(entry.name)
            for name, asked in FILES.items():
                found[name][entry.name] = survey(entry.name, asked, accounts)
    return found


def current() -> tuple[Path, str]:
    """Return what tells one index from another."""
    return FOLDER, fingerprint()


def _written(thing: object) -> str:
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))


class Numbered(dict[str, int]):
    """Things written in JSON, each once, by their numbers."""

    def of(self, thing: object) -> int:
        """Return the number of a thing."""
        return self.setdefault(_written(thing), len(self))


def written(surveys: dict[str, Survey]) -> str:
    """Write surveys: the polynomials, the frames, then the outlines of each entry."""
    w = Writer()
    entries = [
        f"{json.dumps(name)}: [{json.dumps(found.choices)}, [\n" + ",\n".join(
            _written(w.outline(drawn))
            for drawn in found.outlines
        ) + "]]" for name, found in surveys.items()
    ]  # fmt: skip
    return (
        f'{{"sources": "{fingerprint()}",\n'
        f'"monomials": [\n{_lines(w.monomials)}],\n'
        f'"polynomials": [\n{_lines(w.polynomials)}],\n"sums": [\n{_lines(w.sums)}],\n'
        f'"amounts": [\n{_lines(w.amounts)}],\n"weights": [\n{_lines(w.weights)}],\n'
        f'"frames": [\n{_lines(w.frames)}],\n'
        f'"entries": {{\n{_lines(entries)}}}}}\n'
    )


def _lines(texts: Iterable[str]) -> str:
    return ",\n".join(texts)


class Writer:
    """What outlines share, numbered as it is met."""

    def __init__(self) -> None:
        self.monomials, self.polynomials = Numbered(), Numbered()
        self.sums, self.amounts = Numbered(), Numbered()
        self.weights, self.frames = Numbered(), Numbered()

    def outline(self, drawn: Outline) -> list[Any]:
        """Return an outline as JSON data."""
        f = drawn.frame
        return [
            drawn.changed, drawn.case, self.frames.of(
                [f.symbols, f.defaults, f.definitions, f.lengths, f.bounds, f.configuration]
            ),
            {s.name: self.polynomial(p) for s, p in drawn.equations.items()}, drawn.bindings,
            {" ".join(a): [self.amount(*one) for one in found]
             for a, found in drawn.amounts.items()},
            [
                self.weights.of([where, self.polynomial(a), self.polynomial(b)])
                for where, a, b in drawn.weights
            ],
        ]  # fmt: skip

    def polynomial(self, p: Terms) -> int:
        """Return the number of a polynomial; it is how often which monomial."""
        return self.polynomials.of([
            x for monomial, c in ordered(p)
            for x in (_coefficient(c), self.monomials.of([(s.name, n) for s, n in monomial]))
        ])  # fmt: skip

    def amount(self, kind: Kind, said: str, amount: Sum) -> int:
        """Return the number of an amount; a sum is its symbols, then how often which polynomial."""
        pieces = [x for often, p in amount.pieces for x in (often, self.polynomial(p))]
        return self.amounts.of([kind, said, self.sums.of([" ".join(amount.names), *pieces])])


def _coefficient(c: Number) -> int | str:
    return int(c) if c.denominator == 1 else str(c)


def read(data: dict[str, Any], asked: Iterable[Asked]) -> dict[str, Survey]:
    """Read surveys back, with those amounts that are asked for."""
    reader, asked = Reader(data), tuple(asked)
    return {
        name: Survey({n: tuple(values) for n, values in choices.items()}, tuple(
            reader.outline(drawn, asked) for drawn in outlines
        )) for name, (choices, outlines) in data["entries"].items()
    }  # fmt: skip


class Reader:
    """What outlines share, the same object for the same number, made when it is asked for."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.frames = [Frame(*map(_frozen, frame)) for frame in data["frames"]]
        self.monomials = Made(data["monomials"], _monomial)
        self.polynomials = Made(data["polynomials"], self._polynomial)
        self.sums = Made(data["sums"], self._sum)
        self.amounts = Made(data["amounts"], self._amount)
        self.weights = Made(data["weights"], self._weight)
        self.names: dict[str, tuple[str, ...]] = {}
        self.made: dict[object, dict[Symbol, Terms]] = {}

    def outline(self, data: list[Any], asked: Iterable[Asked]) -> Outline:
        """Return an outline."""
        changed, case, frame, equations, bindings, amounts, weights = data
        return Outline(
            _frozen(changed), case, self.frames[frame], self.equations(equations), bindings,
            {a: tuple(map(self.amounts.__getitem__, amounts[" ".join(a)])) for a in asked},
            tuple(map(self.weights.__getitem__, weights)) if Asked("params") in asked else (),
        )  # fmt: skip

    def equations(self, data: dict[str, int]) -> dict[Symbol, Terms]:
        """Return equations, the same object for the same ones."""
        key = tuple(data.items())
        if key not in self.made:
            self.made[key] = {named(s): self.polynomials[n] for s, n in key}
        return self.made[key]

    def _amount(self, data: tuple[Kind, str, int]) -> Amount:
        kind, said, number = data
        return kind, said, self.sums[number]

    def _sum(self, data: list[Any]) -> Sum:
        text, *pieces = data
        if text not in self.names:
            self.names[text] = tuple(text.split())
        numbered = zip(pieces[::2], pieces[1::2], strict=True)
        return Sum(tuple([(n, self.polynomials[i]) for n, i in numbered]), self.names[text])

    def _weight(self, data: tuple[str, int, int]) -> Weight:
        where, a, b = data
        return where, self.polynomials[a], self.polynomials[b]

    def _polynomial(self, data: list[Any]) -> Terms:
        numbered = zip(data[::2], data[1::2], strict=True)
        return {
            self.monomials[m]: Fraction(c) if isinstance(c, str) else c for c, m in numbered
        }


class Made(dict[int, Any]):
    """Things by their numbers, made of their data when they are asked for."""

    def __init__(self, data: list[Any], make: Callable[[Any], Any]) -> None:
        self.data, self.make = data, make

    def __missing__(self, number: int) -> Any:
        self[number] = made = self.make(self.data[number])
        return made


def _monomial(data: list[tuple[str, int]]) -> Monomial:
    return Monomial([(named(s), n) for s, n in data])


def _frozen(data: Any) -> Any:
    return tuple(map(_frozen, data)) if isinstance(data, list) else data
