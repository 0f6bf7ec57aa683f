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

from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction

from sympy import Expr, Min, Mul, Symbol
from sympy import floor as rounded

from symledger.checks.exact import value, whole
from symledger.checks.mending import Floor, holds, mended
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
    """Choose primes, or small numbers where those make too much work; else symbols share sizes."""
    if not distinct:
        return _sizes(program, attempt, extra, ())
    try:
        found = _sizes(program, attempt, extra, PRIMES)
    except DefinitionError:
        with suppress(DefinitionError):
            return _small(program, attempt, extra)
        return _sizes(program, attempt, extra, (), 3)
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
    if distinct and len(ordered) > len(PRIMES):
        raise DefinitionError(f"{len(ordered)} sizes are free: more than can be kept apart here.")
    sizes = dict.fromkeys(sorted(times, key=str), 2 + attempt % 2)
    for i, symbol in enumerate(sorted(settings, key=str)):
        sizes[symbol] = getattr(symbol, "least", 1) + (i + attempt) % 3
    if distinct:
        sizes.update(zip(_swapped(ordered, attempt), apart, strict=False))
    else:
        sizes.update((symbol, _shared(i, attempt, kinds or 3)) for i, symbol in enumerate(ordered))
    kept = set(ordered) if distinct else set()
    found = mended(sizes, floors, kept, settings, sparing)
    if sparing:
        ordered.sort(key=lambda symbol: found[symbol] != sizes[symbol])
        sizes.update(zip(_swapped(ordered, attempt), apart, strict=False))
        found = mended(sizes, floors, kept, settings, sparing)
    sizes = found
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
                if all(holds(floor, raised) for floor in floors):
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
