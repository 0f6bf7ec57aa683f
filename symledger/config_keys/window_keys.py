"""Which layers look back at a window: what configurations say of it, in several words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symledger.arguments.specs import Settings, among, size, written
from symledger.config_keys.decoder_keys import layers
from symledger.config_keys.family import Rule, Ruled, Values
from symledger.errors import BadInput, shown

SLIDING, FULL = "sliding_attention", "full_attention"
Derived = Callable[[Values, int], Sequence[bool]]
"""Which of so many layers have a window, where they are not listed."""

ONE = {"sliding_window": Ruled()}
LISTED = {**ONE, "layer_types": Ruled()}
SWITCHED = {**LISTED, "max_window_layers": Ruled(), "use_sliding_window": Ruled()}


def windows(
    derived: Derived | None = None, switched: bool = False, asked: bool = False, halved: str = ""
) -> tuple[Rule, ...]:
    """Return the rule of a family: all layers have the window, or those that are listed.

    Where they are not, they are ``derived`` as the configuration class does; ``switched`` ones
    have a key that says whether there is a window at all. Where it is ``asked`` how long it is,
    even if no layer has it, the length may not be null. Where the key ``halved`` says so, half of
    the window lies on either side.
    """

    def read(values: Values) -> Settings:
        longest = values.get("sliding_window")
        used = not switched or among(
            "use_sliding_window", values.get("use_sliding_window"), (True, False)
        )
        if asked and used and longest is None:
            raise BadInput(
                "sliding_window = null does not fit: how long it is is asked for, even where no "
                "layer has a window. Give a whole number, or leave it out for the default."
            )
        longest = longest if used else None
        types = values.get("layer_types") if derived else None
        if types is None and longest is None and (switched or not derived):
            return {"windows": "none"}
        if halved and values.get(halved) and longest is not None:
            longest = size("sliding_window", longest) // 2 + 1
        number = layers(values)
        unsaid = derived(values, number) if derived else [True] * number
        chosen = unsaid if types is None else listed(types, number)
        return _windows(sum(chosen), number, longest)

    return (Rule(("num_hidden_layers",), read),)


def beside_dense(
    derived: Derived, dense: Callable[[Values], Sequence[bool]], switched: bool = False,
    asked: bool = False,
) -> tuple[Rule, ...]:  # fmt: skip
    """Return the rule of a family some of whose layers are ``dense``, and some have a window.

    Where both are, it is told how many layers are both.
    """
    (windowed,) = windows(derived, switched=switched, asked=asked)

    def read(values: Values) -> Settings:
        found, of = windowed.read(values), dense(values)
        number = sum(of)
        found["dense_layers"] = "true" if number else "false"
        if number:
            found["L_d"] = str(number)
        if number and found["windows"] == "some":
            types = values.get("layer_types")
            having = derived(values, len(of)) if types is None else listed(types, len(of))
            found |= _both(having, of)
        return found

    return (Rule(("num_hidden_layers",), read),)


def _both(windowed: Sequence[bool], dense: Sequence[bool]) -> Settings:
    """Say which of the dense layers have a window, and which of the others, where some have."""
    of = {kind: [w for w, d in zip(windowed, dense, strict=True) if d is kind]
          for kind in (True, False)}  # fmt: skip
    said = {kind: "some" if any(all_of) and not all(all_of) else "all" if any(all_of) else "none"
            for kind, all_of in of.items()}  # fmt: skip
    found = {"dense_windows": said[True], "sparse_windows": said[False]}
    return {**found, "L_wd": str(sum(of[True]))} if said[True] == "some" else found


def _windows(chosen: int, number: int, longest: object) -> Settings:
    """What is set where so many layers of all have a window."""
    if not chosen:
        return {"windows": "none"}
    if longest is None:
        raise BadInput(
            f"{chosen} of {number} layers look back at a window only, but how long it is is not "
            "said: give sliding_window, or layer_types without it."
        )
    found = {"w_max": str(size("sliding_window", longest))}
    if chosen == number:
        return {**found, "windows": "all"}
    return {**found, "windows": "some", "L_w": str(chosen)}


def listed(types: object, number: int) -> list[bool]:
    """Which layers have a window, as they are listed one by one."""
    if not isinstance(types, list) or len(types) != number:
        raise BadInput(
            f"layer_types = {shown(written(types))} does not name the kinds of {number} layers."
        )
    return [among("layer_types", kind, (SLIDING, FULL)) == SLIDING for kind in types]


def is_kind(kind: object) -> bool:
    """Whether it is a name of a kind of layers."""
    return kind in (SLIDING, FULL)


def by_kind(values: Values) -> Mapping[str, Any]:
    """Return how positions turn heads in layers of each kind; nothing, where it is not said.

    Raises:
        BadInput: it is said of all layers at once, or of none.
    """
    said = values.get("rope_parameters")
    if said is None:
        return {}
    if not isinstance(said, dict) or not {FULL, SLIDING} & set(said):
        raise BadInput(
            f"rope_parameters = {shown(written(said))} does not say by kind of layer, {FULL} and "
            f"{SLIDING}, how positions turn heads: the class reads it so. Leave it out."
        )
    for kind in (FULL, SLIDING):
        if not isinstance(said.get(kind), dict | None):
            raise BadInput(
                f"rope_parameters = {shown(written(said))} does not fit: of {kind} an object is "
                "meant, or null."
            )
    return said


def all_of_them(values: Values, number: int) -> list[bool]:
    """All layers, as in Ministral."""
    return [True] * number


def from_layer_on(values: Values, number: int) -> list[bool]:
    """All layers from max_window_layers on, as in Qwen2 and Qwen3."""
    first = size("max_window_layers", values["max_window_layers"], 0)
    return [i >= first for i in range(number)]


def every_second_below(values: Values, number: int) -> list[bool]:
    """Every second layer below max_window_layers, as in Qwen2-MoE."""
    end = size("max_window_layers", values["max_window_layers"], 0)
    return [i % 2 == 0 and i < end for i in range(number)]


def all_but_each(period: int, key: str = "", unless_listed: bool = False) -> Derived:
    """All layers but the last of every so many, as in Gemma 2 and 3; a key may say how many.

    Where it is not read ``unless_listed``, it may be anything beside a list of layers.
    """

    def derived(values: Values, number: int) -> list[bool]:
        if unless_listed and values.get("layer_types") is not None:
            return [True] * number
        every = size(key, values.get(key, period)) if key else period
        return [(i + 1) % every != 0 for i in range(number)]

    return derived


def all_but_first_of(period: int) -> Derived:
    """All layers but the first of every so many, as in CWM."""

    def derived(values: Values, number: int) -> list[bool]:
        return [i % period != 0 for i in range(number)]

    return derived


def _turned(values: Values) -> Settings:
    """Refuse layers that are told no positions (a base of 0): which have a window is not said."""
    bases = values.get("layer_rope_theta")
    if bases is None:
        return {}
    whole = isinstance(bases, list) and len(bases) == layers(values)
    if not whole or not all(type(base) in (int, float) and base >= 0 for base in bases):
        raise BadInput(
            f"layer_rope_theta = {shown(written(bases))} is no number for each of "
            f"{layers(values)} layers."
        )
    if 0 in bases:
        raise BadInput(
            f"layer_rope_theta = 0 in {bases.count(0)} layers, which are told no positions, is not "
            "derived: which of them have a window as well. Leave it out."
        )
    return {}


TURNED = Rule(("num_hidden_layers",), _turned)
"""The rule of classes that may turn heads in each layer by frequencies of its own."""
