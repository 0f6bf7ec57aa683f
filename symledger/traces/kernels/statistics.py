"""What is said of the last axis in one number, as PyTorch's kernels keep things for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Piecewise

from symledger import sizes
from symledger.ir import scalars
from symledger.ir.ops import Storage
from symledger.ir.region import Values
from symledger.ir.scalars import Scalar, X, Y
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, argmax, maximum, mean, scatter, total


@dataclass(frozen=True)
class Variance(Component):
    """The mean of squared distances from the mean, or its ``root``; kept are x and that root.

    With a ``correction`` c the sum is divided by n − c.
    """

    n: Expr = sizes.n
    correction: Expr = ONE
    root: bool = False

    signature: ClassVar[str] = "... n -> ... one"

    def forward(self, x: Tensor) -> Steps:
        c = x - mean(x)
        var = total(apply("square", c)) * (1 / (self.n - self.correction))
        return steps(y=apply("sqrt", var) if self.root else var)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = 2 dy (x − mean)/(n − c); of the root, dy (x − mean)/((n − c) y)."""
        scale = (1 if self.root else 2) / (self.n - self.correction)
        return {"x": (dy / at.y if self.root else dy) * scale * (at.x - mean(at.x))}


@dataclass(frozen=True)
class Norm(Component):
    """The root of the sum of squares; kept are x and that root."""

    signature: ClassVar[str] = "... n -> ... one"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=apply("sqrt", total(apply("square", x))))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = dy x/y."""
        return {"x": at.x * (dy / at.y)}


@dataclass(frozen=True)
class LogSumExp(Component):
    """The logarithm of the sum of exponentials; kept are x and that logarithm."""

    signature: ClassVar[str] = "... n -> ... one"

    def forward(self, x: Tensor) -> Steps:
        top = maximum(x)
        return steps(y=top + apply("log", total(apply("exp", x - top))))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = dy exp(x − y)."""
        return {"x": dy * apply("exp", at.x - at.y)}


@dataclass(frozen=True)
class LogAdd(Component):
    """The logarithm of the sum of two numbers of which the logarithms are given."""

    signature: ClassVar[str] = "..., ... -> ..."

    def forward(self, a: Tensor, b: Tensor) -> Steps:
        top = pointwise(Scalar((X, Y), Piecewise((X, X > Y), (Y, True))), a, b)
        return steps(y=top + apply("log", apply("exp", a - top) + apply("exp", b - top)))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: da = dy exp(a − y), and so for b."""
        return {"a": dy * apply("exp", at.a - at.y), "b": dy * apply("exp", at.b - at.y)}


@dataclass(frozen=True)
class Largest(Component):
    """The largest element, and where it stands; kept is the latter alone."""

    signature: ClassVar[str] = "... n -> ... one, ... one"

    def forward(self, x: Tensor) -> Steps:
        return steps(i=argmax(x), y=maximum(x))

    def pullback(self, at: Values, di: Tensor, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back to where it came from."""
        return {"x": scatter(dy, at.i, at.x.shape, batch=at.x.rank - 1)}


@dataclass(frozen=True)
class Extreme(Component):
    """The largest element (or the ``least``), wherever it stands; kept are x and that element.

    The gradient is shared by all elements that are as large.
    """

    least: bool = False

    signature: ClassVar[str] = "... n -> ... one"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=-maximum(-x) if self.least else maximum(x))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = dy [x = y]/Σ [x = y]."""
        equal = Scalar((X, Y), Piecewise((0, X < Y), (0, X > Y), (1, True)))
        there = pointwise(equal, at.x, at.y)
        return {"x": there * (dy / total(there))}


@dataclass(frozen=True)
class Running(Component):
    """One step along an axis: what has been added up (or multiplied) so far, and the next."""

    product: bool = False
    storage: Storage = "value"

    signature: ClassVar[str] = "..., ... -> ..., ..."

    def forward(self, s: Tensor, x: Tensor) -> Steps:
        y = pointwise(scalars.MULTIPLY if self.product else scalars.ADD, s, x, storage=self.storage)
        return steps(state=y, y=y)


@dataclass(frozen=True)
class RunningLog(Component):
    """One step along an axis: the logarithm of the sum of exponentials so far, and the next."""

    signature: ClassVar[str] = "..., ... -> ..., ..."

    def forward(self, s: Tensor, x: Tensor) -> Steps:
        y = LogAdd()(s, x, name="sum")
        return steps(state=y, y=y)
