"""Every measured record of a real implementation, read from its configuration: exact to the unit.

The records are facts from outside: ``models.json`` and ``flops.json`` name what they were measured
on. Nothing of ours stands in them.
"""

import json
from collections import Counter
from math import prod
from pathlib import Path

import pytest

from symledger import derive
from symledger.checks.transformers.weights import compare, weights
from symledger.configs.families import every_family

HERE = Path(__file__).parent
KNOWN = {family.model_type: family for family in every_family()}


def records(name):
    found = json.loads((HERE / f"{name}.json").read_text("utf-8"))["records"]
    return [r for r in found if r["config"].get("model_type") in KNOWN]


def named(record):
    return "-".join(str(record[k]) for k in ("id", "device", "attention", "B", "T") if k in record)


def account(record, folder, settings=None, **how):
    path = folder / "config.json"
    path.write_text(json.dumps(record["config"]), "utf-8")
    return derive(str(path), settings or {}, **how)


@pytest.mark.parametrize("record", records("models"), ids=named)
def test_parameters_are_those_of_the_implementation_tensor_by_tensor(record, tmp_path):
    found = account(record, tmp_path)
    theirs = {
        name: Counter({tuple(shape): number for shape, number in shapes})
        for name, shapes in record["tensors"].items()
    }
    names = found.target.configured.family.tensors
    assert compare(weights(found), theirs, names) == []
    assert found.params.value == record["params"]
    assert sum(prod(shape) * n for rows in theirs.values() for shape, n in rows.items()) == (
        record["params"]
    )
    trained = found["memory.gradients"].value
    assert trained == 4 * record["trainable"]
    if record["active"] is not None:
        assert found["params.active"].value == record["active"]


@pytest.mark.parametrize("record", records("types"), ids=named)
def test_types_have_the_parameters_of_their_classes_tensor_by_tensor(record, tmp_path):
    """Of a default, which is large, the total was measured alone."""
    found = account(record, tmp_path)
    assert found.params.value == record["params"]
    names = found.target.configured.family.tensors
    theirs = {
        name: Counter({tuple(shape): number for shape, number in shapes})
        for name, shapes in record["tensors"].items()
    }
    assert not theirs or compare(weights(found), theirs, names) == []


def test_no_type_is_left_out():
    every = json.loads((HERE / "types.json").read_text("utf-8"))["records"]
    assert [record["id"] for record in every] == [record["id"] for record in records("types")]


SIZES = {
    "tokens": lambda r: {"T": r["T"]},
    "encdec": lambda r: {"S": r["T"], "T": r["inputs"]["S"]},
    "whisper": lambda r: {"S": r["T"] // 2, "T": r["inputs"]["S"]},
    "sound": lambda r: {"T_w": r["inputs"]["length"]},
    "spectrum": lambda r: {"T_f": r["inputs"]["length"]},
    "image": lambda r: {"H": r["inputs"]["size"], "W": r["inputs"]["size"]},
    "clip": lambda r: {"T": r["T"], "H": r["inputs"]["size"], "W": r["inputs"]["size"]},
}
TIED = {"t5": {"tied": "true"}}
"""What these runs tied, whatever the configuration says (see shared/ground_truth/README.md)."""


def counted():
    """The fused attention of a CPU is not seen by the counter; on the meta device it is."""
    return [r for r in records("flops") if r["device"] == "meta" or r["attention"] == "eager"]


@pytest.mark.parametrize("record", counted(), ids=named)
def test_flops_are_those_that_pytorch_counts(record, tmp_path):
    tied = TIED.get(record["config"]["model_type"], {})
    sizes = {"B": record["B"], **SIZES[record["kind"]](record), **tied}
    asked = record["kind"] == "sound"  # as the classes do while they train
    found = account(record, tmp_path, sizes, input_gradient=asked)
    assert found.params.value == record["params"]
    assert found.flops_forward.value == record["forward"]
    assert found.flops_training.value == record["training"]
