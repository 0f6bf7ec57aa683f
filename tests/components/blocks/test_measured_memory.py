"""What autograd keeps of real layers in fp32, to the byte.

Measured on transformers 5.23.0 and torch 2.13.0 (CPU build): bytes of the distinct storages that
autograd holds for the backward pass of the second of three equal layers, parameters left out.
"""

import pytest
from sympy import expand

from symledger.components.blocks.blocks import PostLNBlock, PreLNBlock
from symledger.notation.calling import program_of
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.sizes import B, T, d, d_ff, d_h, h

BYTES = {"value": 4, "statistic": 4, "mask": 1, "index": 8}
SIZES = (d, h, h, d_h, d_h, d_ff)
LLAMA = {
    "norm": "rms_composed", "gated": True, "activation": "silu", "bias": False, "rotary": True,
}  # fmt: skip

MEASURED = {
    "gpt2, eager": (
        PreLNBlock(*SIZES, activation="gelu_new"), 32 * d + 20 * d_ff + 4 * h * T + 16,
    ),
    "gpt2, fused attention": (
        PreLNBlock(*SIZES, activation="gelu_new", flash=True), 32 * d + 20 * d_ff + 4 * h + 16,
    ),
    "llama, eager": (PreLNBlock(*SIZES, **LLAMA), 40 * d + 16 * d_ff + 4 * h * T + 8),
    "llama, fused attention": (
        PreLNBlock(*SIZES, **LLAMA, flash=True), 40 * d + 16 * d_ff + 4 * h + 8,
    ),
    "bert, eager": (PostLNBlock(*SIZES), 32 * d + 8 * d_ff + 4 * h * T + 16),
    "bert, fused attention": (PostLNBlock(*SIZES, flash=True), 32 * d + 8 * d_ff + 4 * h + 16),
}  # fmt: skip
"""A block, and the bytes that it keeps for each token."""


@pytest.mark.parametrize("name", MEASURED)
def test_a_measured_block_keeps_as_many_bytes(name):
    block, each = MEASURED[name]
    kept = saved(pullback(program_of(block)), BYTES).total.subs(d_h, d / h)
    assert expand(kept - B * T * each) == 0
