"""What detectors of objects share: blocks told where vectors stand; a class and a box for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.sourced import SourcedAttention
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.components.maps.linear import Linear
from symledger.components.norms.image_norms import BatchNorm
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, table

CARION = "Carion et al., End-to-End Object Detection with Transformers (2020)"
BOX = Integer(4)
"""The middle of a box, its width and its height."""


@dataclass(frozen=True)
class FixedNorm(BatchNorm):
    """A batch norm by fixed statistics, without weights.

    Which values they have changes no count: here variances are as large as a window holds numbers,
    and means below zero, so that what is drawn for checks stays small, and alive.
    Source: Carion et al. (2020), section 4.
    """

    training: bool = False
    affine: bool = False
    seen: Expr = ONE

    centre: ClassVar[Expr] = -ONE

    title: ClassVar[str] = "each channel centred and scaled by fixed statistics"

    def running(self) -> Tensor:
        return apply("rsqrt", table("running_variance", lambda c, one: self.seen, self.C, ONE))


class FixedUnit(ConvolutionUnit):
    """A convolution, a norm by fixed statistics without weights, and a nonlinearity.

    Source: Carion et al. (2020), section 4.
    """

    def norm(self) -> Component:
        return FixedNorm(self.C_out, seen=self.C_in * self.K**2 / self.G)


@dataclass(frozen=True)
class Guess(Component):
    """Three affine maps, two of them rectified.

    Source: Carion et al. (2020), section 3.2.
    """

    d: Expr = sizes.d
    d_out: Expr = sizes.d_out

    signature: ClassVar[str] = "... d -> ... d_out"
    title: ClassVar[str] = "three affine maps"

    def forward(self, x: Tensor) -> Steps:
        for i in (1, 2):
            x = apply("relu", Linear(self.d, self.d)(x, name=str(i)))
        return steps(y=Linear(self.d, self.d_out)(x, name="3"))


@dataclass(frozen=True)
class Boxes(Component):
    """Scores of Y classes and of none, and the four numbers of a box, by three maps.

    Where it is ``deep``, scores are made by three maps too.
    Source: Carion et al. (2020), section 3.2, prediction feed-forward networks.
    """

    d: Expr = sizes.d
    Y: Expr = sizes.Y
    deep: bool = False

    signature: ClassVar[str] = "... d -> ... classes, ... box"
    title: ClassVar[str] = "a class and a box for each vector"
    references: ClassVar[tuple[str, ...]] = (f"{CARION}, section 3.2",)

    @property
    def classes(self) -> Expr:
        """What an object may be: one of the classes, or nothing."""
        return self.Y + 1

    @property
    def box(self) -> Expr:
        """The numbers of a box."""
        return BOX

    def forward(self, x: Tensor) -> Steps:
        kind = Guess if self.deep else Linear
        logits = kind(self.d, self.classes)(x, name="classes")
        return steps(logits=logits, boxes=apply("sigmoid", Guess(self.d, BOX)(x, name="box")))


@dataclass(frozen=True)
class FindingBlock(Component):
    """Attention to itself, maybe to a memory, and a network, with a norm after each sum.

    What queries and keys are made of is told where it stands; values are not.
    Source: Carion et al. (2020), section 3.2 and figure 10.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    activation: Gating = "relu"

    signature: ClassVar[str] = "B T d, T d -> B T d"
    title: ClassVar[str] = "block told where its vectors stand, post-LN"

    def attention(self) -> Component:
        """Return an attention to itself or to a memory."""
        return SourcedAttention(self.d, self.h, self.d / self.h, self.d, self.d, bias=True)

    def added(self, x: Tensor, found: Callable[[Tensor], Tensor], number: int) -> Tensor:
        """Add what was found, and normalize."""
        return LayerNorm(self.d)(x + found(x), name=f"norm_{number}")

    def itself(self, x: Tensor, places: Tensor) -> Tensor:
        """Attend to itself."""

        def found(x: Tensor) -> Tensor:
            told = x + places
            return self.attention()(told, told, x, name="attention")

        return self.added(x, found, 1)

    def fed(self, x: Tensor, number: int) -> Tensor:
        """Apply the network."""
        network = FeedForward(self.d, self.d_ff, self.activation)
        return self.added(x, lambda x: network(x, name="feed_forward"), number)

    def forward(self, x: Tensor, places: Tensor) -> Steps:
        middle = self.itself(x, places)
        return steps(middle=middle, y=self.fed(middle, 2))


@dataclass(frozen=True)
class QueryBlock(FindingBlock):
    """The block of the decoder, which attends to the memory between the two others.

    Source: Carion et al. (2020), section 3.2 and figure 10.
    """

    signature: ClassVar[str] = "B n d, n d, B S d, S d -> B n d"
    title: ClassVar[str] = "block of queries that find objects, post-LN"

    def forward(  # type: ignore[override]  # a memory enters as well
        self, x: Tensor, queries: Tensor, memory: Tensor, places: Tensor
    ) -> Steps:
        own = self.itself(x, queries)

        def found(own: Tensor) -> Tensor:
            return self.attention()(own + queries, memory + places, memory, name="cross_attention")

        other = self.added(own, found, 2)
        return steps(own=own, other=other, y=self.fed(other, 3))
