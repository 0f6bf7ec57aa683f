"""What is searched: targets with their choices, and the sizes at which they are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product

from symledger.account import Account, derive
from symledger.algebra import Terms
from symledger.catalogue import ENTRIES, Entry
from symledger.errors import BadInput, nearest, shown
from symledger.explain.parts import Variant
from symledger.explain.usual import Known, known

MOST_VARIANTS = 16
"""Combinations of choices of one target that are looked at."""
Chosen = tuple[tuple[str, object], ...]
Sizes = dict[str, int]


@dataclass(frozen=True)
class Source:
    """A variant, and the known sizes that may be put into it."""

    variant: Variant
    knowns: tuple[Known, ...]
    inside: bool = False

    @property
    def given(self) -> Sizes:
        """The sizes that the user set; of a target that was named, all that it has."""
        account = self.variant.account
        if self.inside:
            return {s.name: n for s, n in account.assumed.bindings.items()}
        own = account.request.settings
        return {s.name: n for s, n in account.assumed.bindings.items() if s.name in own}

    @cached_property
    def points(self) -> tuple[tuple[Known, Sizes], ...]:
        """All sizes at each known configuration, what follows from equations included."""
        if self.inside:
            return tuple((k, self.given) for k in self.knowns)
        symbols = self.variant.account.symbols
        given = {} if self.variant.case else self.given
        found = []
        for k in self.knowns:
            for pair in k.pairs if "d_in" in symbols else ((0, 0),):
                at = _usual_lengths(k, pair)
                if all(at.get(name, n) == n for name, n in given.items()):
                    found.append((k, self.complete({**at, **given})))
        return tuple(found)

    def complete(self, at: Sizes) -> Sizes:
        """Add the sizes that follow from equations; those of a named case come first."""
        found = dict(at)
        for symbol, polynomial in self.variant.account.assumed.equations.items():
            if symbol.name not in at or self.variant.case:
                n = evaluate(polynomial, at)
                if n is not None and n.denominator == 1:
                    found[symbol.name] = int(n)
        return found


def _usual_lengths(k: Known, pair: tuple[int, int]) -> Sizes:
    at = {"B": 1, **k.sizes}
    if "T_max" in at:
        at.setdefault("T", at["T_max"])
    return {**at, "d_in": pair[0], "d_out": pair[1]} if any(pair) else at


def evaluate(polynomial: Terms, at: Mapping[str, int]) -> int | Fraction | None:
    """Return the exact value, an int where it is whole; None while a symbol has none."""
    total: int | Fraction = 0
    for monomial, c in polynomial.items():
        product = c
        for symbol, n in monomial:
            size = at.get(symbol.name)
            if size is None:
                return None
            product = product * size**n if n > 0 else product / Fraction(size) ** -n
        total += product
    return total if total.denominator != 1 else int(total)


def catalogue(quantity: str, settings: Mapping[str, str]) -> Iterator[Source]:
    """Yield every component and family of the catalogue, with the choices that matter here.

    Settings hold wherever they can; a target that they contradict is left out.

    Raises:
        BadInput: no target knows what was set, or none can take it.
    """
    met: set[str] = set()
    taken: set[str] = set()
    refused: dict[str, BadInput] = {}
    for entry in ENTRIES:
        if entry.owner:
            continue
        try:
            for variant in _variants(entry, quantity, settings, met):
                taken.update(variant.account.request.settings)
                yield Source(variant, _knowns(entry))
        except BadInput as error:
            refused.update(dict.fromkeys(settings, error))
    for name in settings:
        if name not in met:
            raise BadInput(f"no target has {shown(name)} to be set. {nearest(name, met)}")
        if name not in taken:
            raise refused[name]


def _knowns(entry: Entry) -> tuple[Known, ...]:
    model = entry.kind == "model"
    return tuple(k for k in known() if not model or k.family == entry.family)


def _variants(
    entry: Entry, quantity: str, settings: Mapping[str, str], met: set[str]
) -> Iterator[Variant]:
    plain = derive(entry.name)
    met.update(plain.symbols, plain.target.choices)
    own = {n: v for n, v in settings.items() if n in plain.symbols or n in plain.target.choices}
    base = derive(entry.name, own) if own else plain
    for account in _choices(base, quantity, own):
        yield Variant(entry.name, account, tuple(_otherwise(account)))
    for case, equations in base.target.cases.items():
        stated = [f"{s} = {e}" for s, e in equations.items() if s.name in base.symbols]
        account = derive(entry.name, own, stated) if stated and not own else base
        if account[quantity].corollary_terms != base[quantity].corollary_terms:
            yield Variant(entry.name, account, case=case)


def _choices(base: Account, quantity: str, own: Mapping[str, str]) -> Iterator[Account]:
    """Yield a target with the choices that change a quantity, in every combination."""
    general = base[quantity].general
    made: dict[Chosen, Account] = {(): base}
    amounts: dict[str, list[object]] = {}
    for name, allowed in base.target.choices.items():
        now = base.target.options[name]
        for v in allowed if name not in own else ():
            if v != now:
                account = derive_with(base, {name: v})
                if account[quantity].general != general:
                    made[(name, v),] = account
                    amounts.setdefault(name, [now]).append(v)
    for values in islice(product(*amounts.values()), MOST_VARIANTS):
        now_made = zip(amounts, values, strict=True)
        chosen = tuple((n, v) for n, v in now_made if v != base.target.options[n])
        yield made[chosen] if chosen in made else derive_with(base, dict(chosen))


def derive_with(base: Account, chosen: Mapping[str, object]) -> Account:
    """Return an account with more choices made."""
    r, c = base.request, base.request.conventions
    return derive(
        r.target, {**r.settings, **chosen}, r.equations,
        c.dtype, c.optimizer, c.causal, c.input_gradient, c.frozen,
    )  # fmt: skip


def _otherwise(account: Account) -> Iterator[tuple[str, object]]:
    for name, v in account.target.options.items():
        if v != account.target.defaults[name]:
            yield name, v


def target(name: str, settings: Mapping[str, str]) -> Iterator[Source]:
    """Yield one target at its sizes; then, as near misses, with each of its choices made otherwise.

    Raises:
        SymledgerError: the target cannot be derived so.
    """
    base = derive(name, settings)
    at = {s.name: n for s, n in base.assumed.bindings.items()}
    here = Known(name, "", at, base.target.owner)
    changed = tuple(_otherwise(base))
    yield Source(Variant(name, base, changed, asked=True), (here,), inside=True)
    for option, allowed in base.target.choices.items():
        for v in allowed:
            if v == base.target.options[option] or option in settings:
                continue
            try:
                account = derive_with(base, {option: v})
            except BadInput:
                continue
            otherwise = (*changed, (option, v))
            yield Source(Variant(name, account, otherwise, near=True), (here,), inside=True)
