"""How is a program written down? In index notation, from the patterns that it is made of.

Each named step of a component is one equation, over its inputs, weights, tables and other steps.
What a child computes is written as that child applied to what enters it: ``softmax(scores)``.
Going back, ∂y is the gradient of y, and f* the pull-back of a child f: it takes the gradient of
what f gave to the gradient of what entered f. An index is a letter, a group ``(hk)`` of letters
merged into one axis, or a letter moved along; an axis of length 1 has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from symledger.ir.ops import Const, Param, Rearrange
from symledger.ir.tensor import Program, Pullback, Scope, Tensor
from symledger.readings.equations.latex import LATEX
from symledger.readings.equations.outline import Outline, Sheet
from symledger.readings.equations.reverse import Reverse, Target
from symledger.readings.equations.text import TEXT, Notation
from symledger.readings.equations.writer import Equation, Writer

__all__ = [
    "LATEX", "TEXT", "Equation", "Notation", "backward_equations", "equations", "table_equations",
]  # fmt: skip

LONG = 30
"""Characters from which on a value that is used twice gets a (Greek) letter of its own."""
FORWARD, BACKWARD = "αβγδε", "ζηθκλξ"
"""Letters for such values, on the way there and back."""


def written(
    sheet: Sheet, targets: Sequence[Target], notation: Notation, greek: str = FORWARD
) -> tuple[Equation, ...]:
    """Write the equations, each after those of the values that it mentions by a Greek letter."""
    uses, order = Counter[Tensor](), list[Tensor]()
    for _, t in targets:
        _count(sheet, t, uses, order)
    measure, free, own = Writer(sheet, TEXT), list(greek), dict[Tensor, str]()
    for t in order:
        again = uses[t] > 1 and t not in sheet.names and not isinstance(t.op, Rearrange)
        if again and free and len(measure.whole(t)) > LONG:
            own[t] = sheet.names[t] = free.pop(0)
    writer, done = Writer(sheet, notation), set[str]()
    found = []
    for name, t in targets:
        before = [(own[x], x) for x in (*_below(sheet, t, own, set()), t) if x in own]
        for title, x in (*before, (name, t)):
            if title not in done:
                done.add(title)
                found.append(writer.define(title, x))
        sheet.names.setdefault(t, name)
    return tuple(found)


def _count(sheet: Sheet, t: Tensor, uses: Counter[Tensor], order: list[Tensor]) -> None:
    for x in sheet.parts(t):
        uses[x] += 1
        if uses[x] == 1 and x not in sheet.names and sheet.parts(x):
            _count(sheet, x, uses, order)
            order.append(x)


def _below(
    sheet: Sheet, t: Tensor, own: dict[Tensor, str], seen: set[Tensor]
) -> Iterator[Tensor]:
    for x in sheet.parts(t):
        if x not in seen and (x in own or x not in sheet.names):
            seen.add(x)
            yield from _below(sheet, x, own, seen)
            if x in own:
                yield x


def equations(
    program: Program, scope: Scope | None = None, notation: Notation = TEXT
) -> tuple[Equation, ...]:
    """Write down what a component computes: one equation for each of its named steps, in order.

    A long value that is used twice comes before, under a Greek letter. ``scope`` may be that of
    any component in the program; it is the outermost one where nothing is said.
    """
    outline = Outline(program, scope or program.scope)
    sheet, targets, seen = outline.sheet(), list[Target](), set(outline.entering)
    for name, t in outline.scope.steps.items():
        if t.args:
            targets.append((name if t in seen else sheet.names[t], t))
            seen.add(t)
    return written(sheet, targets, notation)


def table_equations(
    program: Program, scope: Scope | None = None, notation: Notation = TEXT
) -> tuple[Equation, ...]:
    """Write down the tables that a component computes: its causal mask, its sines and cosines."""
    outline = Outline(program, scope or program.scope)
    tables = {t: n for t, n in outline.sheet().names.items() if isinstance(t.op, Const)}
    targets = {name: t for t, name in tables.items() if t not in outline.entering}
    return written(Sheet(), list(targets.items()), notation)


def backward_equations(pull: Pullback, notation: Notation = TEXT) -> tuple[Equation, ...]:
    """Write down the gradients of a component's inputs and of its own weights.

    Before them come the gradients of those named steps through which they go, last step first.
    A fused component's are those of the pull-back that it states.
    """
    outline = Outline(pull.program, pull.scope)
    leaves = [
        t for t in sorted(pull.gradients, key=lambda t: (isinstance(t.op, Param), t.order))
        if t in outline.entering or t.scope is pull.scope
    ]  # fmt: skip
    if hasattr(pull.scope.component, "pullback"):
        sheet, targets = stated(outline, pull, leaves)
    else:
        sheet, targets = Reverse(outline).run(leaves)
    return written(sheet, targets, notation, BACKWARD)


def stated(
    outline: Outline, pull: Pullback, leaves: Sequence[Tensor]
) -> tuple[Sheet, list[Target]]:
    """The gradients of a fused component, as it states them."""
    sheet = outline.sheet()
    for seed, y in zip(pull.seeds, pull.program.outputs, strict=True):
        sheet.name(seed, f"∂{sheet.names[y]}")
        sheet.like[seed] = y
    for leaf in leaves:
        sheet.like.setdefault(pull.gradients[leaf], leaf)
    return sheet, [(f"∂{sheet.names[t]}", pull.gradients[t]) for t in leaves]
