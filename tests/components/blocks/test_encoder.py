"""Stacks of blocks: the sums of their parts."""

import pytest
from sympy import expand

from symledger.components.blocks.encoder import PostLNEncoder, PreLNEncoder
from symledger.notation.calling import program_of
from symledger.readings.params import params
from symledger.sizes import L, d, d_ff, d_h, h


@pytest.mark.parametrize("kind", [PostLNEncoder, PreLNEncoder])
def test_an_encoder_has_its_blocks_and_its_norm(kind):
    block = 4 * d * d_h * h + 3 * d_h * h + d + 2 * d * d_ff + d_ff + d + 4 * d
    found = params(program_of(kind(final_norm=True))).total
    assert expand(found - L * block - 2 * d) == 0
