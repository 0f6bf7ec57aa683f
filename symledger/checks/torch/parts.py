"""What modules in PyTorch are made of, and what all of them are given.

Nothing in these files knows a formula or a program of ours. ``s`` holds sizes, ``o`` choices, by
name. Tables (rotary angles, causal masks) are buffers: they are computed, not activations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

Sizes = Mapping[str, int]
Options = Mapping[str, Any]
EPSILON = 1e-5
ACTIVATIONS: Mapping[str, Any] = {
    "relu": F.relu, "gelu": F.gelu, "silu": F.silu, "tanh": torch.tanh, "sigmoid": torch.sigmoid,
    "log_sigmoid": F.logsigmoid, "elu_scaled": lambda x: F.elu(x, 0.5),
    "celu": lambda x: F.celu(x, 0.5), "softplus_scaled": lambda x: F.softplus(x, 0.5),
    "hardsigmoid": lambda x: F.relu6(x + 3) / 6,  # F.hardsigmoid has 1/6 in single precision
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(x * 1.702),
    "gelu_new": lambda x: x * 0.5 * (
        torch.tanh((x + torch.pow(x, 3) * 0.044715) * math.sqrt(2 / math.pi)) + 1
    ),
    "gelu_fast": lambda x: 0.5 * x * (
        1 + torch.tanh(x * math.sqrt(2 / math.pi) * (1 + 0.044715 * x * x))
    ),
    "gelu_python": lambda x: x * 0.5 * (1 + torch.erf(x * math.sqrt(0.5))),
    "gelu_10": lambda x: torch.clip(F.gelu(x), -10, 10),
    "laplace": lambda x: 0.5 * (
        1 + torch.erf((x - 0.707107).div(0.282095 * math.sqrt(2)))
    ),
    "linear": lambda x: x,
    "relu2": lambda x: torch.square(F.relu(x)),
    "sqrtsoftplus": lambda x: F.softplus(x).sqrt(),
}  # fmt: skip


def dropout(o: Options, name: str = "dropout") -> nn.Dropout:
    """Noise, where the option asks for it; none otherwise."""
    return nn.Dropout(0.1 if o.get(name) else 0.0)


def causal_mask(T: int, S: int) -> Tensor:
    """Zeros where a query may see a key, the last query all of them; −∞ elsewhere."""
    return torch.full((T, S), -torch.inf).triu(1 + S - T)


class Function(nn.Module):
    """A function without weights, as a module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Tensor:
        """Apply the function."""
        return self.function(*inputs)


def seq_first(x: Tensor) -> Tensor:
    """Put the sequence before the batch, as PyTorch's layers have it, in memory too."""
    return x.transpose(0, 1).contiguous()


def recomputed(part: Callable[..., Tensor], *inputs: Tensor, early: bool = False) -> Tensor:
    """Apply a part that keeps its inputs alone; all of it is run again, to its last product.

    ``early``: no further than to the last value that the backward pass needs.
    """
    with set_checkpoint_early_stop(early):
        made: Tensor = checkpoint(part, *inputs, use_reentrant=False)
    return made
