"""What is recorded of definitions against their references, traced: vector by vector.

A vector is a class with one choice for every option, in which all sizes are free. A file an owner
of formulas, a line a vector. Evidence is about a formula as long as that has its fingerprint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from symledger import records
from symledger.catalogue.entries import place
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence, Point
from symledger.languages.message import Text, joined, message

FOLDER = records.FOLDER / "traced"
CLAIMS: Mapping[str, str] = {
    "params": "traced parameters", "params.active": "traced active parameters",
    "flops.forward": "traced FLOPs forward", "flops.backward": "traced FLOPs backward",
    "memory.kv_cache": "traced cache",
}  # fmt: skip
"""What is claimed of a quantity that is the same polynomial."""
AT_SIZES: Mapping[str, str] = {
    "params": "built parameters", "flops.forward": "built FLOPs forward",
    "flops.backward": "built FLOPs backward", "flops.decode": "built FLOPs decoding",
}  # fmt: skip
"""What is claimed of one that is the same number at every size at which a class was built."""
MORE = re.compile(r"(.*?): (.*) more; there: (?:nothing that computes|(.*?))(?: and (\d+) more)?")
"""How it is recorded of a line by how much a reference has more, and which operations it does."""


@dataclass(frozen=True)
class Vector:
    """A vector: the formulas that were compared, and by how much the reference has more.

    ``hashes`` are the fingerprints of the definition's formulas. ``differs`` has a line for each
    quantity that is not the same polynomial, ``spelled`` one for each that depends on how the
    implementation is written. ``refused`` is why it could not be traced; then ``built`` are the
    fingerprints of what was compared with the class as it is built at some ``points``, which are
    the sizes that a configuration says there.
    """

    name: str
    implementation: str
    torch: str
    hashes: Mapping[str, str] = field(default_factory=dict)
    differs: Mapping[str, str] = field(default_factory=dict)
    spelled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    refused: str = ""
    built: Mapping[str, str] = field(default_factory=dict)
    points: tuple[Point, ...] = ()

    @property
    def same(self) -> list[str]:
        """The quantities that are the same polynomials."""
        return [q for q in CLAIMS if q in self.hashes and q not in self.differs]

    @property
    def same_at_sizes(self) -> list[str]:
        """The quantities that are the same numbers at the sizes at which the class was built."""
        return [q for q in AT_SIZES if q in self.built and q not in self.differs]

    @property
    def written(self) -> dict[str, Text]:
        """What depends on how the implementation is written, for readers of any language."""
        return {quantity: joined(map(_more, rows), "; ") for quantity, rows in self.spelled.items()}

    @property
    def compared(self) -> Mapping[str, str]:
        """The fingerprints of all formulas that were compared, in one way or the other."""
        return {**self.hashes, **self.built}

    @property
    def passed(self) -> bool:
        """Whether every formula is the same; what could not be traced has not failed by that."""
        return not self.differs

    @property
    def evidence(self) -> Iterator[Evidence]:
        """What that says of each formula."""
        words = (self.name, self.implementation, self.torch)
        for quantity in self.hashes:
            detail = self.differs.get(quantity, "")
            claim = Claim(CLAIMS[quantity], words)
            yield Evidence(quantity, claim, (), 0, "0" if not detail else "1", not detail, detail)
        for quantity in self.built:
            detail = self.differs.get(quantity, "")
            claim = Claim(AT_SIZES[quantity], (self.architecture, self.implementation))
            worst = "1" if detail else "0"
            yield Evidence(quantity, claim, tuple(self.points), 0, worst, not detail, detail)

    @property
    def architecture(self) -> str:
        """The class."""
        return self.name.partition(",")[0]


def _more(row: str) -> Text:
    """Say by how much a reference has more in a line.

    >>> str(_more("block.norm_1: 2BTd more; there: pow, mean and 2 more"))
    'block.norm_1: 2BTd more; there: pow, mean and 2 more'
    """
    found = MORE.fullmatch(row)
    assert found, row
    line, amount, operations, others = found.groups()
    if not operations:
        return message("model.traced_more_by_nothing", line=line, amount=amount)
    there = {"line": line, "amount": amount, "operations": operations}
    if others:
        return message("model.traced_more_and", **there, n=int(others))
    return message("model.traced_more", **there)


def file_of(owner: str) -> Path:
    """Return the file of an owner."""
    return place(FOLDER, owner)


@cache
def traced(owner: str) -> tuple[Vector, ...]:
    """Read what an owner's references came to; empty where none was traced."""
    file = file_of(owner)
    rows = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return tuple(Vector(**row) for row in rows)


def every_traced() -> dict[str, tuple[Vector, ...]]:
    """Read that of all owners."""
    owners = sorted(file.stem for file in FOLDER.rglob("*.json"))
    return {owner: traced(owner) for owner in owners}


def written(vectors: Iterable[Vector]) -> str:
    """Write a file, a vector a line."""
    lines = (json.dumps(plain(v), ensure_ascii=False) for v in vectors)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def plain(vector: Vector) -> dict[str, object]:
    """Return a vector as JSON data, without what is empty."""
    return {name: value for name, value in asdict(vector).items() if value}
