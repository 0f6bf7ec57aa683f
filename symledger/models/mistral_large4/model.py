"""Mistral Large 4: latent attention chosen by an indexer, and queries scaled by their position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, Symbol, log

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.attention.indexed import Indexer
from symledger.components.blocks.blocks import Block, Norm, PreLNBlock
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.pixtral.model import AGRAWAL, PixtralSeeing
from symledger.models.shared.decoder import Layers
from symledger.models.shared.hybrid import Which
from symledger.models.shared.latent import IndexedLatentAttention
from symledger.models.shared.seeing import Answer
from symledger.models.shared.sparse import SparseDecoder
from symledger.models.shared.windows import ZERO
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, join, param, remembered, state, table, view
from symledger.sizes import Size

CLASS = "transformers 5.23, MistralLarge4TextModel"
CAP = Integer(30)
"""What capped logits stay below; any other number would be counted the same."""


@dataclass(frozen=True)
class LogScale(Component):
    """Multiply each head by a line in the logarithm of its position, whose two numbers are learned.

    Source: transformers 5.23, ``MistralLarge4TextSoftmaxScaling``.
    """

    h: Expr = sizes.h
    offset: Expr = ZERO

    signature: ClassVar[str] = "B T h k -> B T h k"
    title: ClassVar[str] = "heads scaled by the logarithm of their position"

    def forward(self, x: Tensor) -> Steps:
        def stands(t: Symbol) -> Expr:
            return log(t + 1 + self.offset)

        place = view("T -> T ()", table("place", stands, x.shape[1]))
        scale = place * param("scale", self.h) + param("b", self.h)
        return steps(scale=scale, y=x * view("T h -> T h ()", scale))


@dataclass(frozen=True)
class NormedIndexer(Indexer):
    """An indexer whose queries are mapped from what was normalized, and scaled by their position.

    Where it is ``unturned``, neither queries nor keys are turned.
    Source: transformers 5.23, ``MistralLarge4TextIndexer``.
    """

    unturned: bool = False

    def forward(self, x: Tensor, source: Tensor) -> Steps:
        return super().forward(x, LayerNorm(self.d)(source, name="norm_Q"))

    def turned(self, name: str, x: Tensor, offset: Expr) -> Tensor:
        if name == "Q":
            x = LogScale(self.n_i, offset)(x, name="log_scale")
        return x if self.unturned else super().turned(name, x, offset)


@dataclass(frozen=True)
class LogScaledAttention(IndexedLatentAttention):
    """Latent attention chosen by an indexer, whose queries are scaled by their position.

    Source: transformers 5.23, ``MistralLarge4TextAttention``.
    """

    title: ClassVar[str] = "latent attention chosen by an indexer, queries scaled by their position"

    def joined(self, q: Tensor, q_r: Tensor, offset: Expr) -> Tensor:
        return LogScale(self.h, offset)(super().joined(q, q_r, offset), name="log_scale")


@dataclass(frozen=True)
class UntoldAttention(LogScaledAttention):
    """The same without positions: all of a head's key is mapped from the latent vector."""

    title: ClassVar[str] = "latent attention without positions, queries scaled by theirs"

    def forward(
        self, x: Tensor, past_c: Tensor | None = None, past_r: Tensor | None = None
    ) -> Steps:
        offset = ZERO if self.cached is None else self.cached - x.shape[1]
        self.choose(x, x, offset)
        width = self.d_h + self.d_rot
        wide = Linear(self.d, self.h * width, bias=False)(x, name="Q")
        q = view("B T (h k) -> B T h k", wide, h=self.h, k=width)
        q = LogScale(self.h, offset)(q, name="log_scale")
        down = Linear(self.d, self.d_c, self.bias)(x, name="KV_down")
        c = RMSNorm(self.d_c)(down, name="norm_KV")
        if self.cached is not None:
            c = join([remembered("past_c", x.shape[0], offset, self.d_c), c], axis=1)
        c = state(c)
        k = einsum("B S c, c h k -> B S h k", c, self.up("K", width))
        v = einsum("B S c, c h v -> B S h v", c, self.up("V", self.d_v))
        z = ScaledDotProduct(self.h, self.h, width, self.d_v, causal=True)(q, k, v, name="core")
        y = Linear(self.h * self.d_v, self.d, self.bias)(self.leaving(x, x, z), name="O")
        return steps(q=q, c=c, z=z, y=y)


@dataclass(frozen=True)
class MistralLarge4(SparseDecoder):
    """The decoder-only transformer of Mistral Large 4: L_n layers are told no positions.

    Every layer attends to what an indexer chose, whose queries are mapped from the vectors
    themselves; operation by operation that is a mask, and no gradient reaches an indexer. A line in
    the logarithm of the position scales the queries of each head. ``dense_untold`` says which of
    the layers without experts are told no positions, L_nd if some, and ``sparse_untold`` which of
    those with experts. Numbers that balance the experts are no parameters.
    Source: transformers 5.23, ``MistralLarge4TextModel``.
    """

    Y: Expr = ONE
    d_v: Expr = sizes.d_v
    d_c: Expr = sizes.d_c
    d_rot: Expr = sizes.d_rot
    E_s: Expr = sizes.E_s
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    L_n: Expr = sizes.L_n
    L_nd: Expr = sizes.L_nd

    tied: bool = False
    head: Literal["lm", "bare"] = "lm"
    attention_bias: bool = False
    activation: Gating = "silu"
    untold: Which = "some"
    dense_untold: Annotated[Which, Seldom(decides=True)] = "some"
    sparse_untold: Annotated[Which, Seldom(decides=True)] = "some"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "decoder-only transformer, latent attention by an indexer, NoPE, experts"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_v: sizes.d_h}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = MixtureOfExperts.corollaries
    references: ClassVar[tuple[str, ...]] = (CLASS,)

    def attention(self, told: bool = True) -> Component:
        """Return the attention of a layer that is told positions, or of one that is not."""
        widths = (self.d, self.d, self.n_i, self.d_x, self.d_rot)
        indexer = NormedIndexer(*widths, self.seen, unturned=not told)
        kind = LogScaledAttention if told else UntoldAttention
        return kind(
            self.d, self.h, self.d_h, self.d_v, self.d_c, self.d_rot, self.d, False,
            self.attention_bias, False, self.seen, indexer,
        )  # fmt: skip

    def block(self) -> Block:
        network = MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, self.E_s, self.activation, shared=True
        )
        return PreLNBlock(self.d, norm="rms", attention=self.attention(), network=network)

    def layers(self) -> Layers:
        whole = super().layers()
        if self.untold != "some" or len(whole) == 1:
            ways = dict.fromkeys(whole, self.untold)
            counts = dict.fromkeys(whole, self.L_n)
        else:
            ways = {"dense_block": self.dense_untold, "block": self.sparse_untold}
            dense = {"none": ZERO, "some": self.L_nd, "all": self.L_d}[self.dense_untold]
            counts = {"dense_block": dense, "block": self.L_n - dense}
        return {
            name: kind for of, (block, number) in whole.items()
            for name, kind in self.split(of, block, number, ways[of], counts[of]).items()
        }  # fmt: skip

    def split(
        self, name: str, block: Component, number: Expr, which: Which, untold: Expr
    ) -> Layers:  # fmt: skip
        """Return one kind of block as one or two: told positions, and not."""
        without = replace(block, attention=self.attention(told=False))  # type: ignore[type-var]
        if which != "some":
            return {name: (block, number)} if which == "none" else {
                f"untold_{name}": (without, number)}  # fmt: skip
        return {name: (block, number - untold), f"untold_{name}": (without, untold)}

@dataclass(frozen=True)
class MistralLarge4Seeing(MistralLarge4, PixtralSeeing):
    """Mistral Large 4 with images: Pixtral's vectors, g × g of them made one, and two maps.

    Logits are capped. Images are seen one by one, or ``packed`` into one sequence.
    Source: transformers 5.23, ``MistralLarge4ForConditionalGeneration``.
    """

    head: Answer = "lm"
    activation: Annotated[Gating, Seldom()] = "silu"
    untold: Annotated[Which, Seldom()] = "some"

    title: ClassVar[str] = "Mistral Large 4 with images: groups of patches merged, two maps"
    definitions: ClassVar[dict[Size, Expr]] = PixtralSeeing.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        **MistralLarge4.assumptions, sizes.f_img: 3 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "transformers 5.23, MistralLarge4ForConditionalGeneration", AGRAWAL,
    )  # fmt: skip

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        y = super().score(x, E)
        return apply("tanh", y * (1 / CAP)) * CAP if self.head == "lm" else y
