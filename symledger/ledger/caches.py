"""Caches: where keys and values lie between decoding steps, and in which type.

A layout says how many positions take bytes; a type, what one element takes, and the scales beside
it. Both are rows of a table, and what is said names one of each: ``paged:16,fp8``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sympy import Expr, Integer, Min, Rational, Symbol, floor

from symledger.errors import BadInput, nearest, shown
from symledger.ir.tensor import Program, Tensor
from symledger.readings.states import is_window, of_positions, positions, states
from symledger.readings.traffic import Bytes
from symledger.sizes import S_max, Size, T

BLOCK = 16
"""How many positions a block has, unless told."""
MOST = 10**6
"""How many it may have."""


@dataclass(frozen=True)
class Layout:
    """How many positions take bytes, and who keeps them so."""

    meaning: str
    source: str


@dataclass(frozen=True)
class Type:
    """What one element takes, in bits, and scales: two for each ``group``, or one a tensor."""

    bits: int
    group: int
    meaning: str
    source: str


STATIC, DYNAMIC = "static", "dynamic"
HERE = "transformers.cache_utils, transformers 5.23: {}"
LAYOUTS: Mapping[str, Layout] = {
    STATIC: Layout("S_max positions, as many as there are unless told, from the start on; of a "
                   "window no more than it sees", HERE.format("StaticCache")),
    DYNAMIC: Layout("the positions that the next token will see: of a window one less",
                      HERE.format("DynamicCache, its tensors")),
    "prefilled": Layout("all positions, of windows too, which are seen in the whole prompt's keys",
                        HERE.format("DynamicCache behind a prompt, its storages")),
    "paged": Layout("whole blocks of positions, those in which the last of T tokens sees one",
                    "Kwon et al., PagedAttention (2023), section 4; vLLM, SlidingWindowManager"),
}  # fmt: skip
GROUPS = HERE.format("QuantizedCache, backend hqq or quanto, behind a prompt")
TYPES: Mapping[str, Type] = {
    "fp8": Type(8, 0, "8 bits, and a scale in fp32 for each tensor",
                HERE.format("QuantizedCache, backend fp8")),
    "int8": Type(8, 64, "8 bits, and a scale and a zero of the values' type for each 64 elements",
                 HERE.format("QuantizedCache, backend hqq, behind a prompt")),
    "int4": Type(4, 64, "4 bits, and a scale and a zero of the values' type for each 64 elements",
                 GROUPS),
    "int2": Type(2, 64, "2 bits, and a scale and a zero of the values' type for each 64 elements",
                 GROUPS),
}  # fmt: skip


@dataclass(frozen=True)
class Cache:
    """What was asked for; without a layout positions are kept as definitions say."""

    layout: str = ""
    block: int = BLOCK
    type: str = ""


def read(text: str) -> Cache:
    """Read a layout, a type or both: ``paged:32``, ``fp8``, ``paged,fp8``.

    Raises:
        BadInput: there is no such layout or type, or there are two of one kind.
    """
    layout, block, kind = "", BLOCK, ""
    for part in text.split(","):
        name, colon, number = (piece.strip() for piece in part.partition(":"))
        if name not in (*LAYOUTS, *TYPES):
            raise BadInput(f"{shown(name)} is no cache. {nearest(name, [*LAYOUTS, *TYPES])}")
        if (layout and name in LAYOUTS) or (kind and name in TYPES):
            raise BadInput(f"{shown(text)} says two {'layouts' if name in LAYOUTS else 'types'} "
                           "of a cache: one of each is meant, as in paged,fp8.")  # fmt: skip
        if colon:
            block = _block(name, number)
        layout, kind = (name, kind) if name in LAYOUTS else (layout, name)
    if kind and layout not in ("", "paged"):
        raise BadInput(
            f"a cache in {kind} is not {layout}: say {kind} alone, which is how transformers "
            "keeps it, or paged,fp8."
        )
    if layout == "paged" and kind not in ("", "fp8"):
        raise BadInput(f"blocks of a cache are in fp8 or in the type of values, not in {kind}.")
    return Cache(layout, block, kind)


def _block(name: str, number: str) -> int:
    if name != "paged":
        raise BadInput(f"only paged has blocks of a size, as in paged:32: leave it out of {name}.")
    if not (number.isascii() and number.isdecimal() and 2 <= int(number[:9] or 0) <= MOST):
        raise BadInput(f"{shown(number)} is no size of a block: whole numbers from 2 to "
                       f"{MOST:,} are.")  # fmt: skip
    return int(number)


def price(text: str, program: Program, bytes_of: Bytes) -> Callable[[Tensor], Expr]:
    """Return what is kept of a tensor takes, in bytes."""
    cache, growing = read(text), of_positions(program)

    def each(t: Tensor) -> Expr:
        if t.state is None:
            return Integer(0)
        across, own = t.size / t.shape[1], bytes_of[t.storage]
        if t not in growing:
            return across * t.state * own
        return _bytes(cache.type, across * _slots(cache, program, t), own)

    return each


def _bytes(kind: str, elements: Expr, own: Expr) -> Expr:
    if not kind:
        return elements * own
    found = TYPES[kind]
    stored = elements * Rational(found.bits, 8)
    return stored + (elements / found.group * 2 * own if found.group else 4)


def _slots(cache: Cache, program: Program, t: Tensor) -> Expr:
    """Return how many positions take bytes."""
    assert t.state is not None
    if cache.layout == "prefilled":
        return positions(t)
    if cache.layout == STATIC and positions(t) == tokens(program):
        return _of_static(program, t)
    if cache.layout == DYNAMIC and is_window(t):
        return _named(program, t) if _fits(program, t) else t.state - 1
    if cache.layout == "paged":
        return cache.block * _named(program, t)
    return t.state


def _of_static(program: Program, t: Tensor) -> Expr:
    """Return how many positions a static cache has: all, or those of a window."""
    if not is_window(t):
        return S_max
    assert t.state is not None
    return _named(program, t) if _fits(program, t) else t.state


def tokens(program: Program) -> Expr | None:
    """Return how many tokens of its own a program has, of which a static cache may hold more.

    None where what is kept of them is not one position each, or they are not all that enter.
    """
    counted = set(map(positions, of_positions(program)))
    entering = {t.shape[1] for t in program.inputs if len(t.shape) > 1}
    if not counted <= entering:
        return None
    return T if T in counted else counted.pop() if len(counted) == 1 else None


def _fits(program: Program, t: Tensor) -> Min | None:
    """Return the minimum that a window is of the positions and of its longest, if it is one."""
    e = program.definitions.get(t.state)
    return e if isinstance(e, Min) and positions(t) in e.args and len(e.args) == 2 else None


def _named(program: Program, t: Tensor) -> Symbol:
    """Return the symbol of how many blocks there are, or of how many positions of a window."""
    counted = t.state if is_window(t) else positions(t)
    assert isinstance(counted, Symbol)
    return Size(f"n_{counted.name.replace('_', '')}")


def defined(text: str, program: Program) -> dict[Symbol, Expr]:
    """Return the sizes that a cache is written in and a program is not, with what they are."""
    cache = read(text)
    found: dict[Symbol, Expr] = {}
    for t in sorted(of_positions(program), key=lambda t: str(t.state)):
        if cache.layout == "paged":
            found[_named(program, t)] = _blocks(t, cache.block)
        least = _fits(program, t) if is_window(t) else None
        if least and cache.layout == DYNAMIC:
            (longest,) = (n for n in least.args if n != positions(t))
            found[_named(program, t)] = Min(positions(t), longest - 1)
        if least and cache.layout == STATIC and positions(t) == tokens(program):
            found[_named(program, t)] = least.xreplace({positions(t): S_max})
    return found


def usual(text: str, program: Program, traced: bool = False) -> dict[Symbol, Expr]:
    """Return the sizes of a cache that may be set, with what they are unless they are."""
    if read(text).layout != STATIC:
        return {}
    own = T if traced and T.name in {s.name for s in program.symbols} else tokens(program)
    return {S_max: own} if own is not None else {}


def bounds(text: str, program: Program, traced: bool = False) -> Iterator[tuple[Expr, Expr]]:
    """Yield what may not exceed what: the tokens of a cache its positions."""
    yield from ((own, s) for s, own in usual(text, program, traced).items())


def _blocks(t: Tensor, block: int) -> Expr:
    """Return how many blocks hold the positions that the last token sees."""
    ends = floor((positions(t) + block - 1) / block)
    return ends - floor((positions(t) - t.state) / block) if is_window(t) else ends


def check(text: str, program: Program, name: str) -> None:
    """Refuse a cache that a target does not have.

    Raises:
        BadInput: it keeps no positions, or what it keeps has no such form.
    """
    cache, growing = read(text), of_positions(program)
    if not growing:
        raise BadInput(
            f"{shown(name)} keeps no keys and values between decoding steps, which is what --cache "
            "is about."
        )
    windows = any(map(is_window, growing))
    states_too = any(t not in growing for t in states(program))
    entering = {t.shape[1] for t in program.inputs if len(t.shape) > 1}
    if any(is_window(t) and positions(t) not in entering for t in growing):
        raise BadInput(
            f"the program of {shown(name)} goes on from what was remembered in a window: leave out "
            "cached, and all T tokens are meant."
        )
    if cache.layout == "paged" and states_too:
        raise BadInput(
            f"{shown(name)} has layers that keep a state beside those that keep keys and values, "
            "and how these share blocks is not derived."
        )
    if cache.type:
        _check_type(cache, program, name, windows, states_too)


def check_types(program: Program) -> None:
    """Refuse a cache of a library where keys and values are of several types, under autocast.

    Raises:
        BadInput: they are.
    """
    if len({t.storage for t in of_positions(program)}) > 1:
        raise BadInput(
            "keys are in fp32 here and values in 16 bits, or the other way round, and transformers "
            "keeps values in the type of keys, which is not derived: leave out --cache."
        )


def check_run(text: str, name: str) -> None:
    """Refuse a cache that no module that is run is given.

    Raises:
        BadInput: it is in another type, or in blocks, or of what was there once.
    """
    if read(text) not in (Cache(STATIC), Cache(DYNAMIC)):
        raise BadInput(
            f"{shown(name)} is run with a cache that is {DYNAMIC}, or {STATIC} where that is "
            f"asked for: leave out --cache {text}."
        )


def _check_type(
    cache: Cache, program: Program, name: str, windows: bool, states_too: bool
) -> None:
    if (windows and cache.layout != "paged") or states_too:
        has = "windows" if windows else "layers that keep a state"
        raise BadInput(
            f"{shown(name)} has {has}, and transformers' QuantizedCache takes no model of which "
            "not every layer attends to all positions."
        )
    if cache.layout != "paged" and len(set(map(positions, of_positions(program)))) > 1:
        raise BadInput(
            f"{shown(name)} keeps keys and values of a source beside those of its own tokens, and "
            "transformers' QuantizedCache takes no encoder-decoder."
        )
    scopes = [t.scope for t in states(program)]
    if any(scopes.count(scope) % 2 for scope in scopes):
        raise BadInput(
            f"{shown(name)} keeps more than keys and values (for an indexer), of which no type but "
            "that of values is derived."
        )


def lengths(text: str, program: Program) -> Iterator[tuple[str, Expr]]:
    """Yield what has to be a whole number at any sizes: groups, by what is cut into them."""
    group = TYPES[read(text).type].group if read(text).type else 0
    for t in of_positions(program) if group else ():
        assert t.state is not None
        yield ".".join(t.scope.path), t.size / t.shape[1] * t.state / group


def check_groups(text: str, program: Program, at: Mapping[Expr, Expr]) -> None:
    """Refuse sizes at which a group would not be filled.

    Raises:
        BadInput: the elements of keys or values are no whole number of groups.
    """
    for name, length in lengths(text, program):
        found = length.xreplace(at)
        if found.is_number and not found.is_Integer:
            raise BadInput(
                f"the keys or values of {name} would be of {length} = {found} groups of 64, and "
                "none may be left unfilled."
            )
