"""Every component of the catalogue has been counted by hand, where its topic's others are."""

import re
from pathlib import Path

from symledger.catalogue.component_entries import COMPONENTS

TABLES = Path(__file__).parent


def table_of(entry):
    """Where its table belongs: components.maps.lora:LoRALinear in maps/test_lora.py."""
    module, kind = entry.definition.split(":")
    _, topic, file = module.split(".")
    return TABLES / topic / f"test_{file}.py", kind


def test_every_component_is_counted_by_hand_where_its_topics_others_are():
    lacking = []
    for entry in COMPONENTS:
        table, kind = table_of(entry)
        if not table.exists() or not re.search(rf"\b{kind}\b", table.read_text("utf-8")):
            where = table.relative_to(TABLES.parents[1])
            lacking.append(f"{entry.name}: count what {kind} comes to by hand in {where}")
    assert lacking == []
