"""The state-space dual form (Mamba-2): attention within chunks, a recurrence between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, Seldom, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.components.state_spaces.chunks import between, in_chunks, past, summed
from symledger.components.state_spaces.selective import CausalConvolution
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    expand,
    join,
    narrow,
    pad,
    param,
    remembered,
    scan,
    state,
    table,
    view,
)
from symledger.sizes import Size

DAO = "Dao, Gu, Transformers are SSMs (2024)"
SLOW = "transformers 5.23, Mamba2Mixer without kernels"
BETWEEN = "B z c h, B z h p n -> B c h p n"
"""What the states that chunks end with make of the state that a chunk begins with."""


@dataclass(frozen=True)
class LastState(Component):
    """The state after all chunks: decoding remembers it, and nothing else uses it."""

    signature: ClassVar[str] = BETWEEN

    def forward(self, decay: Tensor, states: Tensor) -> Steps:
        return steps(y=state(einsum(BETWEEN, decay, states)))


@dataclass(frozen=True)
class HeadRecurrence(Component):
    """One step: the states of a head decay, take the input, and are read."""

    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_s: Expr = sizes.d_s

    signature: ClassVar[str] = (
        "B h d_h d_s, B h, B h d_h, B h d_s, B h d_s -> B h d_h d_s, B h d_h"
    )

    def forward(self, old: Tensor, decay: Tensor, u: Tensor, Bx: Tensor, C: Tensor) -> Steps:
        taken = view("B h p -> B h p ()", u) * view("B h n -> B h () n", Bx)
        new = view("B h -> B h () ()", decay) * old + taken
        return steps(h=new, y=einsum("B h p n, B h n -> B h p", new, C))


@dataclass(frozen=True)
class StateSpaceDual(Component):
    """A linear recurrence in h heads of d_h channels and d_s states, a chunk of Q tokens at a time.

    h_t = exp(Δ_t A) h_{t−1} + Δ_t x_t B_tᵀ and y_t = h_t C_t + D x_t, with one A, one D and one
    step Δ_t for a head; B_t and C_t are given for G groups of heads. Within a chunk this is
    attention without softmax, with products of readings and inputs in place of scores and decays
    in place of a mask; every chunk ends with a state, and those are passed on as in attention
    between chunks. The last of n_c chunks is filled up with zeros: work on those is done like any
    other, and what comes out is cut off.

    Sums along a chunk are written as masked sums. With ``cached``, the T tokens go on from a
    remembered state one by one, which is how decoding goes on.
    Source: Dao, Gu (2024), section 6 and listing 1; transformers 5.23, ``mamba2_chunk_scan``.
    """

    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_s: Expr = sizes.d_s
    G: Expr = sizes.G
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    cached: bool = False

    signature: ClassVar[str] = "B T h d_h, B T h, B T G d_s, B T G d_s -> B T h d_h"
    title: ClassVar[str] = "linear recurrence as attention in chunks, and between them"
    definitions: ClassVar[dict[Size, Expr]] = {sizes.n_c: floor((sizes.T + sizes.Q - 1) / sizes.Q)}
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.G: Integer(1)}
    references: ClassVar[tuple[str, ...]] = (f"{DAO}, section 6 and listing 1", SLOW)

    def forward(self, x: Tensor, dt: Tensor, Bx: Tensor, C: Tensor) -> Steps:
        dt = apply("softplus", dt + param("dt_bias", self.h))
        rate = apply("exp", param("A_log", self.h)) * Integer(-1)
        decay, u = dt * rate, x * view("B T h -> B T h ()", dt)
        Bx, C = self.of_heads(Bx), self.of_heads(C)
        way = self.stepwise if self.cached else self.chunked
        made = way(u, decay, Bx, C)
        skipped = x * view("h -> h ()", param("D", self.h))
        return steps(dt=dt, **made, y=made["s"] + skipped)

    def of_heads(self, x: Tensor) -> Tensor:
        """Copy what is given for a group to each of its heads."""
        B, T, _, _ = x.shape
        copies = expand(view("B T G n -> B T G () n", x), (B, T, self.G, self.h / self.G, self.d_s))
        return view("B T G r n -> B T (G r) n", copies)

    def stepwise(self, u: Tensor, decay: Tensor, Bx: Tensor, C: Tensor) -> dict[str, Tensor]:
        """Go on from the remembered state; the steps of this, the last of them what is read."""
        B, T, h, _ = u.shape
        start = remembered("past_h", B, h, self.d_h, self.d_s)
        _, y = scan(HeadRecurrence(h, self.d_h, self.d_s), T, (start,), name="step", axis=1,
                    over=(apply("exp", decay), u, Bx, C), shared=True, kept=True)  # fmt: skip
        return {"s": y}

    def chunked(self, u: Tensor, decay: Tensor, Bx: Tensor, C: Tensor) -> dict[str, Tensor]:
        """Attend within chunks, pass states on between them, and read these; the steps of it."""
        T = u.shape[1]
        u, decay, Bx, C = (in_chunks(x, self.n_c, self.Q) for x in (u, decay, Bx, C))
        a = view("B c l h -> B h c l", decay)
        sums = summed(a)
        within = apply("exp", between(sums, sums) + past(self.Q))
        G = einsum("B c l h n, B c s h n -> B c l s h", C, Bx)
        M = G * view("B h c l s -> B c l s h", within)
        y = einsum("B c l s h, B c s h p -> B c l h p", M, u)
        whole = narrow(sums, -1, self.Q - 1, 1)
        left = view("B h c l -> B c l h ()", apply("exp", whole - sums))
        ends = einsum("B c l h n, B c l h p -> B c h p n", Bx * left, u)
        decay, states, before = self.passed(view("B h c one -> B h (c one)", whole), ends)
        read = einsum("B c l h n, B c h p n -> B c l h p", C, before)
        y = y + read * view("B h c l -> B c l h ()", apply("exp", sums))
        s = narrow(view("B c l h p -> B (c l) h p", y), 1, 0, T)
        return {
            "u": u, "Bz": Bx, "Cz": C, "a": sums, "within": within, "M": M, "left": left,
            "ends": ends, "states": states, "decay": decay, "before": before, "s": s,
        }  # fmt: skip

    def passed(self, whole: Tensor, ends: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return what is left of ends at later chunks, all ends, and what chunks begin with."""
        B, c = ends.shape[0], ends.shape[1]
        empty = table("h0", lambda *i: Integer(0), B, ONE, self.h, self.d_h, self.d_s)
        states = join([empty, ends], axis=1)
        a = pad(whole, -1, 1, c + 1)
        sums = summed(a)
        decay = apply("exp", between(sums, sums) + past(c + 1))
        decay = view("B h c z -> B z c h", decay)
        begins = einsum(BETWEEN, narrow(decay, 2, 0, c), states)
        last = LastState()(narrow(decay, 2, c, 1), states, name="last_state")
        return decay, states, narrow(join([begins, last], axis=1), 1, 0, c)


@dataclass(frozen=True)
class Mamba2Mixer(Component):
    """What stands in place of attention and network: widen, convolve, scan, gate, norm, return.

    One map gives the gates, the h·d_h channels, input and reading vectors of G groups, and the
    step of each head; all but gates and steps are convolved together. The gated result is
    normalized within each group, unless the norm comes ``first`` or there is ``none``. ``bias``:
    that of the first and the last map.
    Source: Dao, Gu (2024), section 7.1; transformers 5.23, ``Mamba2Mixer`` without kernels, and
    ``FalconH1Mixer`` for other places of the norm.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_s: Expr = sizes.d_s
    G: Expr = sizes.G
    K: Expr = sizes.K
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    bias: bool = False
    convolution_bias: bool = True
    cached: bool = False
    activation: Plain = "silu"
    norm: Annotated[Literal["last", "first", "none"], Seldom(but=("last", "none"))] = "last"

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixer of Mamba-2: a gated convolution and a scan in chunks"
    definitions: ClassVar[dict[Size, Expr]] = StateSpaceDual.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h: 2 * sizes.d / sizes.d_h, sizes.G: Integer(1),
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{DAO}, section 7.1", SLOW)

    def forward(self, x: Tensor) -> Steps:
        inner, groups = self.h * self.d_h, self.G * self.d_s
        mixed = inner + 2 * groups
        wide = Linear(self.d, inner + mixed + self.h, self.bias)(x, name="in")
        convolution = CausalConvolution(mixed, self.K, self.convolution_bias, self.cached)
        v = convolution(narrow(wide, -1, inner, mixed), name="convolution")
        u = act(self.activation, v)
        heads = view("B T (h p) -> B T h p", narrow(u, -1, 0, inner), h=self.h, p=self.d_h)
        dt = narrow(wide, -1, inner + mixed, self.h)
        Bx, C = (
            view("B T (g n) -> B T g n", narrow(u, -1, start, groups), g=self.G, n=self.d_s)
            for start in (inner, inner + groups)
        )
        chunks = StateSpaceDual(self.h, self.d_h, self.d_s, self.G, self.Q, self.n_c, self.cached)
        scanned = chunks(heads, dt, Bx, C, name="scan")
        merged = view("B T h p -> B T (h p)", scanned)
        made = self.gated(merged, act(self.activation, narrow(wide, -1, 0, inner)))
        y = Linear(inner, self.d, self.bias)(tuple(made.values())[-1], name="out")
        return steps(wide=wide, v=v, u=u, Bx=Bx, C=C, scanned=scanned, **made, y=y)

    def gated(self, x: Tensor, gate: Tensor) -> dict[str, Tensor]:
        """Return what is gated, and normalized before or after that, if at all: the last of it."""
        if self.norm == "first":
            normed = self.normalize(x)
            return {"normed": normed, "gated": normed * gate}
        gated = x * gate
        return {"gated": gated} if self.norm == "none" else {
            "gated": gated, "normed": self.normalize(gated),
        }  # fmt: skip

    def normalize(self, x: Tensor) -> Tensor:
        """Normalize each group by itself, and scale."""
        width = self.h * self.d_h
        groups = view("B T (g k) -> B T g k", x, g=self.G, k=width / self.G)
        normed = RMSNorm(width / self.G, affine=False)(groups, name="norm")
        return view("B T g k -> B T (g k)", normed) * param("g", width)
