"""What configurations of pyramids say in the same words: lists of four stages."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import Only, Settings, SizeOf, Use, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.family import Rule, Ruled, Values
from symledger.config_keys.image_keys import STAGES, Stages, staged
from symledger.errors import BadInput

Tensors = dict[str, tuple[str, ...]]
REDUCED = ("none", "one", "two", "three", "all")
WINDOWS = "sizes of images of each stage would be others"


def windows(sides: tuple[int, ...], strides: tuple[int, ...]) -> dict[str, Use]:
    """Return the uses of windows that make images smaller: these only."""
    found = {"patch_sizes": sides, "strides": strides}
    return {name: Only((list(each),), WINDOWS) for name, each in found.items()}


OVERLAPPING = windows((7, 3, 3, 3), (4, 2, 2, 2))
"""Windows that overlap, of the first stage and of all others."""
LISTS: dict[str, Use] = {
    "num_channels": SizeOf("C_in"),
    "num_encoder_blocks": Only((STAGES,)),
    "hidden_sizes": Stages("C"),
    "depths": Stages("L"),
    "num_attention_heads": Ruled(),
    "mlp_ratios": Ruled(),
    "hidden_act": Acting(),
}


def pyramid(ratios: str, whole: bool = False) -> Rule:
    """Return the rule of heads, of hidden widths, and of how much fewer keys are, by that name.

    Where the last stage has a vector of no place, its keys have to be ``whole``.
    """

    def read(values: Values) -> Settings:
        widths = staged("hidden_sizes", values["hidden_sizes"])
        found = {**_heads(values, widths), **_hidden(values, widths)}
        return {**found, **_keys(ratios, values[ratios], whole)}

    return Rule(("hidden_sizes", ratios), read)


def _heads(values: Values, widths: list[int]) -> Settings:
    heads = staged("num_attention_heads", values["num_attention_heads"])
    for i, (number, width) in enumerate(zip(heads, widths, strict=True)):
        if width % number:
            raise BadInput(
                f"num_attention_heads[{i}] = {number} does not fit: stage {i + 1} is {width} wide, "
                "and so many heads do not divide it."
            )
    return {f"h_{i}": str(number) for i, number in enumerate(heads, start=1)}


def _hidden(values: Values, widths: list[int]) -> Settings:
    """Return how wide networks are inside."""
    ratios = staged("mlp_ratios", values["mlp_ratios"])
    hidden = (width * ratio for width, ratio in zip(widths, ratios, strict=True))
    return {f"f_{i}": str(n) for i, n in enumerate(hidden, start=1)}


def _keys(name: str, value: object, whole: bool) -> Settings:
    """Say which stages have fewer keys than places: the first ones, and how much fewer."""
    ratios = staged(name, value)
    number = next((i for i, ratio in enumerate(ratios) if ratio == 1), STAGES)
    if any(ratio != 1 for ratio in ratios[number:]):
        raise BadInput(
            f"{name} = {written(value)} is not supported: stages behind one that has a key for "
            "each place have them too."
        )
    if whole and number == STAGES:
        raise BadInput(
            f"{name} = {written(value)} does not fit: the last stage has a vector that belongs to "
            "no place, and the class fails."
        )
    found = {f"r_{i}": str(ratio) for i, ratio in enumerate(ratios, start=1) if ratio != 1}
    return {**found, "reduced": REDUCED[number]}


def four(name: str) -> tuple[str, ...]:
    """Return the weights of that name, one of each stage."""
    return tuple(name.format(i) for i in range(1, STAGES + 1))


def every(prefix: str, tensors: Mapping[str, tuple[str, ...]]) -> Tensors:
    """Return the same tensors of blocks, in all stages."""
    return {
        f"{prefix}{name}": tuple(x for part in parts for x in four(f"block_{{}}.{part}"))
        for name, parts in tensors.items()
    }
