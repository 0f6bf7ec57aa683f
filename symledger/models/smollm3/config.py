"""SmolLM3: LLaMA's keys, and the layers that are told no positions."""

from __future__ import annotations

from symledger.arguments.specs import Settings, size, written
from symledger.config_keys import window_keys as windows
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import BIASES, DENSE, FLOORED, LLAMA_KEYS, heads, kinds
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.errors import BadInput


def unturned(values: Values) -> Settings:
    """How many layers are told no positions: those listed with 0, or every so many.

    Raises:
        BadInput: the list is none, or names another number of layers.
    """
    number = size("num_hidden_layers", values["num_hidden_layers"])
    listed = values.get("no_rope_layers")
    if listed is None:
        without = number // size("no_rope_layer_interval", values["no_rope_layer_interval"])
    elif (
        isinstance(listed, list) and len(listed) == number
        and all(type(x) is int and x in (0, 1) for x in listed)
    ):  # fmt: skip
        without = listed.count(0)
    else:
        raise BadInput(f"no_rope_layers = {written(listed)} is no list of 0 and 1 for each layer.")
    if without in (0, number):
        return {"without_positions": "all" if without else "none"}
    return {"without_positions": "some", "L_n": str(without)}


def no_windows(values: Values) -> Settings:
    """Refuse windows, which would have to be told apart from positions layer by layer.

    Raises:
        BadInput: some layer has one.
    """
    types, number = values.get("layer_types"), values["num_hidden_layers"]
    if values["use_sliding_window"] and values["sliding_window"] is not None:
        raise BadInput("use_sliding_window = True is not supported in a smollm3.")
    if types is not None and types != [windows.FULL] * number:
        raise BadInput(
            f"layer_types = {written(types)} is not supported, only {windows.FULL} for each of "
            f"num_hidden_layers = {number} is."
        )
    return {}


SMOLLM3 = Family(
    "smollm3",
    heads("smollm3", "SmolLM3"),
    {
        **LLAMA_KEYS,
        **BIASES,
        **windows.SWITCHED,
        "max_window_layers": FREE,
        "no_rope_layers": Ruled(),
        "no_rope_layer_interval": Ruled(),
    },
    (FLOORED, Rule(("num_hidden_layers",), unturned), Rule((), no_windows)),
    kinds(DENSE, "unturned_block"),
)
