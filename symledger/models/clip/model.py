"""CLIP: an encoder of images and one of texts, whose results meet in one space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, floor

from symledger import sizes
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.image_blocks.patches import ImageEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, mean, narrow, param, repeat, scan, total, view
from symledger.sizes import Size

RADFORD = "Radford et al., Learning Transferable Visual Models From Natural Language (2021)"


@dataclass(frozen=True)
class Tower(Component):
    """What both encoders share: pre-LN blocks with biases, and a map into the common space."""

    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    d_proj: Expr = sizes.d_proj
    projected: bool = True
    activation: Activation = "quick_gelu"
    flash: bool = False

    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    references: ClassVar[tuple[str, ...]] = (f"{RADFORD}, section 2.4 and tables 19 and 20",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.d_proj if self.projected else self.d

    def block(self, causal: bool) -> PreLNBlock:
        """Return the block that is repeated."""
        width = self.d / self.h
        return PreLNBlock(
            self.d, self.h, self.h, width, width, self.d_ff, activation=self.activation,
            causal=causal, flash=self.flash,
        )  # fmt: skip

    def through(self, x: Tensor, causal: bool) -> Tensor:
        """Send the vectors through all blocks."""
        return repeat(self.block(causal), self.L, x, name="block")

    def project(self, x: Tensor) -> Tensor:
        """Map one vector of each sequence into the common space."""
        return Linear(self.d, self.d_proj, bias=False)(x, name="projection")


@dataclass(frozen=True)
class ClipText(Tower):
    """The text encoder: a causal transformer, read where the text ends.

    Where the text ends does not change a count: here it fills all T positions. Without
    ``projected`` all hidden vectors are the result.
    Source: Radford et al. (2021), section 2.4.
    """

    V: Expr = sizes.V
    T_max: Expr = sizes.T_max

    signature: ClassVar[str] = "B T in V -> ... out"
    title: ClassVar[str] = "causal pre-LN transformer, read where the text ends"

    def forward(self, tokens: Tensor) -> Steps:
        x = TokenEmbedding(self.V, self.d)(tokens, name="token_embedding")
        x = LearnedPositions(self.T_max, self.d)(x, name="positions")
        hidden = LayerNorm(self.d)(self.through(x, causal=True), name="final_norm")
        if not self.projected:
            return steps(hidden=hidden)
        last = view("B one d -> B (one d)", narrow(hidden, 1, hidden.shape[1] - 1, 1))
        return steps(hidden=hidden, y=self.project(last))


@dataclass(frozen=True)
class ClipImage(Tower):
    """The image encoder: a vision transformer with a norm before its blocks.

    What is read is its first vector; where images are ``classified`` that one is not projected,
    and the mean of all others scores Y classes beside it.

    The patches are mapped without a bias; the last norm is applied to the class vector alone.
    Source: Radford et al. (2021), section 2.4.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    Y: Expr = sizes.Y
    classified: bool = False

    title: ClassVar[str] = "pre-LN encoder over patches, with a norm before it"
    definitions: ClassVar[dict[Size, Expr]] = ImageEmbedding.definitions

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on a choice
        """The type line."""
        return f"B C_in H W -> {'B d, B Y' if self.classified else 'B out'}"

    def forward(self, x: Tensor) -> Steps:
        embedding = ImageEmbedding(self.C_in, self.P, self.d, self.H_p, self.T, bias=False)
        entered = LayerNorm(self.d)(embedding(x, name="embedding"), name="first_norm")
        hidden = self.through(entered, causal=False)
        first = view("B one d -> B (one d)", narrow(hidden, 1, 0, 1))
        pooled = LayerNorm(self.d)(first, name="final_norm")
        if self.classified:
            others = view("B n d -> B d n", narrow(hidden, 1, 1, self.T - 1))
            averaged = view("B d one -> B (d one)", mean(others))
            logits = Linear(self.d, self.Y)(averaged, name="classifier")
            return steps(hidden=hidden, averaged=averaged, pooled=pooled, logits=logits)
        if not self.projected:
            return steps(hidden=hidden, pooled=pooled)
        return steps(hidden=hidden, pooled=pooled, y=self.project(pooled))


@dataclass(frozen=True)
class Told(Component):
    """A block, and its vectors once more, for who reads them.

    Source: Cai et al., *ViP-LLaVA* (2023).
    """

    block: Component

    signature: ClassVar[str] = "B T d -> B T d, B T d"

    def forward(self, x: Tensor) -> Steps:
        y = self.block(x, name="block")
        return steps(x=y, y=y)


@dataclass(frozen=True)
class ClipPatches(Tower):
    """The vectors of all patches as a block of the image encoder gives them, for who reads them.

    Where it is an ``inner`` one, L_u blocks come after it, which are computed like the norm at the
    end, and read by nothing. The class vector is left out unless what is read is ``all_read``.
    Where L_v blocks are read, what they give is laid side by side.
    Source: Liu et al., *Visual Instruction Tuning* (2023), section 4.1.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    L_u: Expr = sizes.L_u
    inner: bool = True
    all_read: bool = False
    L_v: Expr | None = None

    signature: ClassVar[str] = "B C_in H W -> B seen wide"
    title: ClassVar[str] = "pre-LN encoder over patches, read before it ends"

    @property
    def seen(self) -> Expr:
        """How many vectors are read."""
        return self.T if self.all_read else self.T - 1

    @property
    def wide(self) -> Expr:
        """The width of what is read."""
        return self.d if self.L_v is None else self.L_v * self.d

    def forward(self, x: Tensor) -> Steps:
        embedding = ImageEmbedding(self.C_in, self.P, self.d, self.H_p, self.T, bias=False)
        hidden = LayerNorm(self.d)(embedding(x, name="embedding"), name="first_norm")
        block = self.block(causal=False)
        number = self.L - self.L_u if self.inner else self.L
        if self.L_v is None:
            end = read = repeat(block, number, hidden, name="block")
        else:
            hidden = repeat(block, number - self.L_v, hidden, name="block")
            end, all_of = scan(Told(block), self.L_v, (hidden,), name="read_block")
            read = view("v b t d -> b t (v d)", all_of)
        last = repeat(block, self.L_u, end, name="unread_block") if self.inner else end
        first = view("B one d -> B (one d)", narrow(last, 1, 0, 1))
        leave_idle(LayerNorm(self.d)(first, name="final_norm"))
        return steps(y=read if self.all_read else narrow(read, 1, 1, self.T - 1))


@dataclass(frozen=True)
class TwoEncoders(Component):
    """An encoder of texts and one of images, and how alike each text and each image are."""

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    T_max: Expr = sizes.T_max
    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d_img: Expr = sizes.d_img
    L_img: Expr = sizes.L_img
    h_img: Expr = sizes.h_img
    f_img: Expr = sizes.f_img
    H_p: Expr = sizes.H_p
    T_img: Expr = sizes.T_img
    activation: Activation = "gelu"
    image_activation: Activation = "gelu"
    flash: bool = False

    signature: ClassVar[str] = "B T in V, B C_in H W -> B images"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_ff: 4 * sizes.d, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip

    def compared(
        self, text: Component, tokens: Tensor, image: Component, x: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the directions of texts and of images, and B × B scaled cosines of them."""
        texts = unit(text(tokens, name="text"))
        images = unit(image(x, name="image"))
        alike = einsum("t e, i e -> t i", texts, images)
        return texts, images, alike * apply("exp", param("scale"))


@dataclass(frozen=True)
class Clip(TwoEncoders):
    """Both encoders, and how alike each text and each image are: B × B cosines, scaled.

    Source: Radford et al. (2021), figure 3.
    """

    d_proj: Expr = sizes.d_proj
    activation: Activation = "quick_gelu"
    image_activation: Activation = "quick_gelu"

    title: ClassVar[str] = "an encoder of images and one of texts, compared"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_p: floor(sizes.H / sizes.P),
        sizes.T_img: floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P) + 1,
    }
    references: ClassVar[tuple[str, ...]] = (f"{RADFORD}, figure 3",)

    def forward(self, tokens: Tensor, x: Tensor) -> Steps:
        text = ClipText(
            self.d, self.L, self.h, self.d_ff, self.d_proj, True, self.activation, self.flash,
            V=self.V, T_max=self.T_max,
        )  # fmt: skip
        image = ClipImage(
            self.d_img, self.L_img, self.h_img, self.f_img, self.d_proj, True,
            self.image_activation, self.flash,
            C_in=self.C_in, P=self.P, H_p=self.H_p, T=self.T_img,
        )  # fmt: skip
        texts, images, y = self.compared(text, tokens, image, x)
        return steps(texts=texts, images=images, y=y)


def unit(x: Tensor) -> Tensor:
    """Divide each vector by its length."""
    lengths: Tensor = apply("rsqrt", total(apply("square", x)))
    return x * lengths
