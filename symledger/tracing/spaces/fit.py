"""Whole numbers observed at many points, as the one polynomial in the sizes that gives them all.

The numbers are exact, and so is the polynomial: it is solved for in fractions on a few points, and
has to hold at every other one. What is no polynomial is not made one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, combinations_with_replacement, product
from math import prod

from sympy import Expr, Integer, Mul, Rational, Symbol

Powers = tuple[int, ...]
PRIME = 2**61 - 1
VALUES = 3
"""How many values more than its power a size has to take: through few, polynomials go that mean
nothing."""
FEW = 3
"""How many values a size has to take that a line goes through, other sizes giving the spare."""
SPARE = 4
"""How many points at least a polynomial has to give that it was not solved for on."""


class System:
    """Sizes to write polynomials in, and their values at all points."""

    def __init__(
        self, symbols: Sequence[Symbol], at: Sequence[Mapping[Symbol, int]], spare: int = SPARE
    ) -> None:
        self.symbols, self.spare = tuple(symbols), spare
        self.values = min(VALUES, spare)
        self.at = tuple(tuple(point[s] for s in symbols) for point in at)

    def with_symbol(self, symbol: Symbol, values: Sequence[int]) -> System:
        """Return these sizes and one more."""
        found = System((), [{} for _ in self.at], self.spare)
        found.symbols = (*self.symbols, symbol)
        found.at = tuple((*at, n) for at, n in zip(self.at, values, strict=True))
        return found

    def fit(self, numbers: tuple[int, ...], among: set[Symbol]) -> Expr | None:
        """Return the polynomial in some of the sizes; None if there is none."""
        places = [i for i, s in enumerate(self.symbols) if s in among]
        known: dict[tuple[int, ...], int] = {}  # a point that says nothing new is no evidence
        for at, number in zip(self.at, numbers, strict=True):
            if known.setdefault(tuple(at[i] for i in places), number) != number:
                return None
        taken = [len(set(values)) for values in zip(*known, strict=True)]
        limits = [max(int(n >= FEW), n - self.values) for n in taken]
        for powers in bases(limits, len(known) - self.spare):
            rows = [
                [prod([x**n for x, n in zip(point, p, strict=True) if n]) for p in powers]
                for point in known
            ]
            c = solved(rows, tuple(known.values()))
            if c is not None:
                used = [self.symbols[i] for i in places]
                return written(c, powers, used)
        return None


def written(c: Sequence[Fraction], powers: Sequence[Powers], symbols: Sequence[Symbol]) -> Expr:
    """Write a polynomial down."""
    total: Expr = Integer(0)
    for x, p in zip(c, powers, strict=True):
        if x:
            factors = (s**n for s, n in zip(symbols, p, strict=True))
            total = total + Mul(Rational(x.numerator, x.denominator), *factors)
    return total


class Points:
    """The points at which numbers were observed.

    Polynomials are written in the sizes themselves where that goes; else in parts of them, such as
    h and q of d = h·q, in which d/h is a polynomial too. ``parts`` says what each part is.
    """

    def __init__(
        self, sizes: Sequence[Symbol], parts: Mapping[Symbol, Expr],
        at: Sequence[Mapping[Symbol, int]], spare: int = SPARE,
    ) -> None:  # fmt: skip
        self.parts = dict(parts)
        self.own = System(sizes, at, spare)
        self.inner = System(tuple(parts), at, spare)
        self._fitted: dict[tuple[int, ...], Expr | None] = {}
        self.defined: dict[Symbol, frozenset[Symbol]] = {}

    def fit(self, numbers: tuple[int, ...]) -> Expr | None:
        """Return the polynomial that gives these numbers at the points; None if there is none."""
        if numbers not in self._fitted:
            self._fitted[numbers] = self._fit(numbers)
        return self._fitted[numbers]

    def fit_with_defined(self, numbers: tuple[int, ...]) -> Expr | None:
        """Return a polynomial in sizes, among them some that others decide."""
        varying = self._varying(numbers)
        among = self._among(varying)
        decided = {s for s, of in self.defined.items() if of <= among}
        known, every = dict(self.own_values()), sorted(self.defined, key=str)
        for s, t in combinations_with_replacement(every, 2):
            pairs = zip(known[s], known[t], numbers, strict=True)
            if all(a * b == n for a, b, n in pairs) and len(set(numbers)) >= FEW:
                self._fitted[numbers] = s * t
                return s * t
        for several in [{s} for s in decided] + [decided] if decided else []:
            over = set[Symbol]().union(*(self.defined[s] for s in several))
            for system, others in (
                (self.own, among - over), (self.own, among), (self.inner, varying)
            ):  # fmt: skip
                found = system.fit(numbers, others | several)
                if found is not None:
                    self._fitted[numbers] = found = found.xreplace(self.parts)
                    return found
        for pair in combinations(every, 2):  # a step of either may change none of them
            over = set[Symbol]().union(*(self.defined[s] for s in pair))
            for others in (set[Symbol](), among - over):
                found = self.own.fit(numbers, others | {*pair})
                if found is not None:
                    self._fitted[numbers] = found
                    return found
        return self._rest(numbers)

    def fit_with(self, symbol: Symbol, numbers: tuple[int, ...]) -> Expr | None:
        """Return a polynomial in a size that others decide, alone or with these and all others."""
        of = set(self.defined[symbol])
        for others in (set[Symbol](), of, of | self.deciding(numbers)):
            found = self.own.fit(numbers, others | {symbol})
            if found is not None:
                self._fitted[numbers] = found
                return found
        return None

    def _rest(self, numbers: tuple[int, ...]) -> Expr | None:
        """Return what is left of a size where others that are rounded are taken away.

        It is seldom another number where a size is changed alone: ``among`` does not tell it.
        """
        few = [s for s, of in self.defined.items() if len(of) == 1]
        for several in (*((s,) for s in few), *combinations(few, 2)):
            over = set[Symbol]().union(*(self.defined[s] for s in several))
            found = self.own.fit(numbers, over | {*several}) if len(over) == 1 else None
            if found is not None:
                self._fitted[numbers] = found
                return found
        return None

    def own_values(self) -> Iterator[tuple[Symbol, tuple[int, ...]]]:
        """Yield every size and every part with its values at the points, defined ones too."""
        seen: set[Symbol] = set()
        for system in (self.own, self.inner):
            for i, s in enumerate(system.symbols):
                if s not in seen:
                    yield s, tuple(at[i] for at in system.at)
                seen.add(s)

    def valued(self, e: Expr) -> tuple[int, ...]:
        """Return an expression in the sizes at every point."""
        names = self.own.symbols
        values = (dict(zip(names, map(Integer, at), strict=True)) for at in self.own.at)
        return tuple(int(e.xreplace(at)) for at in values)

    def define(self, symbol: Symbol, numbers: tuple[int, ...], of: Iterable[Symbol]) -> None:
        """Add a size that others decide."""
        over = (self.defined.get(s, frozenset({s})) for s in of)
        self.defined[symbol] = frozenset().union(*over)
        self.own = self.own.with_symbol(symbol, numbers)
        self.inner = self.inner.with_symbol(symbol, numbers)
        self._fitted[numbers] = symbol

    def _fit(self, numbers: tuple[int, ...]) -> Expr | None:
        if len(set(numbers)) == 1:
            return Integer(numbers[0])
        if len(set(numbers)) >= FEW:  # one that is limited takes few values: it is what it is
            for s, values in zip(self.own.symbols, zip(*self.own.at, strict=True), strict=True):
                if values == numbers:
                    return s
        varying = self._varying(numbers)
        found = self.own.fit(numbers, self._among(varying))
        if found is None:
            found = self.inner.fit(numbers, varying)
        return None if found is None else found.xreplace(self.parts)

    def _among(self, varying: set[Symbol]) -> set[Symbol]:
        """The sizes that some parts are parts of."""
        return set().union(*(self.parts[s].free_symbols for s in varying))

    def deciding(self, numbers: tuple[int, ...]) -> set[Symbol]:
        """The sizes that the numbers depend on: changing what they are made of changes them."""
        return self._among(self._varying(numbers))

    def _varying(self, numbers: tuple[int, ...]) -> set[Symbol]:
        """The parts that the numbers depend on: changing one alone changes them."""
        return {
            s for s, pairs in self._alone.items()
            if any(numbers[i] != numbers[j] for i, j in pairs)
        }  # fmt: skip

    @cached_property
    def _alone(self) -> dict[Symbol, list[tuple[int, int]]]:
        """The pairs of points that differ in one part only, by that part."""
        symbols = tuple(self.parts)
        found: dict[Symbol, list[tuple[int, int]]] = {s: [] for s in symbols}
        places = [at[: len(symbols)] for at in self.inner.at]
        for j, there in enumerate(places):
            for i, here in enumerate(places[:j]):
                other = [s for s, (a, b) in enumerate(zip(here, there, strict=True)) if a != b]
                if len(other) == 1:
                    found[symbols[other[0]]].append((i, j))
        return found


def bases(limits: Sequence[int], most: int) -> list[tuple[Powers, ...]]:
    """Return sets of powers to try, from few to many: as many as there are points for.

    ``limits`` are the highest powers of each size for which it has values enough.
    """
    found: list[tuple[Powers, ...]] = []
    for limit, degree in ((1, 1), (1, len(limits)), (2, 2), (2, 3), (3, 3), (2, 4), (3, 4), (4, 4)):
        kept = tuple(
            p for p in product(range(limit + 1), repeat=len(limits))
            if sum(p) <= degree and all(n <= top for n, top in zip(p, limits, strict=True))
        )  # fmt: skip
        if kept not in found and len(kept) <= most:
            found.append(kept)
    return sorted(found, key=len)


def solved(rows: Sequence[Sequence[int]], numbers: Sequence[int]) -> list[Fraction] | None:
    """Solve a system that has more equations than unknowns; None if no solution gives them all.

    It is solved modulo a prime first, which tells most systems that have no solution, and which
    unknowns are nothing; then exactly, for those that are left.
    """
    rough = eliminated([[*row, y] for row, y in zip(rows, numbers, strict=True)])
    if rough is None:
        return None
    kept = [i for i, x in enumerate(rough) if x]
    left = [[Fraction(row[i]) for i in kept] + [Fraction(y)]
            for row, y in zip(rows, numbers, strict=True)]  # fmt: skip
    exact = _exactly(left, len(kept))
    if exact is None:
        return None
    known = dict(zip(kept, exact, strict=True))
    return [known.get(i, Fraction(0)) for i in range(len(rough))]


def eliminated(left: list[list[int]]) -> list[int] | None:
    """Solve a system modulo a prime; None if it has no solution, or more than one."""
    width = len(left[0]) - 1
    for column in range(width):
        row = next((r for r in range(column, len(left)) if left[r][column] % PRIME), None)
        if row is None:
            return None
        left[column], left[row] = left[row], left[column]
        inverse = pow(left[column][column], -1, PRIME)
        pivot = left[column] = [x * inverse % PRIME for x in left[column]]
        for r, other in enumerate(left):
            times = other[column]
            if r != column and times:
                left[r] = [(x - times * p) % PRIME for x, p in zip(other, pivot, strict=True)]
    if any(row[-1] % PRIME for row in left[width:]):
        return None
    return [left[i][-1] for i in range(width)]


def _exactly(left: list[list[Fraction]], width: int) -> list[Fraction] | None:
    for column in range(width):
        row = next((r for r in range(column, len(left)) if left[r][column]), None)
        if row is None:
            return None
        left[column], left[row] = left[row], left[column]
        first = left[column][column]
        pivot = left[column] = [x / first for x in left[column]]
        for r, other in enumerate(left):
            times = other[column]
            if r != column and times:
                left[r] = [x - times * p for x, p in zip(other, pivot, strict=True)]
    if any(row[-1] for row in left[width:]):
        return None
    return [left[i][-1] for i in range(width)]
