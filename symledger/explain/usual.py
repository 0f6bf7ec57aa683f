"""Usual sizes: published configurations, and what is common for each symbol.

These decide only where a number is looked for and what is shown first; every answer is an
exact equation between the number and a derived formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from symledger.catalogue import ENTRIES
from symledger.configurations.published import published


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

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Widths that its linear maps go from and to."""
        d, d_ff = self.sizes.get("d"), self.sizes.get("d_ff", 4 * self.sizes.get("d", 0))
        if d is None:
            return self.maps
        made = [(d, d), (d, d_ff), (d_ff, d), (d, 3 * d)]
        if "V" in self.sizes:
            made.append((d, self.sizes["V"]))
        return tuple(dict.fromkeys((*made, *self.maps)))


def _gpt(L: int, d: int, h: int, T_max: int) -> dict[str, int]:
    return {"V": 50257, "d": d, "L": L, "h": h, "T_max": T_max}


def _llama(V: int, L: int, d: int, h: int, d_ff: int, h_kv: int = 0) -> dict[str, int]:
    shared = {"h_kv": h_kv} if h_kv else {}
    return {"V": V, "d": d, "L": L, "h": h, "d_ff": d_ff, **shared}


VASWANI = "Vaswani et al., Attention Is All You Need (2017), table 3"
DEVLIN = "Devlin et al., BERT (2019), section 3, and the released vocabulary"
RADFORD = "Radford et al., Language Models are Unsupervised Multitask Learners (2019), table 2"
BROWN = "Brown et al., Language Models are Few-Shot Learners (2020), table 2.1"
RAFFEL = "Raffel et al., Exploring the Limits of Transfer Learning (2020), section 3.7"
DOSOVITSKIY = "Dosovitskiy et al., An Image is Worth 16x16 Words (2021), table 1"
TOUVRON = "Touvron et al., LLaMA (2023), table 2"
TOUVRON_2 = "Touvron et al., Llama 2 (2023), appendix A.2.1, and the released configuration"
GRATTAFIORI = "Grattafiori et al., The Llama 3 Herd of Models (2024), table 3, released vocabulary"
JIANG = "Jiang et al., Mistral 7B (2023), table 1"
YANG = "Yang et al., Qwen2 Technical Report (2024), table 1, and the released vocabulary"
SIMONYAN = "Simonyan, Zisserman, Very Deep Convolutional Networks (2015), table 1"
HE = "He et al., Deep Residual Learning (2016), table 1"

PUBLISHED: tuple[Known, ...] = (
    Known("Transformer base", VASWANI, {"d": 512, "L": 6, "h": 8, "d_ff": 2048}),
    Known("Transformer big", VASWANI, {"d": 1024, "L": 6, "h": 16, "d_ff": 4096}),
    Known("BERT base", DEVLIN,
          {"V": 30522, "d": 768, "L": 12, "h": 12, "d_ff": 3072, "T_max": 512}, "bert"),
    Known("BERT large", DEVLIN,
          {"V": 30522, "d": 1024, "L": 24, "h": 16, "d_ff": 4096, "T_max": 512}, "bert"),
    Known("GPT-2 medium", RADFORD, _gpt(24, 1024, 16, 1024), "gpt2"),
    Known("GPT-2 large", RADFORD, _gpt(36, 1280, 20, 1024), "gpt2"),
    Known("GPT-2 XL", RADFORD, _gpt(48, 1600, 25, 1024), "gpt2"),
    Known("GPT-3 125M", BROWN, _gpt(12, 768, 12, 2048), "gpt2"),
    Known("GPT-3 350M", BROWN, _gpt(24, 1024, 16, 2048), "gpt2"),
    Known("GPT-3 760M", BROWN, _gpt(24, 1536, 16, 2048), "gpt2"),
    Known("GPT-3 2.7B", BROWN, _gpt(32, 2560, 32, 2048), "gpt2"),
    Known("GPT-3 6.7B", BROWN, _gpt(32, 4096, 32, 2048), "gpt2"),
    Known("T5 small", RAFFEL, {"d": 512, "L": 6, "h": 8, "d_ff": 2048}),
    Known("T5 base", RAFFEL, {"d": 768, "L": 12, "h": 12, "d_ff": 3072}),
    Known("T5 large", RAFFEL, {"d": 1024, "L": 24, "h": 16, "d_ff": 4096}),
    Known("ViT-B", DOSOVITSKIY, {"d": 768, "L": 12, "h": 12, "d_ff": 3072}, maps=((768, 1000),)),
    Known("ViT-L", DOSOVITSKIY, {"d": 1024, "L": 24, "h": 16, "d_ff": 4096}, maps=((1024, 1000),)),
    Known("ViT-H", DOSOVITSKIY, {"d": 1280, "L": 32, "h": 16, "d_ff": 5120}, maps=((1280, 1000),)),
    Known("LLaMA 13B", TOUVRON, _llama(32000, 40, 5120, 40, 13824), "llama"),
    Known("LLaMA 33B", TOUVRON, _llama(32000, 60, 6656, 52, 17920), "llama"),
    Known("LLaMA 65B", TOUVRON, _llama(32000, 80, 8192, 64, 22016), "llama"),
    Known("Llama 2 70B", TOUVRON_2, _llama(32000, 80, 8192, 64, 28672, 8), "llama"),
    Known("Llama 3 8B", GRATTAFIORI, _llama(128256, 32, 4096, 32, 14336, 8), "llama"),
    Known("Llama 3 70B", GRATTAFIORI, _llama(128256, 80, 8192, 64, 28672, 8), "llama"),
    Known("Llama 3 405B", GRATTAFIORI, _llama(128256, 126, 16384, 128, 53248, 8), "llama"),
    Known("Mistral 7B", JIANG, _llama(32000, 32, 4096, 32, 14336, 8), "llama"),
    Known("Qwen2 0.5B", YANG, _llama(151936, 24, 896, 14, 4864, 2)),
    Known("Qwen2 7B", YANG, _llama(152064, 28, 3584, 28, 18944, 4)),
    Known("VGG-16", SIMONYAN, {}, maps=((25088, 4096), (4096, 4096), (4096, 1000))),
    Known("ResNet-50", HE, {}, maps=((2048, 1000),)),
    Known("ResNet-18", HE, {}, maps=((512, 1000),)),
)

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
    """The configurations of the catalogue, then those published elsewhere."""
    own = [
        Known(e.name, "the catalogue", e.configuration(), e.family)
        for e in ENTRIES if e.configured
    ]  # fmt: skip
    own += [Known(p.name, p.source, p.sizes, p.entry) for p in published().values() if p.entry]
    return (*own, *(k for k in PUBLISHED if not any(map(k.repeats, own))))


@cache
def usual(symbol: str) -> tuple[int, ...]:
    """Return the usual values of a symbol, in order."""
    published = {k.sizes[symbol] for k in known() if symbol in k.sizes}
    widths = {n for k in known() for pair in k.pairs for n in pair}
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
            found = DOUBLED | widths | CLASSES | {784}
        case _ if symbol.startswith(("k_", "K", "s_", "stride")):
            found = KERNELS
        case _ if symbol.startswith(("H", "W")):
            found = SPATIAL | DOUBLED
        case "d":
            found = DOUBLED
        case _:
            found = DOUBLED | {5, 7, 10, 14}
    return tuple(sorted(found | published))


@cache
def named(symbol: str, value: int) -> tuple[str, ...]:
    """Return the configurations in which a symbol has this value."""
    return tuple(k.name for k in known() if k.sizes.get(symbol) == value)


@cache
def is_usual(symbol: str, value: int) -> bool:
    """Whether a value is among the usual ones of a symbol."""
    return value in usual(symbol)
