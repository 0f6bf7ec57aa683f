"""Parameters and FLOPs measured on real implementations, to the unit (source in the file)."""

import json
from pathlib import Path

import pytest

from symledger import derive

RECORDS = json.loads(Path(__file__).with_name("measured.json").read_text())["records"]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_a_measured_model_comes_out_exactly(record):
    account = derive(record["family"], record["set"])
    assert account.params.value == record["params"]
    if "params_active" in record:
        assert account.params_active.value == record["params_active"]
    if "flops_forward" in record:
        assert account.flops_forward.value == record["flops_forward"]
        assert account.flops_training.value == record["flops_training"]
