"""Operators that do each element by itself, on tensors without elements: the shape, at once.

PyTorch finds it in Python there, a hundred times as long as an operator in C++ takes. It is plain
where everything lies in order, and one tensor is as long along every axis as what comes out;
anywhere else PyTorch is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

aten = torch.ops.aten
Operator = Callable[..., Any]


def whole(several: tuple[Any, ...]) -> torch.Size | None:
    """Return the shape of what comes of tensors and numbers together, where that is plain."""
    shape: torch.Size | None = None
    tensors = [x for x in several if isinstance(x, torch.Tensor)]
    for x in tensors:
        if x.device.type != "meta" or not x.is_contiguous() or x.dim() == 0:
            return None
        if shape is None or len(x.shape) > len(shape) or x.numel() > shape.numel():
            shape = x.shape
    if shape is None or not all(fits(x.shape, shape) for x in tensors):
        return None
    return shape


def fits(one: torch.Size, shape: torch.Size) -> bool:
    """Whether a tensor is repeated along axes alone to have a shape."""
    return one == shape or (
        len(one) <= len(shape)
        and all(a in (1, b) for a, b in zip(reversed(one), reversed(shape), strict=False))
    )


def of_one(func: Operator) -> Operator:
    """Return an operator on floats, which keeps their type."""

    def quick(x: torch.Tensor, *rest: Any, **more: Any) -> Any:
        shape = whole((x,)) if x.is_floating_point() else None
        return func(x, *rest, **more) if shape is None else made(shape, x.dtype)

    return quick


def of_two(func: Operator) -> Operator:
    """Return an operator on two, of which the type that holds both comes out."""

    def quick(x: Any, y: Any, *rest: Any, **more: Any) -> Any:
        shape = whole((x, y))
        kind = torch.result_type(x, y) if shape is not None else torch.bool
        if shape is None or not kind.is_floating_point:
            return func(x, y, *rest, **more)
        return made(shape, kind)

    return quick


def compared(func: Operator) -> Operator:
    """Return an operator that says of two whether something is true."""

    def quick(x: Any, y: Any) -> Any:
        shape = whole((x, y))
        return func(x, y) if shape is None else made(shape, torch.bool)

    return quick


def chosen(condition: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> Any:
    """Return one tensor's elements where something is true, else another's."""
    shape = whole((condition, x, y))
    if shape is None:
        return aten.where.self(condition, x, y)
    return made(shape, torch.result_type(x, y))


def mean(x: torch.Tensor, dim: Any, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the mean over some axes."""
    shape = whole((x,)) if x.is_floating_point() and dim and dtype is None else None
    n = len(shape) if shape is not None else 0
    over = {d % n for d in dim if -n <= d < n} if dim else set[int]()
    if shape is None or len(over) < len(dim):
        return aten.mean.dim(x, dim, keepdim, dtype=dtype)
    lengths = [1 if i in over else n for i, n in enumerate(shape) if keepdim or i not in over]
    return made(torch.Size(lengths), x.dtype)


def made(shape: torch.Size, kind: torch.dtype) -> torch.Tensor:
    """Return a tensor without elements."""
    return torch.empty(shape, dtype=kind, device="meta")


ONE = (
    aten.neg, aten.rsqrt, aten.sqrt, aten.exp, aten.log, aten.sin, aten.cos, aten.tanh,
    aten.sigmoid, aten.abs, aten.erf,
)  # fmt: skip
TWO = (
    aten.mul.Tensor, aten.add.Tensor, aten.sub.Tensor, aten.div.Tensor, aten.mul.Scalar,
    aten.add.Scalar, aten.sub.Scalar, aten.div.Scalar, aten.pow.Tensor_Scalar,
)  # fmt: skip
COMPARISONS = (aten.lt, aten.le, aten.gt, aten.ge, aten.eq, aten.ne)
POINTWISE: dict[Any, Operator] = {
    **{o.default: of_one(o.default) for o in ONE},
    **{o: of_two(o) for o in TWO},
    **{o: compared(o) for c in COMPARISONS for o in (c.Scalar, c.Tensor)},
    aten.where.self: chosen, aten.mean.dim: mean,
}  # fmt: skip
"""Operators, and what says the shapes of what comes out."""
