"""Model types of the reference implementation that are not read, and what each would need.

Which types there are, with the class that is meant by each and the task it is for, is recorded from
the implementation; what they lack is written beside this file.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symledger import records

TYPES = records.FOLDER / "reference_types.json"
LACKS = Path(__file__).with_name("unread.toml")
TRIED = Path(__file__).with_name("tried.toml")
OUTCOMES = {
    "": "With PyTorch, {command} may read the implementation itself: that has not been tried.",
    "exact": "With PyTorch, {command} reads the implementation itself: at a small configuration "
    "everything agreed with it.",
    "partly": "With PyTorch, {command} reads the implementation itself: at a small configuration "
    "parameters and FLOPs agreed with it, and of what is kept nothing is shown.",
    "refused": "{command}, tried at a small configuration, refuses the implementation too.",
}
"""What is said of tracing a type, by what came of trying it."""
OWN = "an assembly of its own"


@dataclass(frozen=True)
class ModelType:
    """A model type of the implementation: the class that is meant, and the task it is made for.

    Parts of other models, such as towers, have a class and no task; some have none of either.
    """

    name: str
    architecture: str
    task: str

    @property
    def by_trace(self) -> bool:
        """Whether it was tried, and went: its formulas come from tracing the implementation."""
        return tried().get(self.name) in ("exact", "partly")

    @property
    def lacks(self) -> str:
        """What it needs that is not derived here."""
        own, tasks = _lacks()
        return own.get(self.name) or tasks.get(self.task, OWN)


@cache
def version() -> str:
    """Return the version of the implementation that the types are of."""
    return str(json.loads(TYPES.read_text(encoding="utf-8"))["version"])


@cache
def model_types() -> Mapping[str, ModelType]:
    """Return every model type of the implementation by name, in the order of names."""
    found = json.loads(TYPES.read_text(encoding="utf-8"))["types"]
    return {name: ModelType(name, *said) for name, said in found.items()}


@cache
def _lacks() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return what types need by name, and by the task that others are for."""
    said = tomllib.loads(LACKS.read_text(encoding="utf-8"))
    own = {name: group["what"] for group in said["lacks"] for name in group["types"]}
    return own, said["tasks"]


@cache
def tried() -> Mapping[str, str]:
    """Return what came of tracing types at small configurations, by name; of others nothing."""
    said = tomllib.loads(TRIED.read_text(encoding="utf-8"))
    return {name: came for came, names in said["tried"].items() for name in names}


def refusal(name: str) -> str:
    """Return what a type that is not read needs, and the command that asks PyTorch instead.

    Empty where the implementation knows no such type.
    """
    known = model_types().get(name)
    if known is None:
        return ""
    said = f"it needs {known.lacks}, which is not derived here, and a guess could be wrong."
    if not known.architecture:
        return said
    command = f"`symledger trace transformers:{known.architecture} --config FILE`"
    return f"{said} {OUTCOMES[tried().get(name, '')].format(command=command)}"
