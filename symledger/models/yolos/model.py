"""YOLOS: a vision transformer with learned vectors, each of which looks for one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.heads_and_losses.heads import Pooler
from symledger.components.image_blocks.patches import ImageEmbedding, PatchEmbedding
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.detection import BOX, Boxes
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, narrow, param, repeat, view
from symledger.sizes import Size

FANG = "Fang et al., You Only Look at One Sequence (2021)"
LOOKING = {
    sizes.H_p: floor(sizes.H / sizes.P),
    sizes.T: floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P) + 1 + sizes.n_q,
}


@dataclass(frozen=True)
class LookingEmbedding(ImageEmbedding):
    """A class vector, those of all patches, and n_q learned ones; a learned row for each of them.

    Source: Fang et al. (2021), section 3.1.
    """

    n_q: Expr = sizes.n_q

    title: ClassVar[str] = "patches between a class vector and those that look for objects"
    definitions: ClassVar[dict[Size, Expr]] = LOOKING

    def forward(self, x: Tensor) -> Steps:
        across = (self.T - 1 - self.n_q) / self.H_p
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, across)
        patches = cut(x, name="patches")
        B = x.shape[0]
        first = expand(view("d -> () () d", param("c", self.d)), (B, ONE, self.d))
        looking = view("n d -> () n d", param("Q", self.n_q, self.d))
        last = expand(looking, (B, self.n_q, self.d))
        tokens = join([first, patches, last], axis=1)
        y = LearnedPositions(self.T, self.d)(tokens, name="positions")
        return steps(patches=patches, y=y)


@dataclass(frozen=True)
class PlacedBlock(Component):
    """A block, and a learned row for each position behind it.

    Source: the implementation of Fang et al. (2021), which adds positions in the layers between.
    """

    block: Component
    T: Expr = sizes.T
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "a block, and positions behind it"

    def forward(self, x: Tensor) -> Steps:
        y = self.block(x, name="block")
        return steps(y=LearnedPositions(self.T, self.d)(y, name="positions"))


@dataclass(frozen=True)
class Yolos(Component):
    """The transformer over patches, a class vector and n_q vectors that look for objects.

    What each of these has found is sorted into Y classes, or none, and framed by a box. With
    ``placed`` every layer but the last adds positions of its own. ``pooled`` maps the class vector
    through tanh instead. Without ``qkv_bias`` the maps to queries, keys and values have none.
    Source: Fang et al., *You Only Look at One Sequence* (2021), section 3.1.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    n_q: Expr = sizes.n_q
    Y: Expr = sizes.Y
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    head: Literal["boxes", "pooled"] = "boxes"
    placed: bool = True
    qkv_bias: Annotated[bool, Seldom()] = True
    activation: Gating = "gelu"

    title: ClassVar[str] = "pre-LN encoder over patches and vectors that look for objects"
    definitions: ClassVar[dict[Size, Expr]] = LOOKING
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    references: ClassVar[tuple[str, ...]] = (f"{FANG}, section 3.1",)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        found = "B n_q classes, B n_q box" if self.head == "boxes" else "B d"
        return f"B C_in H W -> {found}"

    @property
    def classes(self) -> Expr:
        """What an object may be: one of the classes, or nothing."""
        return self.Y + 1

    @property
    def box(self) -> Expr:
        """The numbers of a box."""
        return BOX

    def block(self) -> Component:
        """Return the block that is repeated."""
        d_h = self.d / self.h
        attention = Attention(
            self.d, self.h, self.h, d_h, d_h, True,
            unbiased=() if self.qkv_bias else ("Q", "K", "V"),
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        return PreLNBlock(self.d, causal=False, attention=attention, network=network)

    def forward(self, x: Tensor) -> Steps:
        embedding = LookingEmbedding(self.C_in, self.P, self.d, self.H_p, self.T, n_q=self.n_q)
        x = embedding(x, name="embedding")
        times: Expr = self.L
        if self.placed:
            times = Integer(1)
            x = repeat(PlacedBlock(self.block(), self.T, self.d), self.L - 1, x, name="placed")
        x = repeat(self.block(), times, x, name="block")
        hidden = LayerNorm(self.d)(x, name="final_norm")
        if self.head == "pooled":
            return steps(hidden=hidden, pooled=Pooler(self.d)(hidden, name="pooler"))
        looked = narrow(hidden, 1, self.T - self.n_q, self.n_q)
        logits, boxes = Boxes(self.d, self.Y, deep=True).apply(looked, name="boxes")
        return steps(hidden=hidden, logits=logits, boxes=boxes)
