"""The real-gated linear recurrent unit (RG-LRU): channels that decay as fast as the token says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Piecewise

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.maps.linear import Linear
from symledger.components.state_spaces.selective import CausalConvolution
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    param,
    remembered,
    scan,
    table,
    view,
)
from symledger.sizes import Size

DE = "De et al., Griffin (2024)"
SLOW = "transformers 5.23, RecurrentGemmaRecurrentBlock"


@dataclass(frozen=True)
class Decay(Component):
    """One step: every channel decays by itself, and takes its input."""

    d_i: Expr = sizes.d_i

    signature: ClassVar[str] = "B d_i, B d_i, B d_i -> B d_i, B d_i"

    def forward(self, h: Tensor, decay: Tensor, u: Tensor) -> Steps:
        new = decay * h + u
        return steps(h=new, y=new)


@dataclass(frozen=True)
class RealGatedRecurrence(Component):
    """A linear recurrence of d_i channels, whose decay and input are gated by the token.

    h_t = a_t h_{t−1} + √(1 − a_t²) i_t x_t with a_t = e^{−8 r_t softplus(Λ)}: both gates, of the
    input i_t and of the recurrence r_t, are sigmoids of maps in h blocks of channels, each by
    itself. The first token's input is taken as it is. Decoding remembers the state; with ``cached``
    it comes from before.
    Source: De et al., *Griffin* (2024); transformers 5.23, ``RecurrentGemmaRglru``.
    """

    d_i: Expr = sizes.d_i
    h: Expr = sizes.h
    cached: bool = False

    signature: ClassVar[str] = "B T d_i -> B T d_i"
    title: ClassVar[str] = "linear recurrence of channels, with gates for input and decay"
    references: ClassVar[tuple[str, ...]] = (DE, "transformers 5.23, RecurrentGemmaRglru")

    def forward(self, x: Tensor) -> Steps:
        taken, kept = (apply("sigmoid", self.mapped(x, name)) for name in ("input", "decay"))
        rate = apply("softplus", param("L", self.d_i))
        log = kept * Integer(-8) * rate
        decay = apply("exp", log)
        share = apply("sqrt", apply("exp", log * Integer(2)) * Integer(-1) + 1)
        share = share if self.cached else self.whole_at_first(share)
        u = x * taken * share
        shape = (x.shape[0], self.d_i)
        empty = table("h0", lambda b, i: Integer(0), *shape)
        start = remembered("past_h", *shape) if self.cached else empty
        _, y = scan(Decay(self.d_i), x.shape[1], (start,), name="step", axis=1,
                    over=(decay, u), shared=True, kept=True)  # fmt: skip
        return steps(taken=taken, kept=kept, decay=decay, share=share, u=u, y=y)

    def mapped(self, x: Tensor, name: str) -> Tensor:
        """Map each block of channels by itself."""
        w = self.d_i / self.h
        blocks = view("B T (h k) -> B T h k", x, h=self.h, k=w)
        y = einsum("B T h k, h k j -> B T h j", blocks, param(f"W_{name}", self.h, w, w))
        return view("B T h j -> B T (h j)", y + param(f"b_{name}", self.h, w))

    def whole_at_first(self, share: Tensor) -> Tensor:
        """Take the first token's input as it is."""
        T = share.shape[1]
        zero, one = Integer(0), Integer(1)
        first = table("first", lambda t, i: Piecewise((one, t < 1), (zero, True)), T, ONE)
        later = table("later", lambda t, i: Piecewise((zero, t < 1), (one, True)), T, ONE)
        y: Tensor = share * later + first
        return y


@dataclass(frozen=True)
class RealGatedMixer(Component):
    """What stands in place of attention: convolve and remember beside a gate, multiply, return.

    All maps have biases, and so has the convolution.
    Source: De et al., *Griffin* (2024); transformers 5.23, ``RecurrentGemmaRecurrentBlock``.
    """

    d: Expr = sizes.d
    d_i: Expr = sizes.d_i
    h: Expr = sizes.h
    K: Expr = sizes.K
    cached: bool = False
    activation: Plain = "gelu_tanh"

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixer of Griffin: a convolution and a gated recurrence beside a gate"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_i: sizes.d}
    references: ClassVar[tuple[str, ...]] = (DE, SLOW)

    def forward(self, x: Tensor) -> Steps:
        gate = act(self.activation, Linear(self.d, self.d_i)(x, name="gate"))
        convolution = CausalConvolution(self.d_i, self.K, cached=self.cached, summed=True)
        u = convolution(Linear(self.d, self.d_i)(x, name="in"), name="convolution")
        read = RealGatedRecurrence(self.d_i, self.h, self.cached)(u, name="recurrence")
        gated = read * gate
        return steps(u=u, read=read, gated=gated,
                     y=Linear(self.d_i, self.d)(gated, name="out"))  # fmt: skip
