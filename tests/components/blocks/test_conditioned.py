"""A block that a condition scales and shifts: counts by hand."""

import pytest

from symledger import sizes
from symledger.components.blocks.conditioned import ConditionedBlock
from symledger.sizes import B, T, d, d_ff
from tests.components.tables import assert_counts


@pytest.mark.parametrize(
    ("component", "weights", "flops"),
    [
        # six vectors from the condition, four maps of attention, two of the network, bare norms
        (ConditionedBlock(d_h=d / sizes.h),
         6 * d**2 + 6 * d + 4 * d**2 + 4 * d + 2 * d * d_ff + d_ff + d,
         12 * B * d**2 + B * T * (8 * d**2 + 4 * d * d_ff) + 4 * B * T**2 * d),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, weights, flops):
    assert_counts(component, weights, flops)
