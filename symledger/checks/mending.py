"""Sizes changed, by as little as is enough, until every length of a program is whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations, islice
from math import ceil

from sympy import Add, Expr, Min, Mul, Symbol
from sympy import floor as rounded

from symledger.checks.exact import value
from symledger.errors import DefinitionError

LARGEST_CHANGE = 256
MUCH, COARSE = 16384, 16
"""How much longer than that what is divided by hundreds, or holds products, may have to be, and in
which steps."""
OFTEN = 6
"""How often something is repaired before what stands alone in it is raised as much as it takes."""
FEW = 8
"""Ways to repair something among which the one that breaks least is chosen."""
Floor = tuple[Expr, int]
"""A quantity that must be whole, and the least that it may be."""


def mended(
    sizes: dict[Symbol, int], floors: list[Floor], apart: set[Symbol], fixed: set[Symbol],
    sparing: bool,
) -> dict[Symbol, int]:
    """Change sizes until all that must hold does; ``apart`` stay different, ``fixed`` as they are.

    Where what repairs one thing goes on to break another, what breaks least is looked for.

    Raises:
        DefinitionError: that was not found.
    """
    for careful in (False, True):
        found, met = sizes, Counter[Floor]()
        for _ in range(10 * len(floors) + 1):
            broken = next((floor for floor in floors if not holds(floor, found)), None)
            if broken is None:
                return found
            met[broken] += 1
            repairs = _repaired(broken, found, apart, fixed, sparing)
            if met[broken] > OFTEN:
                repairs = chain(_raised(broken, found, apart, fixed), repairs)
            found = min(
                islice(repairs, FEW if careful else 1),
                key=lambda sizes: sum(not holds(floor, sizes) for floor in floors),
            )  # fmt: skip
    raise _none_found(" and ".join(str(e) for e, _ in floors))


def holds(floor: Floor, sizes: dict[Symbol, int]) -> bool:
    """Whether a quantity is whole at some sizes, and as large as it must be."""
    found = value(floor[0], sizes)
    return found.denominator == 1 and found >= floor[1]


def _repaired(
    floor: Floor, sizes: dict[Symbol, int], apart: set[Symbol], fixed: set[Symbol], sparing: bool
) -> Iterator[dict[Symbol, int]]:
    """Multiply a factor of a product, or raise a symbol of a sum: first what is least of it."""
    found = False
    for changed in _changes(floor[0], sizes, fixed, sparing):
        own = [changed[symbol] for symbol in apart]
        if holds(floor, changed) and len(set(own)) == len(own):
            found = True
            yield changed
    if not found:
        raise _none_found(str(floor[0]))


def _raised(
    floor: Floor, sizes: dict[Symbol, int], apart: set[Symbol], fixed: set[Symbol]
) -> Iterator[dict[Symbol, int]]:
    """Raise a symbol that is a term by itself: a text is made longer, and no window is."""
    lacking = floor[1] - value(floor[0], sizes)
    for symbol in (e for e in Add.make_args(floor[0]) if e in sizes and e not in fixed):
        others = {sizes[x] for x in apart if x != symbol} if symbol in apart else set()
        for n in range(sizes[symbol] + ceil(lacking), MUCH):
            if n not in others:
                yield {**sizes, symbol: n}
                break


def _changes(
    e: Expr, sizes: dict[Symbol, int], fixed: set[Symbol], sparing: bool
) -> Iterator[dict[Symbol, int]]:
    """Multiply factors, then raise what there is; or, sparing, raise factors if there are any.

    The least of several is larger only where two of them are, and so is a product of two that are
    rounded down to nothing.
    """
    free = sorted(e.free_symbols - fixed, key=lambda symbol: (sizes[symbol], str(symbol)))
    factors = [symbol for symbol in free if symbol in Mul.make_args(e)]
    part, whole_of_it = e.as_coeff_Mul()
    if whole_of_it in factors and part.p == 1:  # a half, a quarter …: the next multiple is enough
        first = sizes[whole_of_it] // part.q + 1
        for n in range(first, first + LARGEST_CHANGE):
            yield {**sizes, whole_of_it: n * part.q}
    for step in range(2, 1 if sparing else LARGEST_CHANGE):
        for symbol in factors:
            yield {**sizes, symbol: sizes[symbol] * step}
    for step in range(1, LARGEST_CHANGE):
        for symbol in factors if sparing and factors else free:
            yield {**sizes, symbol: sizes[symbol] + step}
    far = e.has(rounded) or e.is_Add
    for step in range(LARGEST_CHANGE, MUCH if far else LARGEST_CHANGE, COARSE):
        for symbol in free:
            yield {**sizes, symbol: sizes[symbol] + step}
    for step in range(1, LARGEST_CHANGE if e.has(Min) or e.has(rounded) else 1):
        for two in combinations(free, 2):
            yield {**sizes, **{symbol: sizes[symbol] + step for symbol in two}}


def _none_found(lengths: str) -> DefinitionError:
    return DefinitionError(
        f"no small sizes were found at which {lengths} is whole and large enough: "
        "check the lengths of the axes, or leave more of them free."
    )
