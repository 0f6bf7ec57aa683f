"""Products of matrices see all leading axes as rows; what cannot be seen so is copied first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812  # as everyone calls it

from symledger.tracing.runs.torch_version import without_modes

PRODUCTS: dict[Callable[..., Any], str] = {
    F.linear: "weight", torch.matmul: "other", torch.Tensor.matmul: "other",
    torch.Tensor.__matmul__: "other",
}  # fmt: skip
"""Functions that multiply rows by a matrix, and what they call the matrix."""


def with_rows(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return the arguments of a product, its rows written down once more if PyTorch does so.

    It does, inside of the product, where the matrix has a gradient: what it keeps is the copy.
    """
    if func not in PRODUCTS or not args:
        return args, kwargs
    if len(args) == 2 and not kwargs and func is not F.linear:
        args = stacks(*args)
    x, *rest = args
    matrix = rest[0] if rest else kwargs.get(PRODUCTS[func])
    folds = isinstance(matrix, torch.Tensor) and matrix.dim() == 2 and matrix.requires_grad
    if not folds or not isinstance(x, torch.Tensor) or x.dim() < 3 or is_rows(x):
        return args, kwargs
    return (x.contiguous(), *rest), kwargs


def stacks(x: Any, y: Any) -> tuple[Any, Any]:
    """Return two stacks of matrices, a part of a larger tensor copied where PyTorch does so.

    It does where the leading axes cannot be seen as one; the copy is kept, and not the whole.
    """
    both = all(isinstance(z, torch.Tensor) and z.dim() > 3 for z in (x, y))
    if not both or x.shape[:-2] != y.shape[:-2]:
        return x, y
    pairs = ((x, y), (y, x))
    made = tuple(a.contiguous() if b.requires_grad and is_part(a) else a for a, b in pairs)
    return made[0], made[1]


def is_part(x: torch.Tensor) -> bool:
    """Whether a stack of matrices is a part of a larger tensor, and cannot be seen as one stack."""
    if x.untyped_storage().nbytes() <= x.numel() * x.element_size():
        return False
    with without_modes(), torch.no_grad():
        try:
            x.view(-1, *x.shape[-2:])
        except RuntimeError:
            return True
    return False


def is_rows(x: torch.Tensor) -> bool:
    """Whether all axes but the last can be seen as one, without a copy."""
    with without_modes(), torch.no_grad():
        try:
            x.view(-1, x.shape[-1])
        except RuntimeError:
            return False
    return True
