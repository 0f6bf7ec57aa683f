"""The lines of a target as they may be meant: all of it, one line, a few together, all but some."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from symledger import algebra
from symledger.algebra import Terms
from symledger.explain.sums import Piece, Sum, summed
from symledger.ir.shapes import ONE
from symledger.ledger.lines import Line

MOST_SIBLINGS = 8
"""A line with more parts than this is not taken apart into sums of them."""
Kind = str
WHOLE, LINE, SUM, WITHOUT, SWAPPED = "whole", "line", "sum", "without", "swapped"
Amount = tuple[Kind, str, Sum]
"""A kind, where in the target that is, and how much."""
Weight = tuple[str, Terms, Terms]
"""Where a weight of two axes stands, and how long these are."""


def amounts(root: Line, quantity: str, asked: bool = False) -> Iterator[Amount]:
    """Yield everything of a quantity of a target that may be meant, the plainest first.

    Of several lines with the same polynomial the first stands for all, but where the target is
    what was ``asked`` about: there each is an answer.
    """
    seen: set[object] = set()
    for kind, said, pieces in _amounts(root):
        if kind != WHOLE and quantity == "flops.training":
            return  # its lines are those of the two passes
        if kind in (SUM, WITHOUT) and quantity != "params" and not asked:
            return  # too many of them say too little
        amount = summed(pieces)
        key = said if asked else frozenset(amount.terms.items())
        if amount.terms and key not in seen:
            seen.add(key)
            yield kind, said, amount


def weights(root: Line) -> Iterator[Weight]:
    """Yield the weights of two axes."""
    for line in root.walk():
        if line.shape and len(line.shape) == 2:
            yield where(line), algebra.terms(line.shape[0]), algebra.terms(line.shape[1])


def _amounts(root: Line) -> Iterator[tuple[Kind, str, list[Piece]]]:
    yield WHOLE, "", [(1, root.total)]
    once = algebra.terms(ONE)
    found = list(_below(root, once, ""))
    for line, times, repeats in found:
        yield LINE, where(line), [(1, line.each)]
        yield LINE, where(line) + repeats, [(1, algebra.multiply(times, line.each))]
    yield from _sums(root, once, "")
    for line, times, repeats in found:
        yield from _sums(line, times, repeats)
    yield from _without(root, found)


def _below(line: Line, times: Terms, repeats: str) -> Iterator[tuple[Line, Terms, str]]:
    """Yield every line below one, with how often it happens in all."""
    for part in line.parts:
        often, said = times, repeats
        if part.times != ONE:
            factor = algebra.terms(part.times)
            often = algebra.multiply(times, factor)
            said = repeats + algebra.repeated(factor)
        yield part, often, said
        yield from _below(part, often, said)


def _sums(line: Line, times: Terms, repeats: str) -> Iterator[tuple[Kind, str, list[Piece]]]:
    """Yield two or three parts of a line together, in one pass and in all."""
    if len(line.parts) > MOST_SIBLINGS:
        return
    above = f"{where(line)} › " if line.path else ""
    for n in (2, 3):
        for chosen in combinations(line.parts, n) if n < len(line.parts) else ():
            said = above + " + ".join(name(part) for part in chosen)
            yield SUM, said, [(1, part.total) for part in chosen]
            often = [(1, algebra.multiply(times, part.total)) for part in chosen]
            yield SUM, said + repeats, often


def _without(
    root: Line, found: list[tuple[Line, Terms, str]]
) -> Iterator[tuple[Kind, str, list[Piece]]]:
    """Yield all but one line, and all but those of one kind: without the biases, the norms."""
    alike: dict[tuple[str, str], list[Terms]] = {}
    for line, times, _ in found:
        amount = algebra.multiply(times, line.each)
        yield WITHOUT, f"without {where(line)}", [(1, root.total), (-1, amount)]
        what = name(line) if line.is_leaf else kind(line)
        for above in dict.fromkeys((" › ".join(line.path[:-1]), "")):
            alike.setdefault((what, above), []).append(amount)
    for (what, above), several in alike.items():
        if len(several) > 1:
            said = f"without every {what}" + (f" of {above.replace('_', ' ')}" if above else "")
            yield WITHOUT, said, [(1, root.total), *((-1, amount) for amount in several)]


def name(line: Line) -> str:
    """A line's label for people."""
    return line.label.replace("_", " ")


def kind(line: Line) -> str:
    """What kind of component a line is about."""
    return "norm" if line.component.endswith("norm") else line.component.replace("_", " ")


def where(line: Line) -> str:
    """A line's place in the tree: ``block › attention``."""
    return " › ".join(label.replace("_", " ") for label in line.path)
