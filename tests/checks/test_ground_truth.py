"""What was measured on real implementations comes out, or a known artefact says why not."""

import pytest

from symledger.checks.torch.artefacts import ARTEFACTS
from tests.checks.ground_truth.replay import compare, counted, records
from tests.checks.torch.test_witness import NEEDED

RECORDS = [
    pytest.param(name, record, id=f"{name}-{record['id']}-{i}")
    for name in ("saved_activations", "flops", "models")
    for i, record in enumerate(records(name))
]


@pytest.mark.parametrize(("name", "record"), RECORDS)
def test_a_record_comes_out_to_the_unit(name, record):
    found = list(compare(name, record))
    assert found
    assert [c for c in found if c.measured != c.ours] == []


def test_most_records_need_no_artefact_and_every_artefact_is_needed():
    kinds, used = counted()
    assert sum(kinds.values()) == len(RECORDS)
    assert kinds["wrong"] == 0
    assert kinds["exact"] > 6 * kinds["explained"]
    assert {*used, *NEEDED} == set(ARTEFACTS)
