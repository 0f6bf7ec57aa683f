import json

import pytest

from symledger.checks.evidence import Evidence, at_points, worst_of
from symledger.errors import BadInput

SOME = Evidence("pairs", "flops.forward", "as stated", ({"T": 2}, {"T": 3}), 7, "0", True, "fine")


def test_evidence_survives_json():
    assert Evidence.from_dict(json.loads(json.dumps(SOME.to_dict()))) == SOME


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "hearsay"}, "evidence of kind 'hearsay' is unknown"),
        ({"mood": "good"}, "cannot be read"),
    ],
)
def test_a_strange_record_is_refused(change, said):
    with pytest.raises(BadInput, match=said):
        Evidence.from_dict({**SOME.to_dict(), **change})


def test_deviations_are_written_shortly():
    assert [worst_of(x) for x in ([], [0], [1e-3, 2e-3], [float("nan")])] == [
        "0", "0", "2.0e-03", "nan",
    ]  # fmt: skip
    assert at_points(1) == "at 1 point"
