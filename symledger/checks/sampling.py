"""Small sizes at which a program can run: distinct primes, mended until every length is whole.

Prime sizes tell axes apart: a formula that takes one symbol for another comes out wrong. Ties
between sizes make products of primes (h = h_kv·g, d_k = 2r). The symbols that make most work get
the smallest primes; another attempt swaps neighbours.

Where primes make too much work, the sizes are small numbers, distinct as well, mended by as little
as is enough; what has to be long to hold others is not what gets the smallest ones. Where every
operation is counted one by one, fewer are wanted: then sizes are 2, 3 or 5, several
symbols share one, but no two symbols share it at all of three attempts. So they do wherever an
image of small sizes would still be huge, since the last of several stages has to hold windows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, combinations, islice
from math import ceil

from sympy import Add, Expr, Min, Mul, Symbol
from sympy import floor as rounded

from symledger.checks.exact import value, whole
from symledger.errors import DefinitionError
from symledger.ir.ops import Contract
from symledger.ir.tensor import Call, Program
from symledger.readings.flops import contraction_flops, pointwise_flops

PRIMES = (
    *(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89),
    *(97, 101, 103, 107, 109, 113),
)
SMALL = tuple(range(2, 2 + len(PRIMES)))
"""Sizes where primes make too much work: products of ten symbols, as of windows over volumes."""
HEAVY = 10_000_000
"""FLOPs of the contractions from which on primes make too much work: what is run at these sizes is
run once more for every array that is kept, and several times for every weight."""
LAVISH = 3_000_000_000
"""FLOPs of the contractions from which on even those are too much: then what follows from others is
only as long as it has to be, and symbols share sizes, of which there are fewer where they did."""
COUNTLESS = 500_000_000
"""The same, where every operation is counted."""
OTHERS = 6
"""Orders of the symbols that are tried."""
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


def sizes_for(
    program: Program, attempt: int = 0, extra: Iterable[Expr] = (), distinct: bool = True
) -> dict[Symbol, int]:
    """Choose sizes for a program, others at every attempt, always the same at the same one.

    The number of applications of a repeated body is 2 or 3, whatever else has that size (unless
    that is the length of the axis that it goes along); what is no length (a stride, a padding) is
    1 to 3, or 0 to 2. What others decide follows from them.

    Args:
        program: the program to be run.
        attempt: 0, 1, 2 … for another choice.
        extra: further quantities that must be whole and positive.
        distinct: whether no two symbols share a size at this attempt.

    Raises:
        DefinitionError: no sizes were found at which every length is a positive whole number.
    """
    total = contraction_flops(program).total
    found = _chosen(program, attempt, extra, distinct, total)
    if value(total, found) <= (LAVISH if distinct else COUNTLESS):
        return found
    try:
        less = _sizes(program, attempt, extra, (), 2 + distinct)
    except DefinitionError:
        return found
    return min(found, less, key=lambda sizes: value(total, sizes))


def _chosen(
    program: Program, attempt: int, extra: Iterable[Expr], distinct: bool, total: Expr
) -> dict[Symbol, int]:
    """Choose primes, or small numbers where those make too much work."""
    if not distinct:
        return _sizes(program, attempt, extra, ())
    try:
        found = _sizes(program, attempt, extra, PRIMES)
    except DefinitionError:
        return _small(program, attempt, extra)
    if value(total, found) <= HEAVY:
        return found
    try:
        small = _small(program, attempt, extra)
    except DefinitionError:
        return found
    return min(found, small, key=lambda sizes: value(total, sizes))


def _small(program: Program, attempt: int, extra: Iterable[Expr]) -> dict[Symbol, int]:
    """Choose small sizes, in another order of the symbols where this one has none."""
    for other in range(attempt, attempt + 3 * OTHERS, 3):
        try:
            return _sizes(program, other, extra, SMALL)
        except DefinitionError as error:
            refused = error
    raise refused


def _sizes(
    program: Program, attempt: int, extra: Iterable[Expr], apart: tuple[int, ...],
    kinds: int = 0,
) -> dict[Symbol, int]:
    """Choose sizes, each symbol's among those that keep them apart, where there are any."""
    distinct, sparing = bool(apart), apart is SMALL
    defined = program.definitions
    floors = [(e.xreplace(defined), n) for e, n in (*_floors(program), *((e, 1) for e in extra))]
    told = () if kinds else _lengths(defined)
    floors = list(dict.fromkeys([*floors, *((e, i) for i, e in enumerate(told, 2))]))
    floors.sort(key=_of_several)  # two that are too small, below zero, have a product that is not
    symbols = set(program.symbols).union(*(e.free_symbols for e in defined.values()))
    symbols = symbols.union(*(e.free_symbols for e, _ in floors)) - defined.keys()
    times, settings = _repetitions(program), _settings(program)
    ordered = _by_work(program, symbols - times - settings, floors)
    if len(ordered) > len(PRIMES):
        raise DefinitionError(f"{len(ordered)} sizes are free: more than can be kept apart here.")
    sizes = dict.fromkeys(sorted(times, key=str), 2 + attempt % 2)
    for i, symbol in enumerate(sorted(settings, key=str)):
        sizes[symbol] = getattr(symbol, "least", 1) + (i + attempt) % 3
    if distinct:
        sizes.update(zip(_swapped(ordered, attempt), apart, strict=False))
    else:
        sizes.update((symbol, _shared(i, attempt, kinds or 3)) for i, symbol in enumerate(ordered))
    kept = set(ordered) if distinct else set()
    mended = _mended(sizes, floors, kept, settings, sparing)
    if sparing:
        ordered.sort(key=lambda symbol: mended[symbol] != sizes[symbol])
        sizes.update(zip(_swapped(ordered, attempt), apart, strict=False))
        mended = _mended(sizes, floors, kept, settings, sparing)
    sizes = mended
    if not distinct and attempt % 3 == 2:
        sizes = _unequal(sizes, floors)
    return sizes | {symbol: whole(e, sizes) for symbol, e in defined.items()}


def _lengths(defined: dict[Symbol, Expr]) -> list[Expr]:
    """Return what follows from others and is never zero."""
    return [e for symbol, e in defined.items() if getattr(symbol, "least", 1)]


def _of_several(wanted: Floor) -> bool:
    """Whether a quantity is a product of sizes that others decide."""
    return len([factor for factor in Mul.make_args(wanted[0]) if factor.has(rounded)]) > 1


def _unequal(sizes: dict[Symbol, int], floors: list[Floor]) -> dict[Symbol, int]:
    """Raise what is only as long as what it has to hold, by one, where all that must hold does.

    Otherwise k experts of E would be all of them at every attempt.
    """
    for e, least in floors:
        if least == 0 and value(e, sizes) == 0:
            for outer in (x for x in e.args if x in sizes):
                raised = {**sizes, outer: sizes[outer] + 1}
                if all(_holds(floor, raised) for floor in floors):
                    sizes = raised
    return sizes


def _floors(program: Program) -> Iterator[Floor]:
    """What must hold: axes of at least 2, so that none is broadcast unseen; slices that fit."""
    times = _repetitions(program)
    for length in program.lengths:
        yield length, 1 if length.free_symbols <= times else 2
    for inner, outer in program.bounds:
        yield outer - inner, 0
    for t in (t for body in program.bodies for t in body.tensors):
        if isinstance(t.op, Contract) and t.op.pairs:
            yield t.args[2].shape[1] - t.args[2].shape[0], 0


def _repetitions(program: Program) -> set[Symbol]:
    """The symbols that say how often something is repeated, not along how long an axis.

    Of what is repeated along what another repetition has stacked, no input is that long.
    """
    calls = [t.op for body in program.bodies for t in body.calls if isinstance(t.op, Call)]
    times = set().union(*(op.times.free_symbols for op in calls))
    along = set().union(*(op.times.free_symbols for op in calls if op.slices))
    stacked = set().union(*(op.times.free_symbols for op in calls if not op.slices))
    entering = {*program.entering, *program.definitions}
    return {s for s in times if s not in along or (s in stacked and s not in entering)}


def _settings(program: Program) -> set[Symbol]:
    """The symbols that are in no length of any axis, nor the most that one may be.

    They say how windows slide.
    """
    definitions = program.definitions.values()
    mentioned = set(program.symbols).union(*(e.free_symbols for e in definitions))
    most = (n for e in definitions for least in e.atoms(Min) for n in least.args if n.is_Symbol)
    sized = (e.free_symbols for e in (*program.lengths, *_visible(program), *most))
    return mentioned - _repetitions(program).union(*sized)


def _visible(program: Program) -> Iterator[Expr]:
    """How many pairs of queries and keys count, wherever not all of them do."""
    for t in (t for body in program.bodies for t in body.tensors):
        if isinstance(t.op, Contract) and t.op.pairs:
            yield t.op.pairs.count


def _by_work(program: Program, symbols: set[Symbol], floors: list[Floor]) -> list[Symbol]:
    """Symbols in falling order of how much the work grows when one of them is doubled.

    What it divides is doubled with it: more key/value heads make more query heads.
    """
    work = contraction_flops(program).total + pointwise_flops(program).total
    work = work.xreplace(program.definitions)
    even = dict.fromkeys(symbols | work.free_symbols, 4)
    even |= dict.fromkeys(_settings(program), 1)

    def growth(symbol: Symbol) -> Fraction:
        divided = (e.free_symbols for e, _ in floors if 1 / symbol in Mul.make_args(e))
        tied = {symbol}.union(*divided) & symbols
        return value(work, even | dict.fromkeys(tied, 8))

    return sorted(symbols, key=lambda symbol: (-growth(symbol), str(symbol)))


def _swapped(symbols: list[Symbol], attempt: int) -> list[Symbol]:
    """Swap neighbours: from the first on at odd attempts, from the second on at even ones."""
    out = list(symbols)
    for step in range(1, attempt + 1):
        for i in range((step + 1) % 2, len(out) - 1, 2):
            out[i], out[i + 1] = out[i + 1], out[i]
    return out


def _shared(i: int, attempt: int, kinds: int = 3) -> int:
    """One of the first primes; where they are 3, the digits of i tell any two of 27 apart."""
    ones, next_ones, others = (i // kinds**k % kinds for k in range(3))
    code = (ones, ones + next_ones, ones + next_ones + others + 1)
    return PRIMES[code[attempt % 3] % kinds]


def _mended(
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
            broken = next((floor for floor in floors if not _holds(floor, found)), None)
            if broken is None:
                return found
            met[broken] += 1
            repairs = _repaired(broken, found, apart, fixed, sparing)
            if met[broken] > OFTEN:
                repairs = chain(_raised(broken, found, apart, fixed), repairs)
            found = min(
                islice(repairs, FEW if careful else 1),
                key=lambda sizes: sum(not _holds(floor, sizes) for floor in floors),
            )  # fmt: skip
    raise _none_found(" and ".join(str(e) for e, _ in floors))


def _holds(floor: Floor, sizes: dict[Symbol, int]) -> bool:
    found = value(floor[0], sizes)
    return found.denominator == 1 and found >= floor[1]


def _repaired(
    floor: Floor, sizes: dict[Symbol, int], apart: set[Symbol], fixed: set[Symbol], sparing: bool
) -> Iterator[dict[Symbol, int]]:
    """Multiply a factor of a product, or raise a symbol of a sum: first what is least of it."""
    found = False
    for changed in _changes(floor[0], sizes, fixed, sparing):
        own = [changed[symbol] for symbol in apart]
        if _holds(floor, changed) and len(set(own)) == len(own):
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
