"""The registry: which tag stands for which formula, for ever, and how often it was revised.

It is a text file, a line a formula, sorted by the formulas' ids, so that it can be reviewed and
merged: the tag, the id, the revision, and for every revision the version of symledger that made
it with a fingerprint of the canonical form. A removed formula keeps its line and its tag, with the
reason and what took its place:

    SL-4F7K linear.params 1 0.1.0:0f3c9a51d2b4e687
    SL-9XQ2 dense.params 2 0.1.0:… 0.2.0:… removed 0.3.0 now linear.params: renamed

Reading it needs no SymPy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import count

from symledger import records
from symledger.errors import BadInput, shown

FILE = records.FOLDER / "tags.txt"
PREFIX = "SL-"
ALPHABET = "0123456789BCDFGHJKMNPQRSTVWXYZ"
"""Crockford's digits without vowels: nothing that is taken for another, and no words."""
LENGTH = 4
LOOKALIKE = str.maketrans("OIL", "011")
HEAD = """\
# The tag of every formula, for ever: tag, id, revision, and for each revision the version that made
# it with a fingerprint of the canonical form. Written by `symledger record`.
"""
REMOVED = re.compile(r"removed (?P<version>\S+)(?: now (?P<now>\S+))?: (?P<why>\S.*)")


@dataclass(frozen=True)
class Revision:
    """One canonical form of a formula: the version of symledger that made it, its fingerprint."""

    version: str
    hash: str


@dataclass(frozen=True)
class Removal:
    """Why a formula is no longer there, since which version, and what took its place if any."""

    version: str
    why: str
    now: str = ""

    def __str__(self) -> str:
        now = f" now {self.now}" if self.now else ""
        return f"removed {self.version}{now}: {self.why}"


@dataclass(frozen=True)
class Tagged:
    """A formula that has a tag: its id, its revisions, the oldest first, and its removal."""

    tag: str
    id: str
    revisions: tuple[Revision, ...]
    removed: Removal | None = None

    @property
    def owner(self) -> str:
        """The component or model family that the formula belongs to."""
        return self.id.partition(".")[0]

    @property
    def quantity(self) -> str:
        """The quantity of that owner."""
        return self.id.partition(".")[2]

    @property
    def revision(self) -> int:
        """The number of the newest revision."""
        return len(self.revisions)

    @property
    def hash(self) -> str:
        """The fingerprint of the newest revision."""
        return self.revisions[-1].hash

    @property
    def page(self) -> str:
        """The address of its page within a site."""
        return f"f/{self.tag.removeprefix(PREFIX)}.html"

    def __str__(self) -> str:
        made = " ".join(f"{r.version}:{r.hash}" for r in self.revisions)
        removed = f" {self.removed}" if self.removed else ""
        return f"{self.tag} {self.id} {self.revision} {made}{removed}"


def citable() -> tuple[Tagged, ...]:
    """Return every formula that can be cited, by id."""
    return tuple(tagged for tagged in registered().values() if not tagged.removed)


def recorded() -> str:
    """Return the registry as it is written.

    Raises:
        BadInput: it is not there, and nothing makes it anew.
    """
    try:
        return FILE.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadInput(
            f"there is no {shown(str(FILE))}: it says which tag every formula was given for ever, "
            "and no command makes it anew. In a checkout `git checkout` of it restores it."
        ) from error


@cache
def registered() -> dict[str, Tagged]:
    """Return every line of the registry by its id, removed ones too."""
    return {tagged.id: tagged for tagged in parse(recorded())}


@cache
def registered_as(name: str) -> Tagged | None:
    """Return the line of the registry that has an id, None where none has: no other one is read.

    >>> registered_as("linear.params").owner
    'linear'
    """
    line = _lines().get(name)
    return _line(line) if line else None


@cache
def _lines() -> dict[str, str]:
    """Every line by its id, as it is written."""
    lines = recorded().splitlines()
    return {line.split(" ", 2)[1]: line for line in lines if not line.startswith("#")}


@cache
def by_tag() -> dict[str, Tagged]:
    """Return every line of the registry by its tag, removed ones too."""
    return {tagged.tag: tagged for tagged in registered().values()}


def parse(text: str) -> list[Tagged]:
    """Read a registry.

    Raises:
        BadInput: a line is none, or a tag or an id stands in two of them.
    """
    found = [_line(line) for line in text.splitlines() if line and not line.startswith("#")]
    for kind in ("tag", "id"):
        seen: dict[str, Tagged] = {}
        for tagged in found:
            other = seen.setdefault(getattr(tagged, kind), tagged)
            if other is not tagged:
                raise BadInput(
                    f"two lines of the registry have the {kind} {getattr(tagged, kind)}: "
                    f"{other.id} and {tagged.id}. Delete the one that was never released, and run "
                    "symledger record tags."
                )
    return found


def _line(line: str) -> Tagged:
    try:
        tag, name, number, *made = line.split(" ")
        at = made.index("removed") if "removed" in made else len(made)
        pairs = [r.partition(":") for r in made[:at]]
        gone = REMOVED.fullmatch(" ".join(made[at:]))
        revisions = tuple(Revision(version, digest) for version, _, digest in pairs)
        if int(number) != len(revisions) or not revisions or bool(gone) != (at < len(made)):
            raise ValueError
    except ValueError as error:
        raise BadInput(f"this is no line of the registry: {shown(line)}") from error
    removed = Removal(gone["version"], gone["why"], gone["now"] or "") if gone else None
    return Tagged(tag, name, revisions, removed)


def written(tagged: Iterable[Tagged]) -> str:
    """Write a registry."""
    return HEAD + "".join(f"{line}\n" for line in sorted(tagged, key=lambda t: t.id))


def new_tag(name: str, taken: Iterable[str]) -> str:
    """Return a tag for a formula's id: opaque, the same every time, and one that is not taken."""
    used = set(taken)
    return next(tag for n in count() if (tag := _drawn(f"{name}#{n}" if n else name)) not in used)


def _drawn(text: str) -> str:
    number, digits = int.from_bytes(sha256(text.encode()).digest()), ""
    for _ in range(LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        digits += ALPHABET[digit]
    return PREFIX + digits


def as_tag(text: str) -> str:
    """Spell what may be a tag as tags are: ``4f7k``, ``sl-4F7K``; O, I and L are digits here."""
    digits = text.strip().upper().removeprefix(PREFIX).translate(LOOKALIKE)
    return PREFIX + digits
