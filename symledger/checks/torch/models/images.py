"""Networks of images once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from symledger.checks.torch.case import Case
from symledger.checks.torch.parts import EPSILON, Options, Sizes

VGG_PLANS = {
    "11": "1 M 2 M 4 4 M 8 8 M 8 8 M",
    "13": "1 1 M 2 2 M 4 4 M 8 8 M 8 8 M",
    "16": "1 1 M 2 2 M 4 4 4 M 8 8 8 M 8 8 8 M",
    "19": "1 1 M 2 2 M 4 4 4 4 M 8 8 8 8 M 8 8 8 8 M",
}
"""Widths of convolutions, times that of the first one, and maxima, as implementations list them."""


class VGG(nn.Module):
    """Five stages of 3 × 3 convolutions, each of which halves the image, and three affine maps."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        entering = s["C_in"]
        for i, plan in enumerate(VGG_PLANS[o["depth"]].removesuffix("M").split("M"), 1):
            stage = nn.Sequential()
            for j, times in enumerate(map(int, plan.split()), 1):
                width = times * s["C"]
                stage.add_module(f"conv_{j}", nn.Conv2d(entering, width, 3, padding=1))
                if o["normed"]:
                    stage.add_module(f"norm_{j}", nn.BatchNorm2d(width, EPSILON))
                stage.add_module(f"relu_{j}", nn.ReLU())
                entering = width
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


CASES: Mapping[str, tuple[Case, ...]] = {
    "vgg": (Case("the model written with torch.nn", VGG,
                 equal={"C": "s_h", "H": "32*s_h", "W": "32*s_w"}),),
}  # fmt: skip
