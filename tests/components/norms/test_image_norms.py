"""Norms by channel: counts by hand, values by plain loops."""

import numpy as np
import pytest

from symledger.components.norms.image_norms import BatchNorm, BatchNorm3d, GroupNorm, GroupNorm3d
from symledger.sizes import B, C, D, G, H, W
from tests.components.runs import run
from tests.components.tables import Row, assert_row

IMAGE = (B, C, H, W)
VOLUME = (B, C, D, H, W)


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (BatchNorm(), Row(2 * C, 0, B * C * H * W + 2 * C, IMAGE)),
        (BatchNorm(training=False), Row(2 * C, 0, B * C * H * W, IMAGE)),
        (GroupNorm(), Row(2 * C, 0, B * C * H * W + 2 * B * G, IMAGE)),
        (BatchNorm3d(), Row(2 * C, 0, B * C * D * H * W + 2 * C, VOLUME)),
        (BatchNorm(affine=False), Row(0, 0, B * C * H * W + 2 * C, (B, C, H, W))),
        (BatchNorm(bias=False), Row(C, 0, B * C * H * W + 2 * C, (B, C, H, W))),
        (GroupNorm(affine=False), Row(0, 0, B * C * H * W + 2 * B * G, (B, C, H, W))),
        (GroupNorm3d(bias=False), Row(C, 0, B * C * D * H * W + 2 * B * G, VOLUME)),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


@pytest.mark.parametrize(
    ("component", "axes"), [(BatchNorm(), (0, 3, 4)), (GroupNorm(), (2, 3, 4))]
)
def test_norms_centre_and_scale(component, axes):
    _, at, y = run(component)
    x = at["x"].reshape(2, 2, 2, 7, 9)
    centred = x - x.mean(axis=axes, keepdims=True)
    n = centred / np.sqrt((centred**2).mean(axis=axes, keepdims=True) + 1e-5)
    g, b = (at[name][:, None, None] for name in "gb")
    assert np.allclose(y, n.reshape(y.shape) * g + b)
