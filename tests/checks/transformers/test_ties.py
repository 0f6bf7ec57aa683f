"""Whether the whole or its decoder's part ties the head: as each configuration class has it."""

import pytest

pytest.importorskip("transformers", reason="needs PyTorch")

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from symledger.configs.read import read

CLASSES = {
    "glm4v": "Glm4v", "glm4v_moe": "Glm4vMoe", "glm46v": "Glm46V", "glmga": "Glm46V",
    "qwen2_vl": "Qwen2VL", "qwen2_5_vl": "Qwen2_5_VL", "glm_ocr": "GlmOcr",
    "llava": "Llava", "vipllava": "VipLlava", "llava_next": "LlavaNext",
    "llava_next_video": "LlavaNextVideo", "video_llava": "VideoLlava",
}  # fmt: skip
TEXTS = {name: {"model_type": "llama"} for name in CLASSES if "llava" in name}
SEEN = {
    "qwen2_vl": {"hidden_size": 8192}, "qwen2_5_vl": {"out_hidden_size": 8192},
    "glm_ocr": {"out_hidden_size": 1024},
}  # fmt: skip
"""What fits the widths that decoders have where nothing is said."""
SAID = [{}, {"tie_word_embeddings": True}, {"tie_word_embeddings": False}]


@pytest.mark.parametrize("model_type", CLASSES)
@pytest.mark.parametrize("whole", SAID, ids=str)
@pytest.mark.parametrize("part", SAID, ids=str)
def test_the_head_is_tied_where_the_class_ties_it(model_type, whole, part):
    said = {**whole, "text_config": {**TEXTS.get(model_type, {}), **part},
            "vision_config": SEEN.get(model_type, {})}  # fmt: skip
    theirs = CONFIG_MAPPING[model_type].from_dict(said).tie_word_embeddings
    built = f"{CLASSES[model_type]}ForConditionalGeneration"
    found = read({"model_type": model_type, "architectures": [built], **said})
    assert found.settings.get("tied", "false") == str(theirs).lower()
