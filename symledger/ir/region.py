"""Fused bodies: a component that states its own backward program.

Its forward is built like any other. Going back, the stated program takes the place of the
derived one, so what it mentions is what must be kept. Softmax that keeps only its result, a norm
that keeps two statistics, attention that recomputes its scores: each is a stated pull-back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symledger.errors import DefinitionError, nearest
from symledger.ir.tensor import Region, Tensor


class Values:
    """The tensors that a stated pull-back may mention: inputs, weights and named steps.

    >>> Values({"x": 1}).x
    1
    """

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = dict(named)

    def __getattr__(self, name: str) -> Tensor:
        try:
            found: Tensor = self._named[name]
        except KeyError:
            raise AttributeError(
                f"a stated pull-back may mention {', '.join(sorted(self._named))}; not {name}"
            ) from None
        return found


def gradients(region: Region, *incoming: Tensor) -> list[tuple[str, Tensor]]:
    """Run the stated pull-back; return (name of an input or weight, its gradient) pairs.

    Raises:
        DefinitionError: it names what is not there, or a gradient has another shape.
    """
    stated = region.pullback(Values(region.named), *incoming)
    for name, gradient in stated.items():
        if name not in region.named:
            raise DefinitionError(
                f"a stated pull-back gives a gradient to {name}, which is neither an input nor "
                f"a named step. {nearest(name, region.named)}"
            )
        if gradient.shape != region.named[name].shape:
            raise DefinitionError(
                f"a stated pull-back gives {name} a gradient of shape {list(gradient.shape)}, "
                f"but {name} is {list(region.named[name].shape)}."
            )
    return list(stated.items())
