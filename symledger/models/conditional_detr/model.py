"""Conditional DETR: queries that ask for what is near a place of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.detr.model import Detr
from symledger.models.shared.detection import BOX, CARION, Boxes, FindingBlock, Guess
from symledger.models.shared.places import waves
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, expand, join, narrow, param, repeat, view

MENG = "Meng et al., Conditional DETR for Fast Training Convergence (2021)"
TWO = Integer(2)
"""How many numbers say where the middle of a box is."""


@dataclass(frozen=True)
class Mapped(Component):
    """Attention whose queries and keys are sums of what is there and of where, each mapped.

    Source: Meng et al. (2021), section 3.2; transformers, ``ConditionalDetrDecoderSelfAttention``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h

    signature: ClassVar[str] = "B n d, B n d -> B n d"
    title: ClassVar[str] = "attention to what is there and where, mapped apart"

    def mapped(self, name: str, x: Tensor) -> Tensor:
        """Map x affinely."""
        return Linear(self.d, self.d)(x, name=name)

    def heads(self, x: Tensor) -> Tensor:
        """Split x into heads."""
        return view("B T (h k) -> B T h k", x, h=self.h, k=self.d / self.h)

    def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Mix values, and map them."""
        core = ScaledDotProduct(self.h, self.h, q.shape[-1], v.shape[-1])
        return self.mapped("O", view("B T h v -> B T (h v)", core(q, k, v, name="core")))

    def forward(self, x: Tensor, where: Tensor) -> Steps:
        q, k = (self.mapped(c, x) + self.mapped(f"{c}_where", where) for c in "QK")
        v = self.mapped("V", x)
        return steps(q=q, k=k, v=v, y=self.mixed(*map(self.heads, (q, k, v))))


@dataclass(frozen=True)
class Conditional(Mapped):
    """Attention whose queries and keys are what is there beside where, head by head.

    The ``first`` one adds where queries and keys stand to what is there as well.
    Source: Meng et al. (2021), section 3.2, equation 2, and figure 3.
    """

    first: bool = False

    signature: ClassVar[str] = "B n d, B n d, B n d, B S d, B S d -> B n d"
    title: ClassVar[str] = "attention to what is there beside where"

    def forward(  # type: ignore[override]  # a memory enters as well
        self, x: Tensor, queries: Tensor, near: Tensor, memory: Tensor, places: Tensor
    ) -> Steps:
        q, k, v = self.mapped("Q", x), self.mapped("K", memory), self.mapped("V", memory)
        where = self.mapped("K_where", places)
        if self.first:
            q, k = q + self.mapped("Q_where", queries), k + where
        q = join([self.heads(q), self.heads(self.mapped("Q_near", near))])
        k = join([self.heads(k), self.heads(where)])
        return steps(q=q, k=k, v=v, y=self.mixed(q, k, self.heads(v)))


@dataclass(frozen=True)
class ConditionalBlock(FindingBlock):
    """The block of the decoder, which looks near the places of its queries.

    All but the ``first`` weigh a place by what was found so far, through one network that all
    of them share.
    Source: Meng et al. (2021), section 3.2, equation 3, and figure 3.
    """

    first: bool = False

    signature: ClassVar[str] = "B n d, B n d, B n d, B S d, B S d, d d, d, d d, d -> B n d"
    title: ClassVar[str] = "block of queries that look near their places, post-LN"

    def forward(  # type: ignore[override]  # a memory and shared weights enter as well
        self, x: Tensor, queries: Tensor, near: Tensor, memory: Tensor, places: Tensor,
        W_1: Tensor, b_1: Tensor, W_2: Tensor, b_2: Tensor,
    ) -> Steps:  # fmt: skip
        if not self.first:
            wide = apply("relu", einsum("B n i, o i -> B n o", x, W_1) + b_1)
            near = near * (einsum("B n i, o i -> B n o", wide, W_2) + b_2)
        own = self.added(x, lambda x: Mapped(self.d, self.h)(x, queries, name="attention"), 1)
        looking = Conditional(self.d, self.h, self.first)
        other = self.added(
            own, lambda x: looking(x, queries, near, memory, places, name="cross_attention"), 2
        )
        return steps(own=own, other=other, y=self.fed(other, 3))


@dataclass(frozen=True)
class NearBoxes(Boxes):
    """Scores of Y classes, and a box whose middle is told from a place.

    Source: Meng et al. (2021), section 3.1, equation 1.
    """

    signature: ClassVar[str] = "B n d, B n two -> B n classes, B n box"
    title: ClassVar[str] = "classes, and a box told from a place, for each vector"

    @property
    def classes(self) -> Expr:
        return self.Y

    @property
    def two(self) -> Expr:
        """The numbers of a place."""
        return TWO

    def forward(self, x: Tensor, place: Tensor) -> Steps:  # type: ignore[override]  # a place
        logits = Linear(self.d, self.Y)(x, name="classes")
        guess = Guess(self.d, BOX)(x, name="box")
        near = narrow(guess, -1, Integer(0), TWO) + place
        boxes = apply("sigmoid", join([near, narrow(guess, -1, TWO, TWO)]))
        return steps(logits=logits, boxes=boxes)


@dataclass(frozen=True)
class ConditionalDetr(Detr):
    """DETR each of whose queries asks for what is there and, apart from it, for what is near.

    A query is told a place by a small network; sines of that place, weighted by what was found so
    far, stand beside the query, and where a vector stands beside its key. No class is that of none.
    Source: Meng et al., *Conditional DETR for Fast Training Convergence* (2021), section 3.
    """

    title: ClassVar[str] = "residual network, encoder, and queries that look near their places"
    references: ClassVar[tuple[str, ...]] = (f"{MENG}, section 3", f"{CARION}, section 3.2")

    @property
    def classes(self) -> Expr:
        return self.Y

    def answered(self, memory: Tensor, told: Tensor) -> dict[str, Tensor]:
        queries, nothing = param("Q", self.n_q, self.d), self.nothing(memory)
        queries, told = (
            expand(view("n d -> () n d", x), (memory.shape[0], *x.shape)) for x in (queries, told)
        )
        wide = apply("relu", Linear(self.d, self.d)(queries, name="place_1"))
        place = Linear(self.d, TWO)(wide, name="place_2")
        near = self.sines(apply("sigmoid", place))
        shared = [
            param(f"{x}_{i}", *(self.d,) * n) for i in (1, 2) for x, n in (("W", 2), ("b", 1))
        ]
        given = (queries, near, memory, told, *shared)
        block = ConditionalBlock(self.d, self.h_dec, self.d_dec, self.activation)
        first = ConditionalBlock(self.d, self.h_dec, self.d_dec, self.activation, first=True)
        x = first(nothing, *given, name="first_block")
        x = repeat(block, self.L_dec - 1, x, *given, name="decoder")
        hidden = LayerNorm(self.d)(x, name="decoder_norm")
        if self.head == "bare":
            return {"place": place, "near": near, "hidden": hidden}
        logits, boxes = NearBoxes(self.d, self.Y).apply(hidden, place, name="boxes")
        return {"place": place, "near": near, "hidden": hidden, "logits": logits, "boxes": boxes}

    def sines(self, place: Tensor) -> Tensor:
        """Return sines and cosines in turn of how far down a place is, and of how far across."""
        told = waves(place, self.d / 2)
        swapped = [narrow(told, 2, i, ONE) for i in (1, 0)]
        return view("B n c k -> B n (c k)", join(swapped, axis=2))
