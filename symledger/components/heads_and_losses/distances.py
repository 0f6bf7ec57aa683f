"""How far two vectors are apart, how alike their directions are, and losses of that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr, Integer, Rational

from symledger import sizes
from symledger.components.heads_and_losses.losses import HALF, Reduced
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, gather, reduce, table, total, view

TINY = Rational(1, 10**6)
"""What is added to a difference, whose length has no slope at zero."""
TINIER = Rational(1, 10**12)
TWO = Integer(2)


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


def masks(kind: Tensor) -> tuple[Tensor, Tensor]:
    """Ones where two things are alike (their kind is 1), and where they are not; else zeros."""
    tables = (table("like", lambda i: i, TWO), table("unlike", lambda i: 1 - i, TWO))
    like, unlike = (replace(gather(each, kind), storage="mask") for each in tables)
    return like, unlike


@dataclass(frozen=True)
class CosineEmbedding(Reduced):
    """One minus the cosine of two vectors that are alike, the cosine above a margin of others.

    Which they are is a whole number, 1 or 0; the margin here is -1/2. The mean (or the sum) is
    taken over all pairs. Kept are both vectors, and five numbers and two masks for each pair.
    Source: PyTorch 2.13, torch.nn.CosineEmbeddingLoss.
    """

    two: ClassVar[Expr] = TWO
    entering: ClassVar[str] = "B n, B n, B in two"
    leaving: ClassVar[str] = "B"
    title: ClassVar[str] = "mean of 1 − cosine of the like, the cosine above a margin of the unlike"
    references: ClassVar[tuple[str, ...]] = ("PyTorch 2.13, torch.nn.CosineEmbeddingLoss",)

    def forward(self, x: Tensor, z: Tensor, kind: Tensor) -> Steps:
        like, unlike = masks(kind)
        squares = [reduce(v * v, (1,)) + TINIER for v in (x, z)]
        cosine = reduce(x * z, (1,)) / apply("sqrt", squares[0] * squares[1])
        return self.reduced((1 - cosine) * like + apply("relu", cosine + HALF) * unlike)


@dataclass(frozen=True)
class HingeEmbedding(Reduced):
    """A distance where two things are alike, what it lacks to a margin where not, by element.

    Which they are is a whole number, 1 or 0. The mean (or the sum) is taken over all elements.
    Kept are what is clipped, and two masks.
    Source: PyTorch 2.13, torch.nn.HingeEmbeddingLoss.
    """

    two: ClassVar[Expr] = TWO
    entering: ClassVar[str] = "B n, B n in two"
    title: ClassVar[str] = "mean of distances of the like, of max(0, margin − distance) of others"
    references: ClassVar[tuple[str, ...]] = ("PyTorch 2.13, torch.nn.HingeEmbeddingLoss",)

    def forward(self, x: Tensor, kind: Tensor) -> Steps:
        like, unlike = masks(kind)
        return self.reduced(apply("relu", 1 - x) * unlike + x * like)


@dataclass(frozen=True)
class MultiMargin(Reduced):
    """How far the score of a row's class fails to exceed each other one by a margin; their mean.

    The class itself adds the margin, which is taken off again. The mean (or the sum) is taken over
    all rows. Kept are what is clipped and the classes.
    Source: Crammer, Singer, *On the Algorithmic Implementation of Multiclass Kernel-based Vector
    Machines* (2001), section 3, with a sum in place of the largest.
    """

    V: Expr = sizes.V

    entering: ClassVar[str] = "B V, B in V"
    leaving: ClassVar[str] = "B"
    title: ClassVar[str] = "mean of max(0, margin + score − that of the class)"
    references: ClassVar[tuple[str, ...]] = (
        "Crammer, Singer, On the Algorithmic Implementation of Multiclass Kernel-based Vector "
        "Machines (2001), section 3",
    )

    def forward(self, x: Tensor, kinds: Tensor) -> Steps:
        own = view("b -> b ()", gather(x, kinds, batch=1))
        missed = apply("relu", x - own + 1)
        return self.reduced((reduce(missed, (1,)) - 1) * (1 / self.V))


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
