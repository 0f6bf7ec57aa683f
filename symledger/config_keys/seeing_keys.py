"""What configurations of models that see say in the same words, of images and of their parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput

ONE_IMAGE = {"n_img": "1"}
"""How many images a sequence has, where nothing is said."""
TOWER: Mapping[str, Use] = {
    "hidden_size": SizeOf("d_img"),
    "intermediate_size": SizeOf("f_img"),
    "num_hidden_layers": SizeOf("L_img"),
    "num_attention_heads": SizeOf("h_img"),
    "num_channels": SizeOf("C_in"),
    "image_size": Ruled(),
    "patch_size": SizeOf("P"),
    "hidden_act": Acting("image_activation"),
    "projection_dim": FREE,
    "vocab_size": FREE,
}
"""The sizes of an encoder of images inside of another model."""
TIED: Mapping[str, Use] = {"tie_word_embeddings": Choice("tied", BOOLS)}
"""Whether the head is tied, which the whole says; what a part says of it is not used."""


def generating(entry: str, name: str) -> dict[str, Built]:
    """Return what the classes of a model that sees build."""
    return {
        f"{name}ForConditionalGeneration": Built(entry, {"head": "lm"}),
        f"{name}Model": Built(entry, {"head": "bare"}),
    }


def decoding(
    first: Family, *others: Family, implied: Mapping[str, Settings] | None = None,
    absent: Values | None = None,
) -> Family:  # fmt: skip
    """Return how the decoder inside is read: of the first family unless another one is named.

    ``implied`` are what the name of each sets besides its keys.
    """
    found = [
        replace(f, uses={**f.uses, "tie_word_embeddings": FREE, "max_position_embeddings": FREE},
                implied={**f.implied, **(implied or {}).get(f.model_type, {})})
        for f in (first, *others)
    ]  # fmt: skip
    return replace(found[0], others=tuple(found[1:]), absent=absent or first.absent)


def inner(values: Values, name: str, part: Family, key: str) -> Any:
    """Return what a part says of a key, or what is meant where it says nothing."""
    document = values.get(name)
    facts = part.part(document).facts
    given = document if isinstance(document, dict) else {}
    said = {facts["aliases"].get(name, name): value for name, value in given.items()}
    absent = part.absent if part.filled or document is None else {}
    return {**facts["keys"], **absent, **said}.get(key)


def width(values: Values, name: str, part: Family, key: str) -> int:
    """Return a size that a part says, to be compared with one of another part.

    Raises:
        BadInput: it is no size.
    """
    return size(f"{name}.{key}", inner(values, name, part, key))


def tied_by_either(text: Family) -> Rule:
    """Return the rule that ties the head where the whole says so, or the decoder's own part."""

    def tied(values: Values) -> Settings:
        inside = inner(values, "text_config", text, "tie_word_embeddings")
        return {"tied": BOOLS[bool(inside) or values["tie_word_embeddings"] is True]}

    return Rule((), tied)


def within(theirs: str, tensors: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of a decoder that is called otherwise inside."""
    return {
        name.replace("model.", theirs, 1) if name.startswith("model.") else name: ours
        for name, ours in tensors.items()
    }


def read_layer(values: Values, part: Family, key: str = "vision_feature_layer") -> Settings:
    """Return which block of the encoder is read: its number, or counted from the last, −1.

    Raises:
        BadInput: there is no such block, or several are read.
    """
    layers = size("num_hidden_layers", inner(values, "vision_config", part, "num_hidden_layers"))
    said = values.get(key)
    if isinstance(said, list):
        raise BadInput(
            f"{key} = {written(said)} is not supported: one block of the encoder is read here. "
            "Give one number."
        )
    if type(said) is not int or not -layers <= said <= layers or said == 0:
        raise BadInput(
            f"{key} = {written(said)} does not fit: vision_config has {layers} blocks, of which "
            f"the one that is read is counted from 1, or from the last, -1, to -{layers}."
        )
    unread = layers - said if said > 0 else -1 - said
    return {"L_u": str(unread), "inner": "true"} if unread else {"inner": "false"}


def lasting(values: Values, text: Family, tokens: int) -> Settings:
    """Return how long a sequence is where nothing is said: the longest, or so that an image fits.

    Raises:
        BadInput: the longest is no length.
    """
    longest = inner(values, "text_config", text, "max_position_embeddings")
    return {"T": str(max(size("max_position_embeddings", longest), tokens + 2))}


def grid(
    values: Values, text: Family, part: Family, symbols: str = "p", grouped: int = 1,
    group: str = "",
) -> Settings:
    """Return how many patches, or groups of them, an image has down and across.

    Raises:
        BadInput: groups of so many patches, as the key ``group`` says, do not fill the image.
    """
    image, patch = (inner(values, "vision_config", part, k) for k in ("image_size", "patch_size"))
    sides, squares = (x if isinstance(x, list) else [x, x] for x in (image, patch))
    if len(sides) != 2 or len(squares) != 2 or squares[0] != squares[1]:
        raise BadInput(
            f"image_size = {written(image)} with patch_size = {written(patch)} does not fit: an "
            "image is a whole number, or two, and its patches are squares."
        )
    side, found = size("patch_size", squares[0]), {}
    for axis, length in zip("HW", sides, strict=True):
        across = size("image_size", length) // side
        if not across or across % grouped:
            step = side * grouped
            near = dict.fromkeys((max(length // step, 1) * step, (length // step + 1) * step))
            raise BadInput(
                f"image_size = {length} with patch_size = {side} has {across} patches a side, "
                f"which {group or 'groups'} = {grouped} does not divide. Choose an image_size that "
                f"is divisible by {step}: {' or '.join(map(str, near))}."
            )
        found[f"{axis}_{symbols}"] = str(across // grouped)
    tokens = prod(map(int, found.values()))
    return {**found, **lasting(values, text, tokens)}
