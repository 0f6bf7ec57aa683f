"""Lightning attention: linear attention with a fixed decay, a block of tokens at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Piecewise, Symbol, exp, floor

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    copied,
    einsum,
    join,
    narrow,
    remembered,
    scan,
    state,
    table,
    view,
)
from symledger.sizes import Size

QIN = "Qin et al., Lightning Attention-2 (2024)"
MINIMAX = "MiniMax, MiniMax-01 (2025), section 2.2"


@dataclass(frozen=True)
class LightningBlock(Component):
    """One block of tokens: pairs inside of it, and the memory of all blocks before."""

    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    Q: Expr = sizes.Q

    signature: ClassVar[str] = (
        "B h d_k d_k, B h Q d_k, B h Q d_k, B h Q d_k -> B h d_k d_k, B h Q d_k"
    )

    def forward(self, S: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        since = self.decays("since", lambda at: at + 1)
        left = self.decays("left", lambda at: self.Q - 1 - at)
        # what is multiplied is laid down anew, as the reference does
        within = table("within", self.between, self.h, self.Q, self.Q)
        whole = table("whole", lambda i, a, b: exp(-self.rate(i) * self.Q), self.h, ONE, ONE)
        pairs = einsum("B h l k, B h s k -> B h l s", copied(q), copied(k))
        A = pairs * within
        inside = einsum("B h l s, B h s v -> B h l v", A, copied(v))
        read = einsum("B h l k, B h k v -> B h l v", q * since, S)
        written = einsum("B h l k, B h l v -> B h k v", k * left, copied(v))
        return steps(A=A, S=S * whole + written, o=read + inside)

    def rate(self, i: Symbol) -> Expr:
        """Return how fast a head forgets."""
        return Integer(2) ** (-8 * (i + 1) / self.h)

    def decays(self, name: str, far: Callable[[Symbol], Expr]) -> Tensor:
        """Return what is left of each position's vector at another place, so far away."""
        return table(
            name, lambda i, at, one: exp(-self.rate(i) * far(at)), self.h, self.Q, ONE
        )  # fmt: skip

    def between(self, i: Symbol, late: Symbol, early: Symbol) -> Expr:
        """Return what is left between two positions; nothing comes from later ones."""
        kept = exp(-self.rate(i) * (late - early))
        return Piecewise((kept, early < late + 1), (Integer(0), True))


@dataclass(frozen=True)
class LightningStep(LightningBlock):
    """One token: the memory decays, takes it in, and is read."""

    signature: ClassVar[str] = (
        "B h d_k d_k, B h d_k, B h d_k, B h d_k -> B h d_k d_k, B h d_k"
    )

    def forward(self, S: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        left = table("left", lambda i, a, b: exp(-self.rate(i)), self.h, ONE, ONE)
        k, v = (view("B h k -> B h () k", x) for x in (k, v))
        new = S * left + einsum("B h o k, B h o v -> B h k v", k, v)
        return steps(S=new, o=einsum("B h k, B h k v -> B h v", q, new))


@dataclass(frozen=True)
class LightningAttention(Component):
    """Linear attention in h heads whose memory decays at fixed rates, in blocks of Q tokens.

    Queries, keys and values go through a SiLU, and there is no softmax: S_t = λ S_{t−1} + k_t v_tᵀ
    and o_t = S_tᵀ q_t. Within a block all pairs are multiplied; what came before is read from the
    memory. The last block is as long as what is left of the text, and nothing is filled up; where
    the text is no longer than a block, there is ``one`` only. What is read is normalized, all heads
    together, and gated. Rates are computed and fixed (they differ from layer to layer, which
    changes no count). With ``cached``, the T tokens go on from a remembered state one by one.
    Source: Qin et al., *Lightning Attention-2* (2024), section 3; MiniMax, *MiniMax-01* (2025),
    section 2.2; transformers 5.23, ``MiniMaxLightningAttention``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    one: bool = False
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "linear attention with fixed decays, in blocks"
    definitions: ClassVar[dict[Size, Expr]] = {sizes.n_c: floor((sizes.T + sizes.Q - 1) / sizes.Q)}
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_k: sizes.d / sizes.h}
    references: ClassVar[tuple[str, ...]] = (
        f"{QIN}, section 3", MINIMAX, "transformers 5.23, MiniMaxLightningAttention",
    )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        width = self.h * self.d_k
        u = apply("silu", Linear(self.d, 3 * width, bias=False)(x, name="QKV"))
        heads = view("B T (h c) -> B T h c", u, h=self.h)
        q, k, v = (narrow(heads, -1, place * self.d_k, self.d_k) for place in range(3))
        read = (self.stepwise if self.cached else self.blockwise)(q, k, v)
        normed = RMSNorm(width)(view("B T h v -> B T (h v)", read), name="norm")
        gate = apply("sigmoid", Linear(self.d, width, bias=False)(x, name="gate"))
        gated = gate * normed
        return steps(u=u, read=read, normed=normed, gate=gate, gated=gated,
                     y=Linear(width, self.d, bias=False)(gated, name="O"))  # fmt: skip

    def stepwise(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Go on from the remembered state, token by token."""
        start = remembered("past_S", v.shape[0], self.h, self.d_k, self.d_k)
        step = LightningStep(self.h, self.d_k)
        _, y = scan(step, v.shape[1], (start,), name="step", axis=1, over=(q, k, v), shared=True,
                    kept=True)  # fmt: skip
        return y

    def blockwise(self, *given: Tensor) -> Tensor:
        """Go through whole blocks, then through what is left."""
        B, T, _, _ = given[0].shape
        heads = [view("B T h k -> B h T k", x) for x in given]
        empty = table("S0", lambda *i: Integer(0), B, self.h, self.d_k, self.d_k)
        if self.one:
            last, y = LightningBlock(self.h, self.d_k, T).apply(empty, *heads, name="block")
            leave_idle(state(last))
            return view("B h T v -> B T h v", y)
        number = self.n_c - 1
        before, rest = number * self.Q, T - number * self.Q
        over = tuple(
            view("B h (c l) k -> B h c l k", narrow(x, 2, 0, before), l=self.Q) for x in heads
        )
        block = LightningBlock(self.h, self.d_k, self.Q)
        memory, y = scan(
            block, number, (empty,), name="block", axis=2, over=over, shared=True
        )
        ends = (narrow(x, 2, before, rest) for x in heads)
        last, z = LightningBlock(self.h, self.d_k, rest).apply(memory, *ends, name="last_block")
        leave_idle(state(last))
        together = join([view("B h c l v -> B h (c l) v", y), z], axis=2)
        return view("B h T v -> B T h v", together)
