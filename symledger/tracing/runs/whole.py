"""The functions of PyTorch that are kept whole, under one name however they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812  # as everyone calls it


@dataclass(frozen=True)
class Whole:
    """A function that is kept whole: its name here, and its arguments in order with defaults.

    Its first two may stand the other way round (``swapped``); its last may be all that follow,
    one by one or in a list (``gathered``).
    """

    name: str
    arguments: Mapping[str, Any]
    swapped: bool = False
    gathered: bool = False


NEEDED = object()
"""In place of a default, where there is none."""
DROPPED = {"input": NEEDED, "p": 0.5, "training": True, "inplace": False}
MATMUL = Whole("matmul", {"input": NEEDED, "other": NEEDED})
RECURRENT = dict.fromkeys((
    "input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional",
    "batch_first",
), NEEDED)
CELL = {**dict.fromkeys(("input", "hx", "w_ih", "w_hh"), NEEDED), "b_ih": None, "b_hh": None}
WHOLE: dict[Callable[..., Any], Whole] = {
    F.linear: Whole("linear", {"input": NEEDED, "weight": NEEDED, "bias": None}),
    F.scaled_dot_product_attention: Whole("attention", {
        "query": NEEDED, "key": NEEDED, "value": NEEDED, "attn_mask": None, "dropout_p": 0.0,
        "is_causal": False, "scale": None, "enable_gqa": False,
    }),
    F.dropout: Whole("dropout", DROPPED),
    F.dropout1d: Whole("feature_dropout", DROPPED), F.dropout2d: Whole("feature_dropout", DROPPED),
    F.dropout3d: Whole("feature_dropout", DROPPED),
    F.alpha_dropout: Whole("alpha_dropout", {**DROPPED, "training": False}),
    F.feature_alpha_dropout: Whole("feature_alpha_dropout", {**DROPPED, "training": False}),
    F.one_hot: Whole("one_hot", {"tensor": NEEDED, "num_classes": -1}),
    F.embedding_bag: Whole("embedding_bag", {
        "input": NEEDED, "weight": NEEDED, "offsets": None, "max_norm": None, "norm_type": 2,
        "scale_grad_by_freq": False, "mode": "mean", "sparse": False, "per_sample_weights": None,
        "include_last_offset": False, "padding_idx": None,
    }),
    torch.einsum: Whole("einsum", {"equation": NEEDED, "operands": NEEDED}, gathered=True),
    F.bilinear: Whole("bilinear", {
        "input1": NEEDED, "input2": NEEDED, "weight": NEEDED, "bias": None,
    }),
    **{getattr(torch, n): Whole(n, RECURRENT) for n in ("lstm", "gru", "rnn_tanh", "rnn_relu")},
    **{getattr(torch, n): Whole(n, CELL)
       for n in ("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")},
    torch.matmul: MATMUL, torch.Tensor.matmul: MATMUL, torch.Tensor.__matmul__: MATMUL,
    torch.Tensor.__rmatmul__: Whole("matmul", MATMUL.arguments, swapped=True),
}  # fmt: skip


def arguments_of(
    whole: Whole, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call by name."""
    args = args[::-1] if whole.swapped else args
    if whole.gathered and not (len(args) == 2 and isinstance(args[1], list | tuple)):
        args = (args[0], args[1:])
    given = dict(zip(whole.arguments, args, strict=False))
    return {name: kwargs.get(name, given.get(name, d)) for name, d in whole.arguments.items()}
