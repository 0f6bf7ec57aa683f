"""TimeSformer: every patch of a film attends to its own place in time, then to its own frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Seldom
from symledger.components.image_blocks.patches import ImageEmbedding, PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, mean, narrow, param, repeat, view
from symledger.sizes import Size

BERTASIUS = "Bertasius, Wang, Torresani, Is Space-Time Attention All You Need? (2021)"
Seen = Literal["divided", "joint", "space"]


@dataclass(frozen=True)
class DividedBlock(Component):
    """Attention along the frames at each place, then among the places of each frame.

    The class vector stands in every frame, and what it is told there is averaged. What attention
    along frames gives is mapped once more before it is added.
    Source: Bertasius, Wang, Torresani (2021), section 3, equations 8 and 9.
    """

    d: Expr
    d_ff: Expr
    D: Expr
    attention: Attention
    activation: Activation

    signature: ClassVar[str] = "B S d -> B S d"
    title: ClassVar[str] = "block of attention along frames, then inside of each"

    def forward(self, x: Tensor) -> Steps:
        B, places = x.shape[0], x.shape[1] - 1
        first, patches = narrow(x, 1, 0, 1), narrow(x, 1, 1, places)
        patches = patches + self.along(patches)
        repeated = expand(view("B one d -> B () one d", first), (B, self.D, ONE, self.d))
        frames = view("B (n t) d -> (B t) n d", patches, t=self.D)
        seen = join([view("B t one d -> (B t) one d", repeated), frames], axis=1)
        mixed = self.attention(LayerNorm(self.d)(seen, name="norm_1"), name="attention")
        told = view("(B t) one d -> B (one d) t", narrow(mixed, 1, 0, 1), t=self.D)
        told = first + view("B d one -> B one d", mean(told))
        inside = narrow(mixed, 1, 1, mixed.shape[1] - 1)
        back = patches + view("(B t) n d -> B (n t) d", inside, t=self.D)
        middle = join([told, back], axis=1)
        network = FeedForward(self.d, self.d_ff, self.activation)
        fed = network(LayerNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)

    def along(self, patches: Tensor) -> Tensor:
        """Return what patches are told by those at the same place of other frames."""
        lines = view("B (n t) d -> (B n) t d", patches, t=self.D)
        normalized = LayerNorm(self.d)(lines, name="temporal_norm")
        mixed = self.attention(normalized, name="temporal_attention")
        back = view("(B n) t d -> B (n t) d", mixed, B=patches.shape[0])
        return Linear(self.d, self.d)(back, name="temporal_map")


@dataclass(frozen=True)
class TimeSformer(Component):
    """A transformer over the patches of D frames and a class vector, which it classifies.

    Attention is ``divided``: along the frames at each place, then among the T − 1 places of each
    frame and the class vector; or ``joint``, of all patches of all frames; or in ``space`` alone,
    where each frame is a picture by itself, with a class vector of its own. A learned row for each
    place is added, and one for each frame where they see each other. Without ``head`` all vectors
    are the result. Without ``qkv_bias`` the maps to queries, keys and values have no bias.
    Source: Bertasius, Wang, Torresani, *Is Space-Time Attention All You Need for Video
    Understanding?* (2021), section 3, figure 1, and its implementation for the map behind
    attention along frames.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    Y: Expr = sizes.Y
    D: Expr = sizes.D
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    attention: Seen = "divided"
    head: bool = True
    qkv_bias: Annotated[bool, Seldom()] = True
    activation: Activation = "gelu"

    signature: ClassVar[str] = "B D C_in H W -> ... out"
    title: ClassVar[str] = "pre-LN encoder over patches of frames, along them and inside of each"
    definitions: ClassVar[dict[Size, Expr]] = ImageEmbedding.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{BERTASIUS}, section 3",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else self.d

    def embed(self, x: Tensor) -> Tensor:
        """Return the vectors of patches behind that of the class, each at its place."""
        B, d, places = x.shape[0], self.d, self.T - 1
        frames = view("B t c H W -> (B t) c H W", x)
        cut = PatchEmbedding(self.C_in, self.P, d, self.H_p, places / self.H_p)
        positions = param("positions", self.T, d)
        placed = cut(frames, name="patches") + narrow(positions, 0, 1, places)
        one = view("d -> () d", param("c", d)) + narrow(positions, 0, 0, 1)
        number = B
        if self.attention == "space":
            number = B * self.D
        else:
            film = view("(B t) n d -> B n t d", placed, B=B) + param("times", self.D, d)
            placed = view("B n t d -> B (n t) d", film)
        first = expand(view("one d -> () one d", one), (number, ONE, d))
        return join([first, placed], axis=1)

    def block(self) -> Component:
        """Return the block that is repeated."""
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, True,
            unbiased=() if self.qkv_bias else ("Q", "K", "V"),
        )  # fmt: skip
        if self.attention == "divided":
            return DividedBlock(self.d, self.d_ff, self.D, attention, self.activation)
        network = FeedForward(self.d, self.d_ff, self.activation)
        return PreLNBlock(self.d, causal=False, attention=attention, network=network)

    def forward(self, x: Tensor) -> Steps:
        tokens = repeat(self.block(), self.L, self.embed(x), name="block")
        hidden = LayerNorm(self.d)(tokens, name="final_norm")
        if not self.head:
            return steps(hidden=hidden)
        first = view("B one d -> B (one d)", narrow(hidden, 1, 0, 1))
        return steps(hidden=hidden, logits=Linear(self.d, self.Y)(first, name="head"))
