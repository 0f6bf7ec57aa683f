"""Masks: which keys a query may see, as a table of 0 and −∞ and as the number of true pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Expr, Integer, Piecewise, Symbol, floor, oo

from symledger.ir.ops import Pairs
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import table

Masked = tuple[Tensor | None, Pairs | None]
"""A mask and its true pairs; both are None where every query sees every key."""
EVERYTHING: Masked = (None, None)


def causal_mask(T: Expr, S: Expr) -> Masked:
    """Return a table that is 0 where query t may see key s, −∞ elsewhere, and its true pairs.

    The last query sees all S keys, the one before all but the last, and so on: query t sees key
    s when s ≤ t + S − T. That leaves T·S − T(T−1)/2 pairs; T(T+1)/2 when S = T. A single query
    sees everything.
    """
    if T == ONE:
        return EVERYTHING

    def visible(t: Symbol, s: Symbol) -> Expr:
        return Piecewise((Integer(0), s <= t + S - T), (-oo, True))

    return table("mask", visible, T, S), Pairs("T", "S", T * S - T * (T - 1) / 2)


def window_mask(T: Expr, S: Expr, w: Expr) -> Masked:
    """Return a table that is 0 where query t may see key s, −∞ elsewhere, and its true pairs.

    A query sees itself and the w − 1 positions before it, of which the first ones have fewer.
    That leaves w·T − w(w−1)/2 pairs where w ≤ T. After a cache of w − 1 positions or more none has
    fewer, and there are w·T; a single query sees all of a cache that is no longer.
    """
    if T == ONE and w == S:
        return EVERYTHING

    if S == T:
        return recent_mask(T, S, w)
    return table("mask", _within(T, S, w), T, S), Pairs("T", "S", w * T, T + w - 1)


def recent_mask(T: Expr, S: Expr, w: Expr) -> Masked:
    """Return the same where no key lies too far back for every query: S ≤ T + w − 1.

    The first query sees S − T + 1 keys, each one more, until they see w. With
    g = w − (S − T + 1) that leaves w·T − g(g+1)/2 pairs. A single query sees everything.
    """
    if T == ONE:
        return EVERYTHING
    growing = w - (S - T + 1)
    count = w * T - growing * (growing + 1) / 2
    most = None if S == T else T + w - 1
    return table("mask", _within(T, S, w), T, S), Pairs("T", "S", count, w, most)


def chunk_mask(T: Expr, Q: Expr, n_c: Expr) -> Masked:
    """Return a table that is 0 where query t may see key s of T keys, −∞ elsewhere, and its pairs.

    A query sees itself and what came before it in its chunk: those are Q long, all n_c but the
    last, which has r = T − (n_c − 1)Q positions. That leaves (n_c − 1)·Q(Q+1)/2 + r(r+1)/2 pairs.
    """

    def visible(t: Symbol, s: Symbol) -> Expr:
        early = Piecewise((-oo, s < Q * floor(t / Q)), (Integer(0), True))
        return Piecewise((early, s <= t), (-oo, True))

    rest = T - (n_c - 1) * Q
    count = (n_c - 1) * Q * (Q + 1) / 2 + rest * (rest + 1) / 2
    return table("mask", visible, T, T), Pairs("T", "S", count)


def compressed_mask(T: Expr, w: Expr, r: Expr, n: Expr) -> Masked:
    """Return a table for T keys of single positions and n of r positions each, and its pairs.

    A query sees itself and the w − 1 positions before it, and the compressed keys of which no
    position comes after it: query t sees ⌊(t + 1)/r⌋. Beside w·T − w(w−1)/2 pairs that leaves
    r·n(n−1)/2 + n(T − rn + 1), where n = ⌊T/r⌋.
    """
    near = _within(T, T, w)

    def visible(t: Symbol, s: Symbol) -> Expr:
        made = Piecewise((Integer(0), (s - T + 1) * r <= t + 1), (-oo, True))
        return Piecewise((near(t, s), s < T), (made, True))

    count = w * T - w * (w - 1) / 2 + r * n * (n - 1) / 2 + n * (T - r * n + 1)
    hidden = table("mask", visible, T, T + n, within=((w, T),))
    return hidden, Pairs("T", "S", count, w + n)


def near_mask(T: Expr, w: Expr) -> Masked:
    """Return a table that is 0 where query t may see key s of T keys, −∞ elsewhere, and its pairs.

    A query sees itself and w − 1 positions on either side, of which those at the ends have fewer.
    That leaves (2w − 1)T − w(w − 1) pairs where w ≤ T: T² where w is T.
    """

    def visible(t: Symbol, s: Symbol) -> Expr:
        early = Piecewise((-oo, s <= t - w), (Integer(0), True))
        return Piecewise((early, s <= t + w - 1), (-oo, True))

    count = (2 * w - 1) * T - w * (w - 1)
    return table("mask", visible, T, T), Pairs("T", "S", count, w, both=True)


def _within(T: Expr, S: Expr, w: Expr) -> Callable[[Symbol, Symbol], Expr]:
    def visible(t: Symbol, s: Symbol) -> Expr:
        early = Piecewise((-oo, s <= t + S - T - w), (Integer(0), True))
        return Piecewise((early, s <= t + S - T), (-oo, True))

    return visible


def image_mask(T: Expr, S: Expr, w: Expr | None, n: Expr, t: Expr) -> Masked:
    """Return the same where the first n·t positions are n images, each of which sees all of itself.

    So it may see what comes later in it: t(t−1)/2 pairs more for each image, whatever the window.
    """
    plain, pairs = causal_mask(T, S) if w is None else recent_mask(T, S, w)
    if plain is None or pairs is None:
        return EVERYTHING

    def visible(q: Symbol, s: Symbol) -> Expr:
        end = (floor(q / t) + 1) * t
        late = Piecewise((Integer(0), s < end), (-oo, True))
        seen = Piecewise((Integer(0), s <= q), (Piecewise((late, q < n * t), (-oo, True)), True))
        return seen if w is None else Piecewise((-oo, s <= q - w), (seen, True))

    more = n * t * (t - 1) / 2
    return table("mask", visible, T, S), replace(pairs, count=pairs.count + more, inside=n * t)


def packed_mask(T: Expr, t: Expr) -> Masked:
    """Return a table that is 0 where a query may see a key of its own t positions, and its pairs.

    What is packed into one sequence of T positions stays apart: t·T pairs.
    """

    def visible(q: Symbol, s: Symbol) -> Expr:
        first = floor(q / t) * t
        late = Piecewise((Integer(0), s < first + t), (-oo, True))
        return Piecewise((late, s >= first), (-oo, True))

    return table("mask", visible, T, T), Pairs("T", "S", t * T, both=True)
