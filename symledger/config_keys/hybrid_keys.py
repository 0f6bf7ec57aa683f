"""Which layers attend: what configurations of hybrids say of it, in several spellings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symledger.arguments.specs import Settings, among, written
from symledger.config_keys.decoder_keys import layers
from symledger.config_keys.family import Values
from symledger.errors import BadInput, shown

FULL = "full_attention"
RENAMED = {
    "attention": FULL, "mamba": "linear_attention", "hybrid": "hybrid",
    "sliding": "sliding_attention",
}  # fmt: skip
"""Kinds of layers as older files call them, and how they are called now."""


def attending(values: Values, other: str = "linear_attention", key: str = "layer_types",
              ) -> list[bool] | None:  # fmt: skip
    """Return which layers attend, as they are listed, in either spelling; none is listed: nothing.

    Raises:
        BadInput: they are not named, each with one of two kinds.
    """
    listed, number = values.get(key), layers(values)
    if listed is None:
        return None
    if not isinstance(listed, list) or len(listed) != number:
        raise BadInput(
            f"{key} = {shown(written(listed))} does not name the kinds of {number} layers."
        )
    named = [RENAMED.get(kind, kind) if isinstance(kind, str) else kind for kind in listed]
    return [among(key, kind, (FULL, other)) == FULL for kind in named]


def indexed(name: str, value: object, number: int) -> list[bool]:
    """Return which of so many layers stand in a list of numbers, from 0 on.

    Raises:
        BadInput: it is no list of layers that there are.
    """
    if not isinstance(value, list) or not all(type(i) is int and 0 <= i < number for i in value):
        raise BadInput(
            f"{name} = {shown(written(value))} does not fit: a list of layers is meant, each from "
            f"0 to {number - 1}."
        )
    return [i in value for i in range(number)]


def which(chosen: Sequence[bool]) -> str:
    """Say which of several layers were chosen: none, some or all."""
    return "some" if any(chosen) and not all(chosen) else "all" if any(chosen) else "none"


def alternating(attends: Sequence[bool]) -> Settings:
    """Return what is set where some layers attend."""
    found = {"attending": which(attends)}
    return {**found, "L_a": str(sum(attends))} if found["attending"] == "some" else found


def alternating_dense(attends: Sequence[bool], dense: Sequence[bool]) -> Settings:
    """Return what is set where some layers attend, and some have a network and no experts."""
    found = {**alternating(attends), "dense": which(dense)}
    if found["dense"] != "some":
        return found
    found["L_d"] = str(sum(dense))
    if found["attending"] != "some":
        return found
    inside = {kind: [a for a, d in zip(attends, dense, strict=True) if d is kind]
              for kind in (True, False)}  # fmt: skip
    said = {kind: which(chosen) for kind, chosen in inside.items()}
    found |= {"dense_attending": said[True], "sparse_attending": said[False]}
    both = said[True] == said[False] == "some"
    return {**found, "L_ad": str(sum(inside[True]))} if both else found


def everywhere(
    tensors: Mapping[str, tuple[str, ...]], kinds: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the weights of a block as those of all kinds of blocks that may have them."""
    return {
        name: tuple(
            f"{kind}{one.removeprefix('block')}" for one in ours
            for kind in (kinds if one.startswith("block.") else ("",))
        ) for name, ours in tensors.items()
    }  # fmt: skip


BLOCKS = ("block", "attention_block")
DENSE_BLOCKS = ("dense_block", "dense_attention_block")
