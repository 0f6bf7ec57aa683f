"""Activations: every family takes every name, and only pointwise work and what is kept differ."""

import json
from zlib import crc32

import pytest

from symledger import derive
from symledger.config_keys.activations import KNOWN, LEARNED, REFERENCE, Acting
from symledger.configs.families import every_family
from symledger.errors import BadInput, NotKnown

NEEDED = {
    "granite_speech": {"projector_config": {"encoder_hidden_size": 1024}},
    "granite_speech_plus": {"projector_config": {"encoder_hidden_size": 1024}},
    "ministral": {"head_dim": 64},
    "wav2vec2-conformer": {"vocab_size": 32}, "wav2vec2-bert": {"vocab_size": 32},
    "hunyuan_v1_dense": {"head_dim": 64}, "hunyuan_vl_text": {"head_dim": 64},
    "qwen3_omni_moe_text": {"head_dim": 64}, "mt5": {"tie_word_embeddings": False},
    "deepseek_v2": {"num_experts_per_tok": 2},
    "dots1": {"n_shared_experts": 1, "n_routed_experts": 8, "num_experts_per_tok": 2},
    "nemotron": {"num_key_value_heads": 8},
    "diffusion_gemma_text": {"num_experts": 8, "top_k_experts": 2, "moe_intermediate_size": 64},
    "cohere_compass_text": {"rope_parameters": {"full_attention": {"rope_theta": 10000.0}}},
}  # fmt: skip
"""What a configuration has to say besides, so that its class can be built."""
POINTWISE = ("flops.forward.pointwise", "flops.backward.pointwise", "memory.saved",
             "memory.training", "traffic.unfused")  # fmt: skip
KEYS = [
    (family, key) for family in every_family() for key, use in family.uses.items()
    if isinstance(use, Acting) or key == "feed_forward_proj"
]  # fmt: skip
NAMES = sorted({*KNOWN, "an_activation_of_mine"} - LEARNED.keys())
FIRST = ("gpt2", "llama", "qwen2_moe", "bert", "t5", "vit", "whisper")
"""Of these all are tried in any case."""
FEW = ("an_activation_of_mine", "relu2", "silu")
"""What is tried of every type."""
SHARE = 12
"""A twelfth of all is tried of every entry besides, another twelfth of each."""


def names(family, key):
    """Return the activations that are tried of a key of a type: all types read the same table."""
    entry = next(iter(family.builds.values())).entry
    first = next((f.model_type, k) for f, k in KEYS
                 if k == key and next(iter(f.builds.values())).entry == entry)  # fmt: skip
    if first != (family.model_type, key):
        return FEW
    own = (n for n in NAMES if crc32(f"{entry} {n}".encode()) % SHARE == 0)
    return NAMES if entry in FIRST else sorted({*FEW, *own})


def account(document, folder):
    path = folder / "config.json"
    path.write_text(json.dumps(document), "utf-8")
    return derive(str(path))


def said(family, **keys):
    return {family.key: family.model_type, **NEEDED.get(family.model_type, {}), **keys}


def contracted(found):
    return found.params.value, found.flops_training.value


@pytest.mark.parametrize(("family", "key"), KEYS, ids=lambda x: getattr(x, "model_type", x))
def test_no_activation_changes_parameters_or_contractions(family, key, tmp_path):
    gated = "gated-" * str(family.facts["keys"].get(key)).startswith("gated-")
    usual = contracted(account(said(family, **{key: gated + "gelu"}), tmp_path))
    for name in names(family, key):
        found = account(said(family, **{key: gated + name}), tmp_path)
        assert contracted(found) == usual, name
        used = "unknown" in found.target.options.values() and bool(found.not_known)
        assert used <= (name not in KNOWN), name


def test_the_table_is_that_of_the_reference():
    activations = pytest.importorskip("transformers.activations")
    assert set(REFERENCE) == set(activations.ACT2FN)


@pytest.mark.parametrize("name", sorted(KNOWN.keys() - REFERENCE))
def test_the_others_are_functions_of_pytorch(name):
    functional = pytest.importorskip("torch.nn.functional")
    assert callable(getattr(functional, name))


KEPT = sorted(REFERENCE.keys() - LEARNED.keys())


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_is_what_the_reference_keeps(name):
    torch = pytest.importorskip("torch")
    activations = pytest.importorskip("transformers.activations")
    kept = {}

    def pack(t):
        kept[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes(), t
        return t

    x = torch.randn(2, 3, 5, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = activations.ACT2FN[name](x * 1)
    scalars = [size for size, t in kept.values() if not t.dim()]  # numbers: wrapped constants
    ours = derive("activation", {"function": REFERENCE[name], "B": 2, "T": 3, "n": 5})
    assert ours.memory_saved.value == sum(size for size, _ in kept.values()) - sum(scalars)
    assert y.shape == x.shape


@pytest.mark.parametrize("name", sorted(LEARNED))
@pytest.mark.parametrize("model_type", ["gpt2", "llama", "qwen2_moe", "deepseek_v3", "bert", "t5"])
def test_one_with_weights_has_those_that_the_reference_builds(model_type, name, tmp_path):
    from symledger.checks.transformers.building import build
    from symledger.checks.transformers.comparison import installed

    if not installed():
        pytest.skip("needs transformers")
    key = {"gpt2": "activation_function", "t5": "feed_forward_proj"}.get(model_type, "hidden_act")
    found = account({"model_type": model_type, key: name}, tmp_path)
    theirs = sum(p.numel() for p in build(found.target.configured).parameters())
    assert found.params.value == theirs


@pytest.mark.parametrize("keys", [
    {"dense_act_fn": "prelu"}, {"dense_act_fn": "silu", "feed_forward_proj": "gated-gelu"},
    {"is_gated_act": True}, {"is_gated_act": False, "feed_forward_proj": "gated-gelu"},
    {"is_gated_act": True, "dense_act_fn": "xielu", "feed_forward_proj": "relu"},
])  # fmt: skip
@pytest.mark.parametrize("model_type", ["t5", "mt5"])
def test_what_a_t5_says_of_its_networks_by_itself_is_believed(model_type, keys, tmp_path):
    from symledger.checks.transformers.building import build
    from symledger.checks.transformers.comparison import installed

    if not installed():
        pytest.skip("needs transformers")
    needed = NEEDED.get(model_type, {})
    found = account({"model_type": model_type, **needed, **keys}, tmp_path)
    theirs = build(found.target.configured)
    assert found.params.value == sum(p.numel() for p in theirs.parameters())
    options, config = found.target.options, theirs.config
    assert (options["activation"], options["gated"]) == (config.dense_act_fn, config.is_gated_act)


def test_what_depends_on_an_unknown_one_is_refused_by_name(tmp_path):
    found = account({"model_type": "qwen2", "hidden_act": "geluish"}, tmp_path)
    assert tuple(found.not_known) == POINTWISE
    assert not set(POINTWISE) & set(found.quantities)
    for quantity in POINTWISE:
        with pytest.raises(NotKnown, match=f"no {quantity} here: hidden_act = \"geluish\" is a"):
            found[quantity]
    assert found.to_dict()["not_known"] == dict.fromkeys(POINTWISE, "unknown")


def test_the_page_names_what_is_not_known(tmp_path):
    from symledger.report.page import page

    text = page(account({"model_type": "mamba", "hidden_act": "mine"}, tmp_path), (), 2, 100).text()
    assert f"NOT KNOWN: {', '.join(POINTWISE)}" in " ".join(text.split())
    assert 'hidden_act = "mine" is a function of each element' in text
    assert "NOT KNOWN" not in page(account({"model_type": "mamba"}, tmp_path), (), 2, 100).text()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"hidden_act": "swiglu"}, "hidden_act = 'swiglu' is not supported: it is no function of"),
        ({"hidden_act": " "}, "hidden_act = ' ' does not fit: the name of an activation"),
        ({"hidden_act": 3}, "hidden_act = 3 does not fit: the name of an activation"),
        ({"model_type": "t5", "feed_forward_proj": "gated-gated-relu"}, "relu or gated-gelu"),
        ({"model_type": "mamba", "hidden_act": "prelu"}, "it has weights of its own"),
    ],
)
def test_what_is_no_activation_is_refused(keys, message, tmp_path):
    with pytest.raises(BadInput, match=message):
        account({"model_type": "llama", **keys}, tmp_path)
