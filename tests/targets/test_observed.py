"""What was observed of reference implementations, beside a run of their own at other sizes."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput
from symledger.targets.observed import file_of, observed, to_data
from tests.invoke import run

torch = pytest.importorskip("torch", reason="needs PyTorch")
transformers = pytest.importorskip("transformers", reason="needs transformers")

from tests.checks.torch.test_optimizer_steps import Live  # noqa: E402  # after torch is known

MISTRAL = {"d": 48, "h": 4, "h_kv": 2, "L": 5, "V": 77, "d_ff": 40}
GPT2 = {"B": 3, "T": 17, "d": 48, "h": 4, "L": 5, "V": 77, "T_max": 32}


LLAMA = {"B": 3, "T": 17, "d": 48, "h": 4, "h_kv": 2, "L": 5, "V": 77, "d_ff": 40}
PLAIN = {"B": 3, "T": 17, "d": 48, "h": 4, "L": 5, "V": 77, "d_ff": 40, "T_max": 30}
KEYS = {
    "V": "vocab_size", "d": "hidden_size", "L": "num_hidden_layers", "h": "num_attention_heads",
    "h_kv": "num_key_value_heads", "d_ff": "intermediate_size", "T_max": "max_position_embeddings",
    "V_seg": "type_vocab_size", "d_h": "head_dim",
}
OTHERS = [
    ("llama", "LlamaForCausalLM", {**LLAMA, "h_kv": 4}), ("llama", "LlamaForCausalLM", LLAMA),
    ("llama", "LlamaForCausalLM", {**LLAMA, "B": 1, "V": 3000, "L": 3}),
    ("qwen2", "Qwen2ForCausalLM", {**LLAMA, "h_kv": 4}), ("qwen2", "Qwen2ForCausalLM", LLAMA),
    ("qwen3", "Qwen3ForCausalLM", {**LLAMA, "d_h": 24}),
    ("phi3", "Phi3ForCausalLM", LLAMA),
    ("mistral", "MistralForCausalLM", {**LLAMA, "w_max": 64}),
    ("gemma", "GemmaForCausalLM", {**LLAMA, "d_h": 20}),
    ("gemma", "GemmaForCausalLM", {**LLAMA, "h_kv": 4, "d_h": 6, "B": 1, "V": 3000}),
    ("opt", "OPTForCausalLM", PLAIN), ("bert", "BertModel", {**PLAIN, "V_seg": 2}),
]


NO_CACHE = {"use_cache": False}


def most(model, ids, **more):
    """The most in memory in each pass, as a tracker that shares no code with ours has it."""
    live, found = Live(), []
    with live:
        for t in (*model.parameters(), *model.buffers(), ids, *more.values()):
            live.add(t)
        made = model(ids, **more, **({} if "Bert" in type(model).__name__ else NO_CACHE))
        found.append(live.most)
        live.most = 0
        out = [y for y in made.values() if isinstance(y, torch.Tensor)]
        torch.autograd.backward(out, [torch.ones_like(y) for y in out])
        found.append(live.most)
    return found


@pytest.mark.parametrize(("owner", "name", "sizes"), OTHERS)
def test_other_references_have_in_memory_what_is_shown_of_them(owner, name, sizes):
    kind = getattr(transformers, name)
    said = {KEYS[s]: n for s, n in sizes.items() if s in KEYS}
    if owner == "opt":
        said |= {"ffn_dim": said.pop("intermediate_size"), "word_embed_proj_dim": sizes["d"]}
    if owner == "mistral":
        said["sliding_window"] = sizes["w_max"]
    model = kind(kind.config_class(**said, attn_implementation="eager", pad_token_id=0)).eval()
    ids = torch.zeros(sizes["B"], sizes["T"], dtype=torch.long)
    account = derive(owner, sizes, schedule="eager", optimizer="sgd")
    shown = [account[f"memory.peak.{way}"].value for way in ("forward", "backward")]
    assert shown == most(model, ids)


PAIRS = {"B": 3, "T": 17, "S": 23, "d": 48, "h": 4, "L_enc": 4, "L_dec": 4, "V": 77, "d_ff": 40}
BOTH = [
    ("t5", "T5ForConditionalGeneration", {**PAIRS, "d_h": 20, "n_b": 8},
     {"d_model": "d", "d_kv": "d_h", "d_ff": "d_ff", "num_layers": "L_enc",
      "num_decoder_layers": "L_dec", "num_heads": "h", "relative_attention_num_buckets": "n_b"}),
    ("bart", "BartForConditionalGeneration", {**PAIRS, "T_max": 40},
     {"d_model": "d", "encoder_layers": "L_enc", "decoder_layers": "L_dec",
      "encoder_attention_heads": "h", "decoder_attention_heads": "h", "encoder_ffn_dim": "d_ff",
      "decoder_ffn_dim": "d_ff", "max_position_embeddings": "T_max"}),
]  # fmt: skip


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize(("owner", "name", "sizes", "keys"), BOTH)
def test_an_encoder_decoder_has_in_memory_what_is_shown_of_it(owner, name, sizes, keys, alone):
    sizes = {**sizes, "B": 1, "V": 700} if alone else sizes
    kind = getattr(transformers, name)
    said = {key: sizes[s] for key, s in keys.items()}
    config = kind.config_class(vocab_size=sizes["V"], attn_implementation="eager", **said)
    source, tokens = (torch.zeros(sizes["B"], sizes[n], dtype=torch.long) for n in ("S", "T"))
    account = derive(owner, sizes, schedule="eager", optimizer="sgd")
    shown = [account[f"memory.peak.{way}"].value for way in ("forward", "backward")]
    assert shown == most(kind(config).eval(), source, decoder_input_ids=tokens)


@pytest.mark.parametrize("changed", [
    {}, {"B": 1}, {"V": 3000, "d": 16}, {"L": 2, "T": 32, "h": 8}, {"B": 1, "L": 3, "d": 200},
])  # fmt: skip
def test_a_reference_has_in_memory_what_is_shown_of_it(changed):
    s = {**GPT2, **changed}
    config = transformers.GPT2Config(
        vocab_size=s["V"], n_positions=s["T_max"], n_embd=s["d"], n_layer=s["L"], n_head=s["h"],
        attn_implementation="eager", bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    model = transformers.GPT2LMHeadModel(config).eval()
    ids = torch.zeros(s["B"], s["T"], dtype=torch.long)
    account = derive("gpt2", s, schedule="eager", optimizer="sgd")
    shown = [account[f"memory.peak.{way}"].value for way in ("forward", "backward")]
    assert shown == most(model, ids)


def test_what_was_not_observed_is_refused_by_name():
    for said, message in (
        (("gpt2", {"flash": True}), "of other choices: flash = false"),
        (("gpt2", {"d_ff": 100}), "where d_ff = 4\\*d"),
        (("gpt2", {"L": 1}), "or where L ≥ 2; here B = 1, L = 1: --set gives others"),
        (("mistral", {"B": 1, "T": 64, "w_max": 16, **MISTRAL}),
         "only at sizes where w = T; here w = 16, T = 64: --set"),
        (("linear", {}), "linear was not observed"),
    ):
        with pytest.raises(BadInput, match=message):
            derive(*said, schedule="eager")["memory.peak.train"]
    for said, message in (
        ({"lora": "r=2"}, "leave out --lora"), ({"dtype": "bf16"}, "leave out --dtype bf16"),
        ({"recompute": "full"}, "leave out --recompute"), ({"step": "single"}, "cuts its weights"),
        ({"optimizer": "adafactor"}, "cuts its weights"), ({"frozen": ("*",)}, "nothing frozen"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            derive("gpt2", schedule="eager", **said)["memory.peak.train"]


def test_each_schedule_stands_beside_the_other():
    page = run("derive", "gpt2", "--quantity", "memory.peak.backward").out
    eager = derive("gpt2", schedule="eager")["memory.peak.backward"].value
    program = derive("gpt2")["memory.peak.backward"].value
    assert f"GPT2LMHeadModel of transformers 5.23.0: {eager:,} B" in " ".join(page.split())
    page = run("derive", "gpt2", "--quantity", "memory.peak.backward", "--schedule", "eager").out
    assert f"by the schedule program: {program:,} B (−{eager - program:,} B)" in page
    page = run("derive", "linear", "--quantity", "memory.peak.backward").out
    assert "by the schedule eager nothing is shown" in page


@pytest.mark.parametrize("owner", [
    file.stem for file in sorted(file_of("gpt2").parents[2].rglob("*.json"))
])  # fmt: skip
def test_what_is_recorded_is_read_as_it_was_written(owner):
    rows = json.loads(file_of(owner).read_text("utf-8"))
    assert [to_data(one) for one in observed(owner)] == rows
