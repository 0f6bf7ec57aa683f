"""Programs under autocast: the type of each value, what is kept and alive, and what is refused."""

import pytest
from sympy import Integer

from symledger import algebra, derive
from symledger.checks.alive import differing
from symledger.checks.gradients import finite_differences
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.errors import BadInput, NotKnown
from symledger.ir.ops import Input
from symledger.readings.pullback import pullback

BYTES = {"value": 4, "statistic": 4, "mask": 1, "index": 8, "half": 2}


def text(found):
    return algebra.text(found.corollary_terms)


@pytest.mark.parametrize(("target", "choices", "expected"), [
    ("linear", {}, "2B·d_in + 2d_in·d_out"),  # x and W in 16 bits; the bias is not kept
    ("softmax", {}, "4BTn"),
    ("layer_norm", {}, "4BTd + 8BT"),
    ("dot_product_attention", {}, "6BT²h + 6BT·d_k·h"),  # a in fp32, and once more in 16 bits
    ("feed_forward", {}, "18BTd + 16d²"),  # x, u and a (d_ff = 4d), and both weights
    # Of a block two of 4 bytes: x and the middle; 16 a token for norms. Then 2 bytes each: what Q,
    # K and V are given, each its own copy, q, k, v, what O and the network are given; u and a.
    ("pre_ln_block", {}, "6BT²h + 40BTd + 16BT + 24d²"),
    ("pre_ln_block", {"flash": "true"}, "40BTd + 4BTh + 16BT + 24d²"),
])  # fmt: skip
def test_kept_is_counted_by_hand(target, choices, expected):
    assert text(derive(target, set=choices, recipe="autocast")["memory.saved"]) == expected


def test_weights_gradients_and_states_are_of_16_bytes():
    account = derive("gpt2", recipe="autocast")
    held = ("memory.parameters", "memory.gradients", "memory.optimizer")
    each = algebra.subtract(
        algebra.add([account[name].general for name in held]),
        algebra.combine([(16, account.params.general)]),
    )
    assert not each


@pytest.mark.parametrize(("target", "choices", "asked"), [
    ("linear", {}, {}), ("pre_ln_block", {}, {}), ("conv2d", {}, {}), ("basic_block", {}, {}),
    ("gpt2", {}, {}), ("gpt2", {"flash": "true"}, {}), ("gpt2", {"dropout": "true"}, {}),
    ("gpt2", {}, {"recompute": "full"}), ("gpt2", {}, {"recompute": "full:early"}),
    ("gpt2", {}, {"recompute": "attention:discard"}), ("llama", {}, {}),
    ("llama", {}, {"recompute": "feed_forward.gating"}), ("mixtral", {}, {}), ("t5", {}, {}),
])  # fmt: skip
def test_a_run_has_such_gradients_and_as_much_alive(target, choices, asked):
    account = derive(target, set=choices, recipe="autocast", **asked)
    found = sizes_for(account.program, 0, (Integer(1),), distinct=False)
    trial = Trial(account.program, account.readings.back, {
        s: 5 if s.name == "L" else n for s, n in found.items()
    })  # fmt: skip
    assert differing(trial, BYTES) == []
    assert finite_differences(trial).passed


def test_copies_of_weights_are_there_until_the_forward_pass_ends():
    """Of y = xW + b: x, W and b, y and the three copies; the product is there with its sum."""
    found = derive("linear", recipe="autocast", set={"B": 3, "d_in": 5, "d_out": 7})
    weights, copies = 4 * (5 * 7 + 7), 2 * (3 * 5 + 5 * 7 + 7)
    assert found["memory.peak.forward"].value == weights * 3 + 4 * 3 * 5 + copies + 2 * 2 * 3 * 7


def test_one_leaf_is_cast_once_and_what_is_made_for_each_that_reads_it():
    """Q, K and V read one x, or what a norm makes of it; what asks for no gradient is no leaf."""
    def cast(**asked):
        program = derive("self_attention", recipe="autocast", **asked).program
        return sum(t.op.code.name in ("cast", "cached") and t.args[0] in program.inputs
                   for t in program.tensors if hasattr(t.op, "code"))  # fmt: skip

    assert (cast(), cast(input_gradient=False)) == (1, 3)


def test_a_frozen_weight_is_cast_for_each_that_reads_it():
    found = derive("linear", recipe="autocast", frozen=["W"])
    names = [t.op.code.name for t in found.program.tensors if hasattr(t.op, "code")]
    assert names == ["cached", "cast", "cached", "+"]  # x, W, b


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_both_types_of_16_bits_are_as_wide(dtype):
    plain = derive("gpt2", recipe="autocast")["memory.peak.train"]
    assert derive("gpt2", products=dtype)["memory.peak.train"].hash == plain.hash


def test_products_are_as_many():
    plain, cast = (derive("gpt2", products=p)["flops.training"] for p in (None, "bf16"))
    assert plain.hash == cast.hash


@pytest.mark.parametrize(("target", "asked", "said"), [
    ("gpt2", {"products": "bf16", "dtype": "bf16"}, "whose weights are in fp32"),
    ("gpt2", {"recipe": "autocast", "dtype": "fp16"}, "whose weights are in fp32"),
    ("gpt2", {"products": "bf16", "weights": "nf4"}, "leave out --dtype and --weights"),
    ("gpt2", {"products": "bf16", "gradients": "bf16"}, "leave out --gradients"),
    ("gpt2", {"products": "bf16", "lora": "r=8"}, "is for definitions whose weights are trained"),
    ("examples/gpt.trace.json", {"products": "bf16"}, "is for definitions"),
    ("bilinear", {"products": "bf16"}, "which kernels of PyTorch compute it is not known"),
    ("lstm", {"products": "bf16"}, "a weight that several applications share"),
    ("gated_delta_rule", {"products": "bf16"}, "solves a triangle"),
    ("elementwise_loss", {"products": "bf16", "set": {"function": "bce"}}, "PyTorch refuses"),
    ("post_ln_encoder", {"products": "bf16"}, "--no-input-gradient"),
    ("llama", {"products": "bf16", "cache": "dynamic"}, "values in the type of keys"),
    ("feed_forward", {"products": "bf16", "set": {"activation": "unknown"}}, "only the name"),
    ("rrelu", {"products": "bf16"}, "draws numbers"),
    ("alpha_dropout", {"products": "bf16"}, "draws numbers"),
])  # fmt: skip
def test_what_cannot_be_told_is_refused(target, asked, said):
    with pytest.raises(BadInput, match=said):
        derive(target, **asked)


@pytest.mark.parametrize("depth", [2, 6])
@pytest.mark.parametrize(("target", "choices"), [
    ("gpt2", {}), ("llama", {"flash": "true"}), ("mistral", {}), ("mixtral", {}), ("gemma2", {}),
    ("deepseek-v3", {}),
])  # fmt: skip
def test_a_pass_of_inference_has_as_much_alive(target, choices, depth):
    """A prompt that is read, and the last token behind what was kept of it."""
    account = derive(target, set=choices, recipe="autocast")
    for program in (account.program, account.readings.decoding_in_types):
        found = sizes_for(program, 0, (Integer(1),), distinct=False)
        deep = {s: depth if s.name in ("L", "L_w") else n for s, n in found.items()}
        trial = Trial(program, pullback(program), deep)
        assert differing(trial, BYTES, backward=False, remembering=True) == []


@pytest.mark.parametrize(("target", "kept"), [("llama", "6BLTd"), ("gpt2", "4BLTd")])
def test_keys_that_are_turned_are_kept_in_fp32(target, kept):
    """And values, and keys that are not, as they were multiplied: what a token decodes is alike."""
    account = derive(target, recipe="autocast")
    assert text(account["memory.kv_cache"]) == kept
    entering = {t.op.name: t.storage for b in account.readings.decoding_in_types.bodies
                for t in b.tensors if isinstance(t.op, Input) and t.op.remembered}  # fmt: skip
    assert entering == {"past_k": "value" if target == "llama" else "half", "past_v": "half"}


@pytest.mark.parametrize(("target", "asked", "said"), [
    ("vit", {}, "--no-input-gradient"), ("mamba", {}, "of which type a state is"),
    ("t5", {}, "does not join it with what is next"),
    ("llama", {"products": "fp8"}, "how they are served is not"),
])  # fmt: skip
def test_what_of_serving_cannot_be_told_is_refused(target, asked, said):
    account = derive(target, **(asked or {"recipe": "autocast"}))
    with pytest.raises((NotKnown, BadInput), match=said):
        account[f"memory.peak.{'decode' if target == 't5' else 'prefill'}"]


def test_nothing_is_said_of_what_moves():
    with pytest.raises(NotKnown, match="Leave out --products"):
        derive("llama", recipe="autocast")["traffic.unfused"]


@pytest.mark.parametrize("products", ["bf16", "fp8"])
def test_what_was_observed_in_one_type_says_nothing_of_others(products):
    with pytest.raises(BadInput, match="leave out --products"):
        derive("gpt2", products=products, schedule="eager")["memory.peak.train"]


def test_the_recipes_are_composed():
    found = derive("llama", recipe="autocast-flash-recompute")
    parts = derive("llama", set={"flash": "true", "recompute": "true"}, products="bf16")
    for name in ("memory.training", "memory.peak.train"):
        assert found[name].hash == parts[name].hash
