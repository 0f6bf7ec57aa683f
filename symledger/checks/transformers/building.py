"""What an implementation builds of a configuration, on tensors without elements."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from symledger.checks.transformers.denoising import one_by_one
from symledger.checks.transformers.weights import Shape
from symledger.configs.configuration import Configuration
from symledger.errors import BadInput, shown

LAYER = re.compile(r"(?<=\.)\d+(?=\.|$)")
"""The index of a layer in a name."""
LOSING = ("maskformer",)
"""What asks for SciPy where it is built, and uses it where a loss is computed alone."""
TIES = ("t5", "mt5")
"""What is tied there whatever is said: T5 1.1, FLAN and mT5 have heads of their own in fact."""


def build(found: Configuration) -> Any:
    """Build what a configuration describes, with attention operation by operation.

    Raises:
        BadInput: the implementation fails at it, in whatever way.
    """
    import torch

    logging.getLogger(found.family.library).setLevel(logging.ERROR)
    try:
        with torch.device("meta"):
            return _diffuser(found) if found.family.library == "diffusers" else _transformer(found)
    except Exception as error:
        raise BadInput(
            f"{found.family.implementation} builds no {found.architecture} of this configuration: "
            f"{type(error).__name__}, {shown(str(error))}."
        ) from error


def _diffuser(found: Configuration) -> Any:
    import diffusers

    model = getattr(diffusers, found.architecture).from_config(dict(found.given))
    return one_by_one(model).train(False)


def _transformer(found: Configuration) -> Any:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    from symledger.tracing.modules.settings import decoded

    family = found.family
    given = {key: value for key, value in found.given.items() if key != "model_type"}
    config = CONFIG_MAPPING[family.like or family.model_type].from_dict(decoded(given))
    kind = class_of(found)
    with without_losses(found, import_module(kind.__module__)):
        model = kind._from_config(config, attn_implementation="eager")
    return untied(found, model.train(False))


@contextmanager
def without_losses(found: Configuration, module: Any) -> Iterator[None]:
    """Let a class be built without the packages that only its losses need."""
    if found.model_type not in LOSING:
        yield
        return
    asking = module.requires_backends
    module.requires_backends = lambda *needed: None
    try:
        yield
    finally:
        module.requires_backends = asking


def class_of(found: Configuration) -> Any:
    """Return the class that a configuration is of; that of a part of others is not public."""
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    if kind := getattr(transformers, found.architecture, None):
        return kind
    configured = CONFIG_MAPPING[found.family.like or found.family.model_type]
    module = configured.__module__.replace(".configuration_", ".modeling_")
    return getattr(import_module(module), found.architecture)


def untied(found: Configuration, model: Any) -> Any:
    """Return a model whose head has weights of its own where the file says so, and files have."""
    import torch

    if found.model_type in TIES and found.given.get("tie_word_embeddings") is False:
        head = model.get_output_embeddings()
        head.weight = torch.nn.Parameter(head.weight.detach().clone())
    return model


def shapes(model: Any) -> Mapping[str, Counter[Shape]]:
    """Return the shapes of a model's parameters by name, each tensor once, layers as ``*``.

    One that has several names, as a tied table has, goes by that inside the model without a head.
    """
    within = getattr(model, "base_model_prefix", "")
    names: dict[Any, str] = {}
    for name, p in model.named_parameters(remove_duplicate=False):
        if p.numel() == 0:  # of experts that there are none of
            continue
        if p not in names or (name.startswith(f"{within}.") > names[p].startswith(f"{within}.")):
            names[p] = name
    found: dict[str, Counter[Shape]] = {}
    for p, name in names.items():
        found.setdefault(LAYER.sub("*", name), Counter())[tuple(p.shape)] += 1
    return found
