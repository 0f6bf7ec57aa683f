"""DeepSeek-V3.2 and GLM-5: latent attention to positions that an indexer chose, and experts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.indexed import Indexer
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.models.deepseek.model import DeepSeek
from symledger.models.shared.decoder import Layers
from symledger.models.shared.hybrid import Which
from symledger.models.shared.latent import IndexedLatentAttention
from symledger.notation.component import Component


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
