"""Every measured record once more, by type: what our lines are for, by the names of our weights.

How many parameters are embeddings, attention, experts or norms is measured (``by_type``) by the
classes of modules; here a weight of ours is sorted by its own path, so that a parameter that stands
in the wrong component is found, whatever the tensors are called there.
"""

import json
import re
from collections import Counter
from math import prod

import pytest

from symledger.checks.transformers.weights import weights
from tests.configs import test_images as images
from tests.configs import test_measured as measured

TYPES = (
    (r"^scale$", "other"), (r"^(down|middle|up)_\w+\.step", "other"),
    (r"^block_\d\.g$", "layer_scale"),
    (r"experts\.(W|b)_", "moe_experts"), (r"router\.|shared_gate", "moe_router"),
    (r"shared_expert", "moe_shared_experts"),
    (r"norm(_\w+)?(\.norm)?\.[gb]$|mixer\.g$", "norm"), (r"mixer", "ssm"),
    (r"modulation", "modulation"), (r"^pooler", "pooler"),
    (r"_attention\.leave", "head"),  # of a U-Net: it is called proj_out there
    (r"attention|^R_(enc|dec)", "attention"), (r"^hidden_\d|head\.W|replaced", "head"),
    (r"feed_forward|network", "mlp"),
    (r"^(projection|project_in|project_out)\.", "embedding_projection"),
    (r"\.projection\.", "projection"), (r"^(head\.b|b$|masked_head|next_head)", "head"),
    (r"embedding|positions|^patches|^class|^P$|^distance|^step|^stem\.[Fb]", "embedding"),
    (r"", "conv"),
)  # fmt: skip
"""The first pattern that is found in a path says what the weight is for."""


def named(what):
    return what["id"] if isinstance(what, dict) else ""


def records():
    found = [(record, measured.account) for record in measured.records("models")]
    for record in images.records("models"):
        found.append((record, lambda record, _: images.account(record, {})))
    return found


@pytest.mark.parametrize(("record", "ask"), records(), ids=named)
def test_parameters_are_as_many_of_each_type(record, ask, tmp_path):
    found, ours = Counter(), weights(ask(record, tmp_path))
    for path, shapes in ours.items():
        path = path.replace("head.", "last.") if "head.F" in ours else path  # it is a convolution
        kind = next(kind for pattern, kind in TYPES if re.search(pattern, path))
        found[kind] += sum(prod(shape) * number for shape, number in shapes.items())
    assert found == record["by_type"]


def test_no_record_is_left_out():
    every = json.loads((measured.HERE / "models.json").read_text("utf-8"))["records"]
    left = {record["id"] for record in every} - {record["id"] for record, _ in records()}
    assert left == {"torch-transformer-base", "bert-base-mha", "linear-768-3072"}
