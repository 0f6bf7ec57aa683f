"""Outlines: what is read of a target in order to search it, without deriving it again.

An outline is plain data: the polynomials of all that may be meant, and what decides the sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from sympy import Expr, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.assumptions import Assumed, check_lengths, settle
from symledger.algebra.parsing import least, parse_size
from symledger.algebra.s_expressions import expression, read_expression
from symledger.errors import BadInput, nearest, shown
from symledger.explain.branch import Amount, Branch
from symledger.explain.index.readings import FP32, Asked
from symledger.explain.lines import Weight, amounts, every_amount, weights
from symledger.explain.sums import Polynomial
from symledger.sizes import named

if TYPE_CHECKING:
    from symledger.accounts.account import Account
    from symledger.ledger.lines import Line

Chosen = tuple[tuple[str, object], ...]
Sizes = dict[str, int]
Values = Mapping[str, tuple[object, ...]]
"""The values of each choice that are looked at, its default first."""
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Frame:
    """What decides the sizes of a target, every expression in its canonical form.

    ``defaults`` and ``definitions`` are equations; ``lengths`` are those of all axes, ``bounds``
    pairs of which the first may not exceed the second.
    """

    symbols: tuple[str, ...]
    defaults: Pairs
    definitions: Pairs
    lengths: tuple[str, ...]
    bounds: Pairs
    configuration: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Outline:
    """What is read of a target with its choices.

    ``changed`` are the choices made otherwise than by default, ``case`` the named case. The
    ``equations`` and ``bindings`` are what holds; ``settings`` the sizes that the user set.
    ``lines`` are those of each quantity, none where it has none; of a target that was ``named`` by
    the user, everything is an answer.
    """

    changed: Chosen
    case: str
    frame: Frame
    equations: Mapping[Symbol, Terms]
    bindings: Sizes
    lines: Mapping[Asked, Branch | None]
    named: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)

    def whole(self, asked: Asked) -> Polynomial | None:
        """Return all of a quantity; None where that is nothing."""
        root = self.lines[asked]
        return (root.total or None) if root else None

    def amounts(self, asked: Asked) -> tuple[Amount, ...]:
        """Return everything of a quantity that may be meant, the plainest first.

        In a type other than fp32 that is what differs there.
        """
        root, plain = self.lines[asked], self.lines[asked.in_fp32]
        if root is None or (asked.dtype != FP32 and root is plain):
            return ()
        found = every_amount(root) if self.named else amounts(root, asked.quantity == "params")
        if asked.dtype == FP32:
            return found
        same = {(said, amount.mark) for _, said, amount in self.amounts(asked.in_fp32)}
        return tuple([one for one in found if (one[1], one[2].mark) not in same])

    @cached_property
    def weights(self) -> tuple[Weight, ...]:
        """The weights of two axes."""
        root = self.lines.get(Asked("params"))
        return tuple(weights(root)) if root else ()

    def at(self, settings: Mapping[str, str]) -> Outline:
        """Return this outline with some sizes set.

        Raises:
            BadInput: they contradict each other or the target.
        """
        if not settings:
            return self
        assumed = _settled(self.frame, tuple(settings.items()))
        bindings = {s.name: n for s, n in assumed.bindings.items()}
        return replace(self, equations=assumed.equations, bindings=bindings, settings=settings)


@dataclass(frozen=True)
class Survey:
    """A target's outlines, that with its default choices first, and its choices.

    A choice matters whose value alone, the others being the default ones, changes what is asked
    for; of one that does not, only the default is there.
    """

    choices: Values
    outlines: tuple[Outline, ...]

    @property
    def symbols(self) -> tuple[str, ...]:
        """The sizes that the target has with its default choices."""
        return self.outlines[0].frame.symbols


def outline(
    account: Account, asked: Iterable[Asked], case: str = "", named: bool = False
) -> Outline:
    """Draw the outline of an account, with the lines of what is asked for."""
    target = account.target
    changed = tuple((n, v) for n, v in target.options.items() if v != target.defaults[n])
    lines = {}
    for a in asked:
        counted = account.under(dtype=a.dtype) if a.dtype != FP32 else account
        lines[a] = root(counted[a.quantity].line, a.quantity, named)
    return Outline(
        changed, case, _frame(account), account.assumed.equations,
        {s.name: n for s, n in account.assumed.bindings.items()}, lines, named,
    )  # fmt: skip


def root(line: Line, quantity: str, named: bool = False) -> Branch | None:
    """Return what is searched of the lines of a quantity.

    Those of a training step are those of its two passes. Unless each is an answer, what is nothing
    counts only among parameters, where lines are added up.
    """
    if quantity == "flops.training":
        return Branch("", own=Polynomial.of(line.total))
    found = branch(line, quantity == "params" or named)
    return found if found.total or found.parts else None


def branch(line: Line, every: bool = True) -> Branch:
    """Return what is searched of a line and those below it, of which some may be nothing."""
    axes = [Polynomial.of(algebra.terms(n)) for n in line.shape or ()] if every else []
    return Branch(
        line.label, line.component, Polynomial.of(algebra.terms(line.own)),
        Polynomial.of(algebra.terms(line.times)),
        tuple(branch(part, every) for part in line.parts if every or part.total),
        (axes[0], axes[1]) if len(axes) == 2 else None,
    )  # fmt: skip


def _frame(account: Account) -> Frame:
    program = account.program
    return Frame(
        tuple(account.symbols), _texts(account.defaults), _texts(program.definitions),
        tuple(map(expression, program.lengths)),
        tuple((expression(a), expression(b)) for a, b in program.bounds),
        tuple(sorted((account.target.configuration or {}).items())),
    )  # fmt: skip


def _texts(equations: Mapping[Symbol, Expr]) -> Pairs:
    return tuple((s.name, expression(e)) for s, e in equations.items())


@cache
def _settled(frame: Frame, settings: tuple[tuple[str, str], ...]) -> Assumed:
    """Settle what holds in a frame once sizes are set; variants of a target share frames."""
    values = {}
    for name, text in settings:
        if name not in frame.symbols:
            raise BadInput(f"{shown(name)} is not a symbol here. {nearest(name, frame.symbols)}")
        symbol = named(name)
        values[symbol] = parse_size(name, text, least(symbol))
    configuration = {named(n): size for n, size in frame.configuration if n in frame.symbols}
    assumed = settle(
        _equations(frame.defaults), configuration, [], values, _equations(frame.definitions)
    )
    bounds = [(read_expression(a), read_expression(b)) for a, b in frame.bounds]
    check_lengths(list(map(read_expression, frame.lengths)), bounds, assumed)
    return assumed


def _equations(pairs: Pairs) -> dict[Symbol, Expr]:
    return {named(name): read_expression(text) for name, text in pairs}
