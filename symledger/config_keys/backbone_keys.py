"""Which stages a class gives that serves as a part of other models: it counts nothing here.

A configuration that names stages which are not there describes no model all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from symledger.arguments.specs import Settings, written
from symledger.config_keys.family import Rule, Values
from symledger.errors import BadInput

NAMED, NUMBERED = "out_features", "out_indices"
STAGE = re.compile(r"stage([1-9][0-9]{0,17})")


def given_stages(number: Callable[[Values], int], stem: bool = True) -> Rule:
    """Return the rule that stages which are named or numbered are there, in order, each once.

    ``number`` says how many stages there are, behind the stem, which is the first if there is one.
    """

    def read(values: Values) -> Settings:
        stages(values, number(values), stem)
        return {}

    return Rule((NAMED, NUMBERED), read)


def stages(values: Values, last: int, stem: bool = True) -> list[int]:
    """Return the numbers of the stages that are given: the last one where none are named.

    Raises:
        BadInput: one is not there, they are out of order, or two keys disagree.
    """
    first = 0 if stem else 1
    found = [
        _ordered(name, values[name], of, first, last)
        for name, of in ((NAMED, _named), (NUMBERED, _numbered)) if values.get(name) is not None
    ]  # fmt: skip
    if len(found) == 2 and found[0] != found[1]:
        raise BadInput(
            f"{NAMED} = {written(values[NAMED])} and {NUMBERED} = {written(values[NUMBERED])} "
            "are not the same stages. Leave one of them out."
        )
    return found[0] if found else [last]


def _ordered(
    name: str, said: object, of: Callable[[object, int, int], int], first: int, last: int
) -> list[int]:  # fmt: skip
    """Return the numbers of stages that are listed, as their names have them; the stem is 0."""
    if not isinstance(said, list):
        raise BadInput(f"{name} = {written(said)} does not fit: a list of stages is meant.")
    found = [of(stage, first, last) for stage in said]
    if found != sorted(set(found)):
        raise BadInput(
            f"{name} = {written(said)} does not fit: stages stand in the order in which an image "
            "passes them, each once."
        )
    return found


def _named(stage: object, first: int, last: int) -> int:
    if stage == "stem" and first == 0:
        return 0
    known = STAGE.fullmatch(stage) if isinstance(stage, str) else None
    if known is None or int(known[1]) > last:
        raise BadInput(
            f"{NAMED} names {written(stage)}, which is no stage of this model: "
            f"{'stem is, and ' if first == 0 else ''}stage1 to stage{last} are."
        )
    return int(known[1])


def _numbered(stage: object, first: int, last: int) -> int:
    """Return the number of a stage; below zero it is counted from the end."""
    count = last - first + 1
    if not isinstance(stage, int) or isinstance(stage, bool) or not -count <= stage < count:
        raise BadInput(
            f"{NUMBERED} holds {written(stage)}, which is no stage of this model: "
            f"0 ({'the stem' if first == 0 else 'stage1'}) to {count - 1} are, or -1 (the last) to "
            f"{-count}."
        )
    return first + stage % count
