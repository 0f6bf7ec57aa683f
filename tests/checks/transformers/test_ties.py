"""Whether the whole or its decoder's part ties the head: as each configuration class has it."""

import pytest

pytest.importorskip("transformers", reason="needs PyTorch")

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from symledger.configs.read import read

CLASSES = {
    "llava": "Llava", "vipllava": "VipLlava", "llava_next": "LlavaNext",
    "llava_next_video": "LlavaNextVideo", "video_llava": "VideoLlava",
}  # fmt: skip
SAID = [{}, {"tie_word_embeddings": True}, {"tie_word_embeddings": False}]


@pytest.mark.parametrize("model_type", CLASSES)
@pytest.mark.parametrize("whole", SAID, ids=str)
@pytest.mark.parametrize("part", SAID, ids=str)
def test_the_head_is_tied_where_the_class_ties_it(model_type, whole, part):
    said = {**whole, "text_config": {"model_type": "llama", **part}}
    theirs = CONFIG_MAPPING[model_type].from_dict(said).tie_word_embeddings
    built = f"{CLASSES[model_type]}ForConditionalGeneration"
    found = read({"model_type": model_type, "architectures": [built], **said})
    assert found.settings.get("tied", "false") == str(theirs).lower()
