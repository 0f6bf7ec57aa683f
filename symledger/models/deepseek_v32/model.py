"""DeepSeek-V3.2 and GLM-5: latent attention to positions that an indexer chose, and experts."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.indexed import Indexer
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.deepseek.model import DeepSeek
from symledger.models.shared.decoder import Layers
from symledger.models.shared.hybrid import Which
from symledger.models.shared.latent import GatedIndexedAttention, IndexedLatentAttention
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply


@dataclass(frozen=True)
class DeepSeekV32(DeepSeek):
    """The decoder-only transformer of DeepSeek-V3.2: attention to what an indexer chose.

    Every layer has an indexer, or (GLM-5) L_x of them, where ``indexing`` is some: the others use
    what was chosen in a layer before. ``dense_indexing`` says which of the layers without experts
    have one, L_xd if some, and ``sparse_indexing`` which of those with experts. Operation by
    operation, a choice is a mask: all pairs are computed, however few positions are chosen. No
    gradient reaches an indexer.
    Source: DeepSeek-AI, *DeepSeek-V3.2* (2025), section 2.1; GLM-5 Team, *GLM-5* (2026);
    transformers 5.23, ``DeepseekV32ForCausalLM`` and ``GlmMoeDsaForCausalLM``.
    """

    Y: Expr = ONE
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    L_x: Expr = sizes.L_x
    L_xd: Expr = sizes.L_xd

    head: Literal["lm", "bare"] = "lm"
    low_rank: Literal[True] = True
    absorbed: Literal[False] = False
    mlp_bias: Literal[False] = False
    experts_norm: Literal[False] = False
    indexing: Literal["some", "all"] = "all"
    dense_indexing: Annotated[Which, Seldom(decides=True)] = "some"
    sparse_indexing: Annotated[Which, Seldom(decides=True)] = "some"

    title: ClassVar[str] = "decoder-only transformer, latent attention chosen by an indexer"
    references: ClassVar[tuple[str, ...]] = (
        "DeepSeek-AI, DeepSeek-V3.2 (2025), section 2.1",
        "transformers 5.23, GlmMoeDsaForCausalLM",
    )

    def attention(self) -> IndexedLatentAttention:
        """Return the attention of a layer with an indexer."""
        indexer = Indexer(self.d, self.d_q, self.n_i, self.d_x, self.d_rot, self.seen)
        return IndexedLatentAttention(
            self.d, self.h, self.d_h, self.d_v, self.d_c, self.d_rot, self.d_q, True,
            self.attention_bias, False, self.seen, indexer,
        )  # fmt: skip

    def layers(self) -> Layers:
        whole = super().layers()
        if self.indexing == "all":
            return whole
        if len(whole) == 1:
            ((name, (block, number)),) = whole.items()
            return self.split(name, block, number, "some", self.L_x)
        dense, sparse = (whole[name] for name in ("dense_block", "block"))
        rest = self.L - self.L_d
        found = {"none": Integer(0), "some": self.L_xd, "all": self.L_d}[self.dense_indexing]
        if self.sparse_indexing == "none":
            found = self.L_x
        elif self.sparse_indexing == "all":
            found = self.L_x - rest
        return {
            **self.split("dense_block", *dense, self.dense_indexing, found),
            **self.split("block", *sparse, self.sparse_indexing, self.L_x - found),
        }

    def split(
        self, name: str, block: Component, number: Expr, which: Which, with_indexer: Expr
    ) -> Layers:  # fmt: skip
        """Return one kind of block as one or two: with an indexer, and without."""
        attention = replace(self.attention(), indexer=None)
        told = replace(block, attention=attention)  # type: ignore[type-var]  # a block is given
        if which != "some":
            return {name: (block, number)} if which == "all" else {f"told_{name}": (told, number)}
        return {name: (block, with_indexer), f"told_{name}": (told, number - with_indexer)}


@dataclass(frozen=True)
class GatedNorm(Component):
    """An RMS norm behind a gate, which is mapped from its result by way of d_r numbers.

    Source: transformers 5.23, ``AXK2GatedRMSNorm``.
    """

    d: Expr = sizes.d
    d_r: Expr = sizes.d_r

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "RMS norm behind a gate of few numbers"

    def forward(self, x: Tensor) -> Steps:
        normed = RMSNorm(self.d)(x, name="norm")
        inner = apply("silu", Linear(self.d, self.d_r, bias=False)(normed, name="down"))
        gate = apply("sigmoid", Linear(self.d_r, self.d, bias=False)(inner, name="up"))
        return steps(normed=normed, gate=gate, y=normed * gate)


@dataclass(frozen=True)
class GatedNormBlock(PreLNBlock):
    """A block whose first norm is behind a gate, and the second too where there are experts."""

    d_r: Expr = sizes.d_r

    def normalize(self, x: Tensor, number: int) -> Tensor:
        if number == 2 and isinstance(self.network, GatedFeedForward):
            return super().normalize(x, number)
        return GatedNorm(self.d, self.d_r)(x, name=f"norm_{number}")


@dataclass(frozen=True)
class AXK2(DeepSeekV32):
    """The decoder-only transformer of A.X K2: DeepSeek-V3.2 with gates behind norms and attention.

    Every layer has an indexer. The norm of a network that is no mixture has no gate.
    Source: transformers 5.23, ``AXK2ForCausalLM``.
    """

    d_r: Expr = sizes.d_r
    indexing: Literal["all"] = "all"
    dense_indexing: Literal["some"] = "some"
    sparse_indexing: Literal["some"] = "some"

    title: ClassVar[str] = "decoder-only transformer, indexed latent attention, gated norms"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, AXK2ForCausalLM",)

    def attention(self) -> IndexedLatentAttention:
        plain = super().attention()
        return GatedIndexedAttention(**{f.name: getattr(plain, f.name) for f in fields(plain)})

    def block(self, network: Component | None = None) -> Component:
        plain = super().block(network)
        assert isinstance(plain, PreLNBlock)
        kept = {f.name: getattr(plain, f.name) for f in fields(plain)}
        return GatedNormBlock(**kept, d_r=self.d_r)
