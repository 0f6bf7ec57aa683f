"""Norms by channel with weights that are given, as PyTorch's kernels keep and pull them back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger.components.norms.norms import EPSILON
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, mean, reduce, statistic, view

COLUMN = "c -> c ()"


@dataclass(frozen=True)
class ByChannel(Component):
    """Centre rows of each channel, scale them, then by g and b, where these are given.

    ``groups`` rows of an example are taken together; none: those of all examples.
    Kept are the input and two statistics. Source: as ``BatchNorm`` and ``GroupNorm``.
    """

    groups: Expr | None = None
    epsilon: Expr = EPSILON
    affine: bool = True
    bias: bool = True

    signature: ClassVar[str] = "B C P, C, C -> B C P"

    def forward(self, x: Tensor, g: Tensor | None = None, b: Tensor | None = None) -> Steps:
        rows = self.rows(x)
        mu = statistic(mean(rows))
        r = statistic(apply("rsqrt", mean(apply("square", rows - mu)) + self.epsilon))
        y = self.back((rows - mu) * r, x)
        y = y if g is None else y * view(COLUMN, g)
        return steps(mu=mu, r=r, y=y if b is None else y + view(COLUMN, b))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − mean(u) − n mean(u n)), with n the normalized x, u = dy g."""
        n = (self.rows(at.x) - at.mu) * at.r
        u = self.rows(dy * view(COLUMN, at.g) if self.affine else dy)
        found = {"x": self.back((u - mean(u) - n * mean(u * n)) * at.r, dy)}
        if self.affine:
            found["g"] = reduce(dy * self.back(n, dy), (0, 2))
        return {**found, "b": reduce(dy, (0, 2))} if self.bias else found

    def rows(self, x: Tensor) -> Tensor:
        """One row for each channel, or for each group of channels of each example."""
        if self.groups is None:
            return view("b c p -> c (b p)", x)
        return view("b (g c) p -> b g (c p)", x, g=self.groups)

    def back(self, rows: Tensor, like: Tensor) -> Tensor:
        """Turn such rows back."""
        p = like.shape[2]
        if self.groups is None:
            return view("c (b p) -> b c p", rows, b=like.shape[0], p=p)
        return view("b g (c p) -> b (g c) p", rows, p=p)


@dataclass(frozen=True)
class ByRunning(Component):
    """Centre and scale each channel by what was averaged before: neither depends on the input.

    The reciprocal deviation is computed again and not kept.
    """

    epsilon: Expr = EPSILON
    affine: bool = True
    bias: bool = True

    signature: ClassVar[str] = "B C P, C, C, C, C -> B C P"

    def forward(
        self, x: Tensor, mu: Tensor, variance: Tensor, g: Tensor | None = None,
        b: Tensor | None = None,
    ) -> Steps:  # fmt: skip
        y = (x - view(COLUMN, mu)) * self.scale(variance)
        y = y if g is None else y * view(COLUMN, g)
        return steps(y=y if b is None else y + view(COLUMN, b))

    def scale(self, variance: Tensor) -> Tensor:
        """The reciprocal deviation."""
        return apply("rsqrt", view(COLUMN, variance) + self.epsilon)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r dy g."""
        r = self.scale(at.variance)
        found = {"x": (dy * view(COLUMN, at.g) if self.affine else dy) * r}
        if self.affine:
            found["g"] = reduce(dy * ((at.x - view(COLUMN, at.mu)) * r), (0, 2))
        return {**found, "b": reduce(dy, (0, 2))} if self.bias else found


