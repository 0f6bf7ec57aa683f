"""Recipes: the ways in which models are usually run, each a name for choices that go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from symledger.errors import BadInput, nearest, shown
from symledger.languages.message import Message, Verbatim, Word, message, word

PYTORCH = "torch.get_default_dtype, PyTorch 2.13"
HALF = "Micikevicius et al., Mixed Precision Training (2018)"
BRAIN = "Kalamkar et al., A Study of BFLOAT16 for Deep Learning Training (2019)"
FLASH = "Dao et al., FlashAttention (2022)"
MIXED = "Rajbhandari et al., ZeRO (2020), section 3.1"
AGAIN = "Chen et al., Training Deep Nets with Sublinear Memory Cost (2016)"
MEGATRON = "Megatron Core User Guide, Distributed Optimizer: float16 param, fp32 grads"
DEEPSEEK = "DeepSeek-AI, DeepSeek-V3 Technical Report (2024), section 3.3.3"
DEEPSEEK_FP8 = "DeepSeek-AI, DeepSeek-V3 Technical Report (2024), sections 3.3.1 and 3.3.3"
AUTOCAST = "torch.autocast, PyTorch 2.13"
INFERENCE = "Pope et al., Efficiently Scaling Transformer Inference (2022)"


@dataclass(frozen=True)
class Recipe:
    """Conventions, and choices of a target, under one name.

    ``conventions`` are fields of ``Conventions``; ``choices`` are settings as ``--set`` says them,
    and a target that lacks one of these has no such recipe. ``source`` says who runs models so.
    """

    meaning: str
    source: str
    conventions: Mapping[str, Any]
    choices: Mapping[str, str] = field(default_factory=dict)

    @property
    def sets(self) -> dict[str, str]:
        """What it sets, by name, as it is said."""
        both = {**self.conventions, **self.choices}
        return {name: spelled(value) for name, value in both.items()}


NONE = Recipe("what was asked for by itself", "", {})
_FUSED = {"flash": "true"}
_RERUN = {"recompute": "true"}
_MIXED = {"dtype": "bf16", "optimizer": "adam-mixed"}
_AUTOCAST = {"dtype": "fp32", "products": "bf16"}
_UNTRAINED = {"dtype": "bf16", "input_gradient": False, "frozen": ("*",)}

RECIPES: Mapping[str, Recipe] = {
    "fp32": Recipe("values in fp32", PYTORCH, {"dtype": "fp32"}),
    "fp32-flash": Recipe("values in fp32, fused attention", FLASH, {"dtype": "fp32"}, _FUSED),
    "fp16": Recipe("values in fp16", HALF, {"dtype": "fp16"}),
    "fp16-flash": Recipe("values in fp16, fused attention", FLASH, {"dtype": "fp16"}, _FUSED),
    "bf16": Recipe("values in bf16", BRAIN, {"dtype": "bf16"}),
    "bf16-flash": Recipe("values in bf16, fused attention", FLASH, {"dtype": "bf16"}, _FUSED),
    "mixed": Recipe("trained in bf16, with fp32 master weights and moments", MIXED, _MIXED),
    "mixed-flash": Recipe("mixed, with fused attention", f"{MIXED}; {FLASH}", _MIXED, _FUSED),
    "mixed-recompute": Recipe(
        "mixed, with blocks run again going back", f"{MIXED}; {AGAIN}", _MIXED, _RERUN
    ),
    "mixed-flash-recompute": Recipe(
        "mixed-flash, with blocks run again going back", f"{MIXED}; {FLASH}; {AGAIN}", _MIXED,
        {**_FUSED, **_RERUN},
    ),
    "autocast": Recipe(
        "weights in fp32, products in bf16, values as torch.autocast makes them", AUTOCAST,
        _AUTOCAST,
    ),
    "autocast-flash": Recipe(
        "autocast, with fused attention", f"{AUTOCAST}; {FLASH}", _AUTOCAST, _FUSED
    ),
    "autocast-recompute": Recipe(
        "autocast, with blocks run again going back", f"{AUTOCAST}; {AGAIN}", _AUTOCAST, _RERUN
    ),
    "autocast-flash-recompute": Recipe(
        "autocast-flash, with blocks run again going back", f"{AUTOCAST}; {FLASH}; {AGAIN}",
        _AUTOCAST, {**_FUSED, **_RERUN},
    ),
    "megatron": Recipe(
        "mixed, with gradients in fp32", MEGATRON, {**_MIXED, "gradients": "fp32"}
    ),
    "megatron-flash": Recipe(
        "megatron, with fused attention", f"{MEGATRON}; {FLASH}", {**_MIXED, "gradients": "fp32"},
        _FUSED,
    ),
    "deepseek-v3": Recipe(
        "values and moments in bf16, master weights and gradients in fp32", DEEPSEEK,
        {"dtype": "bf16", "optimizer": "adam-master", "gradients": "fp32"},
    ),
    "deepseek-v3-fp8": Recipe(
        "deepseek-v3, what is multiplied by weights and kept for their gradients in fp8",
        DEEPSEEK_FP8,
        {"dtype": "bf16", "optimizer": "adam-master", "gradients": "fp32", "products": "fp8"},
    ),
    "inference-bf16": Recipe("values in bf16, nothing trained", INFERENCE, _UNTRAINED),
    "inference-bf16-flash": Recipe(
        "values in bf16, fused attention, nothing trained", f"{INFERENCE}; {FLASH}", _UNTRAINED,
        _FUSED,
    ),
}  # fmt: skip
"""What is not named here, an optimizer say, stays as it was asked for."""


def recipe(name: str | None) -> Recipe:
    """Return the recipe of a name; of no name, the one that sets nothing.

    Raises:
        BadInput: there is no such recipe.
    """
    if name is None:
        return NONE
    if name not in RECIPES:
        raise BadInput(f"{shown(name)} is not a recipe. {nearest(name, RECIPES)}")
    return RECIPES[name]


def named(conventions: Mapping[str, Any], choices: Mapping[str, str]) -> str:
    """Return the name of the recipe that sets just this; none where there is no such recipe."""
    wanted = Recipe("", "", conventions, choices).sets
    return next((name for name, found in RECIPES.items() if found.sets == wanted), "")


def check_choices(name: str | None, target: str, known: Mapping[str, Any]) -> None:
    """Refuse a recipe that makes a choice which a target does not have.

    Raises:
        BadInput: it does; the message names the recipe that leaves it out.
    """
    asked = recipe(name)
    absent = [choice for choice in asked.choices if choice not in known]
    if absent:
        kept = {choice: value for choice, value in asked.choices.items() if choice in known}
        raise BadInput(
            f"{target} has no {' and no '.join(absent)}, which the recipe {name} sets. Without it, "
            f"that is the recipe {named(asked.conventions, kept)}."
        )


def gave_way(name: str | None, now: Mapping[str, Any]) -> Iterator[Message]:
    """Yield what a recipe sets and what holds in its place, where something else was asked for."""
    for what, value in recipe(name).sets.items():
        if spelled(now[what]) != value:
            to = f"{what} = {spelled(now[what])}"
            yield message("recipe.gave_way", setting=f"{what} = {value}", to=to)


def meaning_of(name: str) -> Word:
    """Return what a recipe means, in words."""
    return word(f"recipe.means.{name}", recipe(name).meaning)


def in_words(name: str) -> Message:
    """Say a recipe: what it means, what it sets, and whose it is."""
    found = recipe(name)
    sets = ", ".join(f"{what} = {value}" for what, value in found.sets.items())
    return message("recipe.said", recipe=name, meaning=meaning_of(name), sets=sets,
                   source=Verbatim(found.source))  # fmt: skip


def spelled(value: object) -> str:
    """Write a value as an option says it."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "nothing"
    return str(value).lower() if isinstance(value, bool) else str(value)
