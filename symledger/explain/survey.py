"""Surveys: the outlines of a target with every combination of the choices that matter."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from symledger.account import Account, derive
from symledger.explain.outline import Outline, outline
from symledger.explain.readings import Asked
from symledger.target import parse_option, resolve

MOST_VARIANTS = 16
"""Combinations of choices of one target that are looked at."""
Values = Mapping[str, tuple[object, ...]]
"""The values of each choice that are looked at, its default first."""


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


def survey(name: str, asked: Iterable[Asked]) -> Survey:
    """Derive a target with the choices that change what is asked for first, and its named cases."""
    asked = tuple(asked)
    base = derive(name)
    choices = _mattering(base, asked[0].quantity)
    found = [outline(derive(name, chosen), asked) for chosen in _combinations(choices)]
    found += [outline(account, asked, case) for case, account in _cases(base, asked)]
    return Survey(choices, tuple(found))


def chosen(
    name: str, found: Survey, asked: Iterable[Asked], settings: Mapping[str, str]
) -> Iterator[Outline]:
    """Yield a target with some choices made, in combination with the others that matter.

    What the survey lacks is derived.

    Raises:
        BadInput: there is no such choice.
    """
    target = resolve(name)
    made = {drawn.changed: drawn for drawn in found.outlines if not drawn.case}
    fixed = {option: parse_option(target, option, text) for option, text in settings.items()}
    for others in _combinations(found.choices, fixed):
        options = {**target.defaults, **others, **fixed}
        changed = {n: v for n, v in options.items() if v != target.defaults[n]}
        yield made.get(tuple(changed.items())) or outline(derive(name, changed), asked)


def _combinations(choices: Values, but: Collection[str] = ()) -> Iterator[dict[str, object]]:
    free = {n: values for n, values in choices.items() if len(values) > 1 and n not in but}
    for combined in islice(product(*free.values()), MOST_VARIANTS):
        yield dict(zip(free, combined, strict=True))


def _mattering(base: Account, quantity: str) -> dict[str, tuple[object, ...]]:
    """Return the values of each choice that, made alone, change a quantity, its default first."""
    general = base[quantity].general
    return {
        name: (now, *(
            v for v in base.target.choices[name]
            if v != now and derive(base.target.name, {name: v})[quantity].general != general
        )) for name, now in base.target.options.items()
    }  # fmt: skip


def _cases(base: Account, asked: Sequence[Asked]) -> Iterator[tuple[str, Account]]:
    quantity = asked[0].quantity
    for case, equations in base.target.cases.items():
        stated = [f"{s} = {e}" for s, e in equations.items() if s.name in base.symbols]
        if stated:
            account = derive(base.target.name, {}, stated)
            if account[quantity].corollary_terms != base[quantity].corollary_terms:
                yield case, account
