"""The page that compares families: every published configuration in numbers, and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import prod

from symledger import algebra
from symledger.accounts.account import Account
from symledger.languages.message import message
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds.checkpoints import COMPARED, Configured, by_family
from symledger.site.kinds.model.costs import growing, per_each
from symledger.site.kinds.model.numbers import count
from symledger.site.pages import Page
from symledger.site.plots import Axis, Figure, Series, line_plot

LENGTH = 2048
"""Tokens at which models that decode are compared; a shorter context is taken whole."""
FEWEST = 5
"""Configurations that a family needs to be drawn as a line of its own."""
COLOURS = 6


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the page; its numbers are remembered by family."""
    found = families(atlas)
    yield templates.page(COMPARED, "compare.md.j2", atlas=atlas, families=found)


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
        Together(family, atlas.entry(family).line, tuple(map(FamilyRow.read, rows)))
        for family, (_, *rows) in known.items()
    ))  # fmt: skip


def _known(atlas: Atlas, family: str, models: list[Configured]) -> list[list[str]]:
    """Return the name of a family, then the numbers of each configuration, exact, as text.

    A number is empty where a configuration has none.
    """
    found = [[family]]
    for model in models:
        atlas.memory.note_definition(model.entry.load())
        account = _at_one_length(atlas, model)
        numbers = (read(account) for read in READ.values())
        found.append([model.name, *("" if n is None else str(n) for n in numbers)])
    return found


def _at_one_length(atlas: Atlas, model: Configured) -> Account:
    bound = {s.name: n for s, n in model.account.assumed.bindings.items()}
    if not model.account.target.component.decoding or bound.get("T", 0) <= LENGTH:
        return model.account
    return atlas.account(model.name, T=str(LENGTH))


@dataclass(frozen=True)
class FamilyRow:
    """One configuration: its numbers by what they are, exact; None where it has none."""

    name: str
    numbers: Mapping[str, Fraction | None]

    @classmethod
    def read(cls, known: Sequence[str]) -> FamilyRow:
        """Read what was remembered."""
        name, *numbers = known
        return cls(name, {
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
        depth = Axis(message("plot.layers"))
        many, width, cache, work, used = (
            Axis(message(f"plot.{name}"), log=True)
            for name in ("parameters", "width", "cache_of_token", "flops_a_token", "used_for_token")
        )
        return [
            self._drawn("depth", (depth, "layers"), (many, "all")),
            self._drawn("width", (width, "width"), (many, "all")),
            self._drawn("cache", (many, "all"), (cache, "cache")),
            self._drawn("work", (many, "all"), (work, "work")),
            self._drawn("active", (many, "all"), (used, "active"), fewest=2),
        ]  # fmt: skip

    def _drawn(self, name: str, x: Measure, y: Measure, fewest: int = FEWEST) -> Figure:
        """Draw a line for each family that has enough different points."""
        series: list[Series] = []
        for group in self.groups:
            pairs = {(row.numbers[x[1]], row.numbers[y[1]]) for row in group.rows}
            points = sorted((int(a), int(b)) for a, b in pairs if a is not None and b is not None)
            if len({a for a, _ in points}) >= fewest:
                colour = len(series) % COLOURS + 1
                series.append(Series(group.family, tuple(points), colour, marked=True, faint=True))
        title = message(f"plot.families.{name}")
        height = 60 + 15 * max(len(series), 12)
        return line_plot(f"families-{name}", title, x[0], y[0], series, height=height)


Measure = tuple[Axis, str]
"""What is shown along an axis, by its name in ``READ``."""


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
