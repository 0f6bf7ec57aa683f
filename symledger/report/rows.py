"""The tree of lines as rows: labels, shapes, formulas, values and shares, ready to be aligned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from sympy import Symbol

from symledger import algebra
from symledger.account import Account
from symledger.algebra import Terms, substitute
from symledger.core.tensor import Shape
from symledger.derivation import Shown
from symledger.formulas import Formula
from symledger.ledger import Line


@dataclass(frozen=True)
class Row:
    """One row of a table of lines."""

    guide: str
    label: str
    weights: str
    shape: str
    formula: str
    value: str
    share: str


def rows(
    account: Account, formula: Formula, depth: int, part: Line | None = None
) -> Iterator[Row]:
    """Yield the rows of a formula's tree (of a part of it, once) down to a depth, no total."""
    line = part or formula.line
    yield from _Rows(account, line).below(line, depth, "", top=True)


class _Rows:
    def __init__(self, account: Account, line: Line) -> None:
        self.equations = account.assumed.equations
        self.at = account.assumed.bindings
        self.whole = algebra.value(substitute(line.each, self.equations), self.at)

    def below(self, line: Line, depth: int, guide: str, top: bool) -> Iterator[Row]:
        """Yield the rows of a line's parts."""
        parts = merged(line.parts)
        for i, part in enumerate(parts):
            last = i == len(parts) - 1
            branch = "" if top else guide + ("└ " if last else "├ ")
            yield self.row(part, branch, top, shut=depth <= 1)
            if depth > 1 and not part.is_leaf and not _only_leaves(part):
                inner = "" if top else guide + ("  " if last else "│ ")
                yield from self.below(part, depth - 1, inner, top=False)

    def row(self, part: Line, guide: str, top: bool, shut: bool) -> Row:
        """Return one line as a row; its own weights are named where its parts are not shown."""
        total = substitute(part.total, self.equations)
        found = algebra.value(total, self.at)
        share = found / self.whole if top and found is not None and self.whole else None
        named = part.weights if shut or part.is_leaf or _only_leaves(part) else ()
        return Row(
            guide, label(part), " ".join(dict.fromkeys(weight_name(w, part) for w in named)),
            self.shapes(named), written(self.shown(part)),
            "" if found is None else f"{found}" if found.denominator > 1 else f"{int(found):,}",
            "" if share is None else percent(share),
        )  # fmt: skip

    def shown(self, part: Line) -> Shown:
        """A line's total, its repetitions standing in front: L(12d² + 2d)."""
        each = substitute(part.each, self.equations)
        if part.times == 1 or not each:
            return Shown(substitute(part.total, self.equations))
        times = substitute(algebra.terms(part.times), self.equations)
        return Shown(substitute(part.total, self.equations), times, (Shown(each),))

    def shapes(self, named: tuple[Line, ...]) -> str:
        """The shapes of weights, equal ones counted: ``4 × (d, d)``."""
        count: dict[str, int] = {}
        for leaf in named:
            if leaf.shape:
                shape = show_shape(leaf.shape, self.equations)
                count[shape] = count.get(shape, 0) + 1
        return ", ".join(shape if n == 1 else f"{n} × {shape}" for shape, n in count.items())


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
    lengths = (algebra.text(substitute(algebra.terms(n), equations)) for n in shape)
    return f"({', '.join(lengths)})"


def _only_leaves(line: Line) -> bool:
    return all(part.is_leaf for part in line.parts)


def label(line: Line) -> str:
    """A line's name for people, with its repetitions and the reason of a tied weight."""
    times = "" if line.times == 1 else f" × {algebra.text(algebra.terms(line.times))}"
    notes = [f"tied to {leaf.tied_to[-1]}" for leaf in (line, *line.parts) if leaf.tied_to]
    name = f"{line.component} {line.label}" if len(line.label) <= 2 else line.label
    return name.strip().replace("_", " ") + times + (f", {notes[0]}" if notes else "")


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
