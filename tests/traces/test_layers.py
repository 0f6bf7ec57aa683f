"""Convolutions, pooling and norms: traced, they give PyTorch's outputs and gradients."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch import nn  # noqa: E402  # after it is known to be there

from symledger.tracing.checking.comparing import compare_module  # noqa: E402

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


def masked(module, *given, **more):
    """A module called with more than one tensor."""
    return Called(module, more), given


class Called(nn.Module):
    def __init__(self, inner, more):
        super().__init__()
        self.inner, self.more = inner, more

    def forward(self, *given):
        return self.inner(*given, **self.more)


STEPS, MANY = torch.randn(3, 2, 4), torch.randn(3, 4)
HIDDEN = torch.zeros(3, 3, dtype=torch.bool).triu(1)
CALLED = [
    masked(nn.LSTM(4, 5), STEPS), masked(nn.LSTM(4, 5, 2, bidirectional=True), STEPS),
    masked(nn.LSTM(4, 5, batch_first=True, bias=False), STEPS),
    masked(nn.LSTM(4, 5, proj_size=3), STEPS), masked(nn.LSTM(4, 5), STEPS[:, 0]),
    masked(nn.GRU(4, 5, 2), STEPS), masked(nn.GRU(4, 5, bidirectional=True), STEPS),
    masked(nn.RNN(4, 5), STEPS), masked(nn.RNN(4, 5, nonlinearity="relu", bias=False), STEPS),
    masked(nn.LSTMCell(4, 5), MANY), masked(nn.GRUCell(4, 5), MANY), masked(nn.RNNCell(4, 5), MANY),
    masked(nn.MultiheadAttention(4, 2), STEPS, STEPS, STEPS),
    masked(nn.MultiheadAttention(4, 2), STEPS, STEPS, STEPS, need_weights=False),
    masked(nn.MultiheadAttention(4, 2), STEPS, STEPS, STEPS,
           attn_mask=torch.zeros(3, 3, dtype=torch.float64)),
    masked(nn.MultiheadAttention(4, 2, kdim=3, vdim=5), STEPS, torch.randn(6, 2, 3),
           torch.randn(6, 2, 5)),
    masked(nn.MultiheadAttention(4, 2, bias=False, add_bias_kv=True), STEPS, STEPS, STEPS),
    masked(nn.TransformerEncoderLayer(4, 2, 6), STEPS),
    masked(nn.TransformerEncoderLayer(4, 2, 6, 0.0, norm_first=True).eval(), STEPS),
    masked(nn.TransformerEncoder(
        nn.TransformerEncoderLayer(4, 2, 6, 0.0, batch_first=True), 2), STEPS),
    masked(nn.TransformerDecoderLayer(4, 2, 6, 0.0), STEPS, STEPS),
    masked(nn.Transformer(4, 2, 1, 1, 6, 0.0, batch_first=True), STEPS, STEPS),
    masked(nn.Bilinear(4, 4, 3), STEPS, STEPS),
    masked(nn.CosineSimilarity(-1), FLAT, torch.randn(3, 5, 4)),
    masked(nn.PixelShuffle(2), IMAGE), masked(nn.PixelUnshuffle(3), IMAGE[..., :6]),
    masked(nn.ChannelShuffle(2), IMAGE), masked(nn.Unfold(2, padding=1), IMAGE),
    masked(nn.Fold((4, 5), 2), torch.randn(2, 8, 12)),
    masked(nn.Upsample(scale_factor=2), IMAGE), masked(nn.Upsample(scale_factor=3), SEQUENCE),
    masked(nn.Upsample(scale_factor=2, mode="bilinear"), IMAGE),
    masked(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), IMAGE),
    masked(nn.Upsample(scale_factor=2, mode="linear"), SEQUENCE),
    masked(nn.ReflectionPad2d(2), IMAGE), masked(nn.CircularPad1d(2), SEQUENCE),
    masked(nn.Conv1d(4, 4, 3, padding=1, padding_mode="circular"), SEQUENCE),
    masked(nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3)), FLAT),
]


@pytest.mark.parametrize(("module", "given"), CALLED, ids=[str(m.inner)[:60] for m, _ in CALLED])
def test_modules_of_several_inputs_are_those_of_pytorch(module, given):
    found = compare_module(module, *given)
    assert not found.wrong, str(found)
