"""A definition's sizes as polynomials in the keys of a configuration.

The family's own table of keys is asked: it reads the configuration at many points, and what it says
of each size is fitted exactly, as lengths of a trace are. So a size that is a key is that key, one
that follows from others is what follows (d_h = hidden_size/num_attention_heads), and one that is
rounded is the size that the trace named for it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import pairwise

from sympy import Expr, Integer, Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.checks.traced.vectors import Vector
from symledger.configs.read import read
from symledger.errors import BadInput, SymledgerError
from symledger.sizes import named
from symledger.traces.graph import Traced
from symledger.tracing.spaces.depth import period
from symledger.tracing.spaces.fit import Points
from symledger.tracing.spaces.points import drawn, parts_of
from symledger.tracing.spaces.space import Space, unfolded

POINTS = 40
FEWEST = 20
"""Random points at which a configuration is read, and how many suffice."""
DEEPEST, EVENLY = 12, 4
"""How many patterns of operations a pattern of layers is made of at most, and at how many depths
it is looked at."""
DEEPER = range(1, 9)
"""By how many patterns a configuration is read deeper: what counts layers of a kind depends on the
depth alone, and a line through it has to hold at more depths than it was solved for on."""


class Translation:
    """What sizes of a definition are in the keys that a trace has as sizes.

    Raises:
        BadInput: the family refuses most sizes that the class takes, or chooses otherwise there.
    """

    def __init__(self, vector: Vector, account: Account, traced: Traced, space: Space) -> None:
        self.account, self.traced, self.space = account, traced, space
        self.vector = vector
        self.at: list[dict[str, int]] = []
        self.settings: list[Mapping[str, str]] = []
        self._read()
        self.own = {named(s): Symbol(name) for s, name in traced.names.items()}
        self.points = self._points()

    def _read(self) -> None:
        """Read the configuration at many points; at each, the same choices are to be made."""
        refused: SymledgerError | None = None
        for at in around(self.space, self._pattern()):
            try:
                settings = self._settings(at)
            except SymledgerError as error:
                refused = error
                continue
            options = self._options(settings)
            if self.settings and options != self._options(self.settings[0]):
                continue
            self.at.append(at)
            self.settings.append(settings)
        if len(self.at) < FEWEST:
            raise BadInput(f"hardly any sizes that the class takes are read: {refused}")

    def _settings(self, at: Mapping[str, int]) -> Mapping[str, str]:
        """Return what the configuration says at a point, as a file would: lists are lists there.

        Raises:
            SymledgerError: the family refuses it.
        """
        given = unfolded(self.space.subject, at)
        keys = {
            n: list(v) if isinstance(v, tuple) else v
            for n, v in given.items() if n in self.space.subject.arguments
        }  # fmt: skip
        return read({**self.vector.document, **keys}).settings

    def _pattern(self) -> int:
        """Return by how many layers a model grows, so that all it counts grows as evenly.

        Layers that see a window run the operations of those that see everything, so that a graph
        repeats sooner than a configuration does.
        """
        every = period(self.traced.graph)
        several = (every * n for n in range(1, DEEPEST + 1))
        return next((n for n in several if self._grows_evenly(n)), every)

    def _grows_evenly(self, by: int) -> bool:
        """Whether every number goes up by as much each time that so many layers are added."""
        base, rows = self.space.base, []
        for n in range(EVENLY):
            try:
                deep = {d: base[d] + n * by for d in self.space.depths}
                rows.append(self._settings({**base, **deep}))
            except SymledgerError:
                return False
        known = [n for n, v in rows[0].items() if v.isdecimal()]
        numbers = ([int(row[n]) for row in rows if n in row] for n in known)
        return all(len({b - a for a, b in pairwise(row)}) == 1 for row in numbers)

    def _options(self, settings: Mapping[str, str]) -> dict[str, str]:
        return {n: v for n, v in settings.items() if n in self.account.target.choices}

    def _points(self) -> Points:
        names = [*self.space.sizes, *self.space.depths]
        parts = {**parts_of(self.space), **{Symbol(n): Symbol(n) for n in self.space.depths}}
        places = []
        for at in self.at:
            values = {Symbol(n): Integer(at[n]) for n in names}
            values |= {p: e.xreplace(values) for p, e in parts.items()}
            places.append({s: int(n) for s, n in values.items()})
        points = Points([Symbol(n) for n in names], parts, places)
        for name, e in self.traced.definitions.items():
            e = e.xreplace(self.own)
            points.define(named(name), points.valued(e), e.free_symbols)
        return points

    def ours(self, terms: Terms) -> Terms:
        """Write a polynomial of the definition in the keys.

        Raises:
            BadInput: a size of it is no polynomial in them.
        """
        symbols = sorted({s for monomial in terms for s, _ in monomial}, key=str)
        return algebra.substitute(terms, {s: self.size(s) for s in symbols})

    def theirs(self, terms: Terms) -> Terms:
        """Write a polynomial of the trace in the keys, as the configuration calls them."""
        return algebra.substitute(terms, {s: algebra.variable(k) for s, k in self.own.items()})

    def size(self, symbol: Symbol) -> Terms:
        """Return what a size of the definition is in the keys."""
        numbers = tuple(
            self._valued(symbol, settings, at)
            for settings, at in zip(self.settings, self.at, strict=True)
        )
        found = self.points.fit(numbers)
        found = self.points.fit_with_defined(numbers) if found is None else found
        if found is None:
            raise BadInput(f"{symbol} does not follow from the keys as a polynomial: it is "
                           f"{', '.join(map(str, numbers[:4]))} …")  # fmt: skip
        return algebra.terms(found)

    def _valued(self, symbol: Expr, settings: Mapping[str, str], at: Mapping[str, int]) -> int:
        """Return a size at a point: as it is there, as is set, or as the definition assumes."""
        name = str(symbol)
        if name in at:
            return at[name]
        if name in settings:
            return int(settings[name])
        e = {**self.account.definitions, **self.account.defaults}.get(symbol)
        if e is None:
            raise BadInput(f"no key says how large {name} is.")
        known = {s: Integer(self._valued(s, settings, at)) for s in e.free_symbols}
        found = e.xreplace(known)
        if not found.is_Integer:
            raise BadInput(f"{name} = {e} = {found} is no whole number.")
        return int(found)


def around(space: Space, pattern: int, seed: int = 20260303) -> Iterator[dict[str, int]]:
    """Yield points: the base, each size changed alone, random ones; depths by patterns."""
    rng = random.Random(seed)  # noqa: S311  # points, no secrets
    yield dict(space.base)
    for name in space.sizes:
        step = space.value(space.steps[name])
        changed = (space.base[name] + n * step for n in (1, -1, 2, 3))
        yield from (space.moved({name: n}) for n in changed if n > 0)
    for name in space.depths:
        yield from ({**space.base, name: space.base[name] + n * pattern} for n in DEEPER)
    for _ in range(POINTS):
        at = drawn(space, rng)
        yield at | {n: space.base[n] + rng.randint(0, 4) * pattern for n in space.depths}


def said(terms: Terms, most: int = 200) -> str:
    """Write a polynomial, not at length."""
    text = algebra.text(terms)
    return text if len(text) <= most else f"{text[:most]} …"
