"""SmolLM3: LLaMA's keys, and the layers that are told no positions, and windows."""

from __future__ import annotations

from symledger.arguments.specs import Settings, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import BIASES, DENSE, FLOORED, LLAMA_KEYS, heads, kinds
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import SWITCHED, listed
from symledger.errors import BadInput


def unturned(values: Values) -> Settings:
    """How many layers are told no positions, and which look back at a window.

    The window is that of all layers, or of those without positions, as it is where the kinds of
    layers are not listed.

    Raises:
        BadInput: a list is none of every layer, or other layers have the window.
    """
    turned = _turned(values)
    number, without = len(turned), turned.count(0)
    alone = {"without_positions": "all" if without else "none"}
    some = {"without_positions": "some", "L_n": str(without)}
    return {**(alone if without in (0, number) else some), **_windows(values, turned)}


def _turned(values: Values) -> list[int]:
    """Return 0 for each layer that is told no positions, 1 for the others."""
    number = size("num_hidden_layers", values["num_hidden_layers"])
    said = values.get("no_rope_layers")
    if said is None:
        each = size("no_rope_layer_interval", values["no_rope_layer_interval"])
        return [int((i + 1) % each != 0) for i in range(number)]
    if (
        isinstance(said, list) and len(said) == number
        and all(type(x) is int and x in (0, 1) for x in said)
    ):  # fmt: skip
        return said
    raise BadInput(f"no_rope_layers = {written(said)} is no list of 0 and 1 for each layer.")


def _windows(values: Values, turned: list[int]) -> Settings:
    """Which layers look back at a window, and how far."""
    types, longest = values.get("layer_types"), values["sliding_window"]
    asked = bool(values["use_sliding_window"]) and longest is not None
    chosen = [asked and not x for x in turned] if types is None else listed(types, len(turned))
    if not any(chosen):
        return {"windows": "none"}
    if not asked:
        raise BadInput(
            "layer_types lists sliding_attention, for which sliding_window says how long it is and "
            "use_sliding_window = true that there is one."
        )
    found = {"w_max": str(size("sliding_window", longest))}
    if all(chosen):
        return {**found, "windows": "all"}
    if chosen == [not x for x in turned]:
        return {**found, "windows": "some"}
    raise BadInput(
        "layer_types is not supported in which other layers have a window than all, or those that "
        "no_rope_layers tells no positions: four kinds of layers are not told apart."
    )


SMOLLM3 = Family(
    "smollm3",
    heads("smollm3", "SmolLM3"),
    {
        **LLAMA_KEYS,
        **BIASES,
        **SWITCHED,
        "max_window_layers": FREE,
        "no_rope_layers": Ruled(),
        "no_rope_layer_interval": Ruled(),
    },
    (FLOORED, Rule(("num_hidden_layers",), unturned)),
    kinds(DENSE, "unturned_block"),
)
