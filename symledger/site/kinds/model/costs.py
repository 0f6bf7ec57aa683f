"""FLOPs of a model: of one token and of one step, under every convention, and rules of thumb."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from symledger import algebra, sizes
from symledger.accounts.account import Account
from symledger.algebra import Terms, substitute
from symledger.ledger.formula import Formula
from symledger.site.html import maths
from symledger.site.kinds.model.numbers import count, signed_percent

WAYS = ("forward", "backward", "training")
TABLES = ("token_embedding", "learned_positions")
"""The components whose weights are looked up, and not multiplied with."""


def each(account: Account) -> str:
    """Return what a model's work is counted by: a token, or an image."""
    return "token" if "T" in account.symbols else "image"


def per_each(account: Account, formula: Formula) -> Terms:
    """Divide a formula by the tokens (or images) of one step."""
    units = [sizes.B] if each(account) == "image" else [sizes.B, sizes.T]
    return algebra.per(formula.corollary_terms, units)


def growing(formula: Formula) -> list[bool]:
    """Which of its terms grow with the tokens, as keys and values do that no window hides."""
    return [any(s == sizes.T for s, _ in monomial) for monomial in formula.corollary_terms]


def is_state(formula: Formula) -> bool:
    """Whether what is kept is as large for any length, as keys and values are not."""
    lengths = {sizes.T, sizes.S, sizes.w}
    return not any(s in lengths for monomial in formula.corollary_terms for s, _ in monomial)


@dataclass(frozen=True)
class Work:
    """FLOPs of one pass under one convention: of a step, and of each token of it."""

    way: str
    causal: str
    formula: Markup
    value: str
    step: str
    amount: Fraction | None


def work(account: Account) -> list[Work]:
    """Return the FLOPs of every pass under every convention that makes a difference."""
    found = []
    for way in WAYS:
        name = f"flops.{way}"
        variants = account.causal(name).items() or [("", account[name])]
        for causal, formula in variants:
            one = per_each(account, formula)
            amount = algebra.value(one, account.assumed.bindings)
            found.append(Work(
                way, causal, maths.inline(one), count(amount), count(formula.exact), amount
            ))  # fmt: skip
    return found


@dataclass(frozen=True)
class Rule:
    """A rule of thumb for the FLOPs of one token, and how far from the truth it is.

    ``errors`` are relative to the count with all causal pairs, and with exactly those let through.
    """

    name: str
    source: str
    way: str
    formula: Markup
    value: str
    errors: dict[str, str]


KAPLAN = "Kaplan et al., Scaling Laws for Neural Language Models (2020), table 1"
PALM = "Chowdhery et al., PaLM (2022), appendix B"
HOFFMANN = "Hoffmann et al., Training Compute-Optimal Large Language Models (2022), appendix F"


def rules(account: Account, works: list[Work]) -> list[Rule]:
    """Return the rules that people use, compared with the count; only tokens have such rules."""
    if each(account) == "image":
        return []
    return [_rule(account, works, *stated) for stated in _stated(account)]


def _stated(account: Account) -> Iterator[tuple[str, str, str, Terms]]:
    """Yield the rules as they are stated: a name, a source, a pass, FLOPs for each token.

    N are the parameters that a token uses; without tables of tokens and positions as Kaplan et
    al. count them.
    """
    used = "params.active" if "params.active" in account.quantities else "params"
    every = account[used].corollary_terms
    inner = algebra.add([every, *(_times(tables(account), -1),)])
    scores = substitute(
        algebra.terms(12 * sizes.L * sizes.T * sizes.h * sizes.d_h), account.assumed.equations
    )
    yield "2N", "", "forward", _times(every, 2)
    yield "6N", HOFFMANN, "training", _times(every, 6)
    if tables(account):
        yield "6N′", KAPLAN, "training", _times(inner, 6)
    if {"L", "T", "h", "d_h"} <= account.symbols.keys():
        yield "6N + 12LhQT", PALM, "training", algebra.add([_times(every, 6), scores])


def tables(account: Account) -> Terms:
    """Return the parameters that are looked up, and not multiplied with."""
    lines = account.params.line.parts
    found = algebra.add(line.total for line in lines if line.component in TABLES)
    return substitute(found, account.assumed.equations)


def _times(polynomial: Terms, n: int) -> Terms:
    return {monomial: n * c for monomial, c in polynomial.items()}


def _rule(
    account: Account, works: list[Work], name: str, source: str, way: str, formula: Terms
) -> Rule:
    value = algebra.value(formula, account.assumed.bindings)
    errors = {
        one.causal: signed_percent((value - one.amount) / one.amount)
        for one in works
        if one.way == way and one.causal != "half" and one.amount and value is not None
    }  # fmt: skip
    return Rule(name, source, way, maths.inline(formula), count(value), errors)
