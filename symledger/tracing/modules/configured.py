"""A class that is built of a configuration, as the classes of transformers are."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

import torch

from symledger.tracing.modules.settings import copied, decoded, default_of, valued
from symledger.tracing.modules.subject import Entering, Subject


def configured_subject(
    kind: type[torch.nn.Module], where: str, settings: Mapping[str, str],
    inputs: tuple[Entering, ...], training: bool, config: Mapping[str, Any] | None,
    fused: bool = True,
) -> Subject:  # fmt: skip
    """A class that is built of a configuration, as the classes of transformers are.

    What the configuration works out where nothing is said (as many key/value heads as heads) stays
    for it to work out. Attention is ``fused`` where the class knows how, or operation by operation,
    as it is where the configuration asks for that.
    """
    configured: Any = kind.config_class
    own = [f for f in dataclasses.fields(configured) if f.name not in COMMON]
    arguments: dict[str, Any] = {f.name: default_of(f) for f in own}
    config = {n: decoded(v) for n, v in by_own_names(kind, config or {}).items()}
    given = {n: v for n, v in config.items() if n in arguments}
    arguments |= given
    for name, text in settings.items():
        if name in arguments:
            arguments[name] = valued(text, arguments[name])
    rest = {n: v for n, v in config.items() if n not in arguments and n not in COMMON - SAID}

    def make(values: dict[str, Any]) -> torch.nn.Module:
        made = configured.from_dict({**rest, **{n: copied(v) for n, v in values.items()}})
        whole = fused and rest.get(ATTENTION) != "eager" and getattr(kind, "_supports_sdpa", True)
        made._attn_implementation = "sdpa" if whole else "eager"  # how it is set
        for part in (made, *vars(made).values()):
            if hasattr(part, "use_cache"):
                part.use_cache = False
        made._experts_implementation = "batched_mm"  # the one that runs without elements
        return without_warning(kind(made))

    more = {n: v for n, v in rest.items()
            if isinstance(v, int | float | str) and n not in COMMON and not n.startswith("_")}
    return Subject(kind.__name__, where, kind, arguments, make, inputs, training, quiet(kind), more)


def own_part(configured: Any, config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a configuration says of the class alone, as where it is the part for text."""
    part = config.get(getattr(configured, "base_config_key", ""))
    alike = (v for v in config.values() if isinstance(v, Mapping))
    kind = getattr(configured, "model_type", None)
    named = (v for v in alike if v.get("model_type") == kind != config.get("model_type"))
    return part if isinstance(part, Mapping) else next(named, config)


def by_own_names(kind: type[torch.nn.Module], config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration in which keys that mean the same are called as its class does."""
    configured: Any = getattr(kind, "config_class", None)
    own = {f.name for f in dataclasses.fields(configured)} if configured else set()
    pairs = getattr(configured, "attribute_map", {}).items()
    called = {b: a for a, b in (*pairs, *((b, a) for a, b in pairs)) if a in own and b not in own}
    return {called.get(n, n): v for n, v in own_part(configured, config).items()}


def without_warning(module: torch.nn.Module) -> torch.nn.Module:
    """Let a model not look into its input for padding, of which it would only warn."""
    for part in module.modules():
        if hasattr(part, WARNING):
            setattr(part, WARNING, lambda *args, **kwargs: None)
    return module


ATTENTION = "attn_implementation"
WARNING = "warn_if_padding_and_no_attention_mask"
COMMON = {
    "transformers_version", "architectures", "output_hidden_states", "return_dict", "dtype",
    "chunk_size_feed_forward", "id2label", "label2id", "problem_type", "torch_dtype",
    "use_cache", "model_type",
}  # fmt: skip
"""What every configuration has, and no size is."""
SAID = {"id2label", "label2id", "problem_type", "chunk_size_feed_forward"}
"""Of these, what decides what is built: as many classes as there are names of them."""


def quiet(kind: type[torch.nn.Module]) -> dict[str, Any]:
    """Return the arguments with which a model keeps no cache."""
    return {"use_cache": False} if "use_cache" in inspect.signature(kind.forward).parameters else {}
