"""Pages of published configurations: what a model is, in numbers, and how it was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from math import prod

from symledger import algebra
from symledger.account import Account
from symledger.configurations.published import Published, published
from symledger.configurations.reading import Key
from symledger.site.atlas import Atlas
from symledger.site.kinds.model import Model
from symledger.site.kinds.model.costs import growing, per_each
from symledger.site.kinds.model.numbers import count
from symledger.site.pages import Page
from symledger.site.plots import Axis, Figure, Series, line_plot
from symledger.site.questions import Question, questions
from symledger.site.templating import Templates

COMPARED = "models/compare.md"
LENGTH = 2048
"""Tokens at which models that decode are compared; a shorter context is taken whole."""
FEWEST = 5
"""Configurations that a family needs to be drawn as a line of its own."""
COLOURS = 6


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the comparison of families, then a page for every configuration."""
    together = families(atlas)
    yield templates.page(COMPARED, "compare.md.j2", atlas=atlas, families=together)
    for model in models(atlas):
        yield templates.page(
            atlas.page_of(model.name), "published.md.j2", atlas=atlas, model=model,
            families=COMPARED,
        )  # fmt: skip


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the data of the plots as files."""

    def make() -> dict[str, bytes]:
        atlas.memory.note_all()
        return {figure.file: figure.csv for figure in families(atlas).figures}

    return atlas.memory.files("families", make)


def families(atlas: Atlas) -> Families:
    """Return what compares families, made once for the page and its files."""
    return atlas.once("families", lambda: Families(atlas))


def models(atlas: Atlas) -> list[Configured]:
    """Return the published configurations, families together."""

    def make() -> list[Configured]:
        families: dict[str, list[Configured]] = {}
        for known in published().values():
            model = _configured(atlas, known)
            families.setdefault(model.entry.family, []).append(model)
        return [model for family in families.values() for model in family]

    return atlas.once("published configurations", make)


def _configured(atlas: Atlas, known: Published) -> Configured:
    return Configured(atlas, atlas.entry(known.name), known)


@dataclass(frozen=True)
class Configured(Model):
    """What the page of one published configuration shows, beside what that of a family does."""

    known: Published

    @property
    def source(self) -> str:
        """Where it was published."""
        return self.known.source

    @property
    def architecture(self) -> str:
        """The class that its configuration builds; nothing where it is none of the hub."""
        found = self.account.target.configured
        return found.architecture if found else ""

    @property
    def defaults(self) -> str:
        """Whose defaults missing keys have."""
        found = self.account.target.configured
        return found.family.implementation if found else ""

    @property
    def keys(self) -> list[Key]:
        """Every key that counts, given or not."""
        found = self.account.target.configured
        return [key for key in found.keys if key.status != "irrelevant"] if found else []

    @property
    def irrelevant(self) -> list[str]:
        """The keys that change no count."""
        found = self.account.target.configured
        return [key.name for key in found.keys if key.status == "irrelevant"] if found else []

    @property
    def asked(self) -> list[Question]:
        """The questions about it that have a page."""
        return [q for q in questions() if q.of == self.name]

    @property
    def commands(self) -> list[str]:
        """Commands that print what stands here."""
        found = [f"symledger derive {self.name}",
                 f"symledger derive {self.name} --dtype bf16 --optimizer adam-mixed"]  # fmt: skip
        family = [entry.name for entry in self.atlas.configurations(self.entry.family)]
        at = family.index(self.name)
        if len(family) > 1:
            found.append(f"symledger compare {family[max(at - 1, 0)]} {family[max(at, 1)]}")
        return [*found, f"symledger check {self.name}"]


@dataclass(frozen=True)
class Row:
    """One configuration in the comparison: its numbers, exact, as text; empty where it has none."""

    name: str
    layers: str
    width: str
    parameters: str
    active: str
    work: str
    cache: str


@dataclass(frozen=True)
class Together:
    """The configurations of one family."""

    family: str
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Families:
    """All published configurations side by side, families apart."""

    atlas: Atlas

    @property
    def length(self) -> str:
        """How many tokens models that decode are compared at."""
        return count(LENGTH)

    @cached_property
    def groups(self) -> list[Together]:
        """The families with their configurations."""
        found = []
        for family, those in groupby(models(self.atlas), lambda m: m.entry.family):
            title = str(self.atlas.account(family).target.title)
            found.append(Together(family, title, tuple(self._row(m) for m in those)))
        return found

    def _row(self, model: Configured) -> Row:
        account = self._at_one_length(model)
        work = _work if _writes(account) else _pass
        read = (_layers, _width, _all, _active, work, _cache)
        return Row(model.name, *(count(one(account)) for one in read))

    def _at_one_length(self, model: Configured) -> Account:
        bound = {s.name: n for s, n in model.account.assumed.bindings.items()}
        if not model.account.target.component.decoding or bound.get("T", 0) <= LENGTH:
            return model.account
        return self.atlas.account(model.name, T=str(LENGTH))

    @cached_property
    def figures(self) -> list[Figure]:
        """Parameters against depth and width; the cache, the work and what is used against them."""
        many, depth = Axis("parameters", log=True), Axis("layers L")
        cache, work = Axis("bytes of cache for a token", log=True), Axis("FLOPs a token", log=True)
        return [
            self._drawn("families-depth", "Parameters and depth", (depth, _layers), (many, _all)),
            self._drawn("families-width", "Parameters and width",
                        (Axis("width d", log=True), _width), (many, _all)),
            self._drawn("families-cache", "Cache and parameters", (many, _all), (cache, _cache)),
            self._drawn("families-work", "Work and parameters", (many, _all), (work, _work)),
            self._drawn("families-active", "Parameters used for a token, of all",
                        (many, _all), (Axis("used for a token", log=True), _active), fewest=2),
        ]  # fmt: skip

    def _drawn(
        self, name: str, title: str, x: Measure, y: Measure, fewest: int = FEWEST
    ) -> Figure:
        """Draw a line for each family that has enough different points."""
        series: list[Series] = []
        for family, those in groupby(models(self.atlas), lambda m: m.entry.family):
            accounts = [self._at_one_length(m) for m in those]
            pairs = {(x[1](account), y[1](account)) for account in accounts}
            points = sorted((int(a), int(b)) for a, b in pairs if a is not None and b is not None)
            if len({a for a, _ in points}) >= fewest:
                colour = len(series) % COLOURS + 1
                series.append(Series(family, tuple(points), colour, marked=True, faint=True))
        return line_plot(name, title, x[0], y[0], series, height=60 + 15 * max(len(series), 12))


Read = Callable[[Account], Fraction | None]
Measure = tuple[Axis, Read]
"""What is shown along an axis."""


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
    """Forward FLOPs for each sequence or image of a batch."""
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
