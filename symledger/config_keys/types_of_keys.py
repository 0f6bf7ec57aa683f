"""What the reference implementation takes for a value of a key: its types, and null."""

from __future__ import annotations

import json
import re
from math import inf, nan
from typing import Any

from symledger.arguments.specs import Free, Number, Use
from symledger.config_keys.common import Rotary, Stored
from symledger.config_keys.family import Family, Unless, Values
from symledger.errors import BadInput, nearest, shown

WORDS = {
    "int": "a whole number", "float": "a number with a point", "bool": "true or false",
    "str": "a text", "list": "a list", "dict": "an object", "None": "null",
}  # fmt: skip
"""The types of JSON as people call them."""
ALSO = {"rope_scaling": "rope_parameters"}
"""Older names of keys, which the implementation reads as the newer."""
EVERYWHERE = {
    "rope_parameters": "dict", "quantization_config": "dict", "id2label": "dict",
    "label2id": "dict", "task_specific_params": "dict", "torch_dtype": "str", "dtype": "str",
    "use_cache": "bool", "output_attentions": "bool", "output_hidden_states": "bool",
    "return_dict": "bool", "torchscript": "bool", "is_decoder": "bool",
    "is_encoder_decoder": "bool", "transformers_version": "str", "_name_or_path": "str",
}  # fmt: skip
"""Types of keys that no class has to declare, as its base or every version reads them."""
TURNED = {
    "default", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional", "axial",
    "su", "mrope",
}  # fmt: skip
"""How the frequencies of rotary positions are said: ``ROPE_INIT_FUNCTIONS`` of transformers 5.23.0
(``modeling_rope_utils``), what classes name beside them, and the older names of hub files."""
CHANCE = re.compile(r"(dropout|droppath|drop_path|dropout_prob|dropout_rate|_pdrop|layerdrop)$")
AMOUNT = re.compile(
    r"(_eps|_epsilon|init_std|initializer_range|initializer_factor|rope_theta|num_labels)$"
)


def irrelevant(use: Use) -> bool:
    """Whether a key of this use can change no count, whatever its value."""
    return type(use) is Use or isinstance(use, Free | Number | Rotary | Stored)


def check(family: Family, given: Values, values: Values) -> None:
    """Refuse a configuration whose values the implementation does not take.

    Raises:
        BadInput: a value is of another type, or a row is meant that a table does not have.
    """
    _types(family, given)
    if family.facts["padded"] and "vocab_size" in family.facts["keys"]:
        _row(values)


def _row(values: Values) -> None:
    """Refuse a row of padding outside of the table, which is as long as the vocabulary."""
    row, rows = values.get("pad_token_id"), values["vocab_size"]
    if type(row) is int and type(rows) is int and not -rows <= row < rows:
        raise BadInput(
            f"pad_token_id = {row} lies outside of a table of vocab_size = {rows} rows: no such "
            "model can be built. Say vocab_size with the row of padding, or another pad_token_id."
        )


def _types(family: Family, given: Values) -> None:
    """Refuse values that the implementation fails on, and nonsense where a value changes nothing.

    Of keys that its class declares it takes their types alone. Another key is kept as it is, and
    null with it: what asks for the key then finds nothing where it expects a number.
    """
    for name, value in given.items():
        if ALSO.get(name, name) == "rope_parameters" and isinstance(value, dict):
            _turned(name, value)
        use = family.uses.get(name)
        said = family.facts["types"].get(ALSO.get(name, name))
        if name in family.parts:
            continue
        if use is None or irrelevant(use):
            _sensible(family, name, value, said or EVERYWHERE.get(ALSO.get(name, name), ""))
        elif said is not None:
            if _kind(value) not in said.split(" | "):
                raise _refused(family, name, value, said)
        elif value is None and isinstance(use, Unless) and family.is_typed:
            raise _refused(family, name, value, "int")


def _turned(name: str, value: dict[str, Any]) -> None:
    """Refuse frequencies that nobody knows, of all layers alike or of each kind of them."""
    for said in (value, *(inner for inner in value.values() if isinstance(inner, dict))):
        for key in ("rope_type", "type"):
            kind = said.get(key, "default")
            if kind is not None and not (isinstance(kind, str) and kind in TURNED):
                raise BadInput(
                    f"{shown(name)} with {key} = {_written(kind)} is not supported: no frequencies "
                    f"of rotary positions are known by that name. {nearest(str(kind), TURNED)}"
                )


def _sensible(family: Family, name: str, value: object, said: str) -> None:
    """Refuse what cannot be meant by a key that changes no count: a file that is damaged.

    Null says nothing, and how a number is written is no matter there.
    """
    if value is None:
        return
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else nan
    if CHANCE.search(name) and not 0 <= number <= 1:
        raise BadInput(f"{shown(name)} = {_written(value)} is no chance: a number from 0 to 1.")
    if AMOUNT.search(name) and not 0 <= number < inf:
        raise BadInput(f"{shown(name)} = {_written(value)} does not fit: a number from 0 on.")
    taken = {_kind(value)}
    if -inf < number < inf:
        taken |= {"int", "float"} if number == int(number) else {"float"}
    if said and not taken & {*said.split(" | ")}:
        raise _refused(family, name, value, said)


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _refused(family: Family, name: str, value: object, said: str) -> BadInput:
    taken = " or ".join(WORDS[kind] for kind in said.split(" | "))
    default = family.facts["keys"].get(name)
    otherwise = f" for its default, {_written(default)}" if default is not None else ""
    return BadInput(
        f"{shown(name)} = {_written(value)} does not fit: {family.facts['class']} of "
        f"{family.implementation} takes {taken} there. Write one, or leave the key out{otherwise}."
    )


def _written(value: object) -> str:
    return shown(json.dumps(value, ensure_ascii=False))
