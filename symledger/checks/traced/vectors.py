"""The vectors of options at which a family is compared with its reference, traced.

A trace is of one class with one choice for every option; sizes are free in it. So there is a trace
for the defaults, for each choice of a key made otherwise, and for what published configurations
choose. Two that choose the same for the definition are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symledger.arguments.specs import SizeOf
from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import BY_NAME
from symledger.catalogue.options import choices_of
from symledger.config_keys.family import Family
from symledger.configs.configuration import Configuration
from symledger.configs.document import Document
from symledger.configs.families import every_family
from symledger.configs.read import read
from symledger.errors import SymledgerError

DEEP = 12
"""How many layers are asked for: a multiple of every usual pattern of layers."""
LAYERS = ("L", "L_enc", "L_dec")
NEEDED: Mapping[str, int] = {"head_dim": 64, "vocab_size": 32}
"""What a class has to be told that has no default for it."""
FITTING: Mapping[str, Document] = {
    "qwen3_vl_moe": {"vision_config": {"out_hidden_size": 2048}}, "esm": {"pad_token_id": 1},
    "qwen3_5": {"vision_config": {"out_hidden_size": 4096}},
    "qwen3_5_moe": {"vision_config": {"out_hidden_size": 2048}},
    "qwen4_exp": {
        "text_config": {
            "indexer_n_heads": 16, "indexer_kv_heads": 1, "indexer_head_dim": 256,
            "indexer_budget": 2048, "indexer_compress_ratio": 16,
        },
        "vision_config": {"out_hidden_size": 2048},
    },
    "glm_ocr": {"vision_config": {"out_hidden_size": 1024}},
    "llama4_vision_model": {"hidden_size": 1408},
    "qwen3_asr": {"audio_config": {"output_dim": 2048}},
    "qwen3_omni_moe_thinker": {
        "audio_config": {"output_dim": 2048}, "vision_config": {"out_hidden_size": 2048},
    },
    "exaone4_5": {"vision_config": {"out_hidden_size": 4096}},
    "cohere_compass": {
        "text_config": {"rope_parameters": {"full_attention": {"rope_theta": 10000.0}}},
        "vision_config": {"out_hidden_size": 8192},
    },
    "ovis2": {"hidden_size": 4096}, "hunyuan_vl": {"text_config": {"head_dim": 128}},
    "llama4": {"vision_config": {"hidden_size": 1408, "vision_output_dim": 4096}},
    "qwen4_exp_text": {
        "indexer_n_heads": 16, "indexer_kv_heads": 1, "indexer_head_dim": 256,
        "indexer_budget": 2048, "indexer_compress_ratio": 16,
    },
    "granite_speech": {"projector_config": {"encoder_hidden_size": 1024}},
}  # fmt: skip
"""What families say whose defaults do not fit together, where no published configuration does."""


@dataclass(frozen=True, eq=False)
class Vector:
    """A class with one choice for every option: a configuration whose sizes are free.

    ``said`` are the keys that are not as they are by default.
    """

    family: Family
    document: Document
    said: str = ""

    @cached_property
    def configuration(self) -> Configuration:
        """What the configuration says here."""
        return read(self.document)

    @property
    def name(self) -> str:
        """The class, and what was said to it."""
        return self.configuration.architecture + (f", {self.said}" if self.said else "")

    @property
    def entry(self) -> str:
        """The entry of the catalogue that it builds."""
        return self.configuration.built.entry

    @property
    def options(self) -> dict[str, str]:
        """What is chosen for the options of the entry."""
        kind: Any = type(BY_NAME[self.entry].made())
        known = choices_of(kind)
        return {n: v for n, v in sorted(self.configuration.settings.items()) if n in known}


def owners() -> tuple[str, ...]:
    """Return the owners of formulas that a family of transformers builds."""
    found = (
        BY_NAME[built.entry].family
        for family in every_family() if family.library == "transformers"
        for built in family.builds.values()
    )  # fmt: skip
    return tuple(dict.fromkeys(found))


def vectors(owner: str) -> list[Vector]:
    """Return the vectors of an owner of formulas, in the order of its families."""
    found: dict[tuple[object, ...], Vector] = {}
    for family in every_family():
        if family.like or family.library != "transformers":
            continue
        for architecture in _classes(family, owner):
            for vector in _of(family, architecture):
                try:
                    choices = vector.entry, *vector.options.items()
                except SymledgerError:  # a choice that the family refuses
                    continue
                if BY_NAME[vector.entry].family == owner:
                    found.setdefault((architecture, *choices), vector)
    return list(found.values())


def _classes(family: Family, owner: str) -> list[str]:
    """Return the first class of a family that builds each entry of an owner."""
    found: dict[str, str] = {}
    for architecture, built in family.builds.items():
        if BY_NAME[built.entry].family == owner:
            found.setdefault(built.entry, architecture)
    return list(found.values())


def _of(family: Family, architecture: str) -> Iterator[Vector]:
    """Yield the vectors of a class, those of published configurations among them."""
    document: Document = {family.key: family.model_type, "architectures": [architecture]}
    telling = _telling(family)
    for place, value in telling.items():
        part, _, name = place.rpartition(".")
        document = {**document, **({part: {name: value}} if part else {name: value})}
    plain = shallow(family, document)
    yield Vector(family, plain, ", ".join(f"{place} = {value}" for place, value in telling.items()))
    for name, value in family.facts["keys"].items():
        if isinstance(value, bool):
            yield Vector(family, {**plain, name: not value}, f"{name} = {str(not value).lower()}")
    for name, known in checkpoints().items():
        if known.config and known.config.get(family.key) == family.model_type:
            yield Vector(family, known.config, f"as {name}")


def _telling(family: Family) -> dict[str, object]:
    """Return the key that tells a family which a class builds for that alone, with its value."""
    return {
        place: value for other in every_family()
        for (place, value), kind in other.kinds.items() if kind is family
    }  # fmt: skip


def shallow(family: Family, document: Document) -> Document:
    """Return a configuration with few layers, and with what its class cannot do without.

    Where a list says of each layer what it is, there are as many as by default.
    """
    keys = family.facts["keys"]
    named = {n for n, use in family.uses.items() if set(use.called(n)) & set(LAYERS)}
    few = {n: DEEP for n in named if type(keys.get(n)) is int}
    needed: dict[str, Any] = {
        n: value for n, value in NEEDED.items()
        if keys.get(n, value) is None and isinstance(family.uses.get(n), SizeOf)
    }
    needed |= FITTING.get(family.model_type, {})
    found = {**document, **needed, **few}
    try:
        read(found)
    except SymledgerError:
        return {**document, **needed}
    return found
