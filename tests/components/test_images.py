"""Convolutions, poolings and norms by channel: counts by hand, values by plain loops."""

import numpy as np
import pytest
from sympy import Integer

from symledger import derive
from symledger.components.convolution.adaptive import AdaptiveAvgPool2d
from symledger.components.convolution.convolution import Conv1d, Conv2d
from symledger.components.convolution.pooling import AvgPool2d, MaxPool2d
from symledger.components.convolution.transposed import ConvTranspose2d
from symledger.components.convolution.windowed import square
from symledger.components.norms.image_norms import BatchNorm, GroupNorm
from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.sizes import (
    B,
    C,
    C_in,
    C_out,
    G,
    H,
    H_o,
    K,
    K_h,
    K_w,
    T,
    T_o,
    W,
    W_o,
    named,
)

from .tables import Row, assert_row

KERNEL = C_in * C_out * K_h * K_w / G
SMALL = (B, C, H_o, W_o)
IMAGE = (B, C, H, W)
RESULT = (B, C_out, H_o, W_o)


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
        # each element paints a window: the positions are those of the input
        (ConvTranspose2d(), Row(KERNEL + C_out, 2 * B * H * W * KERNEL, B * C_in * H * W, RESULT)),
        (MaxPool2d(), Row(0, 0, B * C * H_o * W_o, SMALL)),
        (AvgPool2d(), Row(0, 0, 0, SMALL)),
        (AdaptiveAvgPool2d(), Row(0, 0, 0, SMALL)),
        (BatchNorm(), Row(2 * C, 0, B * C * H * W + 2 * C, IMAGE)),
        (BatchNorm(training=False), Row(2 * C, 0, B * C * H * W, IMAGE)),
        (GroupNorm(), Row(2 * C, 0, B * C * H * W + 2 * B * G, IMAGE)),
    ],
    ids=repr,
)  # fmt: skip
def test_images(component, row):
    assert_row(component, row)


# ------------------------------------------------------------------- values, by loops over places

AT = {"B": 2, "C_in": 4, "C_out": 6, "C": 4, "G": 2, "H": 7, "W": 9, "K_h": 3, "K_w": 2,
      "s_h": 2, "s_w": 3, "p_h": 1, "p_w": 0, "r_h": 1, "r_w": 2}  # fmt: skip


def run(component, **changed):
    """The sizes, the input, the weights and the result of a run at AT."""
    program = program_of(component)
    at = {named(name): n for name, n in {**AT, **changed}.items()}
    at |= {symbol: int(e.subs(at)) for symbol, e in program.definitions.items()}
    rng, machine = np.random.default_rng(1), Machine(at)
    leaves = {t: rng.standard_normal(machine.shape(t.shape))
              for t in (*program.inputs, *program.params)}  # fmt: skip
    (y,) = program.outputs
    arrays = {t.op.name: a for t, a in leaves.items()}
    return {s.name: n for s, n in at.items()}, arrays, machine.run(program, leaves)[y]


def padded(x, n, fill=0.0):
    around = ((0, 0), (0, 0), (n["p_h"],) * 2, (n["p_w"],) * 2)
    return np.pad(x, around, constant_values=fill)


def patch(x, n, i, j):
    """The elements that the window at (i, j) shows."""
    down = i * n["s_h"] + np.arange(n["K_h"]) * n["r_h"]
    across = j * n["s_w"] + np.arange(n["K_w"]) * n["r_w"]
    return x[:, :, down][..., across]


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


def test_a_transposed_convolution_paints_windows():
    _, at, y = run(ConvTranspose2d(), q_h=1, q_w=0)
    assert y.shape == (2, 6, 14, 27)  # (7 − 1)·2 − 2 + 2 + 1 + 1 and (9 − 1)·3 + 2 + 1
    canvas = np.zeros((2, 6, y.shape[2] + 2, y.shape[3]))
    for c, i, j, o, k, m in np.ndindex(4, 7, 9, 3, 3, 2):
        painted = at["x"][:, c, i, j] * at["F"][c, o, k, m]
        canvas[:, c // 2 * 3 + o, i * 2 + k, j * 3 + m * 2] += painted
    assert np.allclose(y, canvas[:, :, 1:-1] + at["b"][:, None, None])


@pytest.mark.parametrize(
    ("component", "fill", "reduce"), [(MaxPool2d(), -np.inf, np.max), (AvgPool2d(), 0, np.mean)]
)
def test_a_pooling_is_one_number_a_window(component, fill, reduce):
    n, at, y = run(component)
    image = padded(at["x"], n, fill)
    for i, j in np.ndindex(y.shape[2:]):
        assert np.allclose(y[:, :, i, j], reduce(patch(image, n, i, j), axis=(2, 3)))


def test_adaptive_pooling_takes_the_means_of_tiles():
    _, at, y = run(AdaptiveAvgPool2d(), H=6, W=8, H_o=3, W_o=2)
    assert np.allclose(y, at["x"].reshape(2, 4, 3, 2, 2, 4).mean(axis=(3, 5)))


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


# ------------------------------------------------------------------- facts that were measured

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
