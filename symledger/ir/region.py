"""Fused bodies: a component that states its own backward program.

Its forward is recorded like any other. Going back, the stated program takes the place of the
derived one, so what it mentions is what must be kept. Softmax that keeps only its result, a norm
that keeps two statistics, attention that recomputes its scores: each is a stated pull-back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from symledger.errors import DefinitionError, nearest

if TYPE_CHECKING:
    from symledger.ir.tensor import Tensor


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


@dataclass(eq=False)
class Region:
    """The tensors of one fused body: what entered, what came out, and how to go back."""

    pullback: Callable[..., Mapping[str, Tensor]]
    named: dict[str, Tensor] = field(default_factory=dict)
    outputs: tuple[Tensor, ...] = ()

    def gradients(self, *incoming: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Run the stated pull-back; return (input or weight, its gradient) pairs.

        Raises:
            DefinitionError: it names what is not there, or a gradient has another shape.
        """
        stated = self.pullback(Values(self.named), *incoming)
        for name, gradient in stated.items():
            if name not in self.named:
                raise DefinitionError(
                    f"a stated pull-back gives a gradient to {name}, which is neither an input nor "
                    f"a named step. {nearest(name, self.named)}"
                )
            if gradient.shape != self.named[name].shape:
                raise DefinitionError(
                    f"a stated pull-back gives {name} a gradient of shape {list(gradient.shape)}, "
                    f"but {name} is {list(self.named[name].shape)}."
                )
        return [(self.named[name], gradient) for name, gradient in stated.items()]
