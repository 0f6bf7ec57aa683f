"""The gated delta rule: a memory that corrects what it has stored, a chunk of tokens at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Pow, Rational, floor

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.components.state_spaces.chunks import between, in_chunks, past, summed
from symledger.components.state_spaces.selective import CausalConvolution
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    copied,
    einsum,
    expand,
    join,
    narrow,
    param,
    remembered,
    scan,
    solve,
    table,
    total,
    view,
)
from symledger.sizes import Size

YANG = "Yang, Kautz, Hatamizadeh, Gated Delta Networks (2024)"
WY = "Yang et al., Parallelizing Linear Transformers with the Delta Rule (2024)"
SLOW = "transformers 5.23, Qwen3NextGatedDeltaNet without kernels"
EPSILON = Rational(1, 10**6)


@dataclass(frozen=True)
class DeltaStep(Component):
    """One token: the memory decays, is corrected by what it lacks, and is read."""

    h_v: Expr = sizes.h_v
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v

    signature: ClassVar[str] = (
        "B h_v d_k d_v, B h_v d_k, B h_v d_k, B h_v d_v, B h_v, B h_v -> B h_v d_k d_v, B h_v d_v"
    )

    def forward(
        self, S: Tensor, q: Tensor, k: Tensor, v: Tensor, decay: Tensor, beta: Tensor
    ) -> Steps:  # fmt: skip
        kept = self.faded(S, decay)
        key = view("B h k -> B h k ()", k)
        known = view("B h one v -> B h (one v)", total(kept * key, (2,)))
        lacking = (v - known) * view("B h -> B h ()", beta)
        new = kept + key * view("B h v -> B h () v", lacking)
        read = total(new * view("B h k -> B h k ()", q), (2,))
        return steps(kept=kept, lacking=lacking, S=new, o=view("B h one v -> B h (one v)", read))

    def faded(self, S: Tensor, decay: Tensor) -> Tensor:
        """Return what is left of the memory: of each head as a whole."""
        left: Tensor = S * view("B h -> B h () ()", decay)
        return left


@dataclass(frozen=True)
class DeltaChunk(Component):
    """One chunk: what it writes is corrected by what the memory knows, and both are read."""

    h_v: Expr = sizes.h_v
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    Q: Expr = sizes.Q

    signature: ClassVar[str] = (
        "B h_v d_k d_v, B h_v Q d_v, B h_v Q d_k, B h_v Q d_k, B h_v Q Q, B h_v Q d_k, B h_v"
        " -> B h_v d_k d_v, B h_v Q d_v"
    )

    def forward(
        self, S: Tensor, u: Tensor, w: Tensor, q: Tensor, A: Tensor, k: Tensor, decay: Tensor
    ) -> Steps:  # fmt: skip
        v = u - einsum("B h l k, B h k v -> B h l v", w, S)
        read = einsum("B h l k, B h k v -> B h l v", q, S)
        o = read + einsum("B h l s, B h s v -> B h l v", A, v)
        kept = self.faded(S, decay)
        return steps(v=v, S=kept + einsum("B h l k, B h l v -> B h k v", k, v), o=o)

    def faded(self, S: Tensor, decay: Tensor) -> Tensor:
        """Return what is left of the memory: of each head as a whole."""
        left: Tensor = S * view("B h -> B h () ()", decay)
        return left


@dataclass(frozen=True)
class GatedDeltaRule(Component):
    """A memory in h_v heads of d_k × d_v numbers, which decays, is corrected, and is read.

    S_t = e^{g_t} S_{t−1} + k_t (β_t (v_t − (e^{g_t} S_{t−1})ᵀ k_t))ᵀ and o_t = S_tᵀ q_t: what is
    written is what the memory lacks, β_t of it. The logarithm g_t of the decay and β_t are given
    for each head and token; queries and keys, of h_q heads, are normalized to length 1, and queries
    divided by √d_k. In chunks of Q tokens, what all tokens of one write follows from a triangle of
    equations; states pass from chunk to chunk. The last of n_c chunks is filled up with zeros: work
    on those is done like any other, and what comes out is cut off.

    Sums along a chunk are written as masked sums. With ``cached``, the T tokens go on from a
    remembered state one by one, which is how decoding goes on.
    Source: Yang, Kautz, Hatamizadeh (2024); Yang et al. (2024), for chunks;
    transformers 5.23, ``torch_chunk_gated_delta_rule``.
    """

    h_q: Expr = sizes.h_q
    h_v: Expr = sizes.h_v
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    cached: bool = False

    signature: ClassVar[str] = (
        "B T h_q d_k, B T h_q d_k, B T h_v d_v, B T h_v, B T h_v -> B T h_v d_v"
    )
    title: ClassVar[str] = "linear attention whose memory decays and is corrected, in chunks"
    definitions: ClassVar[dict[Size, Expr]] = {sizes.n_c: floor((sizes.T + sizes.Q - 1) / sizes.Q)}
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.h_q: sizes.h_v, sizes.d_v: sizes.d_k}
    references: ClassVar[tuple[str, ...]] = (YANG, WY, SLOW)
    one_step: ClassVar[type[DeltaStep]] = DeltaStep
    one_chunk: ClassVar[type[DeltaChunk]] = DeltaChunk

    def forward(self, q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor) -> Steps:
        q, k = (unit(self.of_heads(x)) for x in (q, k))
        q = q * Pow(self.d_k, Rational(-1, 2))
        way = self.stepwise if self.cached else self.chunked
        return steps(q=q, k=k, **way(q, k, v, g, beta))

    def of_heads(self, x: Tensor) -> Tensor:
        """Copy what is given for a head of keys to the heads of values that it serves."""
        B, T, h, k = x.shape
        if h == self.h_v:
            return x
        copies = expand(view("B T h k -> B T h () k", x), (B, T, h, self.h_v / h, k))
        return view("B T h r k -> B T (h r) k", copies)

    def stepwise(
        self, q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor
    ) -> dict[str, Tensor]:  # fmt: skip
        """Go on from the remembered state; the steps of this, the last of them what is read."""
        start = remembered("past_S", v.shape[0], self.h_v, self.d_k, self.d_v)
        step = self.one_step(self.h_v, self.d_k, self.d_v)
        _, y = scan(step, v.shape[1], (start,), name="step", axis=1,
                    over=(q, k, v, apply("exp", g), beta), shared=True, kept=True)  # fmt: skip
        return {"y": y}

    def chunked(
        self, q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor
    ) -> dict[str, Tensor]:  # fmt: skip
        """Solve for what each chunk writes, and pass states on; the steps of it."""
        T, v = v.shape[1], copied(v)  # heads first, as the reference has them
        q, k, v, g, beta = (in_chunks(x, self.n_c, self.Q) for x in (q, k, v, g, beta))
        q, k, v, beta = (view("B c l h x -> B h c l x", x) for x in (
            q, k, v, view("B c l h -> B c l h ()", beta)))  # fmt: skip
        found, over = self.solved(q, k, v, g, beta)
        empty = table("S0", lambda *i: Integer(0), v.shape[0], self.h_v, self.d_k, self.d_v)
        chunk = self.one_chunk(self.h_v, self.d_k, self.d_v, self.Q)
        _, read = scan(chunk, self.n_c, (empty,), name="chunk", axis=2, over=over, shared=True,
                       kept=True, ends=True)  # fmt: skip
        return {**found, "y": narrow(view("B h c l v -> B (c l) h v", read), 1, 0, T)}

    def solved(
        self, q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor
    ) -> tuple[dict[str, Tensor], tuple[Tensor, ...]]:
        """Solve for what tokens of a chunk write: the steps of it, and what a chunk is given."""
        sums = summed(view("B c l h -> B h c l", g))
        within = apply("exp", between(sums, sums) + past(self.Q))
        kb, vb = k * beta, v * beta
        M = einsum("B h c l k, B h c s k -> B h c l s", kb, k) * within
        A = einsum("B h c l k, B h c s k -> B h c l s", q, k) * within
        since = view("B h c l -> B h c l ()", apply("exp", sums))
        u, w = solve(M, vb), solve(M, kb * since)
        whole = narrow(sums, -1, self.Q - 1, 1)
        left = view("B h c l -> B h c l ()", apply("exp", whole - sums))
        over = (u, w, q * since, A, k * left, view("B h c one -> B h (c one)", apply("exp", whole)))
        found = {"g": sums, "within": within, "kb": kb, "vb": vb, "M": M, "A": A, "u": u, "w": w}
        return found, over


def unit(x: Tensor) -> Tensor:
    """Divide by the length of the last axis."""
    return x * apply("rsqrt", total(x * x) + EPSILON)


@dataclass(frozen=True)
class GatedDeltaMixer(Component):
    """What stands in place of attention: map, convolve, correct a memory, normalize, gate, return.

    Queries, keys and values are convolved together and go through a SiLU. How much is written, and
    how fast the memory decays, is mapped from each token: one number each for a head. What is read
    is normalized, each head by itself with gains that all share, and gated. With ``negative``, up
    to twice of what is lacking may be written.
    Source: Yang, Kautz, Hatamizadeh (2024); transformers 5.23,
    ``Qwen3NextGatedDeltaNet`` without kernels; Grazzi et al., *Unlocking State-Tracking in Linear
    RNNs Through Negative Eigenvalues* (2024), for writing twice.
    """

    d: Expr = sizes.d
    h_q: Expr = sizes.h_q
    h_v: Expr = sizes.h_v
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    K: Expr = sizes.K
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    cached: bool = False
    negative: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixer of a gated delta rule: a convolution and a corrected memory"
    definitions: ClassVar[dict[Size, Expr]] = GatedDeltaRule.definitions
    assumptions: ClassVar[dict[Size, Expr]] = GatedDeltaRule.assumptions
    references: ClassVar[tuple[str, ...]] = (YANG, SLOW)

    def forward(self, x: Tensor) -> Steps:
        keys, values = self.h_q * self.d_k, self.h_v * self.d_v
        widths = {"Q": keys, "K": keys, "V": values}
        mapped = [Linear(self.d, n, bias=False)(x, name=name) for name, n in widths.items()]
        mixed = 2 * keys + values
        convolution = CausalConvolution(mixed, self.K, bias=False, cached=self.cached)
        u = apply("silu", convolution(join(mapped, axis=2), name="convolution"))
        q, k = (view("B T (h k) -> B T h k", narrow(u, -1, start, keys), h=self.h_q)
                for start in (Integer(0), keys))  # fmt: skip
        v = view("B T (h v) -> B T h v", narrow(u, -1, 2 * keys, values), h=self.h_v)
        z, b, a = (Linear(self.d, n, bias=False)(x, name=name) for name, n in (
            ("gate", values), ("write", self.h_v), ("decay", self.h_v)))  # fmt: skip
        beta = apply("sigmoid", b)
        beta = beta * Integer(2) if self.negative else beta
        rate = apply("exp", param("A_log", self.h_v)) * Integer(-1)
        g = apply("softplus", a + param("dt_bias", self.h_v)) * rate
        rule = GatedDeltaRule(
            self.h_q, self.h_v, self.d_k, self.d_v, self.Q, self.n_c, self.cached
        )
        read = rule(q, k, v, g, beta, name="rule")
        normed = view("B T h v -> B T (h v)", RMSNorm(self.d_v)(read, name="norm"))
        gated = normed * apply("silu", z)
        y = Linear(values, self.d, bias=False)(gated, name="O")
        return steps(u=u, beta=beta, g=g, read=read, normed=normed, gated=gated, y=y)
