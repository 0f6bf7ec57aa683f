"""How far two vectors are apart, how alike their directions are, and losses of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Integer, Rational

from symledger.components.losses import HALF, Reduced
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import apply, reduce, total, view
from symledger.core.tensor import Tensor

TINY = Rational(1, 10**6)
"""What is added to a difference, whose length has no slope at zero."""


def length(x: Tensor) -> Tensor:
    """The Euclidean length of vectors, their axis kept with length 1."""
    return apply("sqrt", total(apply("square", x)))


@dataclass(frozen=True)
class PairwiseDistance(Component):
    """The Euclidean distance of two vectors. Kept are their difference and the distance.

    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 2.5.
    """

    signature: ClassVar[str] = "B n, B n -> B"
    title: ClassVar[str] = "Euclidean distance of two vectors"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 2.5",
    )

    def forward(self, x: Tensor, z: Tensor) -> Steps:
        difference = x - z + TINY
        return steps(difference=difference, y=view("... () -> ...", length(difference)))


@dataclass(frozen=True)
class CosineSimilarity(Component):
    """The cosine of the angle between two vectors: the inner product of their directions.

    Kept are both vectors, their lengths and their directions. (A least length, ε, is left out.)
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 2.5.
    """

    signature: ClassVar[str] = "B n, B n -> B"
    title: ClassVar[str] = "cosine of the angle between two vectors"
    references: ClassVar[tuple[str, ...]] = PairwiseDistance.references

    def forward(self, x: Tensor, z: Tensor) -> Steps:
        u, v = x / length(x), z / length(z)
        return steps(u=u, v=v, y=reduce(u * v, (1,)))


@dataclass(frozen=True)
class TripletMargin(Reduced):
    """How far a vector is from a like one beyond its distance from an unlike one, and a margin.

    The mean (or the sum) is taken over all triplets. Kept are both differences, both distances and
    what is clipped.
    Source: Schroff, Kalenichenko, Philbin, *FaceNet* (2015), section 3.1, without the squares;
    Balntas et al. (2016), section 2.
    """

    entering: ClassVar[str] = "B n, B n, B n"
    leaving: ClassVar[str] = "B"
    title: ClassVar[str] = "mean of max(0, margin + distance to the like − to the unlike)"
    references: ClassVar[tuple[str, ...]] = (
        "Schroff, Kalenichenko, Philbin, FaceNet (2015), section 3.1",
        "Balntas et al., Learning Local Feature Descriptors with Triplets (2016), section 2",
    )

    def forward(self, x: Tensor, like: Tensor, unlike: Tensor) -> Steps:
        near = PairwiseDistance()(x, like, name="near")
        far = PairwiseDistance()(x, unlike, name="far")
        return self.reduced(apply("relu", near - far + HALF))


@dataclass(frozen=True)
class GaussianNLL(Reduced):
    """Minus the log-density of a normal distribution, a constant left out, for each element.

    What enters are means, targets and variances. Kept are the variances, the differences and their
    squares. The mean (or the sum) is taken over all elements.
    Source: Nix, Weigend, *Estimating the Mean and Variance of the Target Probability Distribution*
    (1994), equation 4.
    """

    entering: ClassVar[str] = "B n, B n, B n"
    title: ClassVar[str] = "mean of (log v + (x − y)²/v)/2, over all elements"
    references: ClassVar[tuple[str, ...]] = (
        "Nix, Weigend, Estimating the Mean and Variance of the Target Probability Distribution "
        "(1994), equation 4",
    )

    @property
    def chances(self) -> tuple[str, ...]:
        """What has to be positive."""
        return ("v",)

    def forward(self, x: Tensor, y: Tensor, v: Tensor) -> Steps:
        return self.reduced((apply("log", v) + apply("square", x - y) / v) * HALF)


@dataclass(frozen=True)
class MultiLabelSoftMargin(Reduced):
    """Binary cross-entropies of n labels from logits, their mean for each row.

    The mean (or the sum) is taken over all rows. Kept are logits and targets, both signs of each,
    and the logarithms of both chances.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 6.2.2.
    """

    entering: ClassVar[str] = "B n, B n"
    leaving: ClassVar[str] = "B"
    title: ClassVar[str] = "mean over labels and rows of binary cross-entropies"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 6.2.2",
    )

    def forward(self, x: Tensor, y: Tensor) -> Steps:
        there = y * apply("log_sigmoid", x)
        not_there = (Integer(1) - y) * apply("log_sigmoid", -x)
        return self.reduced(reduce(-(there + not_there), (1,)) * (1 / x.shape[1]))
