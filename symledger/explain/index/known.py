"""Configurations: sizes that were published together.

These decide only where a number is looked for and what is shown first; every answer is an
exact equation between the number and a derived formula.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

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
