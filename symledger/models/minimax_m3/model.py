"""MiniMax-M3: attention to blocks of keys that an indexer chose, clamped experts."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.experts import MixtureOfExperts, clamped_gate
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.models.shared.hybrid import SparseHybridDecoder
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, join, narrow, remembered, state, view

SOURCE = "transformers 5.23, MiniMaxM3VLForCausalLM"


@dataclass(frozen=True)
class BlockIndexer(Component):
    """Scores by which blocks of keys are chosen: n_i small heads of queries, one key for all.

    Both are normalized and turned, or as much of them as d_rot; of a block the largest score
    counts, which costs no product.
    Source: transformers 5.23, ``MiniMaxM3VLIndexer``.
    """

    d: Expr = sizes.d
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    d_rot: Expr = sizes.d_rot
    partly: bool = True
    cached: Expr | None = None

    signature: ClassVar[str] = "B T d -> B n_i T S"
    title: ClassVar[str] = "scores by which blocks of keys are chosen"

    def forward(self, x: Tensor) -> Steps:
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        q, k = (self.made(x, name, number, offset) for name, number in (
            ("Q", self.n_i), ("K", Integer(1))))  # fmt: skip
        k = view("B T one k -> B T (one k)", k)
        if self.cached is not None:
            k = join([remembered("past_index", x.shape[0], offset, self.d_x), k], axis=1)
        k = state(k)
        return steps(q=q, k=k, y=einsum("B T h k, B S k -> B h T S", q, k))

    def made(self, x: Tensor, name: str, number: Expr, offset: Expr) -> Tensor:
        """Map, normalize and turn queries or keys."""
        wide = Linear(self.d, number * self.d_x, bias=False)(x, name=name)
        heads = view("B T (h k) -> B T h k", wide, h=number, k=self.d_x)
        heads = RMSNorm(self.d_x)(heads, name=f"norm_{name}")
        if not self.partly:
            return RotaryPositions(self.d_x, offset)(heads, name=f"rotary_{name}")
        turned = RotaryPositions(self.d_rot, offset)(narrow(heads, -1, 0, self.d_rot),
                                                     name=f"rotary_{name}")  # fmt: skip
        return join([turned, narrow(heads, -1, self.d_rot, self.d_x - self.d_rot)])


@dataclass(frozen=True)
class ChoosingAttention(Attention):
    """Attention to blocks of keys that an indexer chose.

    Operation by operation, a choice is a mask on all pairs; no gradient comes back through it.
    """

    indexer: Component = field(default_factory=BlockIndexer)

    title: ClassVar[str] = "attention to blocks of keys that an indexer chose"

    def forward(
        self, x: Tensor, memory: Tensor | None = None, past_k: Tensor | None = None,
        past_v: Tensor | None = None, bias: Tensor | None = None,
    ) -> Steps:  # fmt: skip
        leave_idle(self.indexer(x, name="indexer"))
        return super().forward(x, memory, past_k, past_v, bias)


@dataclass(frozen=True)
class ClampedNetwork(Component):
    """A gated network that cuts its values off, as clamped experts do.

    Source: transformers 5.23, ``MiniMaxM3VLDenseMLP``.
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "gated network that cuts values off"

    def forward(self, x: Tensor) -> Steps:
        gate, up = (Linear(self.d, self.d_ff, bias=False)(x, name=n) for n in ("gate", "up"))
        z = clamped_gate(gate) * (apply("clamp", up) + 1)
        return steps(z=z, y=Linear(self.d_ff, self.d, bias=False)(z, name="down"))


@dataclass(frozen=True)
class MiniMaxM3(SparseHybridDecoder):
    """The decoder of MiniMax-M3: L_a of its L layers attend to all, others to what is chosen.

    An indexer chooses blocks of keys; it gets no gradient. All but L_d layers have clamped experts,
    beside a shared network. As much as d_rot of each head is turned, or all of it if not
    ``partly``, and so is each head of indexers.
    Source: transformers 5.23, ``MiniMaxM3VLForCausalLM``.
    """

    d_sh: Expr = sizes.d_sh
    d_rot: Expr = sizes.d_rot
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    partly: Annotated[bool, Seldom()] = True
    activation: Literal["silu"] = "silu"

    title: ClassVar[str] = "decoder, attention to blocks that an indexer chose, clamped experts"
    references: ClassVar[tuple[str, ...]] = (SOURCE,)

    def attention(self) -> Attention:
        return replace(
            super().attention(), qk_norm="rms", d_rot=self.d_rot if self.partly else None
        )  # fmt: skip

    def mixer(self) -> Component:
        plain = self.attention()
        indexer = BlockIndexer(
            self.d, self.n_i, self.d_x, self.d_rot, self.partly, self.seen
        )  # fmt: skip
        kept = {f.name: getattr(plain, f.name) for f in fields(plain)}
        return ChoosingAttention(**kept, indexer=indexer)

    def network(self) -> Component:
        return ClampedNetwork(self.d, self.d_ff)

    def mixture(self) -> Component:
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, clamped=True,
            beside=ClampedNetwork(self.d, self.d_sh),
        )  # fmt: skip
