"""Stages that a backbone is to give: what transformers refuses of them is refused here."""

import json

import pytest

pytest.importorskip("transformers", reason="needs PyTorch")

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from symledger import derive
from symledger.checks.transformers.drawn import types
from symledger.errors import BadInput

SMALL = {
    "resnet": {"hidden_sizes": [8, 16, 16, 16], "depths": [1, 1, 2, 1], "embedding_size": 8},
    "convnext": {"hidden_sizes": [8, 16, 16, 16], "depths": [1, 1, 2, 1]},
    "dinov2": {"hidden_size": 16, "num_hidden_layers": 4, "num_attention_heads": 2},
    "dinov3_vit": {"hidden_size": 16, "num_hidden_layers": 4, "num_attention_heads": 2},
}
GIVEN = [
    *({"out_indices": x} for x in ([], [0], [4], [-1], [-5], [1, -1], None)),
    *({"out_features": x} for x in ([], ["stem"], ["stage1", "stage4"], None)),
    {"out_features": ["stage4"], "out_indices": [-1]},
    {"out_features": [], "out_indices": []},
]
REFUSED = [
    *(({"out_indices": x}, "no stage of this model") for x in ([5], [-6], [1, 9], ["a"], [1.0])),
    *(({"out_indices": x}, "each once") for x in ([2, 1], [3, 3], [4, -1])),
    *(({"out_features": x}, "no stage of this model")
      for x in (["stage5"], ["stage0"], ["stage01"], ["stage1 "], ["Stem"], [1])),
    *(({"out_features": x}, "each once") for x in (["stage2", "stage1"], ["stem", "stem"])),
    *(({key: 3}, "a list of stages is meant") for key in ("out_indices", "out_features")),
    ({"out_features": ["stage1"], "out_indices": [2]}, "not the same stages"),
    ({"out_features": ["stage1", "stage2"], "out_indices": [1]}, "not the same stages"),
]  # fmt: skip


@pytest.mark.parametrize("model_type", SMALL)
@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_stages_that_are_there_change_nothing(model_type, given, tmp_path):
    CONFIG_MAPPING[model_type].from_dict({**SMALL[model_type], **given})
    counted = [
        derived(tmp_path, {**SMALL[model_type], **more, "model_type": model_type}).params.value
        for more in ({}, given)
    ]
    assert counted[0] == counted[1]


@pytest.mark.parametrize("model_type", SMALL)
@pytest.mark.parametrize(("given", "said"), REFUSED, ids=str)
def test_stages_that_are_not_there_are_refused(model_type, given, said, tmp_path):
    with pytest.raises(Exception):  # noqa: B017, PT011  # whatever its checks of types raise
        CONFIG_MAPPING[model_type].from_dict({**SMALL[model_type], **given})
    with pytest.raises(BadInput, match=said):
        derived(tmp_path, {**SMALL[model_type], **given, "model_type": model_type})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"out_indices": [3]}, None),
        ({"out_indices": [-4]}, None),
        ({"out_features": ["stage1"], "out_indices": [0]}, None),
        ({"out_indices": [4]}, "0 \\(stage1\\) to 3 are"),
        ({"out_indices": [-5]}, "no stage of this model"),
        ({"out_features": ["stem"]}, "no stage of this model: stage1 to stage4 are"),
        ({"out_features": ["stage1"], "out_indices": [1]}, "not the same stages"),
    ],
    ids=str,
)
def test_where_no_stem_is_given_the_first_stage_is_number_zero(given, said, tmp_path):
    config = {**given, "model_type": "pvt_v2"}
    if said is None:
        CONFIG_MAPPING["pvt_v2"].from_dict(config)
        assert (
            derived(tmp_path, config).params.value
            == derived(tmp_path, {"model_type": "pvt_v2"}).params.value
        )
        return
    with pytest.raises((ValueError, IndexError)):  # the class counts from the end
        CONFIG_MAPPING["pvt_v2"].from_dict(config)
    with pytest.raises(BadInput, match=said):
        derived(tmp_path, config)


def test_no_family_reads_names_of_stages_without_their_rule():
    known = {
        key
        for key, family in types().items()
        if {"stage_names", "out_indices"} <= family.uses.keys()
        and not any({"out_features", "out_indices"} <= {*rule.keys} for rule in family.rules)
    }
    assert known == set()


def derived(folder, config):
    path = folder / "config.json"
    path.write_text(json.dumps(config), "utf-8")
    return derive(str(path))
