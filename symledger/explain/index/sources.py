"""What is searched: targets with their choices, and the sizes at which they are known.

What derives is imported where something has to be derived: most answers are in the index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symledger.algebra import Terms
from symledger.catalogue.entries import ENTRIES
from symledger.catalogue.entry import Entry
from symledger.errors import BadInput, DefinitionError, nearest, shown
from symledger.explain.index.checkpoint_sizes import known
from symledger.explain.index.decided import decided
from symledger.explain.index.files import OWNERS, surveys
from symledger.explain.index.known import Known
from symledger.explain.index.outline import Frame, Outline, Sizes, Survey, outline
from symledger.explain.index.readings import Asked
from symledger.explain.parts import Variant

Points = tuple[tuple[Known, Sizes], ...]
"""Configurations, and all sizes at each."""


@dataclass(frozen=True)
class Source:
    """A variant, and the known sizes that may be put into it: all sizes at each configuration."""

    variant: Variant
    points: Points
    inside: bool = False

    @cached_property
    def given(self) -> Sizes:
        """The sizes that the user set; of a target that was named, all that it has."""
        drawn = self.variant.outline
        return {n: v for n, v in drawn.bindings.items() if self.inside or n in drawn.settings}

    @cached_property
    def alike(self) -> object:
        """What is the same of sources of which the same is known."""
        return id(self.variant.outline.equations), self.variant.is_model, *self.given.items()

    @property
    def all_given(self) -> Sizes:
        """The same, with what follows from equations."""
        return complete(self.given, self.variant.outline)


def complete(at: Sizes, drawn: Outline) -> Sizes:
    """Add the sizes that others decide, then those that follow from equations.

    Those of a named case come first.
    """
    found = {**at, **dict(_decided(drawn.frame, at))}
    for symbol, polynomial in drawn.equations.items():
        if symbol.name not in at or drawn.case:
            n = evaluate(polynomial, at)
            if n is not None and n.denominator == 1:
                found[symbol.name] = int(n)
    return found


def _decided(frame: Frame, at: Sizes) -> Iterator[tuple[str, int]]:
    """Yield the sizes that others decide, where these are known: how many patches an image has."""
    for name, text in frame.definitions:
        n = decided(text, at) if name not in at else None
        if n is not None:
            yield name, n


def _points(knowns: Sequence[Known], drawn: Outline, given: Sizes) -> Points:
    """Return all sizes at each known configuration, what follows from equations included."""
    linear = "d_in" in drawn.frame.symbols
    given = {} if drawn.case else given
    found = []
    for k in knowns:
        for at in k.linear if linear else (k.at,):
            if not given:
                found.append((k, complete(at, drawn)))
            elif all(at.get(name, n) == n for name, n in given.items()):
                found.append((k, complete({**at, **given}, drawn)))
    return tuple(found)


def evaluate(polynomial: Terms, at: Mapping[str, int]) -> int | Fraction | None:
    """Return the exact value, an int where it is whole; None while a symbol has none."""
    total: int | Fraction = 0
    for monomial, c in polynomial.items():
        above, below = c.numerator, c.denominator
        for symbol, n in monomial:
            size = at.get(symbol.name)
            if size is None:
                return None
            if n > 0:
                above *= size**n
            else:
                below *= size**-n
        total += above // below if above % below == 0 else Fraction(above, below)
    return total if total.denominator != 1 else int(total)


def catalogue(
    asked: Sequence[Asked], settings: Mapping[str, str], owners: Collection[str] = OWNERS
) -> Iterator[Source]:
    """Yield components and families of the catalogue, with the choices that matter here.

    They come from the index, and are derived where that lacks them, or where a choice is set.
    Settings hold wherever they can; a target that they contradict is left out.

    Raises:
        BadInput: no target knows what was set, or none can take it.
    """
    met: set[str] = set()
    taken: set[str] = set()
    refused: dict[str, BadInput] = {}
    indexed = surveys(asked, owners)
    made: dict[object, Points] = {}
    for entry in ENTRIES:
        if entry.owner or entry.name not in owners:
            continue
        found = indexed.get(entry.name) or survey(entry.name, asked)
        met.update(found.symbols, found.choices)
        own = {n: v for n, v in settings.items() if n in found.symbols or n in found.choices}
        try:
            for variant in _variants(entry, found, asked, own):
                taken.update(own)
                yield Source(variant, _shared(entry, variant.outline, made))
        except BadInput as error:
            refused.update(dict.fromkeys(own, error))
    for name in settings:
        if name not in met:
            raise BadInput(f"no target has {shown(name)} to be set. {nearest(name, met)}")
        if name not in taken:
            raise refused[name]


def survey(name: str, asked: Sequence[Asked]) -> Survey:
    """Survey a target by deriving it."""
    from symledger.explain.index.survey import survey as derived

    return derived(name, asked)


def _shared(entry: Entry, drawn: Outline, made: dict[object, Points]) -> Points:
    """Return the points of an outline, the same ones where another one has the same equations."""
    family = entry.family if entry.kind == "model" else ""
    given = {n: v for n, v in drawn.bindings.items() if n in drawn.settings}
    linear = "d_in" in drawn.frame.symbols
    definitions = drawn.frame.definitions
    key = family, linear, drawn.case, id(drawn.equations), tuple(given.items()), definitions
    if key not in made:
        knowns = [k for k in known() if not family or k.family == family]
        made[key] = _points(knowns, drawn, given)
    return made[key]


def _variants(
    entry: Entry, found: Survey, asked: Iterable[Asked], own: Mapping[str, str]
) -> Iterator[Variant]:
    """Yield the variants of a target under what was set of it; those that this contradicts not.

    Raises:
        BadInput: it contradicts the target with its default choices.
    """
    options = {n: v for n, v in own.items() if n in found.choices}
    sizes = {n: v for n, v in own.items() if n not in found.choices}
    outlines: Iterable[Outline] = found.outlines
    if options:
        from symledger.explain.index.survey import chosen

        outlines = chosen(entry.name, found, asked, options)
    for i, drawn in enumerate(outlines):
        if not (own and drawn.case):
            try:
                yield Variant(entry.name, entry.family, drawn.at(sizes), choices=found.choices)
            except BadInput:
                if i == 0:
                    raise


def target(name: str, settings: Mapping[str, str], asked: Sequence[Asked]) -> Iterator[Source]:
    """Yield one target at its sizes; then, as near misses, with each of its choices made otherwise.

    Raises:
        SymledgerError: the target cannot be derived so.
    """
    from symledger.accounts.account import derive

    base = derive(name, settings)
    at = {s.name: n for s, n in base.assumed.bindings.items()}
    here = Known(name, "", at, base.target.owner)
    family = base.target.owner
    drawn = outline(base, asked, named=True)
    yield Source(Variant(name, family, drawn, asked=True), ((here, drawn.bindings),), inside=True)
    for option, allowed in base.target.tried.items():
        for v in allowed:
            if v == base.target.options[option] or option in settings:
                continue
            try:
                account = derive(name, {**settings, option: v})
            except (BadInput, DefinitionError):  # it cannot be made beside the others
                continue
            drawn = outline(account, asked)
            point = here, drawn.bindings
            yield Source(Variant(name, family, drawn, near=True), (point,), inside=True)
