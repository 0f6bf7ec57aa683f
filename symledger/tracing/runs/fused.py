"""Attention on tensors without elements, by the fused kernels.

Left to itself, PyTorch runs it there product by product, as it does everywhere where no kernel
takes what is given. The kernels keep other tensors for the backward pass, and leave their result
with positions before heads in memory: by that, a copy that follows is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.backends import cuda

from symledger.errors import BadInput
from symledger.tracing.runs.torch_version import EFFICIENT, FLASH, storage_id

ENABLED = (cuda.flash_sdp_enabled, cuda.mem_efficient_sdp_enabled, cuda.cudnn_sdp_enabled)


def is_fused(given: Mapping[str, Any], place: str) -> bool:
    """Whether a fused kernel takes what is given: four axes, of as many examples and heads.

    Source: PyTorch 2.13, ``aten/src/ATen/native/transformers/sdp_utils_cpp.h``,
    ``check_tensor_shapes`` and ``check_batch_size_and_num_heads_dense``.

    Raises:
        BadInput: none does, and something is dropped at random.
    """
    several = [given[name] for name in ("query", "key", "value")]
    if any(kernel() for kernel in ENABLED) and all(x.dim() == 4 for x in several):
        heads = 1 if given["enable_gqa"] else 2
        if len({x.shape[:heads] for x in several}) == 1:
            return True
    if given["dropout_p"]:
        raise BadInput(
            f"{place} has attention with dropout that no fused kernel takes: what it keeps of its "
            "masks differs from one processor to another. Give it queries, keys and values of four "
            "axes, of as many examples and heads, or no dropout."
        )
    return False


def fused_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None,
    dropout_p: float, is_causal: bool, scale: float | None, enable_gqa: bool,
    written_out: dict[int, int],
) -> torch.Tensor:  # fmt: skip
    """Run a fused kernel.

    ``written_out`` is told of the storages that are made for it alone, and their bytes: heads that
    are repeated, what fills up blocks.
    """
    q, k, v = query, key, value
    if q.shape[1] % k.shape[1]:
        raise RuntimeError(
            f"{q.shape[1]} heads of queries cannot share {k.shape[1]} of keys and values"
        )
    if q.shape[1] != k.shape[1]:
        k, v = (_shared(x, q.shape[1] // x.shape[1], written_out) for x in (k, v))
    if attn_mask is None and q.shape[-1] == v.shape[-1]:
        made: torch.Tensor = FLASH(q, k, v, dropout_p, is_causal, scale=scale)[0]
        return made
    bias = None if attn_mask is None else _bias(attn_mask, q, k)
    made, lse, *state = EFFICIENT(q, k, v, bias, True, dropout_p, is_causal, scale=scale)
    _note(lse, lse[..., q.shape[2] :].nbytes, written_out)  # it is padded to whole blocks
    for x in state:  # where its random numbers begin
        _note(x, x.nbytes, written_out)
    return made


def _bias(mask: torch.Tensor, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """Return a mask as what is added to the scores of all heads; one of truths is made floats."""
    added = mask if mask.is_floating_point() else torch.zeros_like(mask, dtype=q.dtype)
    return added.expand(*q.shape[:3], k.shape[2])


def _shared(x: torch.Tensor, times: int, written_out: dict[int, int]) -> torch.Tensor:
    """Repeat heads that several query heads share."""
    made = x.repeat_interleave(times, 1)
    whole = made.untyped_storage().nbytes()
    _note(made, whole - whole // times, written_out)
    return made


def _note(x: torch.Tensor, extra: int, written_out: dict[int, int]) -> None:
    written_out[storage_id(x)] = extra
