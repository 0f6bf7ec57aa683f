"""A size that is looked for: what is proven of a quantity in it, and at which sizes that fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cached_property

from sympy import Min, Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.algebra.parsing import LARGEST
from symledger.errors import BadInput, SymledgerError, shown
from symledger.inverse.binding import rows, turns
from symledger.inverse.depths import formula_in, often
from symledger.inverse.form import Freed, freed, never_falls, value
from symledger.inverse.legal import Legal, legal
from symledger.inverse.solution import Point, Proof, Solution
from symledger.inverse.univariate import Largest, Powers, at, falls, last, powers, rises, rises_from

LOOKED = 2**14
"""How many sizes are looked at one by one where nothing is proven of a formula."""
TRIED = 2**16
"""How many sizes next to each other are passed over that a target cannot be of,"""
REFUSED = 2**10
"""and how many of these for other reasons than that an axis is not whole."""


class Question:
    """A quantity in one size, the others being given, and a budget for it."""

    def __init__(self, account: Account, size: str, quantity: str, budget: int) -> None:
        account[quantity]  # refused before anything else where the target has none
        self.account, self.name, self.quantity, self.budget = account, size, quantity, budget
        if size in account.target.choices:
            raise BadInput(f"{size} is a choice of {shown(account.target.name)}, and no size.")
        self.freed: Freed = freed(account, (size,))
        self.x: Symbol = self.freed.free[0]
        self.legal: Legal = legal(self.freed)
        formula = formula_in(self.freed, quantity)
        self.branches = self.freed.branches(formula)
        self.often = often(self.freed, formula)
        self._apart: dict[int, Fraction | None] = {}
        if not any(self._moves(one) for one in self.branches):
            raise BadInput(
                f"{quantity} of {shown(account.target.name)} does not depend on {size}: whatever "
                "it is, the amount is the same."
            )

    def _moves(self, one: Terms) -> bool:
        moving = {self.x, *self.freed.defined}
        return any(s in moving for monomial in one for s, _ in monomial)

    @cached_property
    def univariate(self) -> tuple[Powers, ...] | None:
        """The branches by powers of the size; None where sizes are rounded from it."""
        if any(s != self.x for one in self.branches for monomial in one for s, _ in monomial):
            return None
        return tuple(powers(one, self.x) for one in self.branches)

    @cached_property
    def _largest(self) -> Largest:
        return Largest(self.univariate or ())

    @cached_property
    def proof(self) -> tuple[Proof, int]:
        """What is proven, and from which size on: where bodies are repeated often enough."""
        kind, since = self._proven
        if not self.often:
            return kind, since
        starts = [o.since(self.x) for o in self.often]
        known = [n for n in starts if n is not None]
        if kind not in ("rises", "rises from") or len(known) < len(starts):
            return "looked at", 1
        return ("rises", 1) if max(known) == 1 == since else ("rises from", max(since, *known))

    @property
    def _proven(self) -> tuple[Proof, int]:
        """What is proven of the polynomials."""
        if self.univariate is None:
            beyond = self._rises_beyond()
            if beyond is not None:
                return "rises from", beyond
            positive = all((c > 0 and all(n > 0 for _, n in monomial)) or not monomial
                           for one in self.branches for monomial, c in one.items())  # fmt: skip
            rounded = all(never_falls(e) for e in self.freed.defined.values())
            return ("rises", 1) if positive and rounded else ("looked at", 1)
        if all(map(rises, self.univariate)):
            return "rises", 1
        if all(map(falls, self.univariate)):
            return "falls", 1
        since = [rises_from(p) for p in self.univariate]
        known = [n for n in since if n is not None]
        return ("rises from", max(known)) if len(known) == len(since) else ("looked at", 1)

    def _rises_beyond(self) -> int | None:
        """From where on it is proven to rise if all rounded sizes are ``min(T, w_max)``: beyond."""
        ends: dict[Symbol, Terms] = {}
        for symbol, e in self.freed.defined.items():
            numbers = [a for a in e.args if a.is_Integer]
            if not (isinstance(e, Min) and len(e.args) == 2 and self.x in e.args and numbers):
                return None
            ends[symbol] = algebra.constant(int(numbers[0]))
        plain = [powers(algebra.substitute(one, ends), self.x) for one in self.branches]
        if not ends or all(at(p, 1) == at(p, LARGEST) for p in plain):
            return None  # it stays what it is from there on, and rises before
        since = [rises_from(p) for p in plain]
        known = [n for n in since if n is not None]
        last_end = max(int(p[algebra.ONE]) for p in ends.values())
        return max(*known, last_end) if len(known) == len(since) else None

    def value(self, n: int) -> Fraction | None:
        """The value at a size as the polynomials have it; None where a rounded size is none.

        Where a body is repeated less often than they are about, it is derived.
        """
        if self.often and not self._holds(n):
            return self._derived(n)
        if self.univariate is not None:
            return self._largest.at(n)
        sizes = self.freed.sizes({self.x: n})
        return None if sizes is None else value(self.branches, sizes)

    def _holds(self, n: int) -> bool:
        """Whether bodies are repeated as often as the polynomials are about."""
        sizes = self.freed.sizes({self.x: n})
        return sizes is None or all(o.holds(sizes) for o in self.often)

    def _derived(self, n: int) -> Fraction | None:
        """The value at a size by itself; None where the target cannot be of it."""
        if n not in self._apart:
            self._apart[n] = None
            with suppress(SymledgerError):
                if self.can_be(n):
                    self._apart[n] = self.account.subs({self.name: n})[self.quantity].exact
        return self._apart[n]

    def fits(self, n: int) -> bool:
        """Whether a size is within the budget; one that is none for another reason is."""
        found = self.value(n)
        return found is None or found <= self.budget

    def derived(self, n: int) -> Point | str:
        """The value that is derived at a size, or why the target cannot be of it.

        It is that of the polynomials, or else these are not what they are taken for.
        """
        if self.account.is_segmented and not self.can_be(n):
            return f"another number is left over of those that are run again together at {n}"
        try:
            found = self.account.subs({self.name: n})[self.quantity].value
        except SymledgerError as error:
            return str(error)
        if found != self.value(n) or not isinstance(found, int):
            raise BadInput(
                f"{self.quantity} is {found} at {self.name} = {n}, which the formula in "
                f"{self.name} does not say: it cannot be solved for."
            )
        return Point(n, found)

    def can_be(self, n: int) -> bool:
        """Whether the lengths of all axes are whole at a size: most that are not are found so."""
        sizes = self.freed.sizes({self.x: n})
        return sizes is not None and self.legal.holds(sizes)

    def _refused(self, n: int) -> str:
        found = self.derived(n)
        return found if isinstance(found, str) else ""

    def solution(self) -> Solution:
        """Find it."""
        kind, since = self.proof
        edge = self.edge(kind, since)
        if kind == "falls":
            inside, _ = self._next(edge, 1)
            outside, refused = self._next(edge - 1, -1)
        else:
            inside, _ = self._next(edge, -1, since_fits=kind != "rises")
            outside, refused = self._next(edge + 1, 1)
            if kind == "looked at" and edge == LOOKED:
                outside, refused = None, f"sizes beyond {LOOKED:,} were not looked at."
        if inside is None:
            lowest = self._lowest(max(since, LOOKED)) if kind in ("looked at", "rises from") else 0
            raise self._nothing(self._next(lowest, 1)[0] if lowest else outside)
        here = self.account.subs({self.name: inside.size})
        refused = refused if outside is None or abs(outside.size - inside.size) == 1 else (
            self._refused(inside.size + (1 if kind != "falls" else -1))
        )  # fmt: skip
        return Solution(
            here, self.quantity, self.name, self.budget, inside, outside, kind, since, refused,
            self.branches, tuple(rows(here, self.quantity)),
            tuple(turns(self.freed, here, self.quantity)) if self.univariate is not None else (),
        )  # fmt: skip

    def edge(self, kind: Proof, since: int) -> int:
        """The last size that the formula lets pass (where it falls: the first); 0 where none is."""
        if kind == "falls":
            within = self.fits(LARGEST)
            return 1 + last(lambda n: not self.fits(n), 1, LARGEST) if within and not self.fits(
                1) else (1 if within else LARGEST + 1)  # fmt: skip
        if kind == "looked at":
            return next((n for n in range(LOOKED, 0, -1) if self.can_be(n) and self.fits(n)), 0)
        if self.fits(since):
            return last(self.fits, since, LARGEST)
        return next((n for n in range(since - 1, 0, -1) if self.fits(n)), 0)

    def _lowest(self, most: int) -> int:
        """The size at which the quantity is least, of those that are looked at; 0 where none is."""
        every = ((self.value(n), n) for n in range(1, most + 1) if self.can_be(n))
        found = [(value, n) for value, n in every if value is not None]
        return min(found)[1] if found else 0

    def _next(self, start: int, step: int, since_fits: bool = False) -> tuple[Point | None, str]:
        """Return the first legal size from one on, and why those before it were none."""
        refused, times = "", 0
        for n in self._candidates(start, step):
            if refused and not self.can_be(n):
                continue
            if since_fits and not self.fits(n):
                continue
            found = self.derived(n)
            if isinstance(found, Point):
                return found, ""
            refused, times = refused or found, times + 1
            if times == REFUSED:
                break
        return None, refused

    def _candidates(self, start: int, step: int) -> Iterator[int]:
        """Yield sizes from one on, upwards or downwards, as far as the target may be of them."""
        n = start
        if n < 1:
            return
        if step < 0:
            n = min(n, self.longest(n))
        elif n > self.longest(n):
            yield n  # for the reason why it is refused
            return
        for _ in range(TRIED):
            if not 1 <= n <= LARGEST:
                return
            yield n
            n += step

    def longest(self, n: int) -> int:
        """The last size up to one at which no axis is too short, where these become shorter."""
        short = [(c.rest, 0) for c in self.legal.within]
        short += [(c.length, c.low) for c in self.legal.whole]
        for polynomial, least in short:
            if any(s != self.x for monomial in polynomial for s, _ in monomial):
                continue
            length = powers(polynomial, self.x)
            if falls(length) and at(length, n) < least:
                n = last(_at_least(length, least), 1, n) if at(length, 1) >= least else 0
        return n

    def _nothing(self, outside: Point | None) -> BadInput:
        unit = self.account[self.quantity].unit
        if outside is None:
            return BadInput(f"no size {self.name} of {shown(self.account.target.name)} was found "
                            "that it can be of.")  # fmt: skip
        what = f"{self.quantity} of {shown(self.account.target.name)}"
        return BadInput(
            f"nothing meets {self.budget:,} {unit}: at {self.name} = {outside.size:,}, the "
            f"nearest, {what} is {outside.value:,} {unit}, {outside.value - self.budget:,} more."
        )


def _at_least(length: Powers, least: int) -> Callable[[int], bool]:
    return lambda n: at(length, n) >= least
