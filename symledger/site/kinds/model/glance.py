"""A model at a glance: its headline numbers, its symbols, its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from symledger import algebra, sizes
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.languages.message import Message, message
from symledger.ledger.formula import Formula
from symledger.printing.numbers import error_percent
from symledger.readings.equations.scalar import scalar
from symledger.readings.equations.sheet import TEXT
from symledger.site.html import maths
from symledger.site.html.amounts import larger_units
from symledger.site.kinds.model.costs import each, growing, is_state, per_each
from symledger.site.kinds.model.numbers import count
from symledger.sizes import meaning

SERVED = "bf16"
"""The type in which models are served."""
SHORT = 5
"""Terms of a formula that stands beside a number."""
SUMMED_UP = (
    "glance.params", "glance.weights_bf16", "glance.forward_token", "glance.forward_image",
    "glance.cache_token", "glance.cache_sequence", "glance.state_sequence",
)  # fmt: skip
"""The headlines that stand in the text of a page, where the search finds them."""


@dataclass(frozen=True)
class Headline:
    """One number: what it is, its value, the same in other units, its formula and that one's id."""

    label: Message
    value: str
    units: str
    formula: Markup
    id: str
    is_short: bool


def headlines(account: Account) -> Iterator[Headline]:
    """Yield the numbers that people come for."""
    for name in ("params", "params.active"):
        if name in account.quantities:
            yield _headline(name.replace(".", "_"), account[name], account[name].corollary_terms)
    served = account.under(dtype=SERVED)
    yield _headline("weights_bf16", served["memory.parameters"])
    yield _headline("weights_fp32", account["memory.parameters"])
    if "flops.forward" in account.quantities:
        forward, training = account["flops.forward"], account["flops.training"]
        yield _headline(f"forward_{each(account)}", forward,
                        per_each(account, forward))  # fmt: skip
        yield _headline(f"training_{each(account)}", training,
                        per_each(account, training))  # fmt: skip
    if "memory.kv_cache" in account.quantities:
        cache = served["memory.kv_cache"]
        what = "state" if is_state(cache) else "cache"
        if all(growing(cache)):
            yield _headline("cache_token", cache, per_each(account, cache))
        else:
            of_one = algebra.per(cache.corollary_terms, [sizes.B])
            yield _headline(f"{what}_sequence", cache, of_one)
        yield _headline(f"{what}_batch", cache)
    adam = account["memory.training"]
    yield _headline("training_adam", adam)
    mixed = served.under(optimizer="adam-mixed")["memory.training"]
    yield _headline("training_mixed", mixed)


def _headline(key: str, formula: Formula, polynomial: Terms | None = None) -> Headline:
    terms = formula.corollary_terms if polynomial is None else polynomial
    value = algebra.value(terms, formula.assumed.bindings)
    whole = int(value) if value is not None and value.denominator == 1 else 0
    in_bytes = whole and formula.unit == "bytes"
    return Headline(
        message(f"glance.{key}"), count(value),
        larger_units(whole) or f"{whole} B" if in_bytes else "",
        maths.column(terms), formula.id, len(terms) <= SHORT,
    )  # fmt: skip


def entering(account: Account) -> Markup:
    """Return the sizes of what enters, which numbers of work and memory depend on."""
    known = account.assumed.bindings
    return maths.settings({str(s): known[s] for s in account.program.entering if s in known})


@dataclass(frozen=True)
class Known:
    """A symbol: what it means, its value, and whether it is given, assumed, defined or free."""

    symbol: Markup
    meaning: str
    value: str
    how: str
    equation: Markup


def symbols(account: Account) -> list[Known]:
    """Return the symbols of a model in the order of the alphabet."""
    assumed, defined = account.assumed, account.program.definitions
    found = []
    for symbol in sorted(account.symbols.values(), key=lambda s: s.name):
        value = assumed.bindings.get(symbol)
        equation, how = Markup(""), message("known.given" if value is not None else "known.free")
        if symbol in assumed.equations:
            equation, how = maths.inline(assumed.equations[symbol]), message("known.assumed")
        elif symbol in defined:
            equation = maths.spelled(scalar(defined[symbol], {}, TEXT).text)
            how = message("known.defined")
        found.append(Known(maths.symbol(symbol), meaning(symbol).meaning,
                           "" if value is None else f"{value:,}", how, equation))  # fmt: skip
    return found


@dataclass(frozen=True)
class Approximation:
    """The leading form of a formula, with what is proven of it."""

    terms: Markup
    value: str
    bound: Markup
    bound_value: str
    error: str


def approximation(formula: Formula) -> Approximation | None:
    """Return the leading form, where terms are left out in it."""
    lead = formula.leading
    if lead is None or not lead.charged:
        return None
    at = formula.assumed.bindings
    value, most = lead.value(at), lead.bound(at)
    known = value is not None and most is not None and formula.error is not None
    return Approximation(
        maths.inline(lead.terms), count(Fraction(value or 0)) if known else "",
        maths.bound(lead), error_percent(most) if known and most is not None else "",
        error_percent(formula.error) if known and formula.error is not None else "",
    )  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """What was compared in one way: its kind, status, quantities, points, worst deviation."""

    kind: str
    status: str
    quantities: str
    points: int
    worst: str
    claims: tuple[str, ...]


def evidence(account: Account) -> list[Compared]:
    """Return the recorded evidence, one entry for each way of comparing."""
    found = []
    records = {(r.kind, r.claim): r for q in account.quantities for r in account.evidence[q]}
    kinds = dict.fromkeys((r.kind, r.status) for r in records.values())
    for kind, status in kinds:
        these = [r for r in records.values() if (r.kind, r.status) == (kind, status)]
        worst = max((r.worst for r in these), key=float)
        found.append(Compared(
            kind, status, ", ".join(dict.fromkeys(r.quantity for r in these)),
            len({tuple(point.items()) for r in these for point in r.points}),
            "" if float(worst) == 0 else worst, tuple(dict.fromkeys(r.claim for r in these)),
        ))  # fmt: skip
    return found
