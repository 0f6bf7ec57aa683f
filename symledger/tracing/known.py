"""Tensors whose elements are known though they have none: what depends on no data and no weight.

A module may ask such a tensor for a number (``if (positions[:, -1] == 0).all()``). What was done to
get there is done again, on the processor, with elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

MOST_ELEMENTS = 10**7
"""Beyond these nothing is worked out."""


class Known:
    """How every tensor that depends on no data came about, by the tensor's identity."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], int]] = {}
        self.values: dict[int, torch.Tensor] = {}

    def note(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any],
        result: Any,
    ) -> None:  # fmt: skip
        """Remember how a result came about, if everything that it is made of is known."""
        if all(id(x) in self.made for x in tensors_in((args, tuple(kwargs.values())))):
            several = result if isinstance(result, list | tuple) else (result,)
            for i, x in enumerate(several):
                if isinstance(x, torch.Tensor):
                    self.made[id(x)] = func, args, dict(kwargs), i

    def value(self, x: torch.Tensor) -> torch.Tensor | None:
        """Return a tensor with its elements; None if they are not known."""
        if id(x) not in self.made or x.numel() > MOST_ELEMENTS:
            return None
        if id(x) not in self.values:
            func, args, kwargs, place = self.made[id(x)]
            given = self._real(args)
            named = {n: torch.device("cpu") if n == "device" else self._real(v)
                     for n, v in kwargs.items()}  # fmt: skip
            result = func(*given, **named)
            several = result if isinstance(result, list | tuple) else (result,)
            self.values[id(x)] = several[place]
        return self.values[id(x)]

    def _real(self, x: Any) -> Any:
        if isinstance(x, torch.Tensor):
            return self.value(x)
        if isinstance(x, list | tuple):
            return type(x)(map(self._real, x))
        return torch.device("cpu") if isinstance(x, torch.device) else x


def tensors_in(x: Any) -> list[torch.Tensor]:
    """Return the tensors in some arguments."""
    if isinstance(x, torch.Tensor):
        return [x]
    if isinstance(x, list | tuple):
        return [t for each in x for t in tensors_in(each)]
    return []
