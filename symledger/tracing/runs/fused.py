"""Attention on tensors without elements, by the fused kernels.

Left to itself, PyTorch runs it there product by product. The kernels keep other tensors for the
backward pass, and leave their result with positions before heads in memory: by that, a copy that
follows is none.
"""

from __future__ import annotations

import torch

from symledger.tracing.runs.torch_version import EFFICIENT, FLASH, storage_id


def fused_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None,
    dropout_p: float, is_causal: bool, scale: float | None, enable_gqa: bool,
    written_out: dict[int, int],
) -> torch.Tensor:  # fmt: skip
    """Run a fused kernel.

    ``written_out`` is told of the storages that are made for it alone, and their bytes: heads that
    are repeated, what fills up blocks.
    """
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
    if attn_mask is None and q.shape[-1] == v.shape[-1]:
        made = FLASH(
            q, k, v, dropout_p, is_causal, scale=scale
        )[0]
    else:
        bias = None if attn_mask is None else _bias(attn_mask, q, k)
        made, lse, *state = EFFICIENT(
            q, k, v, bias, True, dropout_p, is_causal, scale=scale
        )
        _note(lse, lse[..., q.shape[2] :].nbytes, written_out)  # it is padded to whole blocks
        for x in state:  # where its random numbers begin
            _note(x, x.nbytes, written_out)
    if query.dim() == 4:
        return made
    return made.reshape(*lead, *made.shape[4 - min(query.dim(), 3) :])


def _bias(mask: torch.Tensor, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """Return a mask as what is added to the scores of all heads; one of truths is made floats."""
    added = mask if mask.is_floating_point() else torch.zeros_like(mask, dtype=q.dtype)
    added = added.reshape(-1, *added.shape[-3:]) if added.dim() > 4 else added
    return added.expand(*q.shape[:3], k.shape[2])


def _shared(x: torch.Tensor, times: int, written_out: dict[int, int]) -> torch.Tensor:
    """Repeat heads that several query heads share."""
    made = x.repeat_interleave(times, 1)
    whole = made.untyped_storage().nbytes()
    _note(made, whole - whole // times, written_out)
    return made


def _note(x: torch.Tensor, extra: int, written_out: dict[int, int]) -> None:
    written_out[storage_id(x)] = extra
