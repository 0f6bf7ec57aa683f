"""The tree of lines as rows: labels, shapes, formulas, values and shares, ready to be aligned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms, substitute
from symledger.ir.shapes import Shape
from symledger.languages import words
from symledger.languages.message import Text, Verbatim, joined, message
from symledger.ledger.at_moment import AtMoment
from symledger.ledger.formula import Formula
from symledger.ledger.lines import Line
from symledger.ledger.steps import Shown
from symledger.printing.units import READABLE, decimal

ONCE = algebra.constant(1)


@dataclass(frozen=True)
class Row:
    """One row of a table of lines.

    ``level`` is how deep it stands, 0 at the top; ``named`` are the weights that it names, with
    their shapes under the assumptions; ``body`` its formula, repetitions in front; ``amount`` the
    value of one pass through what it stands in, ``portion`` its part of the whole with all
    repetitions, both None while a symbol is unbound.
    """

    guide: str
    level: int
    label: Text
    named: tuple[tuple[str, tuple[Terms, ...]], ...]
    body: Shown
    amount: Fraction | None
    portion: Fraction | None

    @property
    def weights(self) -> str:
        """The names of its weights: ``W_1 W_2``."""
        return " ".join(dict.fromkeys(name for name, _ in self.named))

    @property
    def shape(self) -> str:
        """The shapes, equal ones counted: ``4 × (d, d)``."""
        count = Counter(show_lengths(lengths) for _, lengths in self.named if lengths)
        return ", ".join(s if n == 1 else f"{n} × {s}" for s, n in count.items())

    @property
    def formula(self) -> str:
        """The formula in plain Unicode."""
        return written(self.body)

    @property
    def value(self) -> str:
        """The amount: ``16,384``."""
        if self.amount is None:
            return ""
        if self.amount.denominator == 1:
            return f"{int(self.amount):,}"
        exact = f"{self.amount}"
        return exact if len(exact) <= READABLE else f"≈ {decimal(self.amount)}"

    @property
    def share(self) -> str:
        """The portion of a row at the top, for people; within it, amounts are of one pass."""
        return "" if self.level or self.portion is None else percent(self.portion)


def rows(
    account: Account, formula: Formula, depth: int, part: Line | None = None
) -> Iterator[Row]:
    """Yield the rows of a formula's tree (of a part of it, once) down to a depth, no total."""
    line = part or formula.line
    of_kinds = part is None and (isinstance(formula, AtMoment) or len(formula.quantity.parts) > 1)
    yield from _Rows(account, formula, line, of_kinds).below(line, depth, "")


def fitting(
    account: Account, formula: Formula, most: int, depths: Sequence[int] = (3, 2, 1)
) -> tuple[Row, ...]:
    """Return the rows of a tree, opened as far as they are no more than ``most``.

    The first level is shown whole, however long it is.
    """
    for depth in depths:
        found = tuple(rows(account, formula, depth))
        if len(found) <= most:
            break
    return found


class _Rows:
    def __init__(self, account: Account, formula: Formula, line: Line, of_kinds: bool) -> None:
        self.of_kinds = of_kinds
        self.equations = account.assumed.equations
        self.at = formula.assumed.bindings
        self.whole = self.value(line.each)

    def below(
        self, line: Line, depth: int, guide: str, level: int = 0, passes: Terms = ONCE
    ) -> Iterator[Row]:
        """Yield the rows of a line's parts; what they stand in is passed so many times."""
        parts = merged(line.parts)
        for i, part in enumerate(parts):
            last = i == len(parts) - 1
            branch = guide + ("└ " if last else "├ ") if level else ""
            yield self.row(part, branch, level, passes, shut=depth <= 1)
            if depth > 1 and not part.is_leaf and not _only_leaves(part):
                inner = guide + ("  " if last else "│ ") if level else ""
                within = algebra.multiply(passes, algebra.terms(part.times))
                yield from self.below(part, depth - 1, inner, level + 1, within)

    def row(self, part: Line, guide: str, level: int, passes: Terms, shut: bool) -> Row:
        """Return one line as a row; its own weights are named where its parts are not shown."""
        named = part.weights if shut or part.is_leaf or _only_leaves(part) else ()
        total = substitute(part.total, self.equations)
        amount = all_passes = algebra.value(total, self.at)
        if passes != ONCE:
            all_passes = self.value(algebra.multiply(passes, part.total))
        known = all_passes is not None and self.whole
        return Row(
            guide, level, label(part, is_kind=self.of_kinds and not level),
            tuple((weight_name(w, part), self.lengths(w)) for w in named), self.shown(part, total),
            amount, all_passes / self.whole if known else None,  # type: ignore[operator]  # known
        )  # fmt: skip

    def value(self, polynomial: Terms) -> Fraction | None:
        """The value of a polynomial under what is assumed."""
        return algebra.value(substitute(polynomial, self.equations), self.at)

    def lengths(self, leaf: Line) -> tuple[Terms, ...]:
        """The lengths of a weight's axes under what is assumed."""
        return lengths_of(leaf.shape or (), self.equations)

    def shown(self, part: Line, total: Terms) -> Shown:
        """A line's total, its repetitions standing in front: L(12d² + 2d)."""
        each = total if part.times == 1 else substitute(part.each, self.equations)
        if part.times == 1 or not each:
            return Shown(total)
        times = substitute(algebra.terms(part.times), self.equations)
        return Shown(total, times, (Shown(each),))


def merged(parts: tuple[Line, ...]) -> tuple[Line, ...]:
    """Put leaves that share a label into one line: five maps of a softmax are one row."""
    found: dict[tuple[str, bool, object], Line] = {}
    for part in parts:
        key = (part.label, part.is_leaf, None if part.is_leaf else id(part))
        if key in found and part.is_leaf:
            before = found[key]
            found[key] = Line(part.label, part.path, before.own + part.own, shape=before.shape)
        else:
            found[key] = part
    return tuple(found.values())


def show_shape(shape: Shape, equations: Mapping[Symbol, Terms]) -> str:
    """Write a shape under the assumptions: ``(d, 4d)``."""
    return show_lengths(lengths_of(shape, equations))


def lengths_of(shape: Shape, equations: Mapping[Symbol, Terms]) -> tuple[Terms, ...]:
    """Return the lengths of axes under the assumptions."""
    return tuple(substitute(algebra.terms(n), equations) for n in shape)


def show_lengths(lengths: tuple[Terms, ...]) -> str:
    """Write lengths as a shape."""
    return f"({', '.join(map(algebra.text, lengths))})"


def _only_leaves(line: Line) -> bool:
    return all(part.is_leaf for part in line.parts)


def label(line: Line, is_kind: bool = False) -> Text:
    """A line's name for people, with its repetitions and the reason of a tied weight.

    A kind of bytes (``gradients``) has a word in each language, a module of a user's its own name.
    """
    times = algebra.repeated(algebra.terms(line.times))
    tied = [leaf.tied_to[-1] for leaf in (line, *line.parts) if leaf.tied_to]
    own = bool(line.parts) and not line.component and not is_kind
    name: Text = Verbatim(line.label) if own else words.part(line.label)
    if len(line.label) <= 2 and line.component:
        name = message("parts.kind", kind=words.part(line.component), name=words.part(line.label))
    name = joined((name, times), "") if times else name
    return message("parts.tied", part=name, to=tied[0]) if tied else name


def weight_name(leaf: Line, line: Line) -> str:
    """A weight's name, with that of its map where that is a part of the line: ``W_Q``."""
    if leaf is line:
        return ""
    owner = leaf.path[-2] if len(leaf.path) > 1 else ""
    return leaf.label if not owner or leaf.path[:-1] == line.path else f"{leaf.label}_{owner}"


def written(shown: Shown) -> str:
    """Write a shown polynomial in plain Unicode: ``Vd + L(12d² + 2d) + d``."""
    if not shown.parts:
        return algebra.text(shown.polynomial)
    inner = plus([written(part) for part in shown.parts])
    return f"{_grouped(shown.factor)}({inner})" if shown.factor else inner


def plus(parts: list[str]) -> str:
    """Join terms with plus signs; a term that begins with a minus brings its own."""
    return " + ".join(parts).replace("+ -", "- ")


def _grouped(factor: Terms) -> str:
    text = algebra.text(factor)
    return f"({text})" if len(factor) > 1 else text


def percent(share: Fraction) -> str:
    """Write a share for people: ``24.9 %``."""
    return f"{float(share * 100):.1f} %" if share else "0 %"
