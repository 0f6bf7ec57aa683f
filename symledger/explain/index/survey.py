"""Surveys: the outlines of a target with every combination of the choices that matter."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from symledger.accounts.account import Account, derive
from symledger.catalogue.entries import find
from symledger.catalogue.options import parse_option
from symledger.errors import BadInput, DefinitionError
from symledger.explain.index.checkpoint_sizes import gathered
from symledger.explain.index.outline import Outline, Survey, Values, outline
from symledger.explain.index.readings import Asked
from symledger.explain.index.usual import SELDOM
from symledger.targets.resolve import resolve

MOST_VARIANTS, RARER = {"component": 24, "model": 16}, 2
"""Combinations of choices of one target that are looked at, those with the fewest changes first;
what published configurations choose is looked at besides. A choice that is seldom made counts for
as many more."""


class Accounts:
    """A target with its choices, each combination of them derived once."""

    def __init__(self, name: str, known: Iterable[Account] = ()) -> None:
        """Take what is ``known`` of the target, and derive what is missing."""
        targets = ((a.target, a) for a in known)
        own = {_made(t.options, t.defaults): a for t, a in targets if t.name == name}
        self.base = own.get(()) or derive(name)
        self.made: dict[object, Account] = {**own, (): self.base}

    def under(self, choices: Mapping[str, object]) -> Account:
        """Return the account under some choices."""
        key = _made(choices, self.base.target.defaults)
        if key not in self.made:
            self.made[key] = derive(self.base.target.name, choices)
        return self.made[key]


def _made(choices: Mapping[str, object], defaults: Mapping[str, object]) -> object:
    """What is chosen otherwise than by default."""
    return tuple(sorted((n, v) for n, v in choices.items() if v != defaults[n]))


def survey(name: str, asked: Iterable[Asked], accounts: Accounts | None = None) -> Survey:
    """Survey a target with the choices that change what is asked for first, and its named cases.

    ``accounts`` are those of the target, where it was derived already.
    """
    asked = tuple(asked)
    accounts = accounts or Accounts(name)
    base = accounts.base
    quantity = asked[0].quantity
    tried = _mattering(accounts, quantity)
    choices = {**tried, **_seldom(accounts, quantity)}
    combined = [*_combinations(tried, _most(name)), *_published(base, choices)]
    once = {tuple(sorted(chosen.items())): chosen for chosen in combined}
    found = [outline(accounts.under(chosen), asked) for chosen in once.values()]
    found += [outline(account, asked, case) for case, account in _cases(base, asked)]
    return Survey(choices, tuple(found))


def chosen(
    name: str, found: Survey, asked: Iterable[Asked], settings: Mapping[str, str]
) -> Iterator[Outline]:
    """Yield a target with some choices made, in combination with the others that matter.

    What the survey lacks is derived.

    Raises:
        BadInput: there is no such choice, or the target as it is by default cannot make it.
    """
    target = resolve(name)
    made = {drawn.changed: drawn for drawn in found.outlines if not drawn.case}
    allowed = target.choices
    fixed = {option: parse_option(allowed, option, text) for option, text in settings.items()}
    tried = {n: v for n, v in found.choices.items() if set(v) & set(target.tried[n])}
    for i, others in enumerate(_combinations(tried, _most(name), fixed)):
        options = {**target.defaults, **others, **fixed}
        changed = {n: v for n, v in options.items() if v != target.defaults[n]}
        try:
            yield made.get(tuple(changed.items())) or outline(derive(name, changed), asked)
        except DefinitionError as error:  # it contradicts another choice
            if i == 0:
                raise BadInput(str(error)) from error


def _most(name: str) -> int:
    return MOST_VARIANTS[find(name).kind]


def _combinations(
    choices: Values, most: int, but: Collection[str] = ()
) -> Iterator[dict[str, object]]:
    free = {n: values for n, values in choices.items() if len(values) > 1 and n not in but}
    plain = [values[0] for values in free.values()]

    def changes(made: Sequence[object]) -> int:
        seldom = sum(choice in SELDOM for choice in zip(free, made, strict=True))
        changed = sum(a != b for a, b in zip(made, plain, strict=True))
        return changed + RARER * seldom

    for combined in sorted(product(*free.values()), key=changes)[:most]:
        yield dict(zip(free, combined, strict=True))


def _published(base: Account, choices: Values) -> Iterator[dict[str, object]]:
    """Yield the choices that published configurations of a model make."""
    target, free = base.target, [n for n, values in choices.items() if len(values) > 1]
    for k in gathered():
        if k.family == target.owner:
            own = [n for n in free if n in k.options]
            made = {n: parse_option(target.choices, n, str(k.options[n])) for n in own}
            yield {n: made.get(n, choices[n][0]) for n in free}


def _seldom(accounts: Accounts, quantity: str) -> dict[str, tuple[object, ...]]:
    """Return what published configurations choose that is seldom chosen, the default first.

    It has to change a quantity beside all else that they choose; what decides a size changes none.
    """
    target, found = accounts.base.target, dict[str, tuple[object, ...]]()
    for k in gathered():
        if k.family != target.owner:
            continue
        made = {
            n: parse_option(target.choices, n, str(v))
            for n, v in k.options.items() if n in target.choices
        }  # fmt: skip
        for name, value in made.items():
            now = target.defaults[name]
            if value in (now, *target.tried[name]) or name in target.deciding:
                continue
            whole, without = (accounts.under({**made, name: v}) for v in (value, now))
            if whole[quantity].general != without[quantity].general:
                found[name] = (*dict.fromkeys((*found.get(name, (now,)), value)),)
    return found


def _mattering(accounts: Accounts, quantity: str) -> dict[str, tuple[object, ...]]:
    """Return the values of each choice that, made alone, change a quantity, its default first.

    Those that are seldom made otherwise are left out.
    """
    base = accounts.base
    general = base[quantity].general
    return {
        name: (now, *(
            v for v in base.target.tried[name]
            if v != now and accounts.under({name: v})[quantity].general != general
        )) for name, now in base.target.options.items() if base.target.tried[name]
    }  # fmt: skip


def _cases(base: Account, asked: Sequence[Asked]) -> Iterator[tuple[str, Account]]:
    quantity = asked[0].quantity
    for case, equations in base.target.cases.items():
        stated = [f"{s} = {e}" for s, e in equations.items() if s.name in base.symbols]
        if stated:
            account = derive(base.target.name, {}, stated)
            if account[quantity].corollary_terms != base[quantity].corollary_terms:
                yield case, account
