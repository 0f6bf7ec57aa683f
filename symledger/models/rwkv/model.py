"""RWKV: averages of the past whose weights decay, channel by channel, in place of attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.blocks.blocks import Norm
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import LanguageModel
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    join,
    narrow,
    pad,
    param,
    remembered,
    scan,
    state,
    table,
)
from symledger.sizes import Size

PENG = "Peng et al., RWKV: Reinventing RNNs for the Transformer Era (2023)"
CLASS = "transformers 5.23, RwkvForCausalLM"


@dataclass(frozen=True)
class DecayingStep(Component):
    """One token: what was summed up and the token itself are averaged, then everything decays.

    Sums are kept divided by the exponential of the largest exponent so far, which is carried too.
    """

    d_i: Expr = sizes.d_i

    signature: ClassVar[str] = (
        "B d_i, B d_i, B d_i, B d_i, B d_i, d_i, d_i -> B d_i, B d_i, B d_i, B d_i"
    )

    def forward(
        self, above: Tensor, below: Tensor, top: Tensor, k: Tensor, v: Tensor, decay: Tensor,
        first: Tensor,
    ) -> Steps:  # fmt: skip
        a, b = self.added(above, below, top, k + first, v)[:2]
        above, below, top = self.added(above, below, top + decay, k, v)
        return steps(above=above, below=below, top=top, y=a / b)

    def added(
        self, above: Tensor, below: Tensor, top: Tensor, k: Tensor, v: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        """Add a token to both sums, which are divided by the exponential of the larger exponent."""
        highest = top + apply("relu", k - top)
        old, new = apply("exp", top - highest), apply("exp", k - highest)
        return old * above + new * v, old * below + new, highest


@dataclass(frozen=True)
class TokenShift(Component):
    """Vectors of the tokens before; decoding remembers the last one.

    Source: Peng et al., *RWKV* (2023).
    """

    d: Expr = sizes.d
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "the vector of the token before"

    def forward(self, x: Tensor) -> Steps:
        B, T, d = x.shape
        if self.cached:
            known = join([remembered("past", B, 1, d), x], axis=1)
        else:
            known = pad(x, 1, 1, T + 1)
        return steps(y=narrow(state(known, ONE), 1, 0, T))


@dataclass(frozen=True)
class TimeMixing(Component):
    """What stands in place of attention: a decaying average of the past, behind a gate.

    Source: Peng et al., *RWKV* (2023); transformers 5.23,
    ``RwkvSelfAttention`` without kernels.
    """

    d: Expr = sizes.d
    d_i: Expr = sizes.d_i
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "decaying average of the past, behind a gate"

    def forward(self, x: Tensor) -> Steps:
        before = TokenShift(self.d, self.cached)(x, name="shift")
        k, v, r = (Linear(self.d, self.d_i, bias=False)(mixed(x, before, name), name=name)
                   for name in ("K", "V", "gate"))  # fmt: skip
        decay = apply("exp", param("w", self.d_i)) * Integer(-1)
        shape = (x.shape[0], self.d_i)
        starts = tuple(
            remembered(f"past_{name}", *shape) if self.cached
            else table(name, lambda b, i, low=low: Integer(low), *shape)
            for name, low in (("above", 0), ("below", 0), ("top", LOWEST))
        )  # fmt: skip
        *_, y = scan(DecayingStep(self.d_i), x.shape[1], starts, decay, param("u", self.d_i),
                     name="step", axis=1, over=(k, v), shared=True, kept=True)  # fmt: skip
        gated = apply("sigmoid", r) * y
        return steps(k=k, v=v, averaged=y, y=Linear(self.d_i, self.d, bias=False)(gated, name="O"))


LOWEST = -(10**4)
"""The largest exponent before there is a token; any number as low would be counted the same."""


def mixed(x: Tensor, before: Tensor, name: str) -> Tensor:
    """Return a share of each token's vector, and of that before it what is left."""
    share = param(f"m_{name}", x.shape[-1])
    return x * share + before * (1 - share)


@dataclass(frozen=True)
class ChannelMixing(Component):
    """What stands in place of a network: squared ReLU between two maps, behind a gate.

    Source: Peng et al., *RWKV* (2023).
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "network that sees the token before, behind a gate"

    def forward(self, x: Tensor) -> Steps:
        before = TokenShift(self.d, self.cached)(x, name="shift")
        wide = Linear(self.d, self.d_ff, bias=False)(mixed(x, before, "1"), name="1")
        gate = Linear(self.d, self.d, bias=False)(mixed(x, before, "gate"), name="gate")
        hidden = apply("square", apply("relu", wide))
        y = Linear(self.d_ff, self.d, bias=False)(hidden, name="2")
        return steps(hidden=hidden, y=apply("sigmoid", gate) * y)


@dataclass(frozen=True)
class RwkvBlock(Component):
    """Both mixings beside a residual path, each behind a norm.

    Source: Peng et al., *RWKV* (2023).
    """

    d: Expr = sizes.d
    d_i: Expr = sizes.d_i
    d_ff: Expr = sizes.d_ff
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "block of decaying averages and a gated network"

    def forward(self, x: Tensor) -> Steps:
        attended = TimeMixing(self.d, self.d_i, self.cached)
        middle = x + attended(LayerNorm(self.d)(x, name="norm_1"), name="mixer")
        network = ChannelMixing(self.d, self.d_ff, self.cached)
        fed = network(LayerNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class Rwkv(LanguageModel):
    """The recurrent language model RWKV-4: no attention, and a state that does not grow.

    What was embedded is normalized first. Counted as the reference implementation computes it where
    it has no kernels: token after token.
    Source: Peng et al., *RWKV* (2023).
    """

    S: Expr = ONE
    Y: Expr = ONE
    d_i: Expr = sizes.d_i
    d_ff: Expr = sizes.d_ff
    tied: bool = False
    head: Literal["lm", "bare"] = "lm"

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "recurrent language model of decaying averages"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_i: sizes.d, sizes.d_ff: 4 * sizes.d}
    references: ClassVar[tuple[str, ...]] = (PENG, CLASS)

    def place(self, x: Tensor) -> Tensor:
        return LayerNorm(self.d)(x, name="first_norm")

    def block(self) -> Component:
        return RwkvBlock(self.d, self.d_i, self.d_ff, self.cached)
