"""Transposed convolutions: counts by hand, values by plain loops."""

import numpy as np
import pytest

from symledger.components.convolution.transposed import (
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from symledger.sizes import B, C_in, C_out, D, D_o, G, H, H_o, K, K_d, K_h, K_w, T, T_o, W, W_o
from tests.components.runs import run
from tests.components.tables import Row, assert_row

KERNEL = C_in * C_out * K_h * K_w / G
RESULT = (B, C_out, H_o, W_o)
CUBE = C_in * C_out * K_d * K_h * K_w / G


@pytest.mark.parametrize(
    ("component", "row"),
    [
        # each element paints a window: the positions are those of the input
        (ConvTranspose2d(), Row(KERNEL + C_out, 2 * B * H * W * KERNEL, B * C_in * H * W, RESULT)),
        (ConvTranspose3d(bias=False), Row(CUBE, 2 * B * D * H * W * CUBE, B * C_in * D * H * W,
                                          (B, C_out, D_o, H_o, W_o))),
        (ConvTranspose1d(), Row(C_in * C_out * K / G + C_out, 2 * B * T * C_in * C_out * K / G,
                                B * C_in * T, (B, C_out, T_o))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


def test_a_transposed_convolution_paints_windows():
    _, at, y = run(ConvTranspose2d(), q_h=1, q_w=0)
    assert y.shape == (2, 6, 14, 27)  # (7 − 1)·2 − 2 + 2 + 1 + 1 and (9 − 1)·3 + 2 + 1
    canvas = np.zeros((2, 6, y.shape[2] + 2, y.shape[3]))
    for c, i, j, o, k, m in np.ndindex(4, 7, 9, 3, 3, 2):
        painted = at["x"][:, c, i, j] * at["F"][c, o, k, m]
        canvas[:, c // 2 * 3 + o, i * 2 + k, j * 3 + m * 2] += painted
    assert np.allclose(y, canvas[:, :, 1:-1] + at["b"][:, None, None])
