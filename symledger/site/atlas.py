"""The atlas: the accounts that pages are made of, each derived once, and where each page lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from symledger.accounts.account import Account, derive
from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.definition import file_of
from symledger.catalogue.entries import BY_NAME, ENTRIES, find
from symledger.catalogue.entry import Entry
from symledger.configs.read import entry_of
from symledger.errors import CheckFailed, DefinitionError
from symledger.languages.message import Word, word
from symledger.site.memory import Memory
from symledger.site.sources import digest
from symledger.site.uses import Parts, parts, users
from symledger.tags.registry import Tagged, registered
from symledger.targets.resolve import resolve
from symledger.targets.target import Target

TOPICS: dict[str, Word] = {
    "maps": word("topic.maps", "Maps"),
    "attention": word("topic.attention", "Attention"),
    "feed_forward": word("topic.feed_forward", "Feed-forward networks"),
    "norms": word("topic.norms", "Normalisation"),
    "embeddings": word("topic.embeddings", "Embeddings and positions"),
    "heads_and_losses": word("topic.heads_and_losses", "Heads and losses"),
    "blocks": word("topic.blocks", "Blocks"),
    "convolution": word("topic.convolution", "Convolution and pooling"),
    "image_blocks": word("topic.image_blocks", "Blocks of images"),
    "recurrence": word("topic.recurrence", "Recurrence"),
    "state_spaces": word("topic.state_spaces", "State spaces"),
    "layout": word("topic.layout", "Layout"),
}
"""The topics of the component pages: the folders of ``components``, each with its heading."""

Made = TypeVar("Made")


def topic_of(entry: Entry) -> Word:
    """Return the heading of the topic that a component is in.

    Raises:
        DefinitionError: its folder is no topic.
    """
    folder = entry.named.module.split(".")[1]
    if folder not in TOPICS:
        raise DefinitionError(
            f"{file_of(entry.named.module)} is in no topic: move it into a folder of TOPICS in "
            "symledger/site/atlas.py, or add its own folder there, with a heading."
        )
    return TOPICS[folder]


@dataclass
class Atlas:
    """What pages may ask: accounts, entries by topic, addresses."""

    memory: Memory = field(default_factory=Memory)

    _accounts: dict[tuple[str, tuple[tuple[str, str], ...]], Account] = field(default_factory=dict)

    _defined: dict[tuple[str, str, str], Account] = field(default_factory=dict)

    _made: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.memory.asked["around"] = lambda name: digest(self._around(name))

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Make something that several kinds of pages or files need, the first time only."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    def account(self, target: str, **settings: str) -> Account:
        """Return the account of a target, derived once."""
        key = (target, tuple(sorted(settings.items())))
        if key not in self._accounts:
            self._accounts[key] = self._derived(target, settings)
        found = self._accounts[key]
        self.memory.note_definition(type(found.target.component))
        return found

    def _derived(self, target: str, settings: dict[str, str]) -> Account:
        """Derive an account, from one with the same choices where only sizes differ."""
        if target in checkpoints() and not settings:
            return self._resized(resolve(target))
        if not settings:
            return derive(target)
        plain = self.account(target)
        choices = {name: v for name, v in settings.items() if name in plain.target.choices}
        chosen = self.account(target, **choices) if choices != settings else plain
        return chosen.at(settings)

    def _resized(self, target: Target) -> Account:
        """Derive a published configuration from one of the same definition, where one was met."""
        key = repr(target.component), str(target.inputs), str(target.lengths)
        if key not in self._defined:
            self._defined[key] = derive(target.name)
        return self._defined[key].resized(target)

    @cached_property
    def components(self) -> dict[Word, tuple[Entry, ...]]:
        """The components of the catalogue by topic, which is the folder that each is defined in."""
        found: dict[Word, list[Entry]] = {heading: [] for heading in TOPICS.values()}
        for entry in ENTRIES:
            if entry.kind == "component":
                found[topic_of(entry)].append(entry)
        return {topic: tuple(entries) for topic, entries in found.items() if entries}

    @property
    def models(self) -> tuple[Entry, ...]:
        """The models of the catalogue: families and configurations."""
        return tuple(entry for entry in ENTRIES if entry.kind == "model")

    def configurations(self, family: str) -> tuple[Entry, ...]:
        """The configurations of a family: those of the catalogue, then the published ones."""
        return self._families.get(family, ())

    @cached_property
    def _families(self) -> dict[str, tuple[Entry, ...]]:
        own = [entry for entry in self.models if entry.configured]
        found: dict[str, tuple[Entry, ...]] = {}
        for entry in (*own, *map(self.entry, checkpoints())):
            found[entry.family] = (*found.get(entry.family, ()), entry)
        return found

    @property
    def owners(self) -> tuple[Entry, ...]:
        """The entries that own formulas."""
        return tuple(entry for entry in ENTRIES if entry.family == entry.name)

    @cached_property
    def parts(self) -> Parts:
        """What every owner is directly made of."""
        return self.memory.data("parts", lambda: parts(
            (entry, self.account(entry.name).program) for entry in self.owners
        ))  # fmt: skip

    def around(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the components that one is directly made of, and the owners that it is part of."""
        self.memory.note("around", name)
        return self._around(name)

    def _around(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.parts[name], users(self.parts, BY_NAME[name])

    def formulas(self) -> Iterator[tuple[Entry, str]]:
        """Yield every formula that has a page: its owner and its quantity."""
        for entry in self.owners:
            for quantity in self.account(entry.name).quantities:
                yield entry, quantity

    def entry(self, name: str) -> Entry:
        """Return the entry of a name; a published configuration has that of its family."""
        known = checkpoints().get(name)
        if known is None:
            return BY_NAME[name]
        family = find(entry_of(known)).family
        return replace(BY_NAME[family], name=name, owner=family, configured=True)

    @staticmethod
    def page_of(target: str) -> str:
        """Return the path of a target's page: a published model's lies in its family's folder."""
        known = checkpoints().get(target)
        if known:
            return f"models/{find(entry_of(known)).family}/{target}.md"
        return f"{BY_NAME[target].kind}s/{target}.md"

    @staticmethod
    def tagged(name: str) -> Tagged:
        """Return the tag of a formula.

        Raises:
            CheckFailed: it has none yet.
        """
        found = registered().get(name)
        if found is None or found.removed:
            raise CheckFailed(f"{name} has no tag: symledger record tags gives it one.")
        return found

    def has_page(self, name: str) -> bool:
        """Whether a formula has a page: that of an owner with its plain choices.

        Other choices may give it a quantity that it lacks then: experts give active parameters.
        """
        owner, quantity = name.split(".", 1)
        return quantity in self.account(owner).quantities

    @classmethod
    def formula_page(cls, name: str) -> str:
        """Return the path of a formula's page."""
        return cls.tagged(name).page.removesuffix(".html") + ".md"
