"""What holds: values that were set, equations that were given, defaults that may give way.

Some sizes are decided by others (how many windows fit): their definitions hold always.
In order of strength: a value that the user set, an equation that the user gave, a value of the
target's configuration, a default equation of the target. What is stronger drops what is weaker
and contradicts it, and says so; two of the user's own that contradict each other are an error.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import gcd

from sympy import Expr, Integer, Rational, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.parsing import (
    LARGEST,
    check_modest,
    least,
    never_positive,
    parse_equation,
    parse_expression,
    parse_size,
)
from symledger.errors import BadInput, Contradiction
from symledger.languages.message import Message, message

__all__ = [
    "Assumed", "check_lengths", "divide_hint", "parse_equation", "parse_expression", "parse_size",
    "said", "settle",
]  # fmt: skip

Equations = Mapping[Symbol, Expr]


@dataclass(frozen=True)
class Assumed:
    """What holds, settled.

    ``equations`` are closed (no right side mentions a left side); ``bindings`` are the values of
    symbols; ``stated`` are the equations as they were written; ``dropped`` says in sentences what
    gave way.
    """

    equations: dict[Symbol, Terms]
    bindings: dict[Symbol, int]
    stated: dict[Symbol, Expr]
    dropped: list[Message] = field(default_factory=list)

    def contradicted(self) -> list[Symbol]:
        """The symbols whose equation gives no size, or another one than they have."""
        known = {s: algebra.value(p, self.bindings) for s, p in self.equations.items()}
        wrong = {s for s, n in known.items() if n is not None and self.bindings.get(s, n) != n}
        wrong |= {s for s, p in self.equations.items() if never_positive(p) and (p or least(s))}
        return sorted(wrong, key=str)


def settle(
    defaults: Equations, configuration: Mapping[Symbol, int],
    given: list[tuple[Symbol, Expr]], values: Mapping[Symbol, int],
    definitions: Equations | None = None, expected: Container[Symbol] = (),
) -> Assumed:  # fmt: skip
    """Settle what holds, strongest first.

    ``definitions`` are evaluated once everything in them has a value. Where the default of a symbol
    gives way that is ``expected`` to have its own value, nothing is said.

    Raises:
        BadInput: something comes to what is no size.
        Contradiction: two of the user's own statements cannot both hold.
    """
    settled = Assumed({}, dict(values), {})
    for symbol, e in given:
        _add_given(settled, symbol, e)
    for symbol, n in configuration.items():
        if symbol in settled.equations:
            settled.dropped.append(_gave_way(symbol, n, _shown(settled, symbol)))
        else:
            settled.bindings.setdefault(symbol, n)
    _check_given(settled)
    for symbol, e in (definitions or {}).items():
        if symbol in defaults:  # a rounded one: its default gives way where it does not divide
            _define(settled, symbol, e)
    for symbol, e in defaults.items():
        before = list(settled.dropped)
        _add_default(settled, symbol, e)
        if symbol in expected:
            settled.dropped[:] = before
    _evaluate(settled, {symbol for symbol, _ in given})
    for symbol, e in (definitions or {}).items():
        _define(settled, symbol, e)
        _evaluate(settled, {symbol for symbol, _ in given})
    return settled


def _define(settled: Assumed, symbol: Symbol, e: Expr) -> None:
    """Give a symbol the value that its definition has, or refuse another one."""
    found = e.xreplace({s: Integer(n) for s, n in settled.bindings.items()})
    if not found.is_number:
        return
    known = sorted(e.free_symbols & settled.bindings.keys(), key=str)
    where = ", ".join(f"{s} = {settled.bindings[s]}" for s in known)
    if not found.is_Integer or found < least(symbol):
        raise BadInput(f"{symbol} = {e} = {found} is not a positive whole number with {where}.")
    if settled.bindings.setdefault(symbol, int(found)) != found:
        raise Contradiction(
            f"{symbol} = {e} is {found} with {where}, but {symbol} = {settled.bindings[symbol]} "
            "was set or follows: these cannot both hold."
        )


def _add_given(settled: Assumed, symbol: Symbol, e: Expr) -> None:
    known = settled.equations.get(symbol)
    closed = algebra.terms(e, settled.equations)
    if known is not None:
        if known != closed:
            raise Contradiction(
                f"{symbol} = {settled.stated[symbol]} and {symbol} = {e} cannot both hold."
            )
        return
    if closed == algebra.variable(symbol):
        return
    if any(symbol == s for monomial in closed for s, _ in monomial):
        raise Contradiction(
            f"{symbol} = {e} defines {symbol} by itself, given what else was assumed: "
            "these assumptions cannot all hold."
        )
    _close(settled, symbol, closed, e)


def _close(settled: Assumed, symbol: Symbol, closed: Terms, stated: Expr) -> None:
    for other, polynomial in settled.equations.items():
        settled.equations[other] = algebra.substitute(polynomial, {symbol: closed})
    settled.equations[symbol] = closed
    settled.stated[symbol] = stated
    for left, polynomial in settled.equations.items():
        check_modest(left, polynomial)


def _check_given(settled: Assumed) -> None:
    for symbol in settled.contradicted():
        if never_positive(settled.equations[symbol]):
            raise Contradiction(
                f"{said(symbol, settled.stated[symbol])} is zero or negative, given what else was "
                "assumed: these assumptions cannot all hold."
            )
        implied = algebra.value(settled.equations[symbol], settled.bindings)
        where = ", ".join(
            f"{s} = {settled.bindings[s]}"
            for s in sorted(settled.stated[symbol].free_symbols, key=str) if s in settled.bindings
        )  # fmt: skip
        raise Contradiction(
            f"{said(symbol, settled.stated[symbol])} gives {implied}"
            + (f" with {where}" if where else "")
            + f", but {symbol} = {settled.bindings[symbol]} was set: these cannot both hold."
        )


def _add_default(settled: Assumed, symbol: Symbol, e: Expr) -> None:
    if symbol in settled.equations:
        if settled.equations[symbol] != algebra.terms(e, settled.equations):
            settled.dropped.append(_gave_way(symbol, e, _shown(settled, symbol)))
        return
    closed = algebra.terms(e, settled.equations)
    if closed == algebra.variable(symbol):
        return
    if any(symbol == s for monomial in closed for s, _ in monomial):
        settled.dropped.append(
            message("note.defined", equation=f"{symbol} = {e}", symbol=str(symbol))
        )
        return
    fixed = settled.bindings.get(symbol)
    if fixed is not None and algebra.value(closed, settled.bindings) != fixed:
        settled.dropped.append(_gave_way(symbol, e, f"{symbol} = {fixed}"))
        return
    trial = replace(settled, equations=dict(settled.equations), stated=dict(settled.stated))
    _close(trial, symbol, closed, e)
    for other in trial.contradicted():
        settled.dropped.append(
            message("note.contradicted", equation=f"{symbol} = {e}", other=_shown(trial, other))
        )
        return
    settled.equations.update(trial.equations)
    settled.stated.update(trial.stated)


def _gave_way(symbol: Symbol, e: Expr | int, to: str) -> Message:
    return message("note.gave_way", equation=f"{symbol} = {e}", to=to)


def _shown(settled: Assumed, symbol: Symbol) -> str:
    return f"{symbol} = {settled.stated[symbol]}"


def _evaluate(settled: Assumed, given: set[Symbol]) -> None:
    """Give a value to every symbol whose equation has one; a given one must be a size."""
    for symbol, polynomial in settled.equations.items():
        found = algebra.value(polynomial, settled.bindings)
        if found is not None and symbol not in settled.bindings:
            if found.denominator != 1 or found < least(symbol):
                raise BadInput(
                    f"{said(symbol, settled.stated[symbol], found)} is not a positive whole number."
                    + divide_hint(settled.stated[symbol], settled.bindings)
                )
            if symbol in given and found > LARGEST:
                raise BadInput(
                    f"{said(symbol, settled.stated[symbol], found)} is out of range: "
                    "sizes are 1 to 10^18."
                )
            settled.bindings[symbol] = int(found)


def check_lengths(
    lengths: Iterable[Expr], bounds: Iterable[tuple[Expr, Expr]], assumed: Assumed,
    numbers: set[Expr] | frozenset[Expr] = frozenset(),
) -> None:  # fmt: skip
    """Refuse sizes at which some axis would not be a positive whole number long.

    ``numbers`` are those of further layers, of which there may be none.

    Raises:
        BadInput: a length is not a positive whole number, or a slice exceeds its axis.
    """
    at = {symbol: Rational(n) for symbol, n in assumed.bindings.items()}
    for length in lengths:
        if isinstance(length, Symbol) and at.get(length, 1) > 0:
            continue
        found = length.xreplace(at)
        if found == 0 and length in numbers:
            continue
        if found.is_number and not (found.is_Integer and found > 0):
            raise BadInput(
                f"{length} = {found} is not a positive whole number, but some axis is that long."
                + divide_hint(length, assumed.bindings)
            )
    for inner, outer in bounds:
        a, b = inner.xreplace(at), outer.xreplace(at)
        if a.is_number and b.is_number and a > b:
            if inner.is_number:
                raise BadInput(f"{outer} = {b}, but it may not be less than {a} here.")
            raise BadInput(f"{inner} = {a}, but it may not exceed {outer} = {b} here.")


def said(*equal: object) -> str:
    """Write an equation, what is written the same only once: ``d = 1/2``, not ``d = 1/2 = 1/2``."""
    return " = ".join(dict.fromkeys(map(str, equal)))


def divide_hint(e: Expr, bindings: Mapping[Symbol, int]) -> str:
    """Suggest the nearest values that divide, where a product is divided and does not."""
    above, below = e.as_numer_denom()
    found = below.xreplace({s: Integer(n) for s, n in bindings.items()})
    factor, symbol = above.as_coeff_Mul()
    if not (isinstance(symbol, Symbol) and symbol in bindings and found.is_Integer and found > 1):
        return ""
    n, step = bindings[symbol], int(found) // gcd(int(found), int(factor))
    near = sorted({max(n // step, 1) * step, (n // step + 1) * step})
    return f" Choose {symbol} divisible by {said(below, step)}: {' or '.join(map(str, near))}."
