"""Blocks of Deformable DETR: of the places of all maps, and of queries that tell boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.deformable import TWO, DeformableAttention
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.shared.detection import BOX, FindingBlock
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import apply, einsum, expand, narrow, param, table, view
from symledger.notation.view import detached


@dataclass(frozen=True)
class DeformableBlock(FindingBlock):
    """Attention of every place to a few places of each map, then a network; a norm after each sum.

    Source: Zhu et al. (2021), section 4.2, deformable transformer encoder.
    """

    n_lev: Expr = sizes.n_lev
    n_pt: Expr = sizes.n_pt

    signature: ClassVar[str] = "B S d, S d, S two -> B S d"
    title: ClassVar[str] = "block of attention to a few places of each map, post-LN"

    @property
    def two(self) -> Expr:
        """The numbers of a place."""
        return TWO

    def looked(self, x: Tensor, told: Tensor, places: Tensor, memory: Tensor) -> Tensor:
        """Look at a few places of each map, around places that stand on every map alike."""
        B, T = x.shape[:2]
        around = expand(view("B t c -> B t () c", places), (B, T, self.n_lev, TWO))
        corner = table("corner", lambda *at: Integer(0), B, self.h, T, self.n_lev * self.n_pt, TWO)
        attention = DeformableAttention(self.d, self.h, self.d / self.h, self.n_lev, self.n_pt)
        return attention(x + told, memory, around, corner, name="looking")

    def forward(  # type: ignore[override]  # where each vector stands enters as well
        self, x: Tensor, told: Tensor, places: Tensor
    ) -> Steps:
        around = expand(view("t c -> () t c", places), (x.shape[0], *places.shape))
        middle = self.added(x, lambda x: self.looked(x, told, around, x), 1)
        return steps(middle=middle, y=self.fed(middle, 2))


@dataclass(frozen=True)
class LookingBlock(DeformableBlock):
    """Queries attend to each other, then to a few places of each map, around their boxes.

    Source: Zhu et al. (2021), section 4.2, deformable transformer decoder.
    """

    signature: ClassVar[str] = "B n d, B n four, B n d, B S d -> B n d, B n d"
    title: ClassVar[str] = "block of queries that look at a few places of each map, post-LN"

    @property
    def four(self) -> Expr:
        """The numbers of a box."""
        return BOX

    def found(self, x: Tensor, box: Tensor, told: Tensor, memory: Tensor) -> Tensor:
        """Return what queries find."""

        def itself(x: Tensor) -> Tensor:
            return self.attention()(x + told, x + told, x, name="attention")

        middle = narrow(box, 2, 0, TWO)
        own = self.added(x, itself, 1)
        return self.fed(self.added(own, lambda x: self.looked(x, told, middle, memory), 2), 3)

    def forward(  # type: ignore[override]  # boxes and a memory enter as well
        self, x: Tensor, box: Tensor, told: Tensor, memory: Tensor
    ) -> Steps:
        y = self.found(x, box, told, memory)
        return steps(y=y, each=y)


@dataclass(frozen=True)
class MendingBlock(LookingBlock):
    """A block that mends the boxes of its queries: the next one looks around these.

    Through them no gradient goes back, but for those of the ``first`` block. As in the
    implementation they are told twice, once for the next block and once as a result. Where it is
    ``sorting``, the block tells scores of Y classes as well.
    Source: Zhu et al. (2021), appendix A.4; transformers, ``DeformableDetrForObjectDetection``.
    """

    Y: Expr = sizes.Y
    sorting: bool = False
    first: bool = False

    title: ClassVar[str] = "block of queries that mend their boxes, post-LN"

    @property
    def signature(self) -> str:  # type: ignore[override]  # scores may be told as well
        """The type line."""
        told = "B n Y" if self.sorting else "B n d"
        return f"B n d, B n four, B n d, B S d -> B n d, B n four, {told}, B n four"

    def forward(  # type: ignore[override]  # boxes and a memory enter as well
        self, x: Tensor, box: Tensor, told: Tensor, memory: Tensor
    ) -> Steps:
        box = box if self.first else detached(box)
        y, weights = self.found(x, box, told, memory), telling(self.d)
        further = mended(detached(y), box, [detached(w) for w in weights])
        each = Linear(self.d, self.Y)(y, name="classes") if self.sorting else y
        boxes = mended(y, box, weights)
        return steps(y=y, further=detached(further), each=each, boxes=boxes)


def telling(d: Expr) -> list[Tensor]:
    """Return the weights of three maps that tell a box."""
    wide = (d, d, BOX)
    return [x for i, n in enumerate(wide, 1) for x in (param(f"W_{i}", d, n), param(f"b_{i}", n))]


def mended(x: Tensor, box: Tensor, weights: Sequence[Tensor]) -> Tensor:
    """Return a box moved by what three maps of a vector say, the first two rectified."""
    for i in (0, 1, 2):
        x = apply("relu", x) if i else x
        x = einsum("B n i, i o -> B n o", x, weights[2 * i]) + weights[2 * i + 1]
    return apply("sigmoid", x + unbounded(box))


def unbounded(box: Tensor) -> Tensor:
    """Return the numbers whose sigmoid a box is."""
    return apply("log", box) - apply("log", 1 - box)
