"""A step of a diffusion as a vector: counts by hand."""

import pytest

from symledger.components.blocks.step_embedding import StepEmbedding
from symledger.sizes import B, d, d_f
from tests.components.tables import assert_counts


@pytest.mark.parametrize(
    ("component", "weights", "flops"),
    [
        (StepEmbedding(), d_f * d + d**2 + 2 * d, 2 * B * (d_f * d + d**2)),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, weights, flops):
    assert_counts(component, weights, flops)
