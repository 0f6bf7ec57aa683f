"""Rules that people quote, beside what is derived: the exact difference, and where a rule breaks.

A rule is a statement of somebody, in our symbols; N stands for the parameters that a token uses:
all of them, but for experts that it is not sent to. What a rule leaves out or counts too much is a
polynomial, and so is everything said about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account, derive
from symledger.algebra import Monomial, Terms
from symledger.algebra.parsing import parse_expression
from symledger.errors import DefinitionError
from symledger.sizes import Size, T, named

PARAMETERS = Size("N", "parameters that a token uses", least=0)
"""Not the N of the alphabet, which is at least 1: the two are different symbols."""
BREAKS = Fraction(1, 10)
"""A rule that is further off than this is no longer called one."""


@dataclass(frozen=True)
class Rule:
    """A statement: what it is about, and what it says that is, ``stated`` in our symbols."""

    name: str
    source: str
    quantity: str
    stated: str
    about: str

    def of(self, account: Account) -> Judged:
        """Put the rule beside what is derived of a target."""
        return Judged(self, account)


@dataclass(frozen=True)
class Judged:
    """A rule beside what is derived of one target."""

    rule: Rule
    account: Account

    @cached_property
    def ours(self) -> Terms:
        """What is derived, under the target's assumptions."""
        return self.account[self.rule.quantity].corollary_terms

    @cached_property
    def theirs(self) -> Terms:
        """What the rule says, in the same symbols; who has no h_kv has one for each head."""
        symbols = {"h_kv": named("h"), **self.account.symbols, PARAMETERS.name: PARAMETERS}
        stated = algebra.terms(parse_expression(self.rule.stated, symbols))
        used = "params.active" if "params.active" in self.account.quantities else "params"
        whole: dict[Symbol, Terms] = {PARAMETERS: self.account[used].corollary_terms}
        return algebra.substitute(
            algebra.substitute(stated, whole), self.account.assumed.equations
        )  # fmt: skip

    @cached_property
    def difference(self) -> Terms:
        """How much more the rule says; nothing where it is exact."""
        return algebra.subtract(self.theirs, self.ours)

    @property
    def error(self) -> Fraction | None:
        """How far off the rule is at the configuration, relative to what is derived."""
        at = self.account.assumed.bindings
        off, whole = algebra.value(self.difference, at), algebra.value(self.ours, at)
        return None if off is None or not whole else off / whole

    def is_off(self, at: Mapping[Symbol, int]) -> bool:
        """Whether the rule is off by more than a tenth at some sizes."""
        off, whole = algebra.value(self.difference, at), algebra.value(self.ours, at)
        return bool(off is not None and whole and abs(off) > BREAKS * abs(whole))

    @property
    def breaks(self) -> Fraction | None:
        """From which length of sequences on the rule is off by more than a tenth, if ever.

        None where it never is, or is for a single token already; everything else is at the
        configuration.
        """
        at = {s: n for s, n in self.account.assumed.bindings.items() if s != T}
        if self.is_off({**at, T: 1}):
            return None
        ends = []
        for sign in (1, -1):
            over = algebra.combine([(1, self.difference), (-sign * BREAKS, self.ours)])
            found = _root(over, T, at)
            ends += [found] if found is not None and found > 0 else []
        return min(ends, default=None)


@dataclass(frozen=True)
class Side:
    """One side of a crossover: a quantity of a target, or of one of its parts."""

    target: str
    quantity: str
    part: str = ""
    set: Mapping[str, str] = field(default_factory=dict)
    assume: tuple[str, ...] = ()

    @property
    def terms(self) -> Terms:
        """What it is, under the target's assumptions."""
        account = derive(self.target, self.set, self.assume)
        line = account[self.quantity].line
        for label in filter(None, self.part.split("/")):
            line = next(part for part in line.parts if part.label == label)
        return algebra.substitute(line.total, account.assumed.equations)


@dataclass(frozen=True)
class Crossover:
    """Where two amounts are equal: the value of a symbol, derived in the others."""

    name: str
    about: str
    left: Side
    right: Side
    symbol: Symbol

    @property
    def at(self) -> Terms:
        """What the symbol is where both sides are equal.

        Raises:
            DefinitionError: that is not linear in the symbol, or no polynomial.
        """
        over = algebra.subtract(self.left.terms, self.right.terms)
        slope, rest = _linear(over, self.symbol)
        if len(slope) != 1:
            raise DefinitionError(f"{self.name}: what {self.symbol} is there is no polynomial.")
        return algebra.multiply(algebra.power(slope, -1), algebra.scale(-1, rest))


def _linear(terms: Terms, symbol: Symbol) -> tuple[Terms, Terms]:
    """Split a · x + b, after dividing by the lowest power of x, into a and b."""
    powers = {monomial: dict(monomial).get(symbol, 0) for monomial in terms}
    least = min(powers.values(), default=0)
    slope: Terms = {}
    rest: Terms = {}
    for monomial, c in terms.items():
        kept = Monomial((s, n) for s, n in monomial if s != symbol)
        if powers[monomial] - least > 1:
            raise DefinitionError(f"{algebra.text(terms)} is not linear in {symbol}.")
        into = slope if powers[monomial] > least else rest
        into[kept] = into.get(kept, 0) + c
    return slope, rest


def _root(terms: Terms, symbol: Symbol, at: Mapping[Symbol, int]) -> Fraction | None:
    """Where a polynomial that is linear in a symbol is zero; None where it has no value."""
    slope, rest = (algebra.value(part, at) for part in _linear(terms, symbol))
    return None if not slope or rest is None else Fraction(-rest) / Fraction(slope)


RULES = (
    Rule("N ≈ 12Ld²", "Kaplan et al. (2020), section 2.1", "params", "12*L*d**2",
         "parameters, from depth and width alone"),
    Rule("C ≈ 6ND", "Kaplan et al. (2020), section 2.1; Hoffmann et al. (2022)", "flops.training",
         "6*N*B*T", "FLOPs of training, for D = B·T tokens"),
    Rule("2N for each decoded token", "Kaplan et al. (2020), section 2.1", "flops.decode",
         "2*N*B", "FLOPs of one more token"),
    Rule("6N + 12LhQT for each token", "Chowdhery et al., PaLM (2022), appendix B",
         "flops.training", "(6*N + 12*L*h*d_h*T)*B*T",
         "FLOPs of training, pairs of positions included"),
    Rule("2 · 2 · L · h_kv · d_h bytes for each position", "Pope et al. (2022), section 2",
         "memory.kv_cache", "4*L*h_kv*d_h*B*T", "the cache of keys and values, in two bytes"),
)  # fmt: skip

CROSSOVERS = (
    Crossover(
        "attention as dear as the feed-forward network",
        "From this length of sequences on, attention takes more FLOPs than a network of width 4d.",
        Side("gpt2", "flops.forward", "block/attention"),
        Side("gpt2", "flops.forward", "block/feed_forward"), T,
    ),
    Crossover(
        "a latent cache as large as that of grouped queries",
        "Latent attention keeps d_c + d_rot values of a token in each layer. So many heads of keys "
        "and values keep as many; from one more on, the latent cache is the smaller one.",
        Side("attention", "memory.kv_cache",
             assume=("d_k = d_h", "d_v = d_h", "S = T", "h = h_kv")),
        Side("latent_attention", "memory.kv_cache"), named("h_kv"),
    ),
)  # fmt: skip
