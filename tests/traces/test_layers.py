"""Convolutions, pooling and norms: traced, they give PyTorch's outputs and gradients."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch import nn  # noqa: E402  # after it is known to be there

from symledger.tracing.comparing import compare_module  # noqa: E402

SEQUENCE, IMAGE = torch.randn(2, 4, 9), torch.randn(2, 4, 9, 7)
VOLUME, FLAT = torch.randn(2, 4, 5, 6, 7), torch.randn(3, 5, 4)

CONVOLUTIONS = [
    (nn.Conv1d(4, 6, 3), SEQUENCE),
    (nn.Conv1d(4, 6, 4, padding="same", dilation=2), SEQUENCE),
    (nn.Conv1d(4, 4, 3, groups=4, padding=2, bias=False), SEQUENCE),
    (nn.Conv1d(4, 4, 3, padding=1, padding_mode="replicate"), SEQUENCE),
    (nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 0), groups=2), IMAGE),
    (nn.Conv2d(4, 6, 3, dilation=2), IMAGE),
    (nn.Conv2d(4, 6, 3), IMAGE[0]),
    (nn.Conv3d(4, 2, 3, stride=2, padding=1), VOLUME),
    (nn.ConvTranspose1d(4, 6, 3, stride=2, output_padding=1, padding=1), SEQUENCE),
    (nn.ConvTranspose2d(4, 6, (3, 2), stride=(2, 3), groups=2, dilation=2), IMAGE),
    (nn.ConvTranspose3d(4, 2, 3, stride=2, bias=False), VOLUME),
]
POOLING = [
    (nn.MaxPool1d(3), SEQUENCE), (nn.MaxPool2d(3, 2, 1), IMAGE), (nn.MaxPool2d(2), IMAGE[0]),
    (nn.MaxPool2d(2, ceil_mode=True), IMAGE), (nn.MaxPool2d(2, dilation=2), IMAGE),
    (nn.MaxPool3d(2), VOLUME), (nn.AvgPool1d(3, 2, 1), SEQUENCE), (nn.AvgPool2d(3, 2, 1), IMAGE),
    (nn.AvgPool2d(3, 2, 1, count_include_pad=False), IMAGE),
    (nn.AvgPool2d(2, ceil_mode=True), IMAGE), (nn.AvgPool2d(2, divisor_override=3), IMAGE),
    (nn.AvgPool3d(2), VOLUME),
    (nn.AdaptiveAvgPool1d(3), SEQUENCE), (nn.AdaptiveAvgPool2d(1), IMAGE),
    (nn.AdaptiveAvgPool2d((3, 7)), IMAGE), (nn.AdaptiveAvgPool2d((4, 3)), IMAGE),
    (nn.AdaptiveAvgPool3d(1), VOLUME), (nn.AdaptiveMaxPool1d(3), SEQUENCE),
    (nn.AdaptiveMaxPool2d((3, 1)), IMAGE), (nn.AdaptiveMaxPool2d((4, 3)), IMAGE),
]  # fmt: skip
NORMS = [
    (nn.LayerNorm((5, 4)), FLAT), (nn.LayerNorm((5, 4), bias=False), FLAT),
    (nn.LayerNorm(4, elementwise_affine=False), FLAT),
    (nn.RMSNorm(4), FLAT), (nn.RMSNorm((5, 4), eps=1e-3, elementwise_affine=False), FLAT),
    (nn.GroupNorm(2, 4), IMAGE), (nn.GroupNorm(1, 4, affine=False), SEQUENCE),
    (nn.BatchNorm1d(4), SEQUENCE), (nn.BatchNorm1d(4), SEQUENCE[..., 0]),
    (nn.BatchNorm2d(4), IMAGE), (nn.BatchNorm3d(4, affine=False), VOLUME),
    (nn.BatchNorm2d(4, track_running_stats=False), IMAGE), (nn.BatchNorm2d(4).eval(), IMAGE),
    (nn.BatchNorm1d(4, affine=False).eval(), SEQUENCE),
    (nn.InstanceNorm2d(4, affine=True), IMAGE), (nn.InstanceNorm1d(4), SEQUENCE),
    (nn.LocalResponseNorm(3), IMAGE),
    (nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), FLAT),
]  # fmt: skip
ALL = [*CONVOLUTIONS, *POOLING, *NORMS]


@pytest.mark.parametrize(("module", "x"), ALL, ids=[str(m) for m, _ in ALL])
def test_outputs_and_gradients_are_those_of_pytorch(module, x):
    found = compare_module(module, x)
    assert not found.wrong, str(found)
