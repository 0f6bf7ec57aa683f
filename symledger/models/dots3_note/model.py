"""dots3-note: latent attention of two sizes, chosen by an indexer or in a window, and experts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr, sqrt

from symledger import sizes
from symledger.components.attention.indexed import Indexer
from symledger.components.attention.relative import RecentAttention
from symledger.components.blocks.blocks import Block, Norm, PreLNBlock
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.errors import DefinitionError
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.latent import IndexedLatentAttention
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component
from symledger.notation.verbs import apply, view
from symledger.sizes import Size

CLASS = "transformers 5.23, Dots3NoteForCausalLM"


@dataclass(frozen=True)
class NoteAttention(IndexedLatentAttention):
    """Latent attention whose shared key is normalized, and whose heads are gated one by one.

    Latent vectors are multiplied by constants. There is an indexer, or a window, or neither.
    Source: transformers 5.23, ``Dots3NoteTextAttention``.
    """

    w: Expr | None = None

    title: ClassVar[str] = "latent attention, a norm of the shared key, gated heads"

    @property
    def window(self) -> Expr | None:
        return self.w

    def core(self) -> Component:
        if self.w is None:
            return super().core()
        return RecentAttention(self.h, self.h, self.d_h + self.d_rot, self.d_v, self.w)

    def source(self, x: Tensor) -> Tensor:
        scaled: Tensor = super().source(x) * sqrt(self.d / self.d_q)
        return scaled

    def latents(self, x: Tensor, offset: Expr) -> tuple[Tensor, Tensor]:
        c, r = super().latents(x, offset)
        return c * sqrt(self.d / self.d_c), r

    def turned(self, name: str, x: Tensor, offset: Expr) -> Tensor:
        normed = RMSNorm(self.d_rot)(x, name="norm_K") if name == "K" else x
        return super().turned(name, normed, offset)

    def leaving(self, x: Tensor, source: Tensor, z: Tensor) -> Tensor:
        gate = apply("sigmoid", Linear(self.d, self.h, bias=False)(x, name="gate"))
        return super().leaving(x, source, z * view("B T h -> B T h ()", gate))


@dataclass(frozen=True)
class Dots3Note(WindowedSparseDecoder):
    """The decoder-only transformer of dots3-note: layers with a window, others with an indexer.

    Layers with a window have heads and latent vectors of other sizes than those that see
    everything; ``indexed``, these attend to what an indexer chose. Operation by operation, that is
    a mask: all pairs are computed. Beside the experts is a network of its own width. Numbers that
    balance the experts are no parameters.
    Source: transformers 5.23, ``Dots3NoteForCausalLM``.
    """

    Y: Expr = ONE
    d_v: Expr = sizes.d_v
    d_c: Expr = sizes.d_c
    d_rot: Expr = sizes.d_rot
    d_q: Expr = sizes.d_q
    h_w: Expr = sizes.h_w
    d_hw: Expr = sizes.d_hw
    d_vw: Expr = sizes.d_vw
    d_cw: Expr = sizes.d_cw
    d_rw: Expr = sizes.d_rw
    d_qw: Expr = sizes.d_qw
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    d_sh: Expr = sizes.d_sh

    tied: bool = False
    head: Literal["lm", "bare"] = "lm"
    windows: Windows = "some"
    indexed: bool = True
    attention_bias: bool = False
    activation: Gating = "silu"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "decoder-only transformer, latent attention of two sizes, experts"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_v: sizes.d_h, sizes.d_vw: sizes.d_v}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = MixtureOfExperts.corollaries
    references: ClassVar[tuple[str, ...]] = (CLASS,)

    def attention(self) -> NoteAttention:
        """Return the attention of a layer that sees everything."""
        indexer = Indexer(self.d, self.d_q, self.n_i, self.d_x, self.d_rot, self.seen)
        return NoteAttention(
            self.d, self.h, self.d_h, self.d_v, self.d_c, self.d_rot, self.d_q, True,
            self.attention_bias, False, self.seen, indexer if self.indexed else None,
        )  # fmt: skip

    def windowed(self, block: Component) -> Component:
        if not isinstance(block, Block):
            raise DefinitionError(f"{type(block).__name__} has no attention that takes a window.")
        near = NoteAttention(
            self.d, self.h_w, self.d_hw, self.d_vw, self.d_cw, self.d_rw, self.d_qw, True,
            self.attention_bias, False, self.seen_in_window, None, self.w,
        )  # fmt: skip
        return replace(block, attention=near)

    def block(self) -> Block:
        network = MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, activation=self.activation,
            beside=GatedFeedForward(self.d, self.d_sh, self.activation),
        )  # fmt: skip
        return PreLNBlock(self.d, norm="rms", attention=self.attention(), network=network)
