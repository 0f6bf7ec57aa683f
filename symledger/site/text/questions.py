"""The questions that have a page, as data: what is asked, of what, under which conventions."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial

from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import find
from symledger.configs.read import entry_of
from symledger.languages.message import message
from symledger.site.text.worded import data, slug

QUANTITIES: dict[str, tuple[str, ...]] = {
    "params": ("params",),
    "active": ("params.active",),
    "part": ("params",),
    "memory": ("memory.parameters",),
    "training": ("memory.parameters", "memory.gradients", "memory.optimizer"),
    "adapters": ("memory.parameters", "memory.gradients", "memory.optimizer"),
    "activations": ("memory.saved",),
    "kv_cache": ("memory.kv_cache",),
    "flops": ("flops.forward",),
}
"""What may be asked, and the quantities whose sum is the answer."""

PER: dict[str, tuple[str, ...]] = {"token": ("B", "T"), "image": ("B",), "row": ("B",)}
"""What FLOPs may be asked for, and the sizes that they are divided by."""


@dataclass(frozen=True)
class Wrong:
    """A count that was published and is not: its expression in the sizes, and what is wrong."""

    said: str
    why: str


@dataclass(frozen=True)
class Question:
    """A question: its address, its topic, what is asked, and how the ledger is asked for it."""

    slug: str
    topic: str
    ask: str
    of: str
    name: str = ""
    called: str = ""
    part: tuple[str, ...] = ()
    dtype: str = "fp32"
    optimizer: str = "adam"
    lora: str = ""
    per: str = "token"
    set: Mapping[str, int] = field(default_factory=dict)
    wrong: tuple[Wrong, ...] = ()

    @property
    def path(self) -> str:
        """The page's path."""
        return f"questions/{self.slug}.md"

    @property
    def is_layer(self) -> bool:
        """Whether it is about a layer as it is written in PyTorch."""
        return "(" in self.of

    @property
    def who(self) -> str:
        """What the question calls its target: ``LLaMA-7B``, or the layer as it is written."""
        return self.name or f"`{self.of}`"

    @property
    def plain(self) -> str:
        """The same without a mark, for a page's title."""
        return self.name or self.of

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities whose sum is the answer."""
        return QUANTITIES[self.ask]

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that print the answer: one for each quantity."""
        words = ["symledger", "derive", self.of]
        words += [w for name, n in self.set.items() for w in ("--set", f"{name}={n}")]
        words += ["--dtype", self.dtype] if self.dtype != "fp32" else []
        words += ["--optimizer", self.optimizer] if self.ask in ("training", "adapters") else []
        words += ["--lora", self.lora] if self.lora else []
        if self.ask == "params" and self.is_layer:
            return (shlex.join(words),)
        beside = ("memory.peak.train",) if self.lora else ()
        return tuple(shlex.join([*words, "--quantity", n]) for n in (*self.quantities, *beside))


@cache
def questions() -> tuple[Question, ...]:
    """Return all questions: those that are written down, then those about every published model."""
    found = data("questions")
    written = [
        _question(message(f"questions.topic.{slug(topic)}"), at, row)
        for topic, rows in found.items() for at, row in rows.items()
    ]
    asked = {(q.of, q.ask, q.dtype) for q in written if not q.set}
    return (*written, *(q for q in _of_models() if (q.of, q.ask, q.dtype) not in asked))


def _of_models() -> Iterator[Question]:
    """Yield what people ask about every published model, a topic for each family."""
    for known in checkpoints().values():
        entry = find(entry_of(known))
        at = re.sub(r"[._]", "-", known.name)
        topic = message("questions.of_models", family=entry.family)
        ask = partial(Question, topic=topic, of=known.name, name=known.name)
        yield ask(slug=f"{at}-parameters", ask="params")
        if entry.load().decoding:
            yield ask(slug=f"{at}-memory-bf16", ask="memory", dtype="bf16")


def _question(topic: str, slug: str, row: dict[str, object]) -> Question:
    row = dict(row)
    part, wrong = row.pop("part", ""), row.pop("wrong", ())
    assert isinstance(part, str)
    assert isinstance(wrong, list | tuple)
    return Question(
        slug, topic, part=tuple(part.split("/")) if part else (),
        wrong=tuple(Wrong(**w) for w in wrong), **row,  # type: ignore[arg-type]  # our own data
    )  # fmt: skip


def related(question: Question, most: int = 6) -> tuple[Question, ...]:
    """Return other questions: about the same, of its kind, of its topic, then what asks the same.

    A layer's are about layers of its topic alone. Of equals, those that ask the same come first,
    then the nearest.
    """
    known, groups = questions(), _groups()
    (place,) = groups["slug", question.slug]
    close = {*groups["subject", subject(question.of)], *groups["topic", question.topic]} - {place}

    def rank(other: int) -> tuple[int, bool, int, int]:
        q = known[other]
        alike = subject(q.of) == subject(question.of)
        near = (q.of == question.of, alike, q.topic == question.topic, True)
        return near.index(True), q.ask != question.ask, abs(other - place), other

    found = sorted(map(rank, close))
    same = [r for r in found if r[0] == 0]
    chosen = same[: most - 2] + found[len(same) :]
    if len(chosen) < most and not question.is_layer:
        chosen += sorted(map(rank, {*groups["ask", question.ask]} - close - {place}))
    return tuple(known[r[-1]] for r in chosen[:most])


@cache
def _groups() -> Mapping[tuple[str, str], list[int]]:
    """Return the places of the questions that are alike in some way: that have one topic, say."""
    found: dict[tuple[str, str], list[int]] = {}
    for i, q in enumerate(questions()):
        alike = {"slug": q.slug, "subject": subject(q.of), "topic": q.topic, "ask": q.ask}
        for kind in alike.items():
            found.setdefault(kind, []).append(i)
    return found


@cache
def subject(of: str) -> str:
    """Return what is asked about, sizes aside: a layer's name, or a family of models."""
    if "(" in of:
        return of.partition("(")[0]
    known = checkpoints().get(of)
    return find(entry_of(known) if known else of).family
