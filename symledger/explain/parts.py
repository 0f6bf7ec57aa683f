"""What may be meant of a target: all of it, one line, a few lines together, all but some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from symledger import algebra
from symledger.account import Account
from symledger.algebra import Terms
from symledger.catalogue import BY_NAME
from symledger.core.tensor import ONE
from symledger.ledger import Line

MOST_SIBLINGS = 8
"""A line with more parts than this is not taken apart into sums of them."""
Kind = str
WHOLE, LINE, SUM, WITHOUT, SWAPPED = "whole", "line", "sum", "without", "swapped"
UNLIKELY: dict[Kind, int] = {WHOLE: 0, LINE: 2, SUM: 3, WITHOUT: 4, SWAPPED: 4}


@dataclass(frozen=True)
class Variant:
    """A target with its choices; ``changed`` are those made otherwise than by default.

    ``asked`` says that the user named it; ``near`` that it is only close to what the user named.
    """

    name: str
    account: Account
    changed: tuple[tuple[str, object], ...] = ()
    case: str = ""
    near: bool = False
    asked: bool = False

    def __str__(self) -> str:
        said = [self.case] if self.case else []
        for name, v in self.changed:
            word = name.replace("_", " ")
            said.append(word if v is True else f"no {word}" if v is False else f"{word} {v}")
        return self.name + (f" with {', '.join(said)}" if said else "")

    @property
    def is_model(self) -> bool:
        """Whether this is a whole model: its sizes belong together."""
        entry = BY_NAME.get(self.name)
        return entry is not None and entry.kind == "model"

    @property
    def family(self) -> str:
        """The owner of the formulas."""
        return self.account.target.owner


@dataclass(frozen=True, eq=False)
class Part:
    """Something of a variant that has an amount: ``general`` is its polynomial, in general."""

    variant: Variant
    quantity: str
    kind: Kind
    said: str
    general: Terms

    def __str__(self) -> str:
        counted = () if self.quantity == "params" else (self.quantity,)
        said = " › ".join(filter(None, (*counted, self.said)))
        return f"{self.variant}: {said}" if said else str(self.variant)

    @property
    def near(self) -> bool:
        """Whether this is not what was asked about, but a common mistake about it."""
        missing = self.kind == WITHOUT and not self.variant.asked
        return self.variant.near or self.kind == SWAPPED or missing

    @property
    def unlikely(self) -> float:
        """How far this is from the plainest answer: the default of a whole component."""
        v = self.variant
        depth = 1.25 * self.said.count("›")
        return UNLIKELY[self.kind] + depth + len(v.changed) + (2 if v.case else 0)


def parts(variant: Variant, quantity: str) -> Iterator[Part]:
    """Yield everything of a variant that may be meant, the plainest first.

    Of several lines with the same polynomial the first stands for all, but where the target is
    what was asked about: there each is an answer.
    """
    root = variant.account[quantity].line
    seen: set[object] = set()
    for kind, said, amount in _amounts(root):
        if kind != WHOLE and quantity == "flops.training":
            return  # its lines are those of the two passes
        if kind in (SUM, WITHOUT) and quantity != "params" and not variant.asked:
            return  # too many of them say too little
        key = said if variant.asked else frozenset(amount.items())
        if amount and key not in seen:
            seen.add(key)
            yield Part(variant, quantity, kind, said, amount)


def _amounts(root: Line) -> Iterator[tuple[Kind, str, Terms]]:
    yield WHOLE, "", root.total
    once = algebra.terms(ONE)
    found = list(_below(root, once, ""))
    for line, times, repeats in found:
        yield LINE, where(line), line.each
        yield LINE, where(line) + repeats, algebra.multiply(times, line.each)
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
            said = f"{repeats} × {algebra.text(factor)}"
        yield part, often, said
        yield from _below(part, often, said)


def _sums(line: Line, times: Terms, repeats: str) -> Iterator[tuple[Kind, str, Terms]]:
    """Yield two or three parts of a line together, in one pass and in all."""
    if len(line.parts) > MOST_SIBLINGS:
        return
    above = f"{where(line)} › " if line.path else ""
    for n in (2, 3):
        for chosen in combinations(line.parts, n) if n < len(line.parts) else ():
            amount = algebra.add([part.total for part in chosen])
            said = above + " + ".join(name(part) for part in chosen)
            yield SUM, said, amount
            yield SUM, said + repeats, algebra.multiply(times, amount)


def _without(
    root: Line, found: list[tuple[Line, Terms, str]]
) -> Iterator[tuple[Kind, str, Terms]]:
    """Yield all but one line, and all but those of one kind: without the biases, the norms."""
    alike: dict[tuple[str, str], list[Terms]] = {}
    for line, times, _ in found:
        amount = algebra.multiply(times, line.each)
        yield WITHOUT, f"without {where(line)}", minus(root.total, amount)
        what = name(line) if line.is_leaf else kind(line)
        for above in dict.fromkeys((" › ".join(line.path[:-1]), "")):
            alike.setdefault((what, above), []).append(amount)
    for (what, above), amounts in alike.items():
        if len(amounts) > 1:
            said = f"without every {what}" + (f" of {above.replace('_', ' ')}" if above else "")
            yield WITHOUT, said, minus(root.total, algebra.add(amounts))


def swapped(variant: Variant) -> Iterator[Part]:
    """Yield a target with one axis of one weight taken for another: (d, d) for (h·d_v, d)."""
    root = variant.account["params"].line
    leaves = [line for line in root.walk() if line.shape and len(line.shape) == 2]
    lengths = {n: algebra.terms(n) for line in leaves for n in line.shape or ()}
    for line in leaves:
        axes = [lengths[n] for n in line.shape or ()]
        for i, axis in enumerate(axes):
            for other in sorted(lengths.values(), key=lambda length: len(algebra.text(length))):
                if other != axis:
                    taken = [other if j == i else a for j, a in enumerate(axes)]
                    amount = minus(algebra.multiply(*taken), algebra.multiply(*axes))
                    said = f"{where(line)} taken as ({_texts(taken)}), not as ({_texts(axes)})"
                    yield Part(variant, "params", SWAPPED, said, algebra.add([root.total, amount]))


def _texts(axes: list[Terms]) -> str:
    return ", ".join(algebra.text(axis) for axis in axes)


def minus(a: Terms, b: Terms) -> Terms:
    """Subtract a polynomial from another."""
    return algebra.add([a, {monomial: -c for monomial, c in b.items()}])


def name(line: Line) -> str:
    """A line's label for people."""
    return line.label.replace("_", " ")


def kind(line: Line) -> str:
    """What kind of component a line is about."""
    return "norm" if line.component.endswith("norm") else line.component.replace("_", " ")


def where(line: Line) -> str:
    """A line's place in the tree: ``block › attention``."""
    return " › ".join(label.replace("_", " ") for label in line.path)
