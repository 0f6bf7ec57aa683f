"""Selective state spaces (Mamba): a recurrence whose decay and input depend on the token.

What the reference implementation computes is followed, transformers without kernels: its
convolution is as long as the padded input, and what it gives beyond the last token is cut off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, Seldom, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    join,
    narrow,
    pad,
    param,
    remembered,
    scan,
    state,
    table,
    total,
    view,
)
from symledger.notation.windows import windows
from symledger.sizes import Size

GU = "Gu, Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023)"
SLOW = "transformers 5.23, MambaMixer without kernels"


WINDOWS = "B T K C, C K -> B T C"
"""A weighted sum over each window, every channel by itself."""


@dataclass(frozen=True)
class Discarded(Component):
    """What a convolution gives beyond what is asked for."""

    signature: ClassVar[str] = WINDOWS

    def forward(self, seen: Tensor, F: Tensor) -> Steps:
        return steps(y=einsum(WINDOWS, seen, F))


@dataclass(frozen=True)
class CausalConvolution(Component):
    """A convolution of every channel by itself, in which a token sees the K − 1 before it.

    As implementations pad on both sides, K − 1 results lie beyond the last token: they are
    computed, and ``discarded``. Decoding remembers the last K inputs; with ``cached`` they come
    first, and what they give alone is discarded. A sequence shorter than K is taken as it is:
    where transformers fills a cache, it makes it K long first, which is not counted here. Where
    decoding is ``summed``, it remembers K − 1 inputs, and adds products up.
    Source: Gu, Dao (2023), section 3.4, figure 3; transformers 5.23, ``causal_conv1d_fn``.
    """

    C: Expr = sizes.C
    K: Expr = sizes.K
    bias: bool = True
    cached: bool = False
    summed: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B T C -> B T C"
    title: ClassVar[str] = "convolution of channels by themselves, seeing nothing to come"
    references: ClassVar[tuple[str, ...]] = (f"{GU}, section 3.4", SLOW)

    def forward(self, x: Tensor) -> Steps:
        F = param("F", self.C, self.K)
        y = self.after_others(x, F) if self.cached else self.from_the_start(x, F)
        return steps(y=y + param("b", self.C) if self.bias else y)

    def from_the_start(self, x: Tensor, F: Tensor) -> Tensor:
        """See zeros before the first token, and after the last one."""
        T, more = x.shape[1], self.K - 1
        kept = more if self.summed else self.K
        known = state(pad(x, 1, kept, T + kept), kept)
        seen = windows(narrow(known, 1, kept, T), 1, T + more, self.K, padding=more)
        y = einsum(WINDOWS, narrow(seen, 1, 0, T), F)
        if more == 0:
            return y
        late = Discarded()(narrow(seen, 1, T, more), F, name="discarded")
        return narrow(join([y, late], axis=1), 1, 0, T)

    def after_others(self, x: Tensor, F: Tensor) -> Tensor:
        """See the remembered inputs first; what they give by themselves is known already."""
        if self.summed:
            return self.added_up(x, F)
        inputs = join([remembered("past", x.shape[0], self.K, self.C), x], axis=1)
        T = x.shape[1]
        seen = windows(state(inputs, self.K), 1, T + 1, self.K)
        early = Discarded()(narrow(seen, 1, 0, 1), F, name="discarded")
        y = einsum(WINDOWS, narrow(seen, 1, 1, T), F)
        return narrow(join([early, y], axis=1), 1, 1, T)


    def added_up(self, x: Tensor, F: Tensor) -> Tensor:
        """See the remembered inputs first, and add the products of each window up."""
        B, T, C = x.shape
        before = self.K - 1
        inputs = state(join([remembered("past", B, before, C), x], axis=1), before)
        products = windows(inputs, 1, T, self.K) * view("C K -> K C", F)
        return view("B T one C -> B T (one C)", total(products, (2,)))


@dataclass(frozen=True)
class Recurrence(Component):
    """One step: the state decays, takes the input, and is read by a vector of the token."""

    d_i: Expr = sizes.d_i
    d_s: Expr = sizes.d_s

    signature: ClassVar[str] = "B d_i d_s, B d_i d_s, B d_i d_s, B d_s -> B d_i d_s, B d_i"

    def forward(self, h: Tensor, decay: Tensor, u: Tensor, C: Tensor) -> Steps:
        new = decay * h + u
        return steps(h=new, y=einsum("B i n, B n -> B i", new, C))


@dataclass(frozen=True)
class SelectiveScan(Component):
    """A linear recurrence of d_s states in each of d_i channels, with the token's own parameters.

    h_t = exp(Δ_t A) h_{t−1} + Δ_t B_t x_t and y_t = C_t h_t + D x_t: the step Δ_t, the input
    vector B_t and the reading vector C_t are given for every token; A (by its logarithm) and D are
    learned. Step after step, so that all decays and inputs are there at once: [B, T, d_i, d_s].
    Decoding remembers the state; with ``cached`` it comes from before.
    Source: Gu, Dao (2023), section 3.2, algorithm 2; transformers 5.23, ``mamba_selective_scan``.
    """

    d_i: Expr = sizes.d_i
    d_s: Expr = sizes.d_s
    cached: bool = False

    signature: ClassVar[str] = "B T d_i, B T d_i, B T d_s, B T d_s -> B T d_i"
    title: ClassVar[str] = "linear recurrence whose decay and input depend on the token"
    references: ClassVar[tuple[str, ...]] = (f"{GU}, section 3.2 and algorithm 2", SLOW)

    def forward(self, x: Tensor, dt: Tensor, Bx: Tensor, C: Tensor) -> Steps:
        A = apply("exp", param("A_log", self.d_i, self.d_s)) * Integer(-1)
        step, row = view("B T i -> B T i ()", dt), view("B T n -> B T () n", Bx)
        decay = apply("exp", step * A)
        u = step * row * view("B T i -> B T i ()", x)
        shape = (x.shape[0], self.d_i, self.d_s)
        empty = table("h0", lambda b, i, n: Integer(0), *shape)
        start = remembered("past_h", *shape) if self.cached else empty
        _, y = scan(Recurrence(self.d_i, self.d_s), x.shape[1], (start,), name="step", axis=1,
                    over=(decay, u, C), shared=True, kept=True)  # fmt: skip
        return steps(decay=decay, u=u, y=y + x * param("D", self.d_i))


@dataclass(frozen=True)
class MambaMixer(Component):
    """What stands in place of attention and network: widen, convolve, scan, gate, return.

    x is mapped to d_i channels and to as many gates. From each convolved token come, through one
    map, the inner vector of the step sizes (of width d_r, widened by a map of their own), the
    input vector and the reading vector; ``normed``, each of the three is normalized first, and
    scaled where there are ``gains``.
    ``bias``: that of the first and the last map.
    Source: Gu, Dao (2023), section 3.4; transformers 5.23, ``MambaMixer`` without kernels; Zuo et
    al., *Falcon Mamba* (2024), section 2, and Lieber et al., *Jamba* (2024), for the
    norms.
    """

    d: Expr = sizes.d
    d_i: Expr = sizes.d_i
    d_s: Expr = sizes.d_s
    d_r: Expr = sizes.d_r
    K: Expr = sizes.K
    bias: bool = False
    convolution_bias: bool = True
    cached: bool = False
    normed: bool = False
    activation: Plain = "silu"
    gains: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixer of Mamba: a gated convolution and a selective scan"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_i: 2 * sizes.d, sizes.d_r: sizes.d / 16,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{GU}, section 3.4", SLOW)

    def forward(self, x: Tensor) -> Steps:
        both = Linear(self.d, 2 * self.d_i, self.bias)(x, name="in")
        convolution = CausalConvolution(self.d_i, self.K, self.convolution_bias, self.cached)
        inner = convolution(narrow(both, -1, 0, self.d_i), name="convolution")
        u = act(self.activation, inner)
        chosen = Linear(self.d_i, self.d_r + 2 * self.d_s, bias=False)(u, name="select")
        low, Bx, C = self.parts(chosen)
        dt = apply("softplus", Linear(self.d_r, self.d_i)(low, name="step"))
        y = SelectiveScan(self.d_i, self.d_s, self.cached)(u, dt, Bx, C, name="scan")
        gated = y * act(self.activation, narrow(both, -1, self.d_i, self.d_i))
        return steps(both=both, u=u, chosen=chosen, dt=dt, scanned=y, gated=gated,
                     y=Linear(self.d_i, self.d, self.bias)(gated, name="out"))  # fmt: skip

    def parts(self, chosen: Tensor) -> list[Tensor]:
        """Cut into what gives the steps, the input vector and the reading vector."""
        start, parts = Integer(0), []
        for name, width in (("step", self.d_r), ("B", self.d_s), ("C", self.d_s)):
            part = narrow(chosen, -1, start, width)
            norm = RMSNorm(width, affine=self.gains)
            parts.append(norm(part, name=f"norm_{name}") if self.normed else part)
            start = start + width
        return parts


@dataclass(frozen=True)
class MixerBlock(Component):
    """A block that has one part: it is normalized, mixed, and added."""

    mixer: Component
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d -> B T d"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=x + self.mixer(RMSNorm(self.d)(x, name="norm"), name="mixer"))
