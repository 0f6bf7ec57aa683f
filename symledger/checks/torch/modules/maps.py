"""Linear maps once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from symledger.checks.torch.case import Case
from symledger.checks.torch.parts import Options, Sizes, recomputed


class Bilinear(nn.Module):
    """A map that is affine in each of two vectors, its intermediate product made twice."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(s["d_out"], s["d_1"], s["d_2"]))
        self.b = nn.Parameter(torch.randn(s["d_out"])) if o["bias"] else 0

    def product(self, x: Tensor, z: Tensor) -> Tensor:
        """Multiply each matrix by both vectors."""
        return torch.einsum("boj,bj->bo", torch.einsum("bi,oij->boj", x, self.W), z)

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        """Map."""
        return recomputed(self.product, x, z, early=True) + self.b


class LoRALinear(nn.Module):
    """A frozen affine map and a trained low-rank update."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        frozen: Mapping[str, tuple[int, ...]] = {
            "W": (s["d_in"], s["d_out"]), **({"b": (s["d_out"],)} if o["bias"] else {}),
        }  # fmt: skip
        for name, shape in frozen.items():
            self.register_parameter(name, nn.Parameter(torch.randn(shape), requires_grad=False))
        self.A = nn.Parameter(torch.randn(s["d_in"], s["d_r"]))
        self.B = nn.Parameter(torch.randn(s["d_r"], s["d_out"]))
        self.scale = 16 / s["d_r"]

    def forward(self, x: Tensor) -> Tensor:
        """Map, and add the update."""
        frozen = x @ self.W + self.b if hasattr(self, "b") else x @ self.W
        return frozen + x @ self.A @ self.B * self.scale


CASES: Mapping[str, tuple[Case, ...]] = {
    "linear": (Case("nn.Linear", lambda s, o: nn.Linear(s["d_in"], s["d_out"], o["bias"])),),
    "bilinear": (
        Case("two torch.einsum, the first one of them run again", Bilinear),
        Case("nn.Bilinear", lambda s, o: nn.Bilinear(s["d_1"], s["d_2"], s["d_out"], o["bias"]),
             uses=lambda o: {"unseen product": "B*d_out*d_2"}),
    ),
    "lora_linear": (Case("x W + b + α/r x A B", LoRALinear),),
}  # fmt: skip
