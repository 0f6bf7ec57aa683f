"""Peaks of inference with a cache that is as long as it will get: beside measured ones; refusals.

The numbers are those of a tracker of live storages that shares no code with ours, on the meta
device with PyTorch 2.13.0 and transformers 5.23.0: a LLaMA of width 64 with 8 heads, 2 of them with
keys of their own, in bf16, a prompt of T tokens and one token behind it. The tracker saw no buffers
(4*d/h bytes), and held the numbers of the prompt while a token was decoded (8*B*T).
"""

import pytest

pytest.importorskip("torch", reason="needs PyTorch")
pytest.importorskip("transformers", reason="needs transformers")

from symledger import derive, trace  # after torch is known to be there
from symledger.errors import BadInput
from tests.every import COSTLY
from tests.invoke import assert_refuses
from tests.tracing.test_eager import Remembering

LLAMA = {"hidden_size": 64, "num_attention_heads": 8, "num_key_value_heads": 2,
         "pad_token_id": None, "bos_token_id": 0, "eos_token_id": 0}  # fmt: skip
SMALL, LONG, WIDE = (2, 40, 1000, 128, 3), (1, 200, 50, 512, 2), (4, 16, 3000, 192, 4)
MEASURED = {
    ("eager", "dynamic", SMALL): (807_232, 510_972), ("eager", "static", SMALL): (866_904, 518_416),
    ("sdpa", "static", SMALL): (830_808, 508_736), ("eager", "dynamic", LONG): (3_916_416, 543_442),
    ("eager", "static", LONG): (4_050_704, 546_720), ("sdpa", "static", LONG): (3_536_656, 524_144),
    ("sdpa", "dynamic", WIDE): (1_555_072, 1_231_176),
    ("sdpa", "static", WIDE): (1_563_296, 1_196_992),
}  # fmt: skip
"""By attention, cache and (B, T, V, d_ff, L): the most while a prompt is read, and a token is."""


def sizes(at):
    return dict(zip(("B", "T", "V", "d_ff", "L"), at, strict=True))


def both(account, cache, T, named=None):
    """The most that there is in each pass, as the tracker counts."""
    found, B = [], (named or {}).get("B", 1)
    for name, length in (("prefill", T), ("decode", T + 1)):
        room = {"S_max": T + 8} if cache == "static" else {}
        there = account.subs({**(named or {}), "T": length, **room})
        found.append(there[f"memory.peak.{name}"].value - 4 * 64 // 8)
    return found[0], found[1] + 8 * B * T


def under(account, cache):
    return account.under(dtype="bf16", cache="static" if cache == "static" else "")


@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_a_reference_has_in_memory_what_was_measured(cache):
    own = {"d": 64, "h": 8, "h_kv": 2}
    account = under(derive("llama", own, schedule="eager"), cache)
    assert both(account, cache, 40, {**own, **sizes(SMALL)}) == MEASURED["eager", cache, SMALL]


@COSTLY(3)
@pytest.mark.parametrize(("attention", "several"), [
    ("sdpa", True), ("eager", False), ("sdpa", False),
])  # fmt: skip
def test_a_traced_class_has_in_memory_what_was_measured(attention, several):
    """Attention as one call is written out on the meta device; two layers are looked at as such."""
    _, _, V, ff, L = LONG
    few = {"intermediate_size": ff, "num_hidden_layers": L, "vocab_size": V}
    made = trace("transformers:LlamaForCausalLM",
                 inputs=f"input_ids: int64 ({'B' if several else 1}, T)", schedule="eager",
                 config={**LLAMA, "attn_implementation": attention, **({} if several else few)},
                 )  # fmt: skip
    for (kind, cache, at), known in MEASURED.items():
        if kind == attention and several == (at != LONG):
            named = sizes(at) if several else {}
            assert both(under(made, cache), cache, at[1], named) == known
    if several:
        with pytest.raises(BadInput, match=r"T = S_max = 40: storages .* live otherwise there"):
            under(made, "static").subs({"T": 40, "S_max": 40})["memory.peak.prefill"]


def test_bytes_are_those_of_its_positions():
    plain = derive("llama-3-8b", {"B": 3, "T": 100}, dtype="bf16")
    static = plain.under(cache="static")
    assert static["memory.kv_cache"].value == plain["memory.kv_cache"].value
    longer = static.subs({"S_max": 128})["memory.kv_cache"]
    assert longer.value == plain.subs({"T": 128})["memory.kv_cache"].value
    for positions, seen in ((5000, 4096), (700, 700)):  # of a window no more than it sees
        window = derive("mistral", {"B": 1, "T": 600, "S_max": positions, "w_max": 4096},
                        cache="static")["memory.kv_cache"]  # fmt: skip
        same = derive("mistral", {"B": 1, "T": seen, "w_max": 4096})["memory.kv_cache"]
        assert window.value == same.value


def test_it_is_no_shorter_than_what_it_holds():
    assert_refuses("derive", "llama", "--cache", "static", "--set", "T=41", "--set", "S_max=40",
                   said="T = 41, but it may not exceed S_max = 40")  # fmt: skip
    assert_refuses("derive", "llama", "--set", "S_max=40", said="S_max is neither a symbol")


def test_what_no_module_is_run_with_is_refused():
    made = trace(Remembering, inputs="ids: int64 (B, T)", schedule="eager")
    with pytest.raises(BadInput, match="no class of transformers"):
        made.under(cache="static").subs({"S_max": 50})["memory.peak.decode"]
    dynamic = made.under(cache="dynamic")["memory.peak.decode"]
    assert dynamic.expr == made["memory.peak.decode"].expr
    with pytest.raises(BadInput, match="leave out --cache paged"):
        made.under(cache="paged")
    with pytest.raises(BadInput, match="leave out --cache fp8"):
        derive("llama", schedule="eager", cache="fp8")["memory.peak.decode"]
