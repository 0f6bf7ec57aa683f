"""Caches: bytes of what transformers' own hold, at sizes that are no defaults; what is refused."""

import json
from functools import cache

import pytest

from symledger import derive, solve
from symledger.errors import BadInput, NotKnown
from symledger.ledger.caches import LAYOUTS, TYPES
from symledger.ledger.conventions import Conventions, cached_as
from tests.documents import ROOT
from tests.invoke import assert_refuses

GQA = {
    "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "vocab_size": 100,
    "num_attention_heads": 8,
}  # fmt: skip
CONFIGS = {
    "llama": {**GQA, "num_key_value_heads": 2},
    "mistral": {**GQA, "num_key_value_heads": 4, "sliding_window": 16, "head_dim": 8},
    "gemma3_text": {
        **GQA, "num_hidden_layers": 7, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 32, "sliding_window": 16, "sliding_window_pattern": 6,
    },
    "gpt_oss": {
        **GQA, "intermediate_size": 64, "num_hidden_layers": 4, "num_key_value_heads": 2,
        "head_dim": 16, "sliding_window": 16, "num_local_experts": 4, "num_experts_per_tok": 2,
    },
    "deepseek_v3": {
        **GQA, "moe_intermediate_size": 32, "num_attention_heads": 4, "num_key_value_heads": 4,
        "n_routed_experts": 8, "n_group": 2, "topk_group": 1, "num_experts_per_tok": 2,
        "q_lora_rank": 32, "kv_lora_rank": 24, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16,
        "v_head_dim": 16, "first_k_dense_replace": 1,
    },
}  # fmt: skip
B, PROMPT = 2, 40


@pytest.fixture(scope="module", params=CONFIGS)
def kind(request):
    return request.param


@pytest.fixture
def ours(tmp_path):
    def at(kind, T, cache):
        path = tmp_path / "config.json"
        path.write_text(json.dumps({"model_type": kind, **CONFIGS[kind]}), "utf-8")
        return derive(str(path), {"B": B, "T": T}, dtype="bf16", cache=cache)["memory.kv_cache"]

    return at


@cache
def _config(kind):
    transformers = pytest.importorskip("transformers")
    return transformers.AutoConfig.for_model(kind, **CONFIGS[kind])


def _fed(kind, make, tokens):
    """Run a model on the meta device with a cache of its own: a prompt, then single tokens."""
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM

    config = _config(kind)
    config._attn_implementation = "eager"
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    cache = make(config)
    with torch.no_grad():
        for n in tokens:
            ids = torch.zeros(B, n, dtype=torch.long, device="meta")
            model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
    return cache


def _held(cache):
    """The bytes of the tensors of keys and values, and of the storages behind them."""
    found = [x for layer in cache.layers for x in (layer.keys, layer.values)]
    storages = {x.untyped_storage()._cdata: x.untyped_storage().nbytes() for x in found}
    return sum(x.numel() * x.element_size() for x in found), sum(storages.values())


def test_a_dynamic_cache_is_as_large_and_so_are_its_storages(kind, ours):
    transformers = pytest.importorskip("transformers")

    def make(config):
        return transformers.DynamicCache(config=config)

    tensors, storages = _held(_fed(kind, make, (PROMPT,)))
    assert tensors == ours(kind, PROMPT, "dynamic").value
    assert storages == ours(kind, PROMPT, "prefilled").value
    tensors, storages = _held(_fed(kind, make, (PROMPT, 1, 1)))
    assert tensors == ours(kind, PROMPT + 2, "dynamic").value
    assert storages == ours(kind, PROMPT + 2, None).value


def test_a_static_cache_is_as_large_from_the_start(kind, ours):
    transformers = pytest.importorskip("transformers")
    found = _fed(kind, lambda c: transformers.StaticCache(config=c, max_cache_len=64), (5,))
    assert _held(found) == (ours(kind, 64, "static").value,) * 2


def test_below_a_window_nothing_is_left_out(ours):
    for T in (15, 16, 17):
        whole, kept = ours("mistral", T, None).value, ours("mistral", T, "dynamic").value
        assert whole - kept == (0 if T < 16 else whole // 16)


@pytest.mark.parametrize("kind", ["llama", "deepseek_v3"])
def test_a_cache_in_fp8_has_a_scale_for_each_tensor(kind, ours):
    cache_utils = pytest.importorskip("transformers.cache_utils")

    def make(config):
        return cache_utils.QuantizedCache("fp8", config)

    for layers in (_fed(kind, make, (PROMPT,)).layers, _fed(kind, make, (PROMPT - 1, 1)).layers):
        pairs = [p for layer in layers for p in (layer._quantized_keys, layer._quantized_values)]
        held = sum(x.numel() * x.element_size() for pair in pairs for x in pair)
        assert held == ours(kind, PROMPT, "fp8").value


GROUPED = {("int8", "bf16"): 5440, ("int4", "bf16"): 2880, ("int2", "bf16"): 1600,
           ("int8", "fp32"): 5760, ("int4", "fp32"): 3200, ("int2", "fp32"): 1920}  # fmt: skip
"""Bytes of keys of (2, 4, 40, 16) as HQQQuantizedLayer (hqq 0.2.8.post1; 8 and 4 bits) and
QuantoQuantizedLayer (optimum-quanto 0.2.7; 4 and 2 bits) of transformers 5.23 held them."""


@pytest.mark.parametrize(("kind", "dtype"), GROUPED)
def test_a_cache_in_groups_takes_what_was_held(kind, dtype):
    sizes = {"B": 2, "S": 40, "T": 40, "d": 64, "h": 4, "h_kv": 4, "d_k": 16, "d_v": 16}
    found = derive("attention", sizes, dtype=dtype, cache=kind)["memory.kv_cache"]
    assert found.value == 2 * GROUPED[kind, dtype]


def _blocks(T, w, size):
    """Go through the tokens; a block is freed as soon as no later token sees into it."""
    held = set()
    for now in range(T):
        held.add(now // size)
        held -= {b for b in held if (b + 1) * size <= now - w + 1}
    return len(held)


@pytest.mark.parametrize("size", [2, 5, 16])
def test_blocks_are_those_that_the_last_token_sees_into(size, ours):
    for T in (1, 15, 16, 17, 31, 33, 40, 50):
        a_position = 2 * 2 * B * 3 * 4 * 8
        found = ours("mistral", T, f"paged:{size}").value
        assert found == a_position * size * _blocks(T, 16, size)
        assert ours("llama", T, f"paged:{size}").value == a_position // 2 * size * -(-T // size)


def test_paged_is_of_sixteen_and_combines_with_fp8(ours):
    assert ours("llama", 33, "paged").value == ours("llama", 48, None).value
    assert ours("mistral", 33, "paged,fp8").value == ours("mistral", 33, "paged").value // 2 + 24


def test_a_state_is_what_it_was():
    plain, dynamic = (derive("lfm2", cache=c)["memory.kv_cache"] for c in (None, "dynamic"))
    assert plain.general == dynamic.general


@pytest.mark.parametrize(
    ("target", "cache", "said"),
    [
        ("llama", "pages", "is no cache. Did you mean paged"),
        ("llama", "paged:1", "is no size of a block"),
        ("llama", "paged:", "is no size of a block"),
        ("llama", "fp8:16", "only paged has blocks"),
        ("llama", "static,paged", "says two layouts"),
        ("llama", "fp8,int4", "says two types"),
        ("llama", "paged,int4", "blocks of a cache are in fp8"),
        ("llama", "dynamic,fp8", "a cache in fp8 is not dynamic"),
        ("linear", "paged", "keeps no keys and values"),
        ("mamba", "dynamic", "keeps no keys and values"),
        ("lfm2", "paged", "how these share blocks is not derived"),
        ("lfm2", "fp8", "has layers that keep a state"),
        ("mistral", "fp8", "has windows, and transformers' QuantizedCache"),
        ("deepseek_v32", "fp8", "keeps more than keys and values"),
    ],
)  # fmt: skip
def test_what_no_cache_can_be_is_refused(target, cache, said):
    with pytest.raises(BadInput, match=r"^[^\n]+$") as refused:
        derive(target, cache=cache)
    assert said in str(refused.value)


def test_a_window_that_goes_on_and_groups_that_are_not_filled_are_refused():
    with pytest.raises(BadInput, match="leave out cached"):
        derive("mistral", {"cached": True}, cache="paged")
    with pytest.raises(BadInput, match="groups of 64"):
        derive("attention", {"B": 1, "S": 3, "T": 3, "d": 8, "h": 2}, cache="int4")


def test_peaks_beside_a_cache_are_withheld():
    with pytest.raises(NotKnown, match="Leave out --cache"):
        derive("mini_gpt", cache="paged")["memory.peak.decode"]
    derive("mini_gpt", cache="paged")["memory.peak.backward"]


def test_the_command_refuses_in_one_line():
    assert_refuses("derive", "llama", "--cache", "pages", said="is no cache")


@pytest.mark.parametrize("kind", ["whisper", "t5"])
def test_an_encoder_decoder_has_a_cache_of_its_source_too(kind):
    """As transformers' EncoderDecoderCache of two dynamic caches, or of two static ones."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    own = {
        "whisper": {"d_model": 64, "encoder_layers": 2, "decoder_layers": 3, "vocab_size": 100,
                    "encoder_attention_heads": 4, "decoder_attention_heads": 4,
                    "encoder_ffn_dim": 96, "decoder_ffn_dim": 96, "num_mel_bins": 8,
                    "max_source_positions": 30, "max_target_positions": 50, "pad_token_id": 0,
                    "decoder_start_token_id": 1},
        "t5": {"d_model": 64, "num_layers": 2, "num_decoder_layers": 3, "vocab_size": 100,
               "num_heads": 4, "d_kv": 12, "d_ff": 96},
    }[kind]  # fmt: skip
    config = transformers.AutoConfig.for_model(kind, **own)
    with torch.device("meta"):
        makes = {"whisper": transformers.WhisperForConditionalGeneration,
                 "t5": transformers.T5ForConditionalGeneration}  # fmt: skip
        model = makes[kind](config)
    sound = {"whisper": {"input_features": torch.zeros(B, 8, 60, device="meta")},
             "t5": {"input_ids": torch.zeros(B, 30, dtype=torch.long, device="meta")}}  # fmt: skip
    cache = transformers.EncoderDecoderCache(
        transformers.DynamicCache(), transformers.DynamicCache()
    )  # fmt: skip
    with torch.no_grad():
        for n in (5, 1):
            ids = torch.zeros(B, n, dtype=torch.long, device="meta")
            model(decoder_input_ids=ids, past_key_values=cache, use_cache=True, **sound[kind])
    own = sum(_held(one)[0] for one in (cache.self_attention_cache, cache.cross_attention_cache))
    sizes = {"B": B, "T": 6, "S": 30, "d": 64, "h": 4, "L_enc": 2, "L_dec": 3}
    sizes |= {"d_h": 12} if kind == "t5" else {}
    assert own == derive(kind, sizes, cache="dynamic")["memory.kv_cache"].value
    assert own == derive(kind, sizes, cache="static")["memory.kv_cache"].value
    with pytest.raises(BadInput, match="takes no encoder-decoder"):
        derive(kind, sizes, cache="int4")


def test_weights_and_cache_are_one_amount():
    found = derive("llama-3-8b", {"B": 4}, dtype="bf16", cache="paged,fp8", weights="nf4:block.*",
                   frozen=["*"])  # fmt: skip
    parts = found["memory.parameters"].value, found["memory.kv_cache"].value
    assert found["memory.serving"].value == sum(parts)
    assert [p.label for p in found["memory.serving"].line.parts] == ["parameters", "kv_cache"]
    room = solve("llama-3-8b", "B", budget="24GB", quantity="memory.serving", dtype="bf16")
    assert room.inside.size == 7  # of 8,192 positions


def test_the_documents_have_every_row():
    text = (ROOT / "docs" / "conventions.md").read_text("utf-8")
    for name, row in {**LAYOUTS, **TYPES}.items():
        assert f"| `{name}` | {row.meaning} | {row.source} |" in text


def test_every_cache_is_said_in_words():
    said = Conventions(cache="paged:32,fp8").to_dict()["cache"]
    assert said == f"paged:32,fp8 ({cached_as('paged')}; {cached_as('fp8')})"
