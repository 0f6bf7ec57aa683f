"""Convolutions: counts by hand, values by plain loops."""

import numpy as np
import pytest
from sympy import Integer

from symledger import derive
from symledger.components.convolution.convolution import Conv1d, Conv2d, Conv3d
from symledger.components.convolution.windowed import square
from symledger.sizes import (
    B,
    C_in,
    C_out,
    D,
    D_o,
    G,
    H,
    H_o,
    K,
    K_d,
    K_h,
    K_w,
    T,
    T_o,
    W,
    W_o,
    p,
    q,
)
from tests.components.runs import padded, patch, run
from tests.components.tables import Row, assert_row

KERNEL = C_in * C_out * K_h * K_w / G
RESULT = (B, C_out, H_o, W_o)
CUBE = C_in * C_out * K_d * K_h * K_w / G


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Conv1d(), Row(C_in * C_out * K / G + C_out, 2 * B * T_o * C_in * C_out * K / G,
                       B * C_in * T, (B, C_out, T_o))),
        (Conv2d(), Row(KERNEL + C_out, 2 * B * H_o * W_o * KERNEL, B * C_in * H * W, RESULT)),
        (Conv2d(bias=False), Row(KERNEL, 2 * B * H_o * W_o * KERNEL, B * C_in * H * W, RESULT)),
        # torch.nn.Conv2d(3, 64, 7) has 64 · 3 · 7² + 64 parameters
        (Conv2d(C_in=3, C_out=64, G=Integer(1), **square(7)),
         Row(9472, 18816 * B * H_o * W_o, 3 * B * H * W, (B, 64, H_o, W_o))),
        (Conv3d(), Row(CUBE + C_out, 2 * B * D_o * H_o * W_o * CUBE, B * C_in * D * H * W,
                       (B, C_out, D_o, H_o, W_o))),
        # padded with what is there already, the longer input is kept
        (Conv1d(padding_mode="reflect"),
         Row(C_in * C_out * K / G + C_out, 2 * B * T_o * C_in * C_out * K / G,
             B * C_in * (T + 2 * p), (B, C_out, T_o))),
        # and so it is where one end is padded by more than the other
        (Conv1d(uneven=True),
         Row(C_in * C_out * K / G + C_out, 2 * B * T_o * C_in * C_out * K / G,
             B * C_in * (T + q), (B, C_out, T_o))),
        (Conv1d(padding_mode="circular", uneven=True, bias=False),
         Row(C_in * C_out * K / G, 2 * B * T_o * C_in * C_out * K / G,
             B * C_in * (T + 2 * p + q), (B, C_out, T_o))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


def test_a_convolution_is_a_sum_over_windows_and_the_channels_of_a_group():
    n, at, y = run(Conv2d())
    image, inner, outer = padded(at["x"], n), n["C_in"] // n["G"], n["C_out"] // n["G"]
    assert y.shape == (2, 6, 4, 3)
    for o, i, j in np.ndindex(y.shape[1:]):
        first = o // outer * inner
        seen = patch(image, n, i, j)[:, first : first + inner]
        expected = (seen * at["F"][o]).sum(axis=(1, 2, 3)) + at["b"][o]
        assert np.allclose(y[:, o, i, j], expected)


def test_a_convolution_of_sequences_is_one_of_images_one_high():
    sizes = {"T": 11, "K": 3, "s": 2, "p": 1, "r": 2}
    _, at, y = run(Conv1d(), **sizes)
    x, F = np.pad(at["x"], ((0, 0), (0, 0), (1, 1))), at["F"]
    assert y.shape == (2, 6, 5)
    for o, t in np.ndindex(y.shape[1:]):
        seen = x[:, o // 3 * 2 : o // 3 * 2 + 2][..., t * 2 + np.arange(3) * 2]
        assert np.allclose(y[:, o, t], (seen * F[o]).sum(axis=(1, 2)) + at["b"][o])


# torch.utils.flop_counter.FlopCounterMode, forward, convolutions of published models
COUNTED = [
    # whisper-tiny, B = 2: two convolutions of 3000 frames, the second with stride 2
    ([("conv1d", {"C_in": 80, "C_out": 384, "K": 3, "p": 1, "T": 3000}),
      ("conv1d", {"C_in": 384, "C_out": 384, "K": 3, "p": 1, "s": 2, "T": 3000})], 3760128000),
    # mamba-130m, two layers, B = 2, T = 32: depthwise, padded by K − 1 on both sides
    ([("conv1d", {"C_in": 1536, "C_out": 1536, "G": 1536, "K": 4, "p": 3, "T": 32})] * 2, 1720320),
    # vit-base-patch16-224, B = 2: the patch embedding
    ([("conv2d", {"C_in": 3, "C_out": 768, "K_h": 16, "s_h": 16, "H": 224, "W": 224})], 462422016),
]  # fmt: skip


@pytest.mark.parametrize(("layers", "measured"), COUNTED)
def test_convolutions_of_published_models_take_as_many_flops(layers, measured):
    found = [derive(name, {"B": 2, **sizes}) for name, sizes in layers]
    assert sum(account.flops_forward.value for account in found) == measured
    assert sum(account.flops_backward.value for account in found) == 2 * measured


def test_corollaries():
    forms = {name: str(case.forms["params"]) for name, case in derive("conv2d").corollaries.items()}
    assert forms.keys() == {"depthwise", "pointwise (1 × 1)", "same size"}
    depthwise = derive("conv2d", assume=["G = C_in", "C_out = C_in"])
    assert depthwise.params.corollary == C_in * K_h**2 + C_in
