"""Attention on tensors without elements, by the fused kernels.

Left to itself, PyTorch runs it there product by product. The kernels keep other tensors for the
backward pass, and leave their result with positions before heads in memory: by that, a copy that
follows is none.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from symledger.tracing.torch_version import EFFICIENT, FLASH, storage_id

PLAIN = functional.scaled_dot_product_attention


def fused_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None,
    dropout_p: float, is_causal: bool, scale: float | None, enable_gqa: bool,
    written_out: dict[int, int],
) -> torch.Tensor:  # fmt: skip
    """Run a fused kernel.

    ``written_out`` is told of the storages that are made for it alone, and their bytes: heads that
    are repeated, a mask as a float for each head.
    """
    if query.shape[-1] != value.shape[-1]:  # no fused kernel takes that
        return PLAIN(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    lead = query.shape[:-3]
    q, k, v = (
        x if x.dim() == 4 else x.reshape(-1, *(1,) * (3 - x.dim()), *x.shape[-3:])
        for x in (query, key, value)
    )
    if q.shape[1] % k.shape[1]:
        raise RuntimeError(
            f"{q.shape[1]} heads of queries cannot share {k.shape[1]} of keys and values"
        )
    if q.shape[1] != k.shape[1]:
        k, v = (_shared(x, q.shape[1] // x.shape[1], written_out) for x in (k, v))
    if attn_mask is None:
        made = FLASH(
            q, k, v, dropout_p, is_causal, scale=scale
        )[0]
    else:
        bias = torch.zeros((*q.shape[:3], k.shape[2]), device=q.device, dtype=q.dtype)
        _note(bias, bias.untyped_storage().nbytes(), written_out)
        made = EFFICIENT(
            q, k, v, bias, True, dropout_p, is_causal, scale=scale
        )[0]
    if query.dim() == 4:
        return made
    return made.reshape(*lead, *made.shape[4 - min(query.dim(), 3) :])


def _shared(x: torch.Tensor, times: int, written_out: dict[int, int]) -> torch.Tensor:
    """Repeat heads that several query heads share."""
    made = x.repeat_interleave(times, 1)
    whole = made.untyped_storage().nbytes()
    _note(made, whole - whole // times, written_out)
    return made


def _note(x: torch.Tensor, extra: int, written_out: dict[int, int]) -> None:
    written_out[storage_id(x)] = extra
