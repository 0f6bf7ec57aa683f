"""Models that are asked for more than one image or sound: the FLOPs that PyTorch counts in a run.

What was measured, and with which versions, is said in the file; configurations are small.
"""

import json
from pathlib import Path

import pytest

from symledger import derive

RECORDS = json.loads(Path(__file__).with_name("measured.json").read_text("utf-8"))["records"]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_flops_are_those_that_pytorch_counts(record, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(record["config"]), "utf-8")
    found = derive(str(path)).subs({"B": 2, **record["at"]})
    counted = (found.flops_forward.value, found.flops_backward.value)
    assert counted == (record["forward"], record["backward"])
