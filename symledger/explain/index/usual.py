"""Usual sizes: published configurations, and what is common for each symbol.

These decide only where a number is looked for and what is shown first; every answer is an
exact equation between the number and a derived formula.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from symledger.catalogue.entries import BY_NAME, ENTRIES
from symledger.explain.index.stamp import FOLDER, fingerprint, read_stamped
from symledger.sizes import BY_NAME as SIZES

if TYPE_CHECKING:
    from symledger.catalogue.checkpoints import Checkpoint

FILE = "known.json"
FIRST = ("mini_gpt", "gpt2", "bert", "llama", "mistral", "vit", "t5", "resnet", "vgg", "qwen2")
"""Families that most people know; their sizes are named before those of others."""
OBSCURE = 1.5
"""What it adds to a rank that only families which fewer people know have these sizes."""


@dataclass(frozen=True)
class Known:
    """Sizes that were published together: of a family of the catalogue, or only worth knowing.

    ``maps`` are affine maps (from, to) that stand in it beside those that its widths make.
    """

    name: str
    source: str
    sizes: Mapping[str, int]
    family: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    maps: tuple[tuple[int, int], ...] = ()

    def doubt(self, family: str, changed: Collection[tuple[str, object]], whole: bool) -> float:
        """What adds to the rank of a target with its choices at these sizes.

        Families that few know are less often meant. Of its own family, all that a configuration
        chooses is as plain as can be, and what it does not choose is not what was published.
        """
        if not self.family or family != self.family:
            return self.far
        own = sum(self.options.get(name) == str(v).lower() for name, v in changed)
        return self.far + (len(changed) - own) - (own if whole else 0)

    @cached_property
    def far(self) -> float:
        """What adds to the rank of anything else at these sizes."""
        return OBSCURE if self.family and self.family not in FIRST else 0

    def repeats(self, other: Known) -> bool:
        """Whether another configuration of the same family has the same sizes."""
        shared = self.sizes.keys() & other.sizes.keys() if self.family else set()
        return self.family == other.family and bool(shared) and all(
            self.sizes[name] == other.sizes[name] for name in shared
        )  # fmt: skip

    def gives(self, sizes: Mapping[str, int]) -> bool:
        """Whether some of these sizes are those of this configuration."""
        pair = sizes.get("d_in"), sizes.get("d_out")
        return pair in self.pairs or any(self.sizes.get(n) == v for n, v in sizes.items())

    @cached_property
    def at(self) -> dict[str, int]:
        """Its sizes, with the usual lengths of a run."""
        at = {"B": 1, **self.sizes}
        if "T_max" in at:
            at.setdefault("T", at["T_max"])
        return at

    @cached_property
    def linear(self) -> list[dict[str, int]]:
        """The same with the widths of each of its linear maps."""
        return [{**self.at, "d_in": a, "d_out": b} for a, b in self.pairs]

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Widths that its linear maps go from and to."""
        d, d_ff = self.sizes.get("d"), self.sizes.get("d_ff", 4 * self.sizes.get("d", 0))
        if d is None:
            return self.maps
        made = [(d, d), (d, d_ff), (d_ff, d), (d, 3 * d)]
        if "V" in self.sizes:
            made.append((d, self.sizes["V"]))
        if "Y" in self.sizes:
            made.append((d, self.sizes["Y"]))
        return tuple(dict.fromkeys((*made, *self.maps)))


VASWANI = "Vaswani et al., Attention Is All You Need (2017), table 3"
SIMONYAN = "Simonyan, Zisserman, Very Deep Convolutional Networks (2015), table 1"
HE = "He et al., Deep Residual Learning (2016), table 1"

PUBLISHED: tuple[Known, ...] = (
    Known("Transformer base", VASWANI, {"d": 512, "L": 6, "h": 8, "d_ff": 2048}),
    Known("Transformer big", VASWANI, {"d": 1024, "L": 6, "h": 16, "d_ff": 4096}),
    Known("VGG-16", SIMONYAN, {}, maps=((25088, 4096), (4096, 4096), (4096, 1000))),
    Known("ResNet-50", HE, {}, maps=((2048, 1000),)),
    Known("ResNet-18", HE, {}, maps=((512, 1000),)),
)

SELDOM = {("norm", "layer_plain"), ("norm", "rms_composed"), ("bias_kv", True), ("out_bias", True)}
"""Choices that hardly any model makes."""

DOUBLED = {1 << k for k in range(3, 17)} | {3 << k for k in range(3, 14)}
"""Powers of two, and three times these."""
SPATIAL = {7, 14, 28, 32, 56, 112, 224}
KERNELS = {1, 2, 3, 4, 5, 7, 11}
CLASSES = {2, 10, 100, 1000}

LAYERS = set(range(1, 13)) | {16, 18, 22, 24, 26, 28, 30, 32, 36, 40, 48, 60, 64, 80, 96, 126}
HEADS = set(range(1, 17)) | {20, 24, 25, 28, 32, 36, 40, 48, 52, 56, 64, 71, 80, 96, 128}
VOCABULARIES = {
    50304, 50265, 50280, 49152, 65024, 100277, 250002, 256000, 28996, 119547, 21128, 32768, 65536,
    1000, 10000, 20000, 32001, 51200, 51865, 49408,
}  # fmt: skip


@cache
def known() -> tuple[Known, ...]:
    """The configurations of the catalogue and of the package, those of known families first.

    They are read from a file beside the index, where that is up to date.
    """
    return read_stamped(FOLDER / FILE, fingerprint(), _read) or gathered()


def written() -> str:
    """Write that file."""
    rows = [
        [k.name, k.source, dict(k.sizes), k.family, dict(k.options), k.maps] for k in gathered()
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{{"sources": "{fingerprint()}",\n"known": [\n{lines}]}}\n'


def _read(data: dict[str, Any]) -> tuple[Known, ...]:
    return tuple(
        Known(name, source, sizes, family, options, tuple((a, b) for a, b in maps))
        for name, source, sizes, family, options, maps in data["known"]
    )


def gathered() -> tuple[Known, ...]:
    """Return the same, gathered from where they stand."""
    from symledger.catalogue.checkpoints import checkpoints

    catalogued = [
        Known(e.name, "the catalogue", e.configuration(), e.family)
        for e in ENTRIES if e.configured
    ]  # fmt: skip
    further = map(_known, checkpoints().values())
    own = [*catalogued, *(k for k in further if not any(map(k.repeats, catalogued)))]
    own.sort(key=lambda k: FIRST.index(k.family) if k.family in FIRST else len(FIRST))
    return (*own, *(k for k in PUBLISHED if not any(map(k.repeats, own))))


def _known(one: Checkpoint) -> Known:
    """Read the sizes and choices of a published configuration, by the entry that it is of."""
    from symledger.configs.read import read

    if not one.config:
        options = {name: str(text).lower() for name, text in one.options.items()}
        return Known(one.name, one.source, one.sizes, BY_NAME[one.entry].family, options)
    found = read(one.config)
    sizes = {name: int(text) for name, text in found.settings.items() if name in SIZES}
    options = {name: text for name, text in found.settings.items() if name not in SIZES}
    return Known(one.name, one.source, sizes, BY_NAME[found.built.entry].family, options)


@cache
def usual(symbol: str) -> tuple[int, ...]:
    """Return the usual values of a symbol, in order."""
    checkpoints = {k.sizes[symbol] for k in known() if symbol in k.sizes}
    match symbol:
        case "L":
            found = LAYERS
        case "h" | "h_kv":
            found = HEADS
        case "V":
            found = VOCABULARIES | {2**k for k in range(6, 18)}
        case "B":
            found = {2**k for k in range(11)}
        case "d_in" | "d_out" | "d_ff" | "p" | "C":
            found = DOUBLED | _widths() | CLASSES | {784}
        case _ if symbol.startswith(("k_", "K", "s_", "stride")):
            found = KERNELS
        case _ if symbol.startswith(("H", "W")):
            found = SPATIAL | DOUBLED
        case "d":
            found = DOUBLED
        case _:
            found = DOUBLED | {5, 7, 10, 14}
    return tuple(sorted(found | checkpoints))


@cache
def _widths() -> set[int]:
    """Return the widths of all linear maps."""
    return {n for k in known() for pair in k.pairs for n in pair}


@cache
def published_sizes() -> set[tuple[str, int]]:
    """Return the symbols with the values that they have in some configuration."""
    return {size for k in known() for size in k.sizes.items()}


@cache
def is_usual(symbol: str, value: int) -> bool:
    """Whether a value is among the usual ones of a symbol."""
    return value in usual(symbol)
