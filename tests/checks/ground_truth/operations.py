"""Single operations that the catalogue has no entry for, written as a user would."""

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Piecewise

from symledger import Component, sizes, steps
from symledger.components.blocks.blocks import Norm, norm
from symledger.components.embeddings.embedding import LMHead
from symledger.components.feed_forward.feed_forward import act
from symledger.components.heads_and_losses.losses import CrossEntropy
from symledger.components.norms.norms import EPSILON
from symledger.ir.scalars import Scalar, X
from symledger.notation.verbs import apply, einsum, mean, param, pointwise, statistic, view


@dataclass(frozen=True)
class Elementwise(Component):
    """An operation of every element, by itself."""

    signature: ClassVar[str] = "B T d -> B T d"

    def forward(self, x):
        return steps(y=self.function(x))


class Identity(Elementwise):
    def function(self, x):
        return view("B T d -> B T d", x)


class Doubled(Elementwise):
    def function(self, x):
        return x * 2


class Square(Elementwise):
    def function(self, x):
        return apply("square", x)


class ComposedGELU(Elementwise):
    def function(self, x):
        return act("gelu_new", x)


class RsqrtOfAbs(Elementwise):
    """Where the sign was is read off the argument, the root off the result."""

    def function(self, x):
        size = Scalar((X,), Piecewise((X, X > 0), (-X, True)))
        return apply("rsqrt", pointwise(size, x))


@dataclass(frozen=True)
class Transposed(Component):
    signature: ClassVar[str] = "B T d -> B d T"

    def forward(self, x):
        return steps(y=view("B T d -> B d T", x))


@dataclass(frozen=True)
class Mean(Component):
    signature: ClassVar[str] = "B T d -> B T one"

    def forward(self, x):
        return steps(y=mean(x))


@dataclass(frozen=True)
class Sum(Component):
    signature: ClassVar[str] = "B T d, B T d -> B T d"

    def forward(self, x, y):
        return steps(z=x + y)


@dataclass(frozen=True)
class Product(Component):
    signature: ClassVar[str] = "B T d, B T d -> B T d"

    def forward(self, x, y):
        return steps(z=x * y)


@dataclass(frozen=True)
class Scores(Component):
    signature: ClassVar[str] = "B T h d_k, B S h d_k -> B h T S"

    def forward(self, q, k):
        return steps(scores=einsum("B T h k, B S h k -> B h T S", q, k))


@dataclass(frozen=True)
class GemmaNorm(Component):
    """The RMS norm of Gemma: what is scaled by is one more than the weight."""

    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d -> B T d"

    def forward(self, x):
        r = statistic(apply("rsqrt", mean(apply("square", x)) + EPSILON))
        return steps(y=(x * r) * (param("g", self.d) + 1))


@dataclass(frozen=True)
class End(Component):
    """What comes after the last layer: a norm and the logits."""

    V: Expr = sizes.V
    d: Expr = sizes.d
    norm: Norm = "layer"

    signature: ClassVar[str] = "B T d -> B T V"

    def forward(self, x):
        return steps(y=LMHead(self.V, self.d)(norm(self.norm, self.d)(x, name="norm"), name="head"))


@dataclass(frozen=True)
class EndWithLoss(Component):
    """The same with the loss."""

    V: Expr = sizes.V
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d, B T in V ->"

    def forward(self, x, targets):
        logits = End(self.V, self.d)(x, name="end")
        return steps(y=CrossEntropy(self.V)(logits, targets, name="loss"))
