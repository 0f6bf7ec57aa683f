"""A quantity as polynomials in a few sizes that are free, everything else given its value."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from sympy import Expr, Integer, Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.algebra.parsing import LARGEST, least
from symledger.errors import BadInput, SymledgerError, shown
from symledger.inverse.rounding import Value, evaluator
from symledger.ledger.blocks import check_free
from symledger.ledger.formula import Formula
from symledger.ledger.quantities import TOUCHED

PROBES = (
    2, 3, 4, 6, 8, 5, 12, 16, 24, 32, 48, 64, 72, 96, 128, 144, 192, 240, 256, 384, 480, 720,
    768, 960, 1024, 1536, 4096, 5040, 7680,
)  # fmt: skip
"""What a size is multiplied by where a second one is looked for at which a target can be."""
KEPT = ("memory.optimizer", "memory.training", "memory.peak")
"""Quantities of which states are a part."""
SEEN = 4
"""How many such places are looked for."""


@dataclass(frozen=True)
class Freed:
    """What stands fast while some sizes are free.

    ``given`` are equations of sizes that follow the free ones, and constants of those that do not;
    ``defined`` are sizes that are rounded from others; ``places`` the account where it was seen.
    """

    account: Account
    free: tuple[Symbol, ...]
    given: Mapping[Symbol, Terms]
    defined: Mapping[Symbol, Expr] = field(default_factory=dict)
    places: tuple[Account, ...] = ()

    @cached_property
    def moving(self) -> frozenset[Symbol]:
        """The free sizes, and those that are rounded from them."""
        return frozenset((*self.free, *self.defined))

    def branches(self, formula: Formula) -> tuple[Terms, ...]:
        """Return a quantity in the free sizes: polynomials of which the largest is its value."""
        if formula.divisor is not None:
            raise BadInput(
                f"{formula.id} is a ratio: what is solved for is within an amount, of bytes, "
                "parameters or FLOP."
            )
        if formula.quantity.name in TOUCHED:
            raise BadInput(
                f"{formula.id} is no polynomial in what is free: how many experts are touched "
                "follows from B, k and E otherwise. Ask for it with --set, size by size."
            )
        self._check(formula)
        return tuple(self.of(polynomial) for polynomial in totals(formula))

    def _check(self, formula: Formula) -> None:
        """Refuse a formula that holds for the account's own sizes, and maybe for no others.

        Raises:
            BadInput: what it depends on is free.
        """
        c, free = self.account.conventions, {*self.free, *self.defined}
        if c.kept.form == "blocks" and formula.quantity.name.startswith(KEPT):
            check_free(self.account.program, c.frozen, self.given, free, c.optimizer)
        for depth in getattr(formula, "depths", ()):
            if depth.least == 0 and any(n < 0 for n in self.of(depth.times).values()) and any(
                s in free for monomial in self.of(depth.times) for s, _ in monomial
            ):  # fmt: skip
                raise BadInput(
                    f"{formula.id} holds where {depth.canonical}, and free sizes need not keep to "
                    "that: give them values, or name another optimizer."
                )

    def of(self, polynomial: Terms) -> Terms:
        """Write a polynomial in the free sizes, and those rounded from them.

        Raises:
            BadInput: a size has no value.
        """
        found = algebra.substitute(polynomial, self.given)
        known = {*self.free, *self.defined}
        if any(s not in known for monomial in found for s, _ in monomial):
            raise unknown(self.account, found, known)
        return found

    def sizes(self, at: Mapping[Symbol, int]) -> dict[Symbol, int] | None:
        """Return the free sizes and those rounded from them; None where one of these is none."""
        found = dict(at)
        for symbol, of in self._evaluators.items():
            whole = of(found)
            if whole is None or whole.denominator != 1 or whole < least(symbol):
                return None
            found[symbol] = int(whole)
        return found

    @cached_property
    def _evaluators(self) -> dict[Symbol, Value]:
        return {symbol: evaluator(e) for symbol, e in self.defined.items()}


def unknown(
    account: Account, polynomial: Terms, known: Container[Symbol] = frozenset()
) -> BadInput:
    """Return what refuses a polynomial in which sizes have no value."""
    bound = account.assumed.bindings
    names = {s.name for monomial in polynomial for s, _ in monomial
             if s not in known and s not in bound}  # fmt: skip
    settings = " ".join(f"--set {name}=…" for name in sorted(names))
    return BadInput(
        f"{shown(account.target.name)} has no value without {settings}: give what is not asked for."
    )


def totals(formula: Formula) -> tuple[Terms, ...]:
    """Return the polynomials of which the largest is the value of a formula, in all its sizes.

    A formula that is the largest of several has ``moments``, each with its own.
    """
    return tuple(one.general for one in getattr(formula, "moments", (formula,)))


def freed(
    account: Account, names: Iterable[str], places: Iterable[Mapping[str, int]] = ()
) -> Freed:
    """Free some sizes of an account, of which it is seen at two ``places`` (unless told: some).

    What follows them is seen at two places at which the target can be: an equation that holds at
    one by accident (a width of 14,336 that is just four times another) is none.

    Raises:
        SymledgerError: a name is none of a size, or the target cannot be at a second place.
    """
    wanted = tuple(names)
    seen = _two(account, places or _places(account, wanted), 1 if places else 2)
    first, second = (other.assumed for other in seen)
    symbols = seen[0].symbols
    free = tuple(symbols[own_name(account, name)] for name in wanted)
    rounded = seen[0].definitions
    given: dict[Symbol, Terms] = {
        s: p for s, p in first.equations.items()
        if second.equations.get(s) == p and s not in free and s not in rounded
    }
    defined = _defined(seen, free, given)
    constant = {s: n for s, n in first.bindings.items()
                if s not in given and s not in free and s not in defined}  # fmt: skip
    if any(second.bindings.get(s) != n for s, n in constant.items()):
        moved = next(s for s, n in constant.items() if second.bindings.get(s) != n)
        raise BadInput(f"{moved} of {shown(account.target.name)} follows {', '.join(wanted)} in "
                       "no way that is understood.")  # fmt: skip
    numbers = {s: algebra.constant(n) for s, n in constant.items()}
    follow = {s: algebra.substitute(p, numbers) for s, p in given.items()}
    plain = {s: e.xreplace({c: Integer(n) for c, n in constant.items()})
             for s, e in defined.items()}  # fmt: skip
    return Freed(account, free, {**numbers, **follow}, plain, seen)


def own_name(account: Account, name: str) -> str:
    """Return the name of a size as formulas have it: ``d`` of a trace whose author says n_embd."""
    if name in account.symbols:
        return name
    found = account.target.settled({name: "1"}).keys() & account.symbols.keys()
    return next(iter(found - account.target.settled({}).keys()), name)


def _defined(
    seen: tuple[Account, Account], free: tuple[Symbol, ...], given: Mapping[Symbol, Terms]
) -> dict[Symbol, Expr]:
    """Return the sizes that are rounded from free ones, those that others need first."""
    a, b = (other.assumed.bindings for other in seen)
    moving = {*free, *given}
    found: dict[Symbol, Expr] = {}
    for symbol, e in seen[0].definitions.items():
        if symbol in free or symbol in given or a.get(symbol) is None:
            continue
        if e.free_symbols & moving or a[symbol] != b.get(symbol):
            follow = {s: algebra.expression(given[s]) for s in e.free_symbols & given.keys()}
            found[symbol] = e.xreplace(follow)
            moving.add(symbol)
    return found


def _two(
    account: Account, places: Iterable[Mapping[str, int]], least_seen: int
) -> tuple[Account, Account]:
    """Return the account at two places, those with the fewest equations of those that can be."""
    found: list[Account] = []
    refused: SymledgerError | None = None
    for place in places:
        try:
            found.append(account.subs(place))
        except SymledgerError as error:
            refused = refused or error
        if len(found) == SEEN:
            break
    if refused and len(found) < least_seen:
        raise refused
    found.sort(key=lambda other: len(other.assumed.equations))
    return found[0], found[min(1, len(found) - 1)]


def _places(account: Account, names: tuple[str, ...]) -> Iterator[dict[str, int]]:
    bound = {s.name: n for s, n in account.assumed.bindings.items()}
    start = {name: bound.get(name, 1) for name in names}
    for factor in PROBES:
        yield {name: min(n * factor, LARGEST) for name, n in start.items()}
    for factor in PROBES:
        yield {name: max(n // factor, 1) for name, n in start.items()}
    yield start


def value(branches: Iterable[Terms], at: Mapping[Symbol, int]) -> Fraction:
    """Return the largest of some polynomials at sizes."""
    found = [algebra.value(one, at) for one in branches]
    assert None not in found
    return max(n for n in found if n is not None)


def never_falls(e: Expr) -> bool:
    """Whether a rounded size never falls: sums, floors and positive multiples of what does not."""
    if e.is_Symbol or e.is_number:
        return True
    if e.is_Add or e.func.__name__ in ("floor", "ceiling", "Max", "Min"):
        return all(map(never_falls, e.args))
    if e.is_Mul:
        return e.args[0].is_positive is True and all(
            (a.is_number and a.is_positive) or (never_falls(a) and a.is_nonnegative)
            for a in e.args
        )  # fmt: skip
    return False
