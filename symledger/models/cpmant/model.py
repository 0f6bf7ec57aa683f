"""CPM-Ant: learned vectors before the words, and biases of distances and of segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.relative import BiasedAttention
from symledger.components.blocks.blocks import Block, Norm
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import gather, indices, join, narrow, param, repeat, view
from symledger.sizes import Size

CLASS = "transformers 5.23, CpmAntForCausalLM"


@dataclass(frozen=True)
class PairedAttention(BiasedAttention):
    """Attention with a bias for each head and each pair of positions of each sequence.

    Source: transformers 5.23, ``CpmAntAttention``.
    """

    scaled: bool = True

    signature: ClassVar[str] = BiasedAttention.signature.replace(", h T", ", B h T")
    title: ClassVar[str] = "attention with biases of each sequence"


@dataclass(frozen=True)
class ToldAttention(Attention):
    """Attention of a sequence to itself that is given a bias for each of its pairs.

    Source: transformers 5.23, ``CpmAntAttention``.
    """

    signature: ClassVar[str] = "B T d, B h T K -> B T d"

    def forward(self, x: Tensor, bias: Tensor | None = None) -> Steps:  # type: ignore[override]
        return super().forward(x, bias=bias)


@dataclass(frozen=True)
class ToldBlock(Block):
    """A pre-LN block whose attention is given biases that all layers share."""

    signature: ClassVar[str] = ToldAttention.signature
    title: ClassVar[str] = "transformer block with given biases of scores"

    def forward(self, x: Tensor, bias: Tensor | None = None) -> Steps:
        assert self.attention is not None
        attended = self.attention(self.normalize(x, 1), bias, name="attention")
        middle = x + attended
        return steps(middle=middle, y=middle + self.feed(self.normalize(middle, 2)))


@dataclass(frozen=True)
class CpmAnt(Decoder):
    """A transformer that sees all of a prompt and writes on; T_prm learned vectors stand before it.

    They are those of one of N_prm tasks, and rows of the table of tokens. Every vector is told its
    segment. Scores have a bias for each head, from one table: for the distance of two positions of
    one segment, for which n_b buckets are there, or else for their two segments. Nothing is hidden
    from a token, those after it included. The head has a table of its own.
    Source: transformers 5.23, ``CpmAntForCausalLM``.
    """

    Y: Expr = ONE
    n_b: Expr = sizes.n_b
    V_seg: Expr = sizes.V_seg
    N_prm: Expr = sizes.N_prm
    T_prm: Expr = sizes.T_prm
    head: Literal["lm", "bare"] = "lm"
    tied: Annotated[Literal[False], Seldom()] = False
    activation: Gating = "gelu"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = (
        "pre-LN RMSNorm, GeGLU, biases of distances and segments, a learned prompt"
    )
    assumptions: ClassVar[Mapping[Size, Expr]] = {sizes.d_h: sizes.d / sizes.h}
    references: ClassVar[tuple[str, ...]] = (CLASS,)

    @property
    def rows(self) -> Expr:
        """How many rows the table has, of tokens and of all prompts."""
        return self.V + self.N_prm * self.T_prm

    def forward(self, tokens: Tensor) -> Steps:
        """Put a prompt before the tokens, tell all their segments, and apply L blocks."""
        E = param("E", self.rows, self.d)
        return self.scored(self.through(self.embed(tokens, E)), E)

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        """Look up the tokens and, where none were met before, a prompt."""
        B, T = tokens.shape
        if not self.cached:
            prompt = indices("prompt", self.rows, B, self.T_prm)
            tokens, T = join([prompt, tokens], axis=1), self.T_prm + T
        segments = indices("segments", self.V_seg, B, T)
        return gather(E, tokens) + gather(param("E_seg", self.V_seg, self.d), segments)

    def block(self) -> ToldBlock:
        widths = (self.h, self.h, self.d_h, self.d_h)
        attention = ToldAttention(
            self.d, *widths, causal=True, mixing=PairedAttention(*widths),
            cached=self.S + self.T_prm if self.cached else None,
        )  # fmt: skip
        network = GatedFeedForward(self.d, self.d_ff, self.activation)
        return ToldBlock(self.d, norm="rms", attention=attention, network=network)

    def through(self, x: Tensor) -> Tensor:
        """Look up the biases once, and apply all blocks."""
        B, T, _ = x.shape
        K = self.S + self.T_prm if self.cached else T
        R = param("R", self.V_seg**2 + self.n_b, self.h)
        found = gather(R, indices("bucket", self.V_seg**2 + self.n_b, B, T, K))
        bias = view("B T K h -> B h T K", found)
        return repeat(self.block(), self.L, x, bias, name="block", recompute=self.recompute)

    def normalize(self, x: Tensor) -> Tensor:
        """Apply the last norm, and leave out the prompt."""
        x = super().normalize(x)
        return x if self.cached else narrow(x, 1, self.T_prm, x.shape[1] - self.T_prm)
