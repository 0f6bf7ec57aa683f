"""The backward program: right by finite differences, priced by theorem, dropped where not asked."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Integer, expand

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.attention.flash import FlashAttention
from symledger.components.blocks.blocks import PostLNBlock, PreLNBlock
from symledger.components.embeddings.embedding import LMHead, TokenEmbedding
from symledger.components.embeddings.positions import LearnedPositions, SinusoidalPositions
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.heads_and_losses.log_softmax import LogSoftmax
from symledger.components.heads_and_losses.losses import CrossEntropy
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.ir.functions import FUNCTIONS
from symledger.ir.ops import Const, Contract, Input, Map, MaxIndex, Param, Scatter
from symledger.ir.tensor import CallBack
from symledger.models.gpt2.model import GPT2
from symledger.models.llama.model import Llama
from symledger.models.mini_gpt.model import MiniGPT
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.sources import own_leaves, random_leaves
from symledger.readings.pullback import pullback
from symledger.sizes import B, L, S, T, V, d, d_ff, d_in, d_k, d_out, d_v, h, h_kv
from tests.readings.small import (
    LENGTHS,
    Act,
    Binary,
    Collect,
    Encoded,
    Frozen,
    Lookup,
    M,
    Norm,
    Outer,
    P,
    Peak,
    Pick,
    Pointwise,
    Product,
    Recurrent,
    Residual,
    Scaled,
    Shifted,
    Stack,
    Tied,
    Transpose,
    UsesCentred,
)

STEP = 1e-5  # the best for central differences in float64
WEIGHT = 0.4  # so small that tanh after tanh is not flat
CROSS = {"x": "B T d", "memory": "B S d"}
CACHED = {"x": "B T d", "past_k": "B P h_kv d_k", "past_v": "B P h_kv d_v"}

COMPONENTS = [
    (Linear(), None),
    (Linear(bias=False), None),
    *((FeedForward(activation=a), None) for a in ("relu", "gelu", "gelu_tanh", "silu")),
    (GatedFeedForward(), None),
    (GatedFeedForward(activation="gelu", bias=True), None),
    (LayerNorm(), None),
    (RMSNorm(), None),
    (Softmax(), None),
    (LogSoftmax(), None),
    (Dropout(), None),
    (TokenEmbedding(), None),
    (TokenEmbedding(), {"tokens": "B T in V", "E": "V d"}),
    (LMHead(), None),
    (LMHead(), {"x": "B T d", "E": "V d"}),
    (CrossEntropy(), None),
    (LearnedPositions(), None),
    (SinusoidalPositions(), None),
    (RotaryPositions(), None),
    (RotaryPositions(offset=P), None),
    (ScaledDotProduct(), None),
    (ScaledDotProduct(causal=True), None),
    (ScaledDotProduct(dropout=True), None),
    (FlashAttention(), None),
    (FlashAttention(causal=True), None),
    (Attention(), None),
    (Attention(bias=True, causal=True, rotary=True), None),
    (Attention(causal=True, flash=True), None),
    (Attention(dropout=True), CROSS),
    (Attention(causal=True, rotary=True), CACHED),
    (PreLNBlock(), None),
    (PreLNBlock(norm="rms", gated=True, activation="silu", bias=False, rotary=True), None),
    (PreLNBlock(dropout=True, activation="relu"), None),
    (PostLNBlock(), None),
    (PostLNBlock(flash=True, activation="gelu_tanh"), None),
]
MODELS = [
    MiniGPT(),
    MiniGPT(positions="learned", tied=False, bias=True),
    MiniGPT(positions="sinusoidal", flash=True),
    GPT2(dropout=True),
    Llama(),
]
SMALL = [
    *(Pointwise(name) for name in FUNCTIONS),
    *(Binary(op) for op in "+-*/"),
    Product(), Residual(), Transpose(), Norm(), Peak(), Shifted(), Outer(), Lookup(), Collect(),
    Pick(), Pick(back=True), Tied(), Scaled(),
    *(UsesCentred(which) for which in ("both", "mean", "rest")),
    Stack(), Stack(shared=True),
    *(Stack(nested=True, shared=a, shared_inside=b) for a in (False, True) for b in (False, True)),
    Encoded(), Encoded(shared=True), Recurrent(), Recurrent(shared=True),
]  # fmt: skip


def name(value):
    return repr(value) if not isinstance(value, dict | None) else "+".join(value or ["default"])


def assert_gradients(component, inputs=None):
    """Every gradient agrees with central differences along a random direction."""
    program = program_of(component, inputs)
    pull = pullback(program)
    machine, rng = Machine(LENGTHS), np.random.default_rng(7)
    leaves = random_leaves(program, machine.length, rng)
    leaves |= {x: WEIGHT * leaves[x] for x in leaves if isinstance(x.op, Param)}
    seeds = {s: rng.standard_normal(machine.shape(s.shape)) for s in pull.seeds}
    found = machine.back(pull, machine.run(program, leaves), seeds)
    assert set(found) == {x for x, _ in own_leaves(program) if has_gradient(x)}

    def loss(moved):
        values = machine.run(program, {**leaves, **moved})
        pairs = zip(program.outputs, pull.seeds, strict=True)
        return sum(np.sum(values[y] * seeds[seed]) for y, seed in pairs)

    for leaf, gradient in found.items():
        x = leaves[leaf]
        assert gradient.shape == x.shape == machine.shape(pull.gradients[leaf].shape)
        direction = rng.standard_normal(x.shape)
        ends = [loss({leaf: x + sign * STEP * direction}) for sign in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * STEP)
        scale = np.linalg.norm(gradient) * np.linalg.norm(direction)
        assert slope == pytest.approx(np.sum(gradient * direction), abs=1e-7 * scale + 1e-8), leaf


def has_gradient(leaf):
    if isinstance(leaf.op, Param):
        return leaf.op.trainable
    return isinstance(leaf.op, Input) and leaf.op.below is None and leaf.op.keep is None


@pytest.mark.parametrize(("component", "inputs"), COMPONENTS, ids=name)
def test_the_gradients_of_a_component_are_its_finite_differences(component, inputs):
    assert_gradients(component, inputs)


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_the_gradients_of_a_model_are_its_finite_differences(model):
    assert_gradients(model)


@pytest.mark.parametrize("component", SMALL, ids=name)
def test_the_gradients_of_every_operation_are_its_finite_differences(component):
    assert_gradients(component)


def counts(component, axes=None, **asked):
    program = program_of(component, axes)
    forward = contraction_flops(program).total
    return expand(forward), expand(contraction_flops(pullback(program, **asked)).total)


def recomputes(component):
    return isinstance(component, FlashAttention) or getattr(component, "flash", False)


CONTRACTING = [
    (component, inputs)
    for component, inputs in [*COMPONENTS, *((model, None) for model in MODELS)]
    if counts(component, inputs)[0] != 0
]


@pytest.mark.parametrize(
    ("component", "inputs"), [c for c in CONTRACTING if not recomputes(c[0])], ids=name
)
def test_going_back_costs_twice_going_forward_identically(component, inputs):
    forward, backward = counts(component, inputs)
    assert backward - 2 * forward == 0


def test_flash_attention_contracts_five_times_where_two_went_forward():
    forward, backward = counts(FlashAttention(d_k=d, d_v=d))
    assert backward - forward * 5 / 2 == 0
    assert forward == 4 * B * T * S * h * d


@pytest.mark.parametrize(
    ("component", "asked", "backward"),
    [
        (Linear(), {}, 4 * B * T * d_in * d_out),
        (Linear(), {"inputs": False}, 2 * B * T * d_in * d_out),
        (Linear(), {"frozen": ("W",)}, 2 * B * T * d_in * d_out),
        (Linear(), {"frozen": ("b",)}, 4 * B * T * d_in * d_out),
        (Linear(), {"inputs": False, "frozen": ("*",)}, 0),
        (Frozen(), {}, 2 * B * T * d * d),
        (FeedForward(), {"frozen": ("1.W",)}, 6 * B * T * d * d_ff),
        (FeedForward(), {"frozen": ("*.W",)}, 4 * B * T * d * d_ff),
        # what comes before the second matrix is asked for by nobody
        (FeedForward(), {"inputs": False, "frozen": ("1.*",)}, 2 * B * T * d * d_ff),
        (ScaledDotProduct(h_kv=h), {"inputs": False}, 0),
        (LMHead(), {"frozen": ("W",)}, 2 * B * T * V * d),
    ],
    ids=name,
)
def test_what_is_not_asked_for_is_not_computed(component, asked, backward):
    assert counts(component, **asked)[1] == backward


def test_frozen_weights_and_unwanted_inputs_have_no_gradient():
    program = program_of(FeedForward())
    pull = pullback(program, inputs=False, frozen=("1.*", "*.b"))
    assert [program.path(leaf) for leaf in pull.gradients] == ["2.W"]


BLOCK_FORWARD = 2 * B * T * (4 * d * h * sizes.d_h + 2 * d * d_ff) + 4 * B * T**2 * h * sizes.d_h
HEAD_FORWARD = 2 * B * T * V * d


@pytest.mark.parametrize("E", ["token_embedding.E", "*.E"])
def test_frozen_embedding_peels_the_first_block_but_its_norm_still_needs_its_input_gradient(E):
    """The gain of the first norm is a weight: the maps into q, k, v still send gradients back."""
    pull = pullback(program_of(MiniGPT()), frozen=(E,))
    (back,) = (t.op for t in pull.tensors if isinstance(t.op, CallBack))
    assert back.first is not None
    flops = expand(contraction_flops(pull).total)
    assert expand(flops - (2 * L * BLOCK_FORWARD + HEAD_FORWARD)) == 0


def test_of_the_first_block_only_what_serves_a_weight_is_computed():
    """With the norms frozen too, the first block's maps into q, k, v send nothing back."""
    whole = counts(MiniGPT(), frozen=("*.g",))[1]
    peeled = counts(MiniGPT(), frozen=("*.E", "*.g"))[1]
    assert expand(whole - 2 * (L * BLOCK_FORWARD + HEAD_FORWARD)) == 0
    assert expand(whole - peeled - HEAD_FORWARD - 3 * 2 * B * T * d * h * sizes.d_h) == 0


def test_the_first_application_after_zeros_sends_nothing_back_to_them():
    forward, backward = counts(Recurrent())
    assert forward == 2 * B * L * d**2
    assert expand(backward - 2 * forward) == -2 * B * d**2


def test_a_repetition_whose_input_needs_a_gradient_is_not_peeled():
    (back,) = (t.op for t in pullback(program_of(Stack())).tensors if isinstance(t.op, CallBack))
    assert back.first is None


@pytest.mark.parametrize(
    ("component", "additions"),
    [
        (Stack(), 0),
        (Stack(shared=True), (L - 1) * d**2),
        (Stack(nested=True, shared_inside=True), L * (M - 1) * d**2),
        (Stack(nested=True, shared=True), (L - 1) * M * d**2),
        (Stack(nested=True, shared=True, shared_inside=True), (L * M - 1) * d**2),
        (Encoded(), (L - 1) * S * d),
        (Encoded(shared=True), (L - 1) * (S * d + d**2)),
    ],
    ids=name,
)
def test_a_gradient_that_every_application_adds_to_costs_an_addition_an_element(
    component, additions
):
    """Beside the additions, the same weights cost the same whether they are shared or not."""
    plain = replace(component, shared=False, **(
        {"shared_inside": False} if isinstance(component, Stack) else {}
    ))  # fmt: skip
    programs = (program_of(c) for c in (component, plain))
    found, base = (expand(pointwise_flops(pullback(p)).total) for p in programs)
    base_additions = (L - 1) * S * d if isinstance(component, Encoded) else 0
    assert expand(found - base - (additions - base_additions)) == 0


def test_the_two_uses_of_a_memory_and_every_application_are_accumulated():
    """Twice in an application, and in L of them: (L − 1) additions between, L within."""
    back = pullback(program_of(Encoded()))
    (inner,) = (t.op.body for t in back.tensors if isinstance(t.op, CallBack))
    added = [t for t in inner.tensors if t.shape == (S, d) and not isinstance(t.op, Contract)]
    assert len(added) == 1


def test_the_maximum_goes_back_to_where_it_stood():
    back = pullback(program_of(Peak()))
    kinds = {type(t.op) for t in back.tensors}
    assert {MaxIndex, Scatter} <= kinds


@pytest.mark.parametrize(("which", "zeros"), [("both", 0), ("mean", 1), ("rest", 1)])
def test_a_result_of_a_fused_body_that_nothing_uses_gets_a_zero_that_computes_nothing(which, zeros):
    back = pullback(program_of(UsesCentred(which)))
    assert [t.op.value for t in back.tensors if isinstance(t.op, Const)] == [0] * zeros
    assert not [t for t in back.tensors if isinstance(t.op, Map) and t.op.code.value == 0]


@pytest.mark.parametrize("model", [MiniGPT, GPT2, Llama])
def test_deriving_is_as_long_for_96_layers_as_for_2(model):
    def length(layers):
        program = program_of(model(L=Integer(layers)))
        back = pullback(program)
        bodies = [b.op.body for b in back.tensors if isinstance(b.op, CallBack)]
        return [len(p.tensors) for p in (*program.bodies, back, *bodies)]

    assert length(2) == length(96)


@pytest.mark.parametrize("function", ["relu", "tanh", "sigmoid", "exp", "sqrt", "rsqrt"])
def test_functions_that_keep_their_result_mention_it_and_not_their_argument(function):
    program = program_of(Act(function))
    (used,) = (t for t in pullback(program).tensors if t.args)
    assert program.outputs[0] in used.args
    assert program.inputs[0] not in used.args


def test_grouped_heads_and_widths_cost_what_their_symbols_say():
    forward, backward = counts(ScaledDotProduct())
    assert forward == expand(2 * B * T * S * h * (d_k + d_v))
    assert backward == expand(4 * B * T * S * h * (d_k + d_v))
    assert h_kv not in forward.free_symbols
