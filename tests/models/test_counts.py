"""Models against numbers that were counted elsewhere."""

import pytest
from sympy import Integer

from symledger import derive
from symledger.catalogue.checkpoints import checkpoints
from symledger.models.doge.model import Doge
from symledger.models.gpt2 import model as gpt2
from symledger.models.gpt2.model import GPT2
from symledger.models.jetmoe.model import JetMoe
from symledger.models.llama.model import Llama
from symledger.models.mini_gpt import model as mini_gpt
from symledger.models.mini_gpt.model import MiniGPT
from symledger.models.zamba.model import Zamba
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.sizes import named

MINI = mini_gpt.CONFIGURATIONS["mini_gpt"]


def evaluate(model, formula, configuration):
    """Put the model's default assumptions in, then the configuration's numbers."""
    numbers = {named(name): value for name, value in configuration.items()}
    rest = {s: e for s, e in model.assumptions.items() if s not in numbers}
    value = formula.subs(rest).subs(numbers)
    assert value.is_Integer, value
    return int(value)


def parameters(model, configuration):
    return evaluate(model, params(program_of(model)).total, configuration)


@pytest.mark.parametrize(
    ("model", "changes", "count"),
    [
        # the mini-GPT of a course page: V = 512, d = 64, L = 2, h = 4
        (MiniGPT(), {}, 131392),
        (MiniGPT(), {"d": 32}, 41120),
        (MiniGPT(tied=False), {}, 164160),
        (MiniGPT(positions="learned"), {"T_max": 32}, 131392 + 2048),
        (MiniGPT(positions="sinusoidal"), {}, 131392),
        # a block's biases: 4 · 64 in attention, 4 · 64 + 64 in the feed-forward network
        (MiniGPT(bias=True), {}, 131392 + 2 * (256 + 320)),
        (MiniGPT(flash=True), {}, 131392),
        (MiniGPT(dropout=True), {}, 131392),
    ],
    ids=str,
)
def test_the_mini_gpt_has_as_many_parameters_as_the_page_counts(model, changes, count):
    assert parameters(model, {**MINI, **changes}) == count


LLAMA_7B = {"V": 32000, "d": 4096, "L": 32, "h": 32, "d_ff": 11008, "T": 2048, "B": 1}


@pytest.mark.parametrize(
    ("model", "configuration", "count"),
    [
        # openai-community/gpt2: the sum of numel() over model.parameters() in transformers
        (GPT2(), gpt2.CONFIGURATIONS["gpt2"], 124439808),
        # Brown et al. (2020), table 2.1: "175.0B"; with V = 50257 and T_max = 2048 exactly
        (GPT2(), checkpoints()["gpt3-175b"].sizes, 174604259328),
        # huggyllama/llama-7b: the sum of numel() over model.parameters() in transformers
        (Llama(), LLAMA_7B, 6738415616),
        (MiniGPT(), mini_gpt.CONFIGURATIONS["mini_gpt-small"], 41120),
    ],
    ids=["gpt2", "gpt3-175b", "llama-7b", "mini_gpt-small"],
)
def test_published_models_have_as_many_parameters_as_their_weights(model, configuration, count):
    assert parameters(model, configuration) == count


# By hand, for V = 512, d = 64, L = 2, B = 8, T = 32: a token's matrices 2 · (12 d² L + V d), and
# for each pair 4 d in each layer; 8 · 32 · (2 · 131072 + 4 · 64 · 32 · 2) = 71303168
@pytest.mark.parametrize("flash", [False, True])
def test_the_mini_gpt_goes_forward_in_71303168_flops(flash):
    forward = contraction_flops(program_of(MiniGPT(flash=flash))).total
    assert evaluate(MiniGPT(), forward, MINI) == 71303168


@pytest.mark.parametrize(
    ("model", "backward"),
    [
        (MiniGPT(), 142606336),
        (MiniGPT(tied=False), 142606336),
        # flash forms the scores once more: 2 · d · B · T² in each of two layers
        (MiniGPT(flash=True), 142606336 + 2 * 2 * 64 * 8 * 32**2),
    ],
    ids=str,
)
def test_the_mini_gpt_goes_back_in_142606336_flops(model, backward):
    flops = contraction_flops(pullback(program_of(model))).total
    assert evaluate(model, flops, MINI) == backward


def test_causal_pairs_are_charged_by_convention():
    program = program_of(MiniGPT())
    full, half, exact = (
        evaluate(MiniGPT(), contraction_flops(program, causal).total, MINI)
        for causal in ("full", "half", "exact")
    )
    pairs = 2 * 4 * 8 * 64  # L layers, 4 FLOPs for each of d widths, in B sequences
    assert full == 71303168
    assert full - half == pairs * 32 * 32 // 2
    assert full - exact == pairs * 32 * 31 // 2


def test_a_number_of_layers_may_be_a_number():
    """Two layers written as 2 come to what L = 2 does."""
    assert parameters(MiniGPT(L=Integer(2)), MINI) == 131392


def test_vgg16_has_most_of_its_parameters_in_three_linear_layers():
    tree = derive("vgg16").to_dict(["params"])["tree"]
    parts = {part["label"]: int(part["value"]) for part in tree["parts"]}
    linear = {name: n for name, n in parts.items() if not name.startswith("stage")}
    assert sum(linear.values()) == 123642856
    assert sum(parts.values()) - sum(linear.values()) == 14714688


def test_vgg16_takes_as_many_flops_as_were_counted():
    """torchvision's vgg16 under PyTorch's FlopCounterMode, two images of 224 x 224."""
    account = derive("vgg16", {"B": 2}, input_gradient=False)
    assert account.flops_forward.value == 61881057280
    assert account.flops_training.value == 185296355328


TINY = {"V": 10, "d": 4, "d_ff": 3}


@pytest.mark.parametrize(
    ("model", "sizes", "count"),
    [
        # table; two norms; maps of two experts' queries and back, keys and values, router, bias;
        # three matrices of two experts, router, bias; last norm
        (JetMoe(), {"L": 1, "h_kv": 2, "d_h": 2, "E": 2, "k": 1},
         40 + 8 + (32 + 32 + 32 + 8 + 4) + (72 + 8 + 4) + 4),
        # two tables; two norms, two gains; Q K V O, their norms, A, its map; network; last norm
        (Doge(), {"L": 1, "h": 2, "h_kv": 1, "d_h": 2},
         80 + 16 + (16 + 8 + 8 + 16 + 4 + 1 + 2) + 36 + 4),
        # three mixers (in, convolution, two maps of heads, A, D, out) with norms; the block once:
        # norms, Q K V, O, network; two maps after it; table; last norm
        (Zamba(), {"L": 3, "L_a": 2, "h": 2, "h_kv": 2, "d_h": 4, "h_s": 2, "d_hs": 4, "d_s": 2,
                   "d_r": 1, "K": 2},
         3 * (64 + 24 + 40 + 16 + 16 + 8 + 32 + 4) + (12 + 192 + 32 + 36) + 2 * 16 + 40 + 4),
    ],
    ids=lambda x: type(x).__name__,
)  # fmt: skip
def test_tiny_models_have_as_many_parameters_as_are_counted_by_hand(model, sizes, count):
    assert parameters(model, {**TINY, **sizes}) == count


@pytest.mark.parametrize(("side", "count"), [(32, 10642941475), (40, 10670220835)])
def test_llama_3_2_vision_has_as_many_parameters_as_the_hub_counts(side, count):
    """Of Llama-3.2-11B-Vision, whose tiles are smaller, and of its Instruct.

    As tetrabit/llmfit holds the counts (llmfit-core/data/hf_models.json, 82b3e1c).
    """
    sizes = {"V": 128256, "d": 4096, "L": 40, "L_ca": 8, "h": 32, "h_kv": 8, "d_ff": 14336,
             "C_in": 3, "P": 14, "H_p": side, "W_p": side, "N_t": 4, "N_ar": 9, "d_img": 1280,
             "L_img": 32, "L_v": 5, "L_gl": 8, "h_img": 16}  # fmt: skip
    assert derive("mllama", sizes).params.value == count


SEEN = {"C_in": 3, "P": 14, "H_p": 16, "W_p": 16, "h_img": 16}
VICUNA = {"V": 32064, "d": 4096, "L": 32, "h": 32, "d_ff": 11008, "tied": False}


@pytest.mark.parametrize(
    ("name", "sizes", "count"),
    [
        ("video_llava", {"d_img": 1024, "L_img": 24, "f_img": 4096, "L_u": 1}, 7366279168),
        ("instructblip_llama", {"d_img": 1408, "L_img": 39, "f_img": 6144, "n_q": 32, "d_qf": 768,
         "L_qf": 12, "L_qx": 6, "h_qf": 12, "V_ins": 30523, "N_ins": 512}, 7913726720),
    ],
)  # fmt: skip
def test_what_sees_before_vicuna_has_as_many_parameters_as_the_hub_counts(name, sizes, count):
    """Of Video-LLaVA-7B-hf and instructblip-vicuna-7b, counted in the same file."""
    assert derive(name, {**SEEN, **VICUNA, **sizes}).params.value == count
