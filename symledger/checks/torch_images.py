"""Networks of images once more, written in PyTorch as PyTorch's users write them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from symledger.checks.torch_models import EPSILON, Options, Sizes


def conv2d(s: Sizes, o: Options) -> nn.Module:
    """A convolution of images."""
    return nn.Conv2d(s["C_in"], s["C_out"], *_windows(s), s["G"], o["bias"])


def conv_transpose2d(s: Sizes, o: Options) -> nn.Module:
    """A transposed convolution of images."""
    kernel, stride, padding, dilation = _windows(s)
    more = s["q_h"], s["q_w"]
    return nn.ConvTranspose2d(
        s["C_in"], s["C_out"], kernel, stride, padding, more, s["G"], o["bias"], dilation
    )


def max_pool2d(s: Sizes, o: Options) -> nn.Module:
    """The largest element of each window."""
    return nn.MaxPool2d(*_windows(s))


def avg_pool2d(s: Sizes, o: Options) -> nn.Module:
    """The mean of each window."""
    return nn.AvgPool2d(*_windows(s)[:3])


def _windows(s: Sizes) -> tuple[tuple[int, int], ...]:
    """Kernel, stride, padding and dilation, down and across."""
    return tuple((s[f"{name}_h"], s[f"{name}_w"]) for name in "Kspr")


def batch_norm(s: Sizes, o: Options) -> nn.Module:
    """A batch norm while training, or afterwards."""
    return nn.BatchNorm2d(s["C"], EPSILON).train(o["training"])


class VGG(nn.Module):
    """Five stages of 3 × 3 convolutions, each of which halves the image, and three affine maps."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        entering, width = s["C_in"], s["C"]
        for i, (number, times) in enumerate(((2, 1), (2, 2), (3, 4), (3, 8), (3, 8)), 1):
            stage = nn.Sequential()
            for j in range(1, number + 1):
                stage.add_module(f"conv_{j}", nn.Conv2d(entering, times * width, 3, padding=1))
                stage.add_module(f"relu_{j}", nn.ReLU())
                entering = times * width
            stage.add_module("pool", nn.MaxPool2d(2))
            self.add_module(f"stage_{i}", stage)
        features = entering * s["H"] * s["W"] // 1024
        self.hidden_1 = nn.Linear(features, s["d_ff"])
        self.hidden_2 = nn.Linear(s["d_ff"], s["d_ff"])
        self.head = nn.Linear(s["d_ff"], s["Y"])

    def forward(self, x: Tensor) -> Tensor:
        """Classify."""
        for i in range(1, 6):
            x = self.get_submodule(f"stage_{i}")(x)
        x = torch.relu(self.hidden_1(x.flatten(1)))
        return self.head(torch.relu(self.hidden_2(x)))
