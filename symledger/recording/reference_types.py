"""Which model types the reference implementation knows, and which class is meant by each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from symledger.configs.unread import TYPES, model_types
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.selection import Selection

FIRST = (
    "CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "MASKED_LM",
    "SPEECH_SEQ_2_SEQ", "CTC", "OBJECT_DETECTION", "UNIVERSAL_SEGMENTATION",
    "SEMANTIC_SEGMENTATION", "IMAGE_CLASSIFICATION",
)  # fmt: skip
"""The tasks that a type is mainly meant for, where it has classes for several."""
LAST = ("PRETRAINING", "BACKBONE", "")
"""Those that say least of what a type is for; the class without a head is the very last."""


class Types(Kind):
    """The model types of the implementation."""

    name = "types"
    needs = ("torch", "transformers")
    writing = "merged"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return one unit, if types are asked for."""
        asked = selection.named(self.name)
        return (self.name,) if asked else ()

    def about(self, unit: str) -> str:
        """Return what it is about."""
        return unit

    def fresh(self, unit: str) -> bool:
        """Whether the implementation says what it said."""
        return TYPES.is_file() and bool(TYPES.read_text("utf-8") == _text(self.make(unit).data))

    def make(self, unit: str) -> Made:
        """Ask the implementation."""
        from transformers.models.auto import modeling_auto
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

        ends = "_MAPPING_NAMES"
        tables = {
            name.removesuffix(ends).removeprefix("MODEL_FOR_").removeprefix("MODEL").strip("_"):
            getattr(modeling_auto, name) for name in dir(modeling_auto)
            if name.startswith("MODEL") and name.endswith(ends)
        }  # fmt: skip
        middle = sorted(task for task in tables if task not in (*FIRST, *LAST))
        order = [task for task in (*FIRST, *middle, *LAST) if task in tables]
        return Made({name: _class(name, tables, order) for name in sorted(CONFIG_MAPPING_NAMES)})

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write all of them."""
        changed = replaced(TYPES, _text(made[self.name]))
        model_types.cache_clear()
        return changed


def _class(name: str, tables: Mapping[str, Any], order: list[str]) -> tuple[str, str]:
    """Return the class that is meant by a type, and its task."""
    for task in order:
        found = tables[task].get(name)
        if found:
            return (found if isinstance(found, str) else found[0]), task
    return "", ""


def _text(types: Mapping[str, Any]) -> str:
    lines = (f"  {json.dumps(name)}: {json.dumps(list(said))}" for name, said in types.items())
    head = f'{{"version": "{version("transformers")}", "types": {{\n'
    return head + ",\n".join(lines) + "\n}}\n"
