"""What PyTorch is slow to say on the meta device, where shapes are plain: said at once.

There a norm over a batch is a dozen operations written in Python, and a recurrent network one for
each step of time, each seen by all hooks. PyTorch's own counter still sees every one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from symledger.tracing.runs.pointwise import POINTWISE


def batch_norm(
    x: torch.Tensor, weight: Any, bias: Any, mean: Any, var: Any, training: bool, *rest: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return what comes out, and two statistics of every channel."""
    wide = torch.promote_types(x.dtype, torch.float32)
    first, second = (x.new_empty(x.shape[1], dtype=wide) for _ in range(2))
    return torch.empty_like(x), first, second


OPERATORS: dict[Any, Callable[..., Any]] = {
    torch.ops.aten.native_batch_norm.default: batch_norm, **POINTWISE,
}  # fmt: skip
"""Operators, and what makes tensors of the shapes that they return."""


def recurrent(func: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """Return what a recurrent network returns, run for one step of time.

    What is shown of every step lies in memory step by step, whatever comes first.
    """
    x, first = given["input"], 1 if given["batch_first"] else 0
    one, *ends = func(*{**given, "input": x.narrow(first, 0, 1)}.values())
    shown = one.transpose(0, first).repeat(x.shape[first], 1, 1).transpose(0, first)
    return shown, *ends


UNROLLED = (torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu)
"""Functions that run as many operators as there are steps of time."""


def is_plain(given: Mapping[str, Any]) -> bool:
    """Whether a recurrent network is given one tensor, and not rows packed by lengths.

    Their lengths come second, and move all that follows.
    """
    return isinstance(given["has_biases"], bool)
