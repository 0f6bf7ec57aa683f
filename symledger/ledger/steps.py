"""From ledger to formula: verified steps, and the leading form with a proven error.

A derivation is a chain of steps. A step that is not identically equal to the one before, under
the equations it states, cannot be constructed: both are multiplied out and compared term by term.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sympy import Expr, Symbol

from symledger import algebra
from symledger.algebra import Monomial, Terms, substitute
from symledger.algebra.comparing import divides
from symledger.errors import UnverifiedStep
from symledger.languages.message import Message, message
from symledger.ledger.lines import Line


@dataclass(frozen=True)
class Shown:
    """A polynomial as it is shown: multiplied out, or a factor times a sum of shown parts."""

    polynomial: Terms
    factor: Terms | None = None
    parts: tuple[Shown, ...] = ()

    @cached_property
    def terms(self) -> Terms:
        """What is shown, multiplied out from its parts."""
        if not self.parts:
            return self.polynomial
        inner = algebra.add(part.terms for part in self.parts)
        return algebra.multiply(self.factor, inner) if self.factor else inner

    @cached_property
    def length(self) -> int:
        """How many terms are written."""
        return sum(part.length for part in self.parts) if self.parts else len(self.polynomial)


class Opening:
    """Lines as they are shown, opened to a depth; what is open to the ground stays as it is."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Shown] = {}

    def __call__(self, line: Line, depth: int) -> Shown:
        """Show a line with its parts opened to a depth; depth 0 shows it multiplied out."""
        key = id(line), min(depth, line.height)
        if key not in self._known:
            self._known[key] = self._opened(line, key[1])
        return self._known[key]

    def _opened(self, line: Line, depth: int) -> Shown:
        parts = tuple(self(part, depth - 1) for part in line.parts if part.total) if depth else ()
        if not parts:
            return Shown(line.total)
        factor = None if line.times == 1 else algebra.terms(line.times)
        if len(parts) == 1 and factor is None:
            return parts[0]
        return Shown(line.total, factor, parts)


@dataclass(frozen=True)
class Step:
    """One equals sign: what is shown, why, and the step that it follows from.

    ``opens`` marks the steps that open the tree of lines one level further.

    Raises:
        UnverifiedStep: it does not equal the step before under the given equations.
    """

    shown: Shown
    reason: Message
    before: Step | None = None
    given: Mapping[Symbol, Terms] | None = None
    opens: bool = False

    def __post_init__(self) -> None:
        if self.before is None:
            return
        expected = substitute(self.before.shown.terms, self.given or {})
        found = self.shown.terms
        if found != expected:
            difference = algebra.subtract(expected, found)
            raise UnverifiedStep(
                f"{algebra.canonical(expected)} does not equal {algebra.canonical(found)}: "
                f"they differ by {algebra.canonical(difference)}."
            )


def derive_steps(line: Line, given: Mapping[Symbol, Terms]) -> tuple[Step, ...]:
    """Open a line level by level, multiply it out, and apply what is assumed."""
    steps: list[Step] = []
    opened = Opening()
    for depth in range(1, 9):
        shown = opened(line, depth)
        if steps and shown == steps[-1].shown:
            break
        reason = message("step.lines" if depth == 1 else "step.parts")
        steps.append(Step(shown, reason, steps[-1] if steps else None, opens=True))
    steps.append(Step(Shown(line.total), message("step.collected"), steps[-1]))
    corollary = substitute(line.total, given)
    if corollary != line.total:
        equations = ", ".join(f"{s} = {algebra.text(p)}" for s, p in given.items())
        reason = message("step.assumed", equations=equations)
        steps.append(Step(Shown(corollary), reason, steps[-1], given))
    return tuple(steps)


@dataclass(frozen=True)
class Leading:
    """The terms that dominate, with a proven bound on the relative error of leaving out the rest.

    ``charged`` lists, for each kept term, the sum of the ratios of the dropped terms charged to
    it; the error is at most the largest of these sums, wherever all symbols are at least 1.
    """

    terms: Terms
    charged: tuple[Terms, ...]

    @property
    def expr(self) -> Expr:
        """The dominating terms as a SymPy expression."""
        return algebra.expression(self.terms)

    def value(self, at: Mapping[Symbol, int]) -> algebra.Number | None:
        """Return the value of the dominating terms, None while a symbol is unbound."""
        return algebra.value(self.terms, at)

    def bound(self, at: Mapping[Symbol, int]) -> Fraction | None:
        """Return the largest charge at a configuration, None while a symbol is unbound."""
        known = [v for v in (algebra.value(charge, at) for charge in self.charged) if v is not None]
        return Fraction(max(known)) if known and len(known) == len(self.charged) else None

    def written(self, write: Callable[[Terms], str], largest: str = "max") -> str:
        """Write the bound, which holds wherever all sizes are at least 1: ``max(1/(6d), 1/V)``."""
        each = [write(charge) for charge in self.charged]
        return each[0] if len(each) == 1 else f"{largest}({', '.join(each)})"


def leading(polynomial: Terms, at: Mapping[Symbol, int]) -> Leading | None:
    """Drop the terms that divide another one.

    None where a coefficient is negative, or a size may be zero: nothing would bound the error.

    Each dropped term is charged to one kept term that it divides: one after the other, the
    largest first, to the one whose sum of charges at the configuration ``at`` stays smallest.
    """
    if not polynomial or any(c < 0 for c in polynomial.values()):
        return None
    if any(getattr(symbol, "least", 1) < 1 for monomial in polynomial for symbol, _ in monomial):
        return None
    kept = {
        m: c for m, c in polynomial.items()
        if not any(m != other and divides(m, other) for other in polynomial)
    }  # fmt: skip
    charges: dict[Monomial, Terms] = {}
    dropped = [(m, c) for m, c in algebra.ordered(polynomial) if m not in kept]
    dropped.sort(key=lambda item: -(algebra.value(dict([item]), at) or 0))
    for monomial, c in dropped:
        options: list[tuple[Fraction, Monomial, Terms]] = []
        for onto, _ in algebra.ordered(kept):
            if divides(monomial, onto):
                share = algebra.times(monomial, algebra.inverse(onto))
                ratio: Terms = {share: Fraction(c) / kept[onto]}
                charge = algebra.add([charges.get(onto, {}), ratio])
                options.append((algebra.value(charge, at) or Fraction(0), onto, charge))
        _, onto, charge = min(options, key=lambda option: option[0])
        charges[onto] = charge
    return Leading(kept, tuple(charges.values()))
