"""Patches of images: counts by hand."""

import pytest

from symledger import derive
from symledger.components.image_blocks.patches import ImageEmbedding, PatchEmbedding
from symledger.sizes import B, C_in, H_p, P, T, W_p, d
from tests.components.tables import assert_counts


@pytest.mark.parametrize(
    ("component", "weights", "flops"),
    [
        (PatchEmbedding(), C_in * P**2 * d + d, 2 * B * H_p * W_p * C_in * P**2 * d),
        (PatchEmbedding(bias=False), C_in * P**2 * d, 2 * B * H_p * W_p * C_in * P**2 * d),
        # a class vector and a row for each of T places; the class vector is no patch
        (ImageEmbedding(), C_in * P**2 * d + 2 * d + T * d, 2 * B * (T - 1) * C_in * P**2 * d),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, weights, flops):
    assert_counts(component, weights, flops)


def test_what_is_left_over_makes_no_patch():
    account = derive("image_embedding", {"P": 16, "H": 230, "W": 224, "C_in": 3, "d": 4})
    assert account.assumed.bindings[T] == 14 * 14 + 1
    assert account.params.value == 3 * 256 * 4 + 2 * 4 + 197 * 4
