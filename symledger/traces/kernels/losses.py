"""Losses of classes, as PyTorch's kernels keep things: the targets, and what was divided by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Integer, Piecewise

from symledger import sizes
from symledger.ir.region import Values
from symledger.ir.scalars import Scalar, X, Y
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, gather, reduce, scatter, table

IGNORED = Integer(-100)
"""The target that counts nothing where no other is said."""
Reduction = Literal["none", "mean", "sum"]


@dataclass(frozen=True)
class NegativeLikelihood(Component):
    """Minus what stands at the targets, of n rows of V numbers; some targets may be left out.

    A target may have a weight, which the mean divides by as well. Kept are the targets, the
    weights, and what the mean divides by.
    """

    V: Expr = sizes.V
    ignored: Expr = IGNORED
    reduction: Reduction = "mean"
    weighted: bool = False

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the reduction
        """The type line."""
        weight = ", V" if self.weighted else ""
        return f"n V, n{weight} ->{' n' if self.reduction == 'none' else ''}"

    def forward(self, x: Tensor, targets: Tensor, weight: Tensor | None = None) -> Steps:
        share = self.share(x, targets, weight)
        picked = gather(x, self.inside(targets), batch=1)
        each = -picked * share
        if self.reduction == "none":
            return steps(each=each)
        if self.reduction == "sum":
            return steps(each=each, loss=reduce(each, (0,)))
        whole = reduce(share, (0,))
        return steps(whole=whole, loss=reduce(each, (0,)) / whole)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send minus dy, times the share of the row, back to the targets."""
        share = self.share(at.x, at.targets, at.weight if self.weighted else None)
        down = dy / at.whole if self.reduction == "mean" else dy
        return {"x": scatter(-share * down, self.inside(at.targets), at.x.shape, batch=1)}

    def share(self, x: Tensor, targets: Tensor, weight: Tensor | None) -> Tensor:
        """Return how much each row counts: 1, or the weight of its target; 0 if left out."""
        if weight is None:
            ones = expand(table("one", lambda: ONE), targets.shape)
        else:
            ones = gather(weight, self.inside(targets))
        return pointwise(self.unless_ignored(X, Integer(0)), ones, targets)

    def inside(self, targets: Tensor) -> Tensor:
        """Return targets below V: 0 in place of those that are left out."""
        code = self.unless_ignored(Y, Integer(0))
        return pointwise(code, targets, targets, storage="index")

    def unless_ignored(self, value: Expr, other: Expr) -> Scalar:
        """Return a value unless the target, which is the second argument, is left out."""
        off = Y - self.ignored
        return Scalar((X, Y), Piecewise((value, off < 0), (value, off > 0), (other, True)))


