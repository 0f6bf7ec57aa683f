"""What ``einsum`` lays out anew before it multiplies: written down as the copies that they are.

Inside, PyTorch sees two tensors as stacks of matrices: shared axes, own ones, and those that are
summed. One that cannot be seen so where it lies is copied, and the copy is what is kept.
Source: PyTorch 2.13, ``aten/src/ATen/native/Linear.cpp``, ``einsum`` and ``sumproduct_pair``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch

from symledger.tracing.runs.torch_version import without_modes

PAIR = re.compile(r"([A-Za-z]+),([A-Za-z]+)->([A-Za-z]*)")


def with_operands(func: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a contraction, with copies where PyTorch makes and keeps them."""
    if func is not torch.einsum or len(args) != 3 or not isinstance(args[0], str):
        return args
    found = PAIR.fullmatch(args[0].replace(" ", ""))
    pair = args[1:]
    if not found or not all(isinstance(x, torch.Tensor) for x in pair):
        return args
    sides, out = (found[1], found[2]), found[3]
    fits = all(x.dim() == len(set(s)) == len(s) for x, s in zip(pair, sides, strict=True))
    if not fits:
        return args
    both = [c for c in (*out, *sorted({*sides[0]} - {*out})) if c in sides[0] and c in sides[1]]
    alone = any(c not in out and c not in both for s in sides for c in s)
    if alone or any(1 in x.shape for x in pair):
        return args  # what is summed alone, or is as long as nothing
    shared = "".join(c for c in both if c in out)
    summed = "".join(c for c in both if c not in out)
    own = ["".join(c for c in out if c in s and c not in shared) for s in sides]
    orders = ((shared, own[0], summed), (shared, summed, own[1]))
    made = [
        laid(x, side, order) if other.requires_grad else (x, side)
        for x, side, order, other in zip(pair, sides, orders, pair[::-1], strict=True)
    ]
    return (f"{made[0][1]},{made[1][1]}->{out}", made[0][0], made[1][0])


def laid(x: torch.Tensor, side: str, order: Sequence[str]) -> tuple[torch.Tensor, str]:
    """Return a tensor, and how its axes are called; in another order if it has to be copied."""
    every = "".join(order)
    places = [side.index(c) for c in every]
    with without_modes(), torch.no_grad():
        seen = x.permute(places)
        lengths = dict(zip(every, seen.shape, strict=True))
        try:
            seen.view([prod(lengths[c] for c in group) for group in order])
        except RuntimeError:
            pass
        else:
            return x, side
    return x.permute(places).contiguous(), every
