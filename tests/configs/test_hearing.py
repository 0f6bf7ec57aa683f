"""Models that hear: what is counted of them, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.configs.read import read
from symledger.errors import BadInput

DEFAULT = {
    "musicflamingo": 12708843520, "glmasr": 2136470528, "glmasr_encoder": 635048960,
    "qwen3_asr_encoder": 314328704, "qwen2_5_omni_audio_encoder": 639647232,
    "qwen3_omni_moe_audio_encoder": 649894784, "qwen2_5_omni_thinker": 11338288896,
    "fun_asr_nano": 829791840, "fun_asr_nano_encoder": 221136992,
    "granite_speech_encoder": 274808106, "phi4_multimodal": 5308268992,
    "voxtral_realtime": 4429679360, "voxtral_realtime_encoder": 970395392,
    "voxtral_realtime_text": 7119048704,
}  # fmt: skip
"""Unique parameters of the classes of transformers 5.23.0, built on the meta device."""
TEXT = {
    "hidden_size": 96, "intermediate_size": 131, "num_hidden_layers": 3, "vocab_size": 211,
    "num_attention_heads": 6, "num_key_value_heads": 2,
}  # fmt: skip
WHISPER = {
    "hidden_size": 56, "num_attention_heads": 7, "num_hidden_layers": 2, "num_mel_bins": 16,
}  # fmt: skip
CHUNKS = {
    "d_model": 56, "encoder_attention_heads": 7, "encoder_layers": 2, "encoder_ffn_dim": 83,
    "num_mel_bins": 16, "output_dim": 96,
}  # fmt: skip
COMMON = {"tie_word_embeddings": True, "text_config": TEXT}
SHORT = {**CHUNKS, "n_window_infer": 200, "downsample_hidden_size": 12}
IMAGES = {
    "depth": 3, "hidden_size": 64, "intermediate_size": 103, "num_heads": 4, "out_hidden_size": 96,
}  # fmt: skip
GRANITE = {
    "text_config": TEXT, "window_size": 6, "downsample_rate": 3,
    "encoder_config": {"input_dim": 10, "num_layers": 3, "hidden_dim": 56, "feedforward_mult": 3,
                       "num_heads": 7, "output_dim": 13, "context_size": 8, "max_pos_emb": 11,
                       "conv_kernel_size": 5},
    "projector_config": {"hidden_size": 48, "num_attention_heads": 4, "num_hidden_layers": 3,
                         "intermediate_size": 83, "encoder_hidden_size": 56},
}  # fmt: skip
GATED = {
    "hidden_size": 56, "num_attention_heads": 7, "intermediate_size": 83, "num_blocks": 2,
    "input_size": 16, "nemo_conv_channels": 9, "ext_pw_out_channel": 56,
    "depthwise_separable_out_channel": 56, "bias_max_distance": 20,
}  # fmt: skip
RUNS = [
    ({"model_type": "musicflamingo",
      "text_config": TEXT, "audio_config": {**WHISPER, "intermediate_size": 83,
                                            "max_source_positions": 20}},
     {"B": 2, "T": 17}, (20372480, 40744960)),
    ({**COMMON, "model_type": "glmasr", "text_config": {**TEXT, "head_dim": 20},
      "audio_config": {**WHISPER, "intermediate_size": 224, "max_position_embeddings": 24,
                       "num_key_value_heads": 1}},
     {"B": 2, "T": 13}, (21820992, 43641984)),
    ({**COMMON, "model_type": "qwen3_asr", "audio_config": SHORT,
      "text_config": {**TEXT, "head_dim": 20}},
     {"B": 2, "T": 83, "n_win": 3}, (118215744, 236431488)),
    ({"model_type": "qwen3_omni_moe_audio_encoder", **SHORT},
     {"B": 2, "n_win": 3}, (23476224, 46952448)),
    ({"model_type": "qwen2_5_omni_audio_encoder", **CHUNKS, "n_window": 10},
     {"B": 2, "n_win": 4}, (10142720, 20285440)),
    ({"model_type": "qwen2_5_omni_thinker", "text_config": TEXT,
      "audio_config": {**CHUNKS, "n_window": 10},
      "vision_config": {**IMAGES, "fullatt_block_indexes": [0]}},
     {"B": 2, "T": 56, "n_win": 3, "H_g": 2, "W_g": 16}, (183626496, 367252992)),
    ({"model_type": "qwen3_omni_moe_thinker", "audio_config": SHORT,
      "text_config": {**TEXT, "num_experts": 4, "num_experts_per_tok": 4,
                      "moe_intermediate_size": 24},
      "vision_config": {**IMAGES, "deepstack_visual_indexes": [0], "num_position_embeddings": 16}},
     {"B": 2, "T": 67, "n_win": 2, "H_g": 2, "W_g": 3}, (96881792, 193763584)),
    ({**COMMON, "model_type": "fun_asr_nano", "text_config": {**TEXT, "head_dim": 20},
      "audio_config": {**WHISPER, "intermediate_size": 83, "num_hidden_layers": 4,
                       "num_timestamp_prediction_layers": 2, "num_mel_bins": 6,
                       "num_stacked_frames": 3, "fsmn_kernel_size": 5},
      "adaptor_config": {"hidden_size": 96, "num_attention_heads": 3, "intermediate_size": 24,
                         "num_hidden_layers": 2, "projector_hidden_size": 40}},
     {"B": 2, "T": 19, "S_snd": 13}, (27645952, 55291904)),
    ({**COMMON, "model_type": "voxtral_realtime",
      "text_config": {**TEXT, "head_dim": 20, "sliding_window": 8},
      "audio_config": {**WHISPER, "intermediate_size": 83, "head_dim": 6, "sliding_window": 10}},
     {"B": 2, "T": 13}, (28458816, 56899200)),
    ({"model_type": "granite_speech_encoder", "input_dim": 8, "num_layers": 2, "hidden_dim": 36,
      "feedforward_mult": 3, "num_heads": 3, "output_dim": 5, "context_size": 3, "max_pos_emb": 8,
      "conv_kernel_size": 5},
     {"B": 1, "T_f": 16}, (1922976, 3845952)),
    ({"model_type": "granite_speech", **GRANITE},
     {"B": 2, "T": 17, "T_f": 19}, (34567488, 69134976)),
    ({**GRANITE, "model_type": "granite_speech_plus",
      "encoder_config": {**GRANITE["encoder_config"], "cat_hidden_layers": [0, 2]},
      "projector_config": {**GRANITE["projector_config"], "encoder_hidden_size": 168}},
     {"B": 2, "T": 17, "T_f": 19}, (36631872, 73263744)),
    ({"model_type": "phi4_multimodal_audio", **GATED}, {"B": 1, "T_f": 4100},
     (441980696, 883961392)),
    ({**TEXT, "model_type": "phi4_multimodal", "pad_token_id": 0, "audio_config": GATED,
      "vision_config": {"hidden_size": 64, "intermediate_size": 103, "num_hidden_layers": 3,
                        "num_attention_heads": 4, "image_size": 8, "patch_size": 2}},
     {"B": 2, "T": 31, "N_t": 3, "T_f": 19}, (50726032, 85603616)),
    ({"model_type": "parakeet_tdt", "vocab_size": 53, "decoder_hidden_size": 20,
      "durations": [0, 1, 2],
      "encoder_config": {"hidden_size": 24, "num_attention_heads": 4, "num_hidden_layers": 2,
                         "intermediate_size": 37, "num_mel_bins": 16, "conv_kernel_size": 5,
                         "subsampling_conv_channels": 6}},
     {"B": 2, "T_f": 61, "T_u": 7}, (1158016, 2234112)),
]  # fmt: skip
"""FLOPs forward and backward that PyTorch counts at small configurations, sounds (and images) as
well as tokens given to the classes of transformers 5.23.0, eager, asking for a gradient. The LSTM
of a transducer runs without oneDNN, whose one PyTorch does not count."""


def account(document, folder, sizes=None):
    path = folder / "config.json"
    path.write_text(json.dumps(document), "utf-8")
    return derive(str(path), sizes or {})


@pytest.mark.parametrize(("model_type", "count"), DEFAULT.items())
def test_defaults_have_as_many_parameters_as_their_classes(model_type, count, tmp_path):
    assert account({"model_type": model_type}, tmp_path).params.value == count


@pytest.mark.parametrize(("document", "sizes", "measured"), RUNS,
                         ids=[run[0]["model_type"] for run in RUNS])  # fmt: skip
def test_what_is_heard_is_counted_as_it_runs(document, sizes, measured, tmp_path):
    found = account(document, tmp_path, sizes)
    assert (found["flops.forward"].value, found["flops.backward"].value) == measured


FLAMINGO = {"model_type": "musicflamingo"}
ADAPTOR = {"model_type": "fun_asr_nano", "adaptor_config": {}}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({**FLAMINGO, "rope_parameters": {"partial_rotary_factor": 0.6}}, "Say at most 0.5"),
        ({**FLAMINGO, "rope_parameters": {"rope_theta": 700}}, "a sound fills 750"),
        ({**FLAMINGO, "rope_parameters": {"rope_type": "linear"}}, "rope_type = default"),
        ({"model_type": "glmasr_encoder", "num_key_value_heads": 3}, "does not divide"),
        ({"model_type": "qwen3_asr_encoder", "n_window": 60}, "takes it to leave 13"),
        ({"model_type": "qwen3_asr_encoder", "n_window_infer": 90}, "less than a chunk"),
        ({"model_type": "qwen3_asr_encoder", "max_position_embeddings": 12}, "leaves 13 positions"),
        ({"model_type": "qwen2_5_omni_audio_encoder", "n_window": 11}, "averaged in pairs"),
        ({"model_type": "qwen3_asr"}, "Say output_dim = 2048"),
        ({"model_type": "fun_asr_nano_encoder", "num_mel_bins": 81}, "have to be even"),
        ({"model_type": "parakeet_tdt", "num_decoder_layers": 3}, "1 and 2 are"),
        ({"model_type": "parakeet_tdt", "durations": 4}, "a list of numbers is meant"),
        ({"model_type": "granite_speech_encoder", "conv_kernel_size": 4}, "such as 5"),
        ({"model_type": "granite_speech_encoder", "context_size": 600}, "its class refuses that"),
        ({"model_type": "granite_speech_encoder", "num_layers": 1}, "num_layers = 1"),
        ({"model_type": "granite_speech"}, "Say 1024"),
        ({**GRANITE, "model_type": "granite_speech", "downsample_rate": 4}, "is not divided by"),
        ({"model_type": "granite_speech_plus_encoder", "cat_hidden_layers": [10]}, "from 0 to 9"),
        ({"model_type": "granite_speech_plus_encoder", "cat_hidden_layers": [1, 1]}, "each once"),
        ({"model_type": "phi4_multimodal_audio", "input_size": 84}, "a multiple of 8 is"),
        ({"model_type": "phi4_multimodal_audio", "ext_pw_out_channel": 8}, "Say 1024"),
        ({"model_type": "phi4_multimodal_audio", "nemo_final_size": 9}, "does not fit input_size"),
        ({"model_type": "phi4_multimodal_audio", "time_reduction": 4}, "eight times shorter"),
        ({"model_type": "phi4_multimodal", "vision_config": {"image_size": 434}}, "an even number"),
        ({**ADAPTOR, "adaptor_config": {"hidden_size": 96}}, "Say 1024"),
        ({**ADAPTOR, "adaptor_config": {"layers": 3}}, "the key layers = 3 in adaptor_config"),
        ({"model_type": "voxtral_realtime_encoder", "activation_function": "prelu"}, "of its own"),
    ],
)
def test_what_fails_when_it_hears_is_refused_by_name(document, said):
    with pytest.raises(BadInput, match=said):
        read(document)


def test_keys_that_a_part_does_not_say_are_those_of_its_whole(tmp_path):
    """GlmAsrConfig puts its own defaults beneath what is said of the decoder."""
    found = account({"model_type": "glmasr", "text_config": {"vocab_size": 1000}}, tmp_path)
    assert found.params.value == DEFAULT["glmasr"] - (59264 - 1000) * 2048
