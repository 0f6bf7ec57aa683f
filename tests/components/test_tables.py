"""Every component of the catalogue has been counted by hand, where its topic's others are."""

import re
from pathlib import Path

import pytest

from symledger.catalogue.component_entries import COMPONENTS
from symledger.components.maps.linear import Linear
from symledger.sizes import d_in, d_out
from tests.components.tables import assert_counts
from tests.every import EVERY_CASE

TABLES = Path(__file__).parent


def table_of(entry):
    """Where its table belongs: components.maps.lora:LoRALinear in maps/test_lora.py."""
    module, kind = entry.definition.split(":")
    _, topic, file = module.split(".")
    return TABLES / topic / f"test_{file}.py", kind


def test_what_was_counted_otherwise_is_said_with_both_and_where():
    said = r"params of Linear\(.*: d_in\*d_out counted by hand .* derived in .*/maps/linear\.py"
    with pytest.raises(pytest.fail.Exception, match=said):
        assert_counts(Linear(), d_in * d_out, 0)


@EVERY_CASE
@pytest.mark.parametrize("entry", COMPONENTS, ids=lambda entry: entry.name)
def test_a_component_is_counted_by_hand_where_its_topics_others_are(entry):
    table, kind = table_of(entry)
    if not table.exists() or not re.search(rf"\b{kind}\b", table.read_text("utf-8")):
        where = table.relative_to(TABLES.parents[1])
        pytest.fail(f"{where}: count by hand what {kind} comes to", pytrace=False)
