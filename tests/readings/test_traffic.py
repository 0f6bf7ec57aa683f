"""Traffic: what must be read and written once, and what moves operation by operation."""

import pytest
from sympy import Integer, expand

from symledger.components.attention.attention import Attention
from symledger.components.attention.flash import FlashAttention
from symledger.components.embeddings.embedding import LMHead, TokenEmbedding
from symledger.components.heads_and_losses.losses import CrossEntropy
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.models.mini_gpt.model import MiniGPT
from symledger.notation.calling import program_of
from symledger.readings.params import params
from symledger.readings.traffic import state, traffic, unfused_traffic
from symledger.sizes import B, L, S, T, V, d, d_in, d_k, d_out, d_v, h, h_kv
from tests.readings.small import Act, Cache, Encoded, M, P, Product, Residual, Stack, Transpose

EACH = {"value": Integer(2), "statistic": Integer(4), "mask": Integer(1), "index": Integer(8)}


@pytest.mark.parametrize(
    ("component", "moved"),
    [
        (Linear(), 2 * (B * T * d_in + d_in * d_out + d_out + B * T * d_out)),
        (Act(), 4 * B * T * d),
        (TokenEmbedding(), 8 * B * T + 2 * B * T * d + 2 * B * T * d),  # rows that are picked
        (LMHead(), 2 * (B * T * d + V * d + B * T * V)),
        (CrossEntropy(), 2 * B * T * V + 8 * B * T + 2),
        (RMSNorm(), 2 * (2 * B * T * d + d)),
        (Stack(), 2 * (2 * B * d + L * d**2)),
        (Stack(shared=True), 2 * (2 * B * d + d**2)),
        (Stack(nested=True, shared=True), 2 * (2 * B * d + M * d**2)),
        (FlashAttention(d_k=d, d_v=d, h_kv=h), 4 * B * h * d * (T + S)),
    ],
    ids=repr,
)
def test_fused_each_input_weight_and_output_moves_once(component, moved):
    assert expand(traffic(program_of(component), EACH).total - moved) == 0


@pytest.mark.parametrize("tied", [True, False])
def test_a_table_that_is_also_a_head_is_read_whole(tied):
    """Tied, the head reads all of E; untied, the embedding reads rows and the head its table."""
    program = program_of(MiniGPT(tied=tied))
    data = 8 * B * T + 2 * B * T * V
    weights = 2 * params(program).total
    rows = 0 if tied else 2 * (B * T * d - V * d)
    assert expand(traffic(program, EACH).total - data - weights - rows) == 0


@pytest.mark.parametrize(
    ("component", "moved"),
    [
        (Act(), 4 * B * T * d),
        (Product(), 6 * B * T * d),
        (Transpose(), 0),
        # x + y, times 3; the sum and its mean, and the difference
        (Residual(), 2 * B * T * (3 * d + 2 * d + (d + 1) + 2 + (2 * d + 1))),
        # the product with W, then tanh, L times
        (Stack(), L * 2 * (B * d + d**2 + B * d + 2 * B * d)),
    ],
    ids=repr,
)
def test_unfused_every_operation_reads_its_arguments_and_writes_its_result(component, moved):
    assert expand(unfused_traffic(program_of(component), EACH).total - moved) == 0


@pytest.mark.parametrize(
    "component", [Linear(), RMSNorm(), Attention(), Encoded(), LMHead()], ids=repr
)
def test_fused_is_never_more_than_unfused(component):
    program = program_of(component)
    ones = dict.fromkeys(EACH, Integer(1))
    at = dict.fromkeys(program.symbols, 8)
    assert traffic(program, ones).total.subs(at) <= unfused_traffic(program, ones).total.subs(at)


@pytest.mark.parametrize(
    ("component", "inputs", "kept"),
    [
        (Attention(causal=True), None, 2 * B * T * h_kv * (d_k + d_v)),
        (Attention(), None, 0),
        (
            Attention(), {"x": "B T d", "past_k": "B P h_kv d_k", "past_v": "B P h_kv d_v"},
            2 * B * (P + T) * h_kv * (d_k + d_v),
        ),
        (MiniGPT(), None, 2 * L * B * T * 2 * MiniGPT().h * MiniGPT().d_h),
        (Cache(), None, 2 * B * T * d),
        (Linear(), None, 0),
    ],
    ids=repr,
)  # fmt: skip
def test_what_decoding_keeps_is_the_keys_and_values_of_every_layer(component, inputs, kept):
    assert expand(state(program_of(component, inputs), EACH).total - kept) == 0
