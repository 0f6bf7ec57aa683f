"""Pages of published configurations: what a model is, in numbers, and how it was read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from symledger.accounts.published_total import compared
from symledger.catalogue.checkpoints import Checkpoint, checkpoints
from symledger.configs.configuration import Key
from symledger.languages.message import Text
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds.model import Model
from symledger.site.kinds.model.variants import Variant, others
from symledger.site.pages import Page
from symledger.site.text.questions import Question, questions

COMPARED = "models/compare.md"
"""The page that compares them."""


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield a page for every configuration."""
    for family, those in by_family(atlas):
        yield from atlas.memory.pages(
            f"published {family}", partial(pages_of, templates, those)
        )


def pages_of(templates: Templates, models: list[Configured]) -> Iterator[Page]:
    """Yield the pages of a family."""
    for model in models:
        model.atlas.memory.note_definition(model.entry.load())
        yield templates.page(
            model.atlas.page_of(model.name), "published.md.j2", atlas=model.atlas, model=model,
            families=COMPARED,
        )  # fmt: skip


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the data of the plots as files."""
    found: dict[str, bytes] = {}
    for family, those in by_family(atlas):
        found |= atlas.memory.files(f"published {family}", partial(data_of, those))
    return found


def data_of(models: list[Configured]) -> dict[str, bytes]:
    """Return the data of the plots of a family's pages."""
    for model in models:
        model.atlas.memory.note_definition(model.entry.load())
    return {figure.file: figure.csv for model in models for figure in model.figures}


def by_family(atlas: Atlas) -> list[tuple[str, list[Configured]]]:
    """Return the published configurations of each family."""

    def make() -> list[tuple[str, list[Configured]]]:
        found: dict[str, list[Configured]] = {}
        for known in checkpoints().values():
            model = _configured(atlas, known)
            found.setdefault(model.entry.family, []).append(model)
        return list(found.items())

    return atlas.once("published configurations", make)


def _configured(atlas: Atlas, known: Checkpoint) -> Configured:
    return Configured(atlas, atlas.entry(known.name), known)


@dataclass(frozen=True)
class Configured(Model):
    """What the page of one published configuration shows, beside what that of a family does."""

    known: Checkpoint

    @property
    def variants(self) -> list[Variant]:
        """None: choices made otherwise stand on the page of the family."""
        return []

    @property
    def has_choices(self) -> bool:
        """Whether the page of its family shows choices made otherwise."""
        return any(others(self.atlas.account(self.entry.family)))

    @property
    def source(self) -> str:
        """Where it was published."""
        return self.known.source

    @property
    def published_total(self) -> Text | None:
        """How many parameters were published, and why they are others where they are."""
        return compared(self.account)

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
