"""Losses: what language models are trained on, and functions of two numbers, element by element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Rational

from symledger import sizes
from symledger.components.heads_and_losses.log_softmax import LogSoftmax
from symledger.ir.functions import loss
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, gather, reduce

HALF, TENTH = Rational(1, 2), Rational(1, 10)
TINY = Rational(1, 10**8)


@dataclass(frozen=True)
class OfClasses(Component):
    """A loss of each position: their mean, or (``none``) all of them; a sum is as much work."""

    V: Expr = sizes.V
    reduction: Literal["mean", "none"] = "mean"

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the reduction
        """The type line."""
        return f"B T V, B T in V ->{' B T' if self.reduction == 'none' else ''}"

    def weighted(self, x: Tensor, weight: Expr, axes: int) -> Tensor:
        """The sum of what each position has, times its weight; over all positions, their mean."""
        if self.reduction == "none":
            each: Tensor = (reduce(x, (2,)) if axes == 3 else x) * -weight
            return each
        B, T = x.shape[:2]
        mean: Tensor = reduce(x, tuple(range(axes))) * (-weight / (B * T))
        return mean


@dataclass(frozen=True)
class NegativeLogLikelihood(OfClasses):
    """The mean over all positions of minus what stands at the target.

    What enters are the logarithms of probabilities. Kept are the targets alone.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 5.5.
    """

    title: ClassVar[str] = "mean of minus the log-probability at the target"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 5.5",
    )

    def forward(self, log_p: Tensor, targets: Tensor) -> Steps:
        picked = gather(log_p, targets, batch=2)
        return steps(picked=picked, loss=self.weighted(picked, ONE, 2))


@dataclass(frozen=True)
class CrossEntropy(OfClasses):
    """The mean over all positions of −log softmax(logits) at the target.

    With ``smoothing`` a tenth of the target is spread over all classes. Kept are the logarithms of
    the probabilities and the targets.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 6.2.2; Szegedy et al.,
    *Rethinking the Inception Architecture* (2016), section 7.
    """

    smoothing: bool = False

    title: ClassVar[str] = "mean negative log-probability of the targets"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 6.2.2",
        "Szegedy et al., Rethinking the Inception Architecture (2016), section 7",
    )

    def forward(self, logits: Tensor, targets: Tensor) -> Steps:
        log_p = LogSoftmax()(logits, name="log_softmax")
        picked = gather(log_p, targets, batch=2)
        share = 1 - TENTH if self.smoothing else ONE
        loss = self.weighted(picked, share, 2)
        if self.smoothing:
            loss = loss + self.weighted(log_p, TENTH / self.V, 3)
        return steps(log_p=log_p, picked=picked, loss=loss)


@dataclass(frozen=True, kw_only=True)
class Reduced(Component):
    """A loss of each element: their mean, their sum, or (``none``) all of them as they are."""

    reduction: Literal["mean", "sum", "none"] = "mean"

    entering: ClassVar[str]
    """The type of what enters."""
    leaving: ClassVar[str] = "B n"
    """The type of the losses, where none is added to another."""

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the reduction
        """The type line."""
        return f"{self.entering} ->{f' {self.leaving}' if self.reduction == 'none' else ''}"

    def reduced(self, each: Tensor) -> Steps:
        """Name the losses and what becomes of them."""
        if self.reduction == "none":
            return steps(each=each)
        loss = reduce(each, tuple(range(each.rank)))
        return steps(each=each, loss=loss * (ONE / each.size) if self.reduction == "mean" else loss)


@dataclass(frozen=True)
class ElementwiseLoss(Reduced):
    """The mean (or the sum) of a function of two numbers, over all elements of two tensors.

    Kept are both tensors, in most cases; of an absolute difference that difference alone. The
    functions are those of PyTorch, with the constants it has by default: bce takes probabilities,
    kl_div the logarithms of some, and others as they are (kl_div_log those, too, as logarithms),
    poisson_nll the logarithm of a rate, poisson_nll_rate the rate itself. huber_scaled has another
    δ than 1: here 1/2.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), sections 3.13, 5.5 and 6.2.2;
    Huber, *Robust Estimation of a Location Parameter* (1964).
    """

    function: Literal[
        "mse", "l1", "huber", "bce", "bce_with_logits", "kl_div", "kl_div_log",
        "poisson_nll", "poisson_nll_rate", "huber_scaled",
    ] = "mse"  # fmt: skip

    entering: ClassVar[str] = "B n, B n"
    title: ClassVar[str] = "mean of a function of two numbers, over all elements"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), sections 3.13, 5.5 and 6.2.2",
        "Huber, Robust Estimation of a Location Parameter (1964)",
    )

    @property
    def chances(self) -> tuple[str, ...]:
        """What has to be a probability, or positive."""
        chances = {"bce": ("x", "y"), "kl_div": ("y",), "poisson_nll_rate": ("x",)}
        return chances.get(self.function, ())

    def forward(self, x: Tensor, y: Tensor) -> Steps:
        return self.reduced(self.each(x, y))

    def each(self, x: Tensor, y: Tensor) -> Tensor:
        """The loss of each element; some are made of several operations, as in PyTorch."""
        match self.function:
            case "l1":
                return apply("abs", x - y)
            case "kl_div_log":
                return apply("exp", y) * (y - x)
            case "poisson_nll":
                return apply("exp", x) - y * x
            case "poisson_nll_rate":
                return x - y * apply("log", x + TINY)
            case function:
                return pointwise(loss(function), x, y)


@dataclass(frozen=True)
class MarginRanking(Reduced):
    """How far the first of two numbers fails to exceed the second by a margin, or the reverse.

    A sign y says which one should be larger; the mean (or the sum) is taken over all elements.
    Source: Herbrich, Graepel, Obermayer, *Large Margin Rank Boundaries* (2000), section 4.
    """

    entering: ClassVar[str] = "B n, B n, B n"
    title: ClassVar[str] = "mean of max(0, margin − y (x − z)), over all elements"
    references: ClassVar[tuple[str, ...]] = (
        "Herbrich, Graepel, Obermayer, Large Margin Rank Boundaries for Ordinal Regression (2000), "
        "section 4",
    )

    def forward(self, x: Tensor, z: Tensor, y: Tensor) -> Steps:
        return self.reduced(apply("relu", -y * (x - z) + HALF))
