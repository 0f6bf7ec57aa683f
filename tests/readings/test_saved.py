"""Saved activations: the forward values that the backward program mentions, in bytes."""

from dataclasses import dataclass

import numpy as np
import pytest
from sympy import Integer, expand

from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.attention.flash import FlashAttention
from symledger.components.blocks.blocks import PostLNBlock, PreLNBlock
from symledger.components.embeddings.embedding import LMHead
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.heads_and_losses.losses import CrossEntropy
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.models.mini_gpt.model import MiniGPT
from symledger.notation.calling import program_of
from symledger.notation.component import Component, steps
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.sources import random_leaves
from symledger.readings.numpy.values import Values
from symledger.readings.pullback import pullback
from symledger.readings.saved import kept, saved
from symledger.sizes import B, L, S, T, V, d, d_ff, d_in, d_k, d_v, h, h_kv
from tests.readings.small import (
    LENGTHS,
    Act,
    Binary,
    Encoded,
    M,
    N,
    Peak,
    Product,
    Recurrent,
    Residual,
    Scaled,
    Scores,
    Shifted,
    Stack,
    Transpose,
)


def bytes_each(value, statistic, mask, index):
    sizes = {"value": value, "statistic": statistic, "mask": mask, "index": index}
    return {storage: Integer(n) for storage, n in sizes.items()}


SINGLE = bytes_each(4, 4, 1, 8)
HALF = bytes_each(2, 4, 1, 8)
CPU_DROPOUT = bytes_each(4, 4, 4, 8)
ELEMENTS = bytes_each(1, 1, 1, 1)


def kept_bytes(component, convention=SINGLE, under=None, **asked):
    total = saved(pullback(program_of(component), **asked), convention).total
    return expand(total.subs(under or {}))


@dataclass(frozen=True)
class LogitsAndLoss(Component):
    """What follows the last block of GPT-2."""

    loss: bool = True

    signature = "B T d, B T in V ->"

    def forward(self, x, targets):
        logits = LMHead(V, d)(LayerNorm(d)(x, name="norm"), name="head")
        return steps(loss=CrossEntropy(V)(logits, targets, name="loss"))


@dataclass(frozen=True)
class Logits(Component):
    """The same without a loss."""

    signature = "B T d -> B T V"

    def forward(self, x):
        return steps(logits=LMHead(V, d)(LayerNorm(d)(x, name="norm"), name="head"))


# Measured with torch 2.13.0+cpu and transformers 5.23.0: the bytes of the unique storages that
# autograd holds for the backward pass (torch.autograd.graph.saved_tensors_hooks), weights left
# out, inputs counted. Each formula reproduces every measured row exactly. In the records D and E
# are d, H is h, F_ is d_ff; one float is 4 bytes, an index 8. Left out here: cross entropy's
# scalar total_weight (4 bytes), which is an artefact of torch's kernel.
SELF = {S: T, h_kv: h, d_k: d / h, d_v: d / h}
MEASURED = [
    ("linear_nobias", Linear(bias=False), {}, 4 * B * T * d_in),
    ("linear_bias_input_without_grad", Linear(), {"inputs": False}, 4 * B * T * d_in),
    ("linear_frozen_weight", Linear(bias=False), {"frozen": ("W",)}, 0),
    ("layernorm_no_affine", LayerNorm(), {}, 4 * B * T * d + 8 * B * T),
    ("gelu_erf", Act("gelu"), {}, 4 * B * T * d),
    ("silu", Act("silu"), {}, 4 * B * T * d),
    ("relu", Act("relu"), {}, 4 * B * T * d),
    ("tanh", Act("tanh"), {}, 4 * B * T * d),
    ("softmax", Softmax(), {}, 4 * B * T * N),
    ("residual_add, mul_scalar, mean_lastdim", Residual(), {}, 0),
    ("square_pow2", Act("square"), {}, 4 * B * T * d),
    ("transpose_contiguous", Transpose(), {}, 0),
    ("mul_two_activations", Product(), {}, 8 * B * T * d),
    ("cross_entropy_mean", CrossEntropy(), {}, 4 * B * T * V + 8 * B * T),
    ("matmul_qk", Scores(), {}, 8 * B * T * d),
    ("attention_eager_core", ScaledDotProduct(), {}, 12 * B * T * d + 4 * B * h * T**2),
    (
        "attention_eager_core_mask", ScaledDotProduct(causal=True), {},
        12 * B * T * d + 4 * B * h * T**2,
    ),
    ("sdpa_cpu_flash", FlashAttention(), {}, 16 * B * T * d + 4 * B * T * h),
    (
        "nn_multiheadattention_self", Attention(bias=True, flash=True), {},
        20 * B * T * d + 4 * B * T * h,
    ),
    (
        "nn_transformerencoderlayer_p0", PostLNBlock(d_ff=4 * d, activation="relu", flash=True), {},
        48 * B * T * d + 4 * B * T * h + 16 * B * T,
    ),
    # BERT's block with eager attention: the second of three layers, dropouts 0
    (
        "bert_block_eager_dropout0", PostLNBlock(), {},
        32 * B * T * d + 8 * B * T * d_ff + 4 * B * h * T**2 + 16 * B * T,
    ),
    (
        "bert_block_sdpa_dropout0", PostLNBlock(flash=True), {},
        32 * B * T * d + 8 * B * T * d_ff + 4 * B * T * h + 16 * B * T,
    ),
    # GPT-2's: 20·B·T·d_ff there, since its GELU is composed and keeps 16 bytes an element
    # (record gelu_new_hf_composed) where a fused one keeps 4
    (
        "gpt2_block_sdpa_dropout0", PreLNBlock(flash=True, activation="gelu_tanh"), {},
        32 * B * T * d + (20 - 16 + 4) * B * T * d_ff + 4 * B * T * h + 16 * B * T,
    ),
    ("gpt2_after_last_layer_logits_only", Logits(), {}, 8 * B * T * d + 8 * B * T),
    (
        "gpt2_after_last_layer_with_loss", LogitsAndLoss(), {},
        8 * B * T * d + 4 * B * T * V + 16 * B * T,
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("component", "asked", "measured"),
    [pytest.param(*row, id=record) for record, *row in MEASURED],
)
def test_what_is_kept_is_what_autograd_was_measured_to_keep(component, asked, measured):
    assert expand(kept_bytes(component, under=SELF, **asked) - measured) == 0


# The same records for dropout: on the CPU torch keeps the noise as floats, not as bytes.
@pytest.mark.parametrize(
    ("component", "measured"),
    [
        pytest.param(Dropout(), 4 * B * T * N, id="dropout_train_p0.1_cpu"),
        pytest.param(
            ScaledDotProduct(dropout=True), 12 * B * T * d + 12 * B * h * T**2,
            id="attention_eager_core_dropout0.1",
        ),
    ],
)  # fmt: skip
def test_with_noise_kept_as_floats_dropout_is_what_was_measured_on_the_cpu(component, measured):
    assert expand(kept_bytes(component, CPU_DROPOUT, SELF) - measured) == 0


# 34 and 5: Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models
# (2022), equation 1, which leaves out the norms' statistics (2 norms × 2 × 4 bytes) and counts
# 2-byte values and 1-byte masks. The other rows follow from its term by term account in section
# 4.1: no masks 2d + hT; no dropped weights 2hT; ReLU keeps 8d less than GELU.
@pytest.mark.parametrize(
    ("block", "a_token"),
    [
        (PreLNBlock(dropout=True), 34 * d + 5 * h * T + 16),
        (PreLNBlock(dropout=True, activation="gelu_tanh"), 34 * d + 5 * h * T + 16),
        (PreLNBlock(dropout=True, activation="relu"), 26 * d + 5 * h * T + 16),
        (PreLNBlock(dropout=True, bias=False, causal=False), 34 * d + 5 * h * T + 16),
        (PreLNBlock(), 32 * d + 2 * h * T + 16),
        (PreLNBlock(flash=True), 32 * d + 4 * h + 16),
        (PostLNBlock(dropout=True), 34 * d + 5 * h * T + 16),
    ],
    ids=repr,
)
def test_a_standard_block_keeps_34_d_and_5_heads_by_tokens_bytes_a_token(block, a_token):
    assert expand(kept_bytes(block, HALF, {**SELF, d_ff: 4 * d}) - B * T * a_token) == 0


@pytest.mark.parametrize(
    ("component", "elements"),
    [
        (RMSNorm(), B * T * (d + 1)),  # fused: the input and one statistic a row
        (Scaled(), B * d),  # the weight is no activation
        (Peak(), B * T * (d + 1)),  # x and its maximum; where it stood is found again from x
        (Binary("*"), B * d + d),  # a column of x is a view of it, and w
        (Shifted(), 2 * B * T * d),  # what is joined, and x, which its padded tail is a view of
        (Scores(), B * T * h * d_k + B * S * h * d_k),
        # x₀, and of L applications the result of each: what enters one is what left the last
        (Stack(), B * d * (L + 1)),
        (Stack(shared=True), B * d * (L + 1)),
        (Stack(nested=True), B * d * (L * M + 1)),
        (Stack(nested=True, shared=True), B * d * (L * M + 1)),
        (Stack(Integer(1), nested=True), B * d * (M + 1)),
        # the source; the memory, once for all; x₀ … x_{L−1}; in each, what multiplies the memory
        # (x W and the scores) and what tanh gave
        (Encoded(), 2 * S * d + L * B * d + L * (2 * B * d + B * S)),
        # nothing enters that needs a gradient, but W's gradient needs what enters; y · x keeps
        # x and x_L
        (Recurrent(), B * d * L + B * d),
    ],
    ids=repr,
)
def test_each_stored_tensor_counts_once(component, elements):
    assert expand(kept_bytes(component, ELEMENTS) - elements) == 0


def test_a_carried_sequence_is_counted_as_one():
    tally = saved(pullback(program_of(MiniGPT())), ELEMENTS)
    rows = [a.own for a in tally.amounts() if a.label == "between blocks"]
    assert [expand(row - L * B * T * d) for row in rows] == [0]


@pytest.mark.parametrize(
    "component",
    [
        Linear(), LayerNorm(), Softmax(), Peak(), Shifted(), Product(), CrossEntropy(),
        ScaledDotProduct(causal=True), FlashAttention(causal=True), Attention(rotary=True),
        PreLNBlock(dropout=True), PostLNBlock(norm="rms", gated=True),
    ],
    ids=repr,
)  # fmt: skip
def test_the_backward_pass_runs_on_what_is_kept_and_on_nothing_less(component):
    program = program_of(component)
    pull = pullback(program)
    machine, rng = Machine(LENGTHS), np.random.default_rng(3)
    leaves = random_leaves(program, machine.length, rng)
    values = machine.run(program, leaves)
    seeds = {s: rng.standard_normal(machine.shape(s.shape)) for s in pull.seeds}
    whole = machine.back(pull, values, seeds)
    roots = kept(pull).roots
    stored = {t: values[t] for t in (*roots, *program.params)}
    again = machine.back(pull, Values(stored), seeds)
    assert all(np.array_equal(whole[leaf], again[leaf]) for leaf in whole)
    for missing in (t for t in roots if t.storage != "index"):
        spoilt = machine.back(pull, Values({**stored, missing: stored[missing] * np.nan}), seeds)
        assert any(np.isnan(g).any() for g in spoilt.values()), missing


def test_the_bytes_are_those_of_the_stored_arrays():
    program = program_of(PreLNBlock())
    pull, machine = pullback(program), Machine(LENGTHS)
    values = machine.run(program, random_leaves(program, machine.length, np.random.default_rng(0)))
    each = bytes_each(8, 8, 8, 8)
    stored = sum(values[t].nbytes for t in kept(pull).roots)
    assert machine.length(saved(pull, each).total) == stored
