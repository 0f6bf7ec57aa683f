"""RWKV: averages of the past whose weights decay, channel by channel, in place of attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.blocks import Norm
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.components.state_spaces.decaying import PENG, DecayingAverage
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import LanguageModel
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, copied, join, narrow, pad, param, remembered, state
from symledger.sizes import Size

CLASS = "transformers 5.23, RwkvForCausalLM"


@dataclass(frozen=True)
class TokenShift(Component):
    """The vectors of the tokens before; decoding remembers the last one.

    Source: Peng et al., *RWKV* (2023); transformers 5.23, ``RwkvSelfAttention``.
    """

    d: Expr = sizes.d
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "the vector of the token before"

    def forward(self, x: Tensor) -> Steps:
        B, T, d = x.shape
        before = [remembered("past", B, ONE, d), x] if self.cached else None
        known = join(before, axis=1) if before else pad(x, 1, 1, T + 1)
        return steps(y=copied(narrow(state(known, ONE), 1, 0, T)))


def mixed(x: Tensor, before: Tensor, letter: str) -> Tensor:
    """Return a share of each token's vector, and of that before it what is left."""
    share = param(f"m_{letter}", x.shape[-1])
    return x * share + before * (1 - share)


@dataclass(frozen=True)
class TimeMixing(Component):
    """What stands in place of attention: a decaying average of the past, behind a gate.

    Source: Peng et al., *RWKV* (2023); transformers 5.23, ``RwkvSelfAttention`` without kernels.
    """

    d: Expr = sizes.d
    d_i: Expr = sizes.d_i
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "decaying average of the past, behind a gate"

    def forward(self, x: Tensor) -> Steps:
        before = TokenShift(self.d, self.cached)(x, name="shift")
        k, v, r = (Linear(self.d, self.d_i, bias=False)(mixed(x, before, letter), name=name)
                   for letter, name in (("K", "K"), ("V", "V"), ("R", "gate")))  # fmt: skip
        y = DecayingAverage(self.d_i, self.cached)(k, v, name="average")
        gated = apply("sigmoid", r) * y
        return steps(before=before, k=k, v=v, averaged=y, gated=gated,
                     y=Linear(self.d_i, self.d, bias=False)(gated, name="O"))  # fmt: skip


@dataclass(frozen=True)
class ChannelMixing(Component):
    """What stands in place of a network: a squared ReLU between two maps, behind a gate.

    Source: Peng et al., *RWKV* (2023); transformers 5.23, ``RwkvFeedForward``.
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "network that sees the token before, behind a gate"

    def forward(self, x: Tensor) -> Steps:
        before = TokenShift(self.d, self.cached)(x, name="shift")
        wide = Linear(self.d, self.d_ff, bias=False)(mixed(x, before, "K"), name="up")
        gate = Linear(self.d, self.d, bias=False)(mixed(x, before, "R"), name="gate")
        hidden = apply("square", apply("relu", wide))
        y = Linear(self.d_ff, self.d, bias=False)(hidden, name="down")
        return steps(before=before, hidden=hidden, y=apply("sigmoid", gate) * y)


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
        mixer = TimeMixing(self.d, self.d_i, self.cached)
        middle = x + mixer(LayerNorm(self.d)(x, name="norm_1"), name="mixer")
        network = ChannelMixing(self.d, self.d_ff, self.cached)
        fed = network(LayerNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class Rwkv(LanguageModel):
    """The recurrent language model RWKV-4: no attention, and a state that does not grow.

    What was embedded is normalized first. Counted as the reference implementation computes it where
    it has no kernels: token after token.
    How many tokens came before (S) is in no formula: what is remembered of them does not grow.
    Source: Peng et al., *RWKV* (2023); transformers 5.23, ``RwkvForCausalLM``.
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
