"""Kimi delta attention: a gated delta rule whose memory forgets each of its rows by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Piecewise

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.components.state_spaces.chunks import past, summed
from symledger.components.state_spaces.delta import DeltaChunk, DeltaStep, GatedDeltaRule
from symledger.components.state_spaces.selective import CausalConvolution
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    expand,
    join,
    narrow,
    param,
    solve,
    table,
    total,
    view,
)
from symledger.sizes import Size

KIMI = "Kimi Team, Kimi Linear (2025)"
SLOW = "transformers 5.23, KimiLinearDeltaAttention"
LOWEST = Integer(-5)
"""The logarithm of the least that a bounded gate lets a memory keep; any other costs the same."""


def rows_faded(S: Tensor, decay: Tensor) -> Tensor:
    """Return what is left of a memory, each of its rows by itself."""
    left: Tensor = S * view("B h k -> B h k ()", decay)
    return left


@dataclass(frozen=True)
class RowsStep(DeltaStep):
    """One token: each row of the memory decays by itself, then it is corrected and read."""

    signature: ClassVar[str] = (
        "B h_v d_k d_v, B h_v d_k, B h_v d_k, B h_v d_v, B h_v d_k, B h_v"
        " -> B h_v d_k d_v, B h_v d_v"
    )

    def faded(self, S: Tensor, decay: Tensor) -> Tensor:
        return rows_faded(S, decay)


@dataclass(frozen=True)
class RowsChunk(DeltaChunk):
    """One chunk of a memory whose rows decay by themselves."""

    signature: ClassVar[str] = (
        "B h_v d_k d_v, B h_v Q d_v, B h_v Q d_k, B h_v Q d_k, B h_v Q Q, B h_v Q d_k, B h_v d_k"
        " -> B h_v d_k d_v, B h_v Q d_v"
    )

    def faded(self, S: Tensor, decay: Tensor) -> Tensor:
        return rows_faded(S, decay)


@dataclass(frozen=True)
class TriangleInverse(Component):
    """The inverse of a triangle of ones and of what stands below them.

    It is all that is kept; going back, sums of products lead to what stands below.
    Source: Yang et al. (2024), section 3.2; transformers 5.23, ``chunk_kimi_delta_attention``.
    """

    Q: Expr = sizes.Q

    signature: ClassVar[str] = "... Q Q -> ... Q Q"
    title: ClassVar[str] = "inverse of a triangle of ones"

    def forward(self, x: Tensor) -> Steps:
        one, zero = Integer(1), Integer(0)
        ones = table("ones", lambda i, k: Piecewise((one, k < i + 1), (zero, True)) - Piecewise(
            (one, k < i), (zero, True)), self.Q, self.Q)  # fmt: skip
        same = expand(view("l s -> () () () l s", ones), x.shape)
        return steps(y=solve(x, same))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = −yᵀ dy yᵀ, below the diagonal."""
        Q, zero = self.Q, Integer(0)
        below = table("below", lambda i, k: Piecewise((Integer(-1), k < i), (zero, True)), Q, Q)
        first = total(view("... l s -> ... l s ()", at.y) * view("... l s -> ... l () s", dy), (3,))
        first = view("B h c one s t -> B h c (one s) t", first)
        both = view("... l t -> ... l () t", first) * view("... s t -> ... () s t", at.y)
        return {"x": view("... l s one -> ... l (s one)", total(both)) * below}


@dataclass(frozen=True)
class KimiDeltaRule(GatedDeltaRule):
    """A memory in h_v heads of d_k × d_v numbers, each row of which decays as fast as it is told.

    S_t = D_t S_{t−1} + k_t (β_t (v_t − (D_t S_{t−1})ᵀ k_t))ᵀ and o_t = S_tᵀ q_t, with a diagonal
    D_t = diag(e^{g_t}): a decay for each element of a key, where a gated delta rule has one for
    each head. There are as many heads of keys as of values. So products of keys within a chunk of Q
    tokens are no matrix product: for each pair of tokens, elements are multiplied with their decays
    and added up. What stands below the diagonal is solved for once, and what all tokens write is
    multiplied by that inverse; of it nothing is kept but the result.
    Source: Kimi Team, *Kimi Linear* (2025), section 3; transformers 5.23,
    ``chunk_kimi_delta_attention``.
    """

    signature: ClassVar[str] = (
        "B T h_v d_k, B T h_v d_k, B T h_v d_v, B T h_v d_k, B T h_v -> B T h_v d_v"
    )
    title: ClassVar[str] = "linear attention whose memory decays row by row, in chunks"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_v: sizes.d_k}
    references: ClassVar[tuple[str, ...]] = (f"{KIMI}, section 3", SLOW)
    one_step: ClassVar[type[DeltaStep]] = RowsStep
    one_chunk: ClassVar[type[DeltaChunk]] = RowsChunk

    def of_heads(self, x: Tensor) -> Tensor:
        return x

    def solved(
        self, q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor
    ) -> tuple[dict[str, Tensor], tuple[Tensor, ...]]:
        sums = view("B h c k l -> B h c l k", summed(view("B c l h k -> B h c k l", g)))
        gaps = view("... l k -> ... l () k", sums) - view("... s k -> ... () s k", sums)
        within = apply("exp", gaps + view("l s -> l s ()", past(self.Q)))
        kb, vb = k * beta, v * beta
        M, A = self.products(kb, k, within), self.products(q, k, within)
        inverse = TriangleInverse(self.Q)(M, name="inverse")
        since = apply("exp", sums)
        u = einsum("B h c l s, B h c s v -> B h c l v", inverse, vb)
        w = einsum("B h c l s, B h c s k -> B h c l k", inverse, kb * since)
        whole = narrow(sums, 3, self.Q - 1, 1)
        left = apply("exp", whole - sums)
        ending = view("B h c one k -> B h c (one k)", apply("exp", whole))
        found = {"g": sums, "within": within, "kb": kb, "vb": vb, "M": M, "A": A, "u": u, "w": w}
        return found, (u, w, q * since, A, k * left, ending)

    def products(self, q: Tensor, k: Tensor, within: Tensor) -> Tensor:
        """Add up the products of each pair of positions, each element with its decay."""
        pairs = view("... l k -> ... l () k", q) * view("... s k -> ... () s k", k)
        return view("... l s one -> ... l (s one)", total(pairs * within))


@dataclass(frozen=True)
class KimiDeltaMixer(Component):
    """What stands in place of attention: map, convolve, correct a memory, normalize, gate, return.

    Queries, keys and values are convolved together and go through a SiLU. How fast each row of the
    memory decays is mapped from the token, and so is the gate: both by way of d_v numbers where
    they are ``narrow``. With ``bounded`` the decay goes through a sigmoid, so that no row is lost
    at once, else through log(1 + eˣ).
    Source: Kimi Team, *Kimi Linear* (2025), section 4; transformers 5.23,
    ``KimiLinearDeltaAttention`` and ``BailingHybridForgetGate``.
    """

    d: Expr = sizes.d
    h_v: Expr = sizes.h_v
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    K: Expr = sizes.K
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    cached: bool = False
    narrow: bool = True
    bounded: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixer of Kimi delta attention: a convolution and a corrected memory"
    definitions: ClassVar[dict[Size, Expr]] = KimiDeltaRule.definitions
    assumptions: ClassVar[dict[Size, Expr]] = KimiDeltaRule.assumptions
    references: ClassVar[tuple[str, ...]] = (f"{KIMI}, section 4", SLOW)

    def forward(self, x: Tensor) -> Steps:
        keys, values = self.h_v * self.d_k, self.h_v * self.d_v
        widths = {"Q": keys, "K": keys, "V": values}
        mapped = [Linear(self.d, n, bias=False)(x, name=name) for name, n in widths.items()]
        mixed = 2 * keys + values
        convolution = CausalConvolution(mixed, self.K, bias=False, cached=self.cached)
        u = apply("silu", convolution(join(mapped, axis=2), name="convolution"))
        q, k = (view("B T (h k) -> B T h k", narrow(u, -1, start, keys), h=self.h_v)
                for start in (Integer(0), keys))  # fmt: skip
        v = view("B T (h v) -> B T h v", narrow(u, -1, 2 * keys, values), h=self.h_v)
        g = self.fading(x, keys)
        beta = apply("sigmoid", Linear(self.d, self.h_v, bias=False)(x, name="write"))
        rule = KimiDeltaRule(
            self.h_v, self.h_v, self.d_k, self.d_v, self.Q, self.n_c, self.cached
        )
        read = rule(q, k, v, g, beta, name="rule")
        z = self.through(x, values, "gate")
        normed = view("B T h v -> B T (h v)", RMSNorm(self.d_v)(read, name="norm"))
        gated = normed * apply("sigmoid", z)
        y = Linear(values, self.d, bias=False)(gated, name="O")
        return steps(u=u, g=g, beta=beta, read=read, normed=normed, gated=gated, y=y)

    def through(self, x: Tensor, width: Expr, name: str) -> Tensor:
        """Map to so many numbers, by way of few if there is a way."""
        if self.narrow:
            x = Linear(self.d, self.d_v, bias=False)(x, name=f"{name}_down")
        return Linear(x.shape[-1], width, bias=False)(x, name=name)

    def fading(self, x: Tensor, keys: Expr) -> Tensor:
        """Return the logarithms of decays, one for each element of a head's keys."""
        moved = self.through(x, keys, "decay") + param("dt_bias", keys)
        moved = view("B T (h k) -> B T h k", moved, h=self.h_v)
        rate = view("h -> h ()", apply("exp", param("A_log", self.h_v)))
        found: Tensor
        if self.bounded:
            found = apply("sigmoid", moved * rate) * LOWEST
        else:
            found = apply("log", apply("exp", moved) + 1) * (rate * Integer(-1))
        return found
