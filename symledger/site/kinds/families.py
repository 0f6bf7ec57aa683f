"""The pages that compare families: every published configuration drawn, and in numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import prod
from pathlib import PurePosixPath

from symledger import algebra
from symledger.accounts.account import Account
from symledger.errors import BadInput
from symledger.languages.message import Message, message
from symledger.languages.words import slug
from symledger.printing.numbers import whole
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds.checkpoints import COMPARED, Configured, by_family
from symledger.site.kinds.model.costs import growing, is_state, per_each
from symledger.site.kinds.model.numbers import count
from symledger.site.kinds.years import Described, described, years
from symledger.site.pages import Page
from symledger.site.plots import Axis, Figure, Point, Rule, scatter_plot
from symledger.site.tongues import speaks

NUMBERS = "models/compare-numbers.md"
"""The page of the numbers that are drawn, below which each family is told."""
YEARS = "models/compare-years.md"
"""The page of the families of each year."""
TEMPLATES = {
    COMPARED: "compare.md.j2", NUMBERS: "compare_numbers.md.j2", YEARS: "compare_years.md.j2",
}  # fmt: skip
LENGTH = 2048
"""Tokens at which models that decode are compared; a shorter context is taken whole."""
KINDS = {
    "decoders": 1, "mixtures of experts": 2, "state spaces": 3, "encoders of text": 4,
    "encoders and decoders": 5, "images": 6,
}  # fmt: skip
"""What models are, each with its colour and shape in every plot."""
ATTENTION = {
    "multi-head attention": 1, "grouped-query": 2, "multi-query": 3, "latent": 4,
}  # fmt: skip
"""What a decoder keeps: keys and values of every head, one for a group of heads, one for all; or
what they are made of."""

AXES: Mapping[str, tuple[float, ...]] = {
    "parameters": (), "flops_a_token": (), "layers": (3, 6, 12, 24, 48, 96),
    "width": (256, 1024, 4096, 16384), "cache_of_token": (), "used_for_token": (),
}
"""What is drawn, and the ticks where powers of ten are too far apart."""


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the plots, then their numbers, which are remembered by family, then those by year."""
    found, places = families(atlas), {"plots": COMPARED, "numbers": NUMBERS, "years": YEARS}
    by_year = years(
        Described(group.family, group.described, [row.numbers for row in group.rows])
        for group in found.groups
    )
    for place, template in TEMPLATES.items():
        yield templates.page(
            place, template, atlas=atlas, families=found, by_year=by_year, **places
        )


def translated(atlas: Atlas, language: str) -> list[str]:
    """Return the path of each, where a language has words for it."""
    del atlas
    return [place for place, template in TEMPLATES.items() if speaks(language, template)]


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the data of the plots as files."""
    return {figure.file: figure.csv for figure in families(atlas).figures}


def families(atlas: Atlas) -> Families:
    """Return what compares families; the numbers of each are remembered.

    No family where those of one are made later: what is compared would be a part of them.
    """
    known = {
        family: atlas.memory.table(f"compared {family}", partial(_known, atlas, family, those))
        for family, those in by_family(atlas)
    }
    if not all(known.values()):
        return Families(())
    return Families(tuple(
        Together(family, atlas.entry(family).line, tuple(map(FamilyRow.read, rows)), work)
        for family, ((_, work), *rows) in known.items()
    ))  # fmt: skip


def _known(atlas: Atlas, family: str, models: list[Configured]) -> list[list[str]]:
    """Return the name of a family, and what describes it, then the numbers of each configuration.

    They are exact, as text. A number is empty where a configuration has none.
    """
    found = [[family, described(models[0].entry.load().references)]]
    for model in models:
        atlas.memory.note_definition(model.entry.load())
        own, alike = model.account, _at_one_length(atlas, model)
        numbers = (
            read(alike or own) if alike or name != "work" else None for name, read in READ.items()
        )
        kinds = kind(own), attention(own)
        found.append([model.name, *kinds, *("" if n is None else str(n) for n in numbers)])
    return found


def _at_one_length(atlas: Atlas, model: Configured) -> Account | None:
    """Return a model that reads as many tokens as others, if what it is shown is no longer."""
    bound = {s.name: n for s, n in model.account.assumed.bindings.items()}
    if not model.account.target.component.decoding or bound.get("T", 0) <= LENGTH:
        return model.account
    try:
        return atlas.account(model.name, T=str(LENGTH))
    except BadInput:
        return None


@dataclass(frozen=True)
class FamilyRow:
    """One configuration: its numbers by what they are, exact; None where it has none."""

    name: str
    kind: str
    attention: str
    numbers: Mapping[str, Fraction | None]

    @classmethod
    def read(cls, known: Sequence[str]) -> FamilyRow:
        """Read what was remembered."""
        name, what, keys, *numbers = known
        return cls(name, what, keys, {
            of: Fraction(n) if n else None for of, n in zip(READ, numbers, strict=True)
        })  # fmt: skip

    @property
    def shown(self) -> list[str]:
        """The numbers as they are written: the work of a token, else that of a pass."""
        found = self.numbers
        work = found["work"] if found["work"] is not None else found["pass"]
        kinds = (found["layers"], found["width"], found["all"], found["active"], work)
        return [*map(count, kinds), count(found["cache"])]


@dataclass(frozen=True)
class Together:
    """The configurations of one family."""

    family: str
    title: str
    rows: tuple[FamilyRow, ...]
    described: str = ""


@dataclass(frozen=True)
class Families:
    """All published configurations side by side, families apart."""

    groups: tuple[Together, ...]

    @property
    def length(self) -> str:
        """How many tokens models that decode are compared at."""
        return count(LENGTH)

    @cached_property
    def figures(self) -> list[Figure]:
        """Parameters against depth and width; the cache, the work and what is used against them.

        None where the numbers are made later.
        """
        if not self.groups:
            return []
        many, work, depth, width, cache, used = (
            Axis(message(f"plot.{name}"), log=True, ticks=ticks) for name, ticks in AXES.items()
        )
        return [
            self._drawn("depth", (depth, "layers"), (many, "all")),
            self._drawn("width", (width, "width"), (many, "all")),
            self._drawn("cache", (many, "all"), (cache, "cache"), by_attention=True),
            self._drawn("work", (many, "all"), (work, "work"), Rule(message("plot.twice"), 2)),
            self._drawn("active", (many, "all"), (used, "active"), Rule(message("plot.all"), 1)),
        ]

    def _drawn(
        self, name: str, x: Measure, y: Measure, rule: Rule | None = None,
        by_attention: bool = False,
    ) -> Figure:  # fmt: skip
        """Draw a point for each configuration that has both numbers."""
        points = []
        for group in self.groups:
            for row in group.rows:
                a, b = row.numbers[x[1]], row.numbers[y[1]]
                if a is not None and b is not None:
                    kind = named(row.attention if by_attention else row.kind)
                    points.append(Point(group.family, row.name, kind, whole(a), whole(b)))
        numbers = ATTENTION if by_attention else KINDS
        kinds: dict[str, int] = {named(kind): number for kind, number in numbers.items()}
        title = message(f"plot.families.{name}")
        told = f"{PurePosixPath(NUMBERS).stem}.html"
        return scatter_plot(f"families-{name}", title, x[0], y[0], kinds, points, rule, told)


def named(kind: str) -> Message:
    """Return what a kind is called in a plot."""
    return message(f"plot.kind.{slug(kind)}")


Measure = tuple[Axis, str]
"""What is shown along an axis, by its name in ``READ``."""


def kind(account: Account) -> str:
    """Return what a model is, read off its quantities and sizes."""
    names = {symbol.name for symbol in account.symbols.values()}
    if not {"T", "S"} & names or {"H", "W"} <= names:
        return "images"
    if "params.active" in account.quantities:
        return "mixtures of experts"
    if _writes(account):
        return "state spaces" if is_state(account["memory.kv_cache"]) else "decoders"
    return "encoders and decoders" if {"T", "S"} <= names else "encoders of text"


def attention(account: Account) -> str:
    """Return what has keys and values of its own in a model with attention; else nothing."""
    heads, own = _size(account, "h"), _size(account, "h_kv")
    if _size(account, "d_c"):
        return "latent"
    if heads is None:
        return ""
    if own in (None, heads):
        return "multi-head attention"
    return "multi-query" if own == 1 else "grouped-query"


def _size(account: Account, name: str) -> Fraction | None:
    found = {s.name: n for s, n in account.assumed.bindings.items()}.get(name)
    return None if found is None else Fraction(found)


def _layers(account: Account) -> Fraction | None:
    return _size(account, "L")


def _width(account: Account) -> Fraction | None:
    return _size(account, "d")


def _all(account: Account) -> Fraction | None:
    return account.params.exact


def _active(account: Account) -> Fraction | None:
    return account["params.active"].exact if "params.active" in account.quantities else None


def _writes(account: Account) -> bool:
    """Whether it writes token after token, and reads nothing else beside."""
    beside = any(symbol.name == "S" for symbol in account.symbols.values())
    return bool(account.target.component.decoding) and not beside


def _pass(account: Account) -> Fraction | None:
    """Forward FLOPs for each sequence or image of a batch, of what decodes no tokens."""
    if _writes(account):
        return None
    batch = {s: n for s, n in account.assumed.bindings.items() if s.name == "B"}
    work = account["flops.forward"].exact if "flops.forward" in account.quantities else None
    return None if work is None else work / prod(batch.values())


def _work(account: Account) -> Fraction | None:
    """Forward FLOPs for each token that can be decoded."""
    if not _writes(account):
        return None
    each = per_each(account, account["flops.forward"])
    return algebra.value(each, account.assumed.bindings)


def _cache(account: Account) -> Fraction | None:
    """Bytes that decoding keeps for each token, two for a value; a state keeps none for each."""
    if not _writes(account) or "memory.kv_cache" not in account.quantities:
        return None
    kept = account.under(dtype="bf16")["memory.kv_cache"]
    if not all(growing(kept)):
        return None
    return algebra.value(per_each(account, kept), account.assumed.bindings)


READ: Mapping[str, Callable[[Account], Fraction | None]] = {
    "layers": _layers, "width": _width, "all": _all, "active": _active, "work": _work,
    "pass": _pass, "cache": _cache,
}  # fmt: skip
"""What is read of an account, by name."""
