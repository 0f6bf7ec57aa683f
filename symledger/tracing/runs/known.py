"""Tensors whose elements are known though they have none: what depends on no data and no weight.

A module may ask such a tensor for a number (``if (positions[:, -1] == 0).all()``). What was done to
get there is done again, on the processor, with elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from symledger.tracing.runs.torch_version import storage_id

MOST_ELEMENTS = 10**7
"""Beyond these nothing is worked out."""


@dataclass(eq=False)
class Made:
    """How a tensor came about: what was done to what, and which of the results it is.

    Of what is ``written`` in place the first argument is written into.
    """

    func: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    place: int
    written: bool = False
    value: torch.Tensor | None = None


class Known:
    """How every tensor that depends on no data came about, by the tensor's identity."""

    def __init__(self) -> None:
        self.made: dict[int, Made] = {}
        self.storages: dict[int, set[int]] = {}

    def note(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any],
        result: Any, into: Sequence[torch.Tensor] = (),
    ) -> None:  # fmt: skip
        """Remember how a result came about, if everything that it is made of is known.

        What is written ``into`` is known from then on as what was written; what shares its
        elements, no longer.
        """
        given = tensors_in((args, tuple(kwargs.values())))
        known = all(id(x) in self.made for x in given) and not (into and kwargs.get("out"))
        done = (self._how(args), self._how(dict(kwargs))) if known else None
        for x in into:
            for same in self.storages.pop(storage_id(x), set()):
                self.made.pop(same, None)
            self.made.pop(id(x), None)
        several = result if isinstance(result, list | tuple) else (result,)
        for i, x in enumerate(several):
            if done is not None and isinstance(x, torch.Tensor):
                self.made[id(x)] = Made(func, *done, i, bool(into))
                self.storages.setdefault(storage_id(x), set()).add(id(x))

    def _how(self, x: Any) -> Any:
        """Put how a tensor came about in its place."""
        if isinstance(x, torch.Tensor):
            return self.made[id(x)]
        if isinstance(x, dict):
            return {n: self._how(v) for n, v in x.items()}
        return type(x)(map(self._how, x)) if type(x) in (list, tuple) else x

    def value(self, x: torch.Tensor) -> torch.Tensor | None:
        """Return a tensor with its elements; None if they are not known."""
        if id(x) not in self.made or x.numel() > MOST_ELEMENTS:
            return None
        return self._valued(self.made[id(x)])

    def _valued(self, made: Made) -> torch.Tensor:
        if made.value is None:
            given = self._real(made.args)
            if made.written:
                given = (given[0].clone(), *given[1:])
            result = made.func(*given, **self._real(made.kwargs))
            several = result if isinstance(result, list | tuple) else (result,)
            made.value = several[made.place]
        return made.value

    def _real(self, x: Any) -> Any:
        if isinstance(x, Made):
            return self._valued(x)
        if isinstance(x, dict):
            return {n: self._real(v) for n, v in x.items()}
        if type(x) in (list, tuple):
            return type(x)(map(self._real, x))
        return torch.device("cpu") if isinstance(x, torch.device) else x


def tensors_in(x: Any) -> list[torch.Tensor]:
    """Return the tensors in some arguments."""
    if isinstance(x, torch.Tensor):
        return [x]
    if isinstance(x, list | tuple):
        return [t for each in x for t in tensors_in(each)]
    return []
