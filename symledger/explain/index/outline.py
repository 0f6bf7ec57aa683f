"""Outlines: what is read of a target in order to search it, without deriving it again.

An outline is plain data: the polynomials of all that may be meant, and what decides the sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from sympy import Expr, Symbol

from symledger.algebra import Terms
from symledger.algebra.assumptions import Assumed, check_lengths, settle
from symledger.algebra.parsing import least, parse_size
from symledger.errors import BadInput, nearest, shown
from symledger.explain.index.readings import FP32, Asked
from symledger.explain.lines import Amount, Weight, amounts, weights
from symledger.sizes import named
from symledger.tags.canonical import expression, read_expression

if TYPE_CHECKING:
    from symledger.accounts.account import Account

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
    """

    changed: Chosen
    case: str
    frame: Frame
    equations: Mapping[Symbol, Terms]
    bindings: Sizes
    amounts: Mapping[Asked, tuple[Amount, ...]]
    weights: tuple[Weight, ...]
    settings: Mapping[str, str] = field(default_factory=dict)

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
    account: Account, asked: Iterable[Asked], case: str = "", named_by_user: bool = False
) -> Outline:
    """Draw the outline of an account, with the amounts that are asked for."""
    target = account.target
    changed = tuple((n, v) for n, v in target.options.items() if v != target.defaults[n])
    drawn: dict[Asked, tuple[Amount, ...]] = {}
    for a in asked:
        counted = account.under(dtype=a.dtype) if a.dtype != FP32 else account
        found = tuple(amounts(counted[a.quantity].line, a.quantity, named_by_user))
        drawn[a] = _new(found, drawn[Asked(a.quantity)]) if a.dtype != FP32 else found
    return Outline(
        changed, case, _frame(account), account.assumed.equations,
        {s.name: n for s, n in account.assumed.bindings.items()}, drawn,
        tuple(weights(account["params"].line)) if Asked("params") in drawn else (),
    )  # fmt: skip


def _new(found: Sequence[Amount], plain: Iterable[Amount]) -> tuple[Amount, ...]:
    """Leave out what is the same in fp32, but for the first, which is all of it, if any."""
    same = {(said, frozenset(amount.terms.items())) for _, said, amount in plain}
    return (*found[:1], *(
        one for one in found[1:] if (one[1], frozenset(one[2].terms.items())) not in same
    ))  # fmt: skip


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
