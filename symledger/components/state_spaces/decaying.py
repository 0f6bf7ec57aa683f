"""Averages of the past whose weights decay, channel by channel (the recurrence of RWKV-4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.ir.building import leave_idle
from symledger.ir.functions import larger
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, param, remembered, scan, state, table

PENG = "Peng et al., RWKV: Reinventing RNNs for the Transformer Era (2023)"
SLOW = "transformers 5.23, rwkv_linear_attention_cpu"
SUMS = ("above", "below", "top")


@dataclass(frozen=True)
class AverageStep(Component):
    """One token: what was summed up and the token itself are averaged, then everything decays.

    Sums are kept divided by the exponential of the largest exponent so far, which is carried too.
    """

    d_i: Expr = sizes.d_i

    signature: ClassVar[str] = (
        "B d_i, B d_i, B d_i, B d_i, B d_i, d_i, d_i -> B d_i, B d_i, B d_i, B d_i"
    )

    def forward(
        self, above: Tensor, below: Tensor, top: Tensor, k: Tensor, v: Tensor, decay: Tensor,
        bonus: Tensor,
    ) -> Steps:  # fmt: skip
        over, under, _ = added(above, below, top, k + bonus, v)
        above, below, top = added(above, below, top + decay, k, v)
        return steps(above=above, below=below, top=top, y=over / under)


def added(
    above: Tensor, below: Tensor, top: Tensor, k: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Add a token to both sums, which are divided by the exponential of the larger exponent."""
    highest = pointwise(larger(), top, k)
    old, new = apply("exp", top - highest), apply("exp", k - highest)
    return old * above + new * v, old * below + new, highest


@dataclass(frozen=True)
class DecayingAverage(Component):
    """Each channel's mean of all values so far, weighted by e^k and less from token to token.

    The mean is Σ e^{k_s − (t−s−1)e^w} v_s + e^{k_t + u} v_t over the same sum without values, where
    w says how fast a channel forgets, and u is a bonus of the token itself. Token after token, as
    the reference implementation computes it without kernels: both sums are carried, divided by the
    exponential of the largest exponent, which is carried beside them. No result depends on what
    they are divided by, and yet automatic differentiation goes through it and keeps what it reads.
    After the last token nothing takes the sums: of a single one less would be kept than is said, so
    that there are two at least. Decoding remembers all three numbers of a channel; with ``cached``
    they come from before.
    Source: Peng et al., *RWKV* (2023), section 3.2; transformers 5.23,
    ``rwkv_linear_attention_cpu``.
    """

    d_i: Expr = sizes.d_i
    cached: bool = False

    signature: ClassVar[str] = "B T d_i, B T d_i -> B T d_i"
    title: ClassVar[str] = "mean of the past whose weights decay, channel by channel"
    references: ClassVar[tuple[str, ...]] = (PENG, SLOW)

    def forward(self, k: Tensor, v: Tensor) -> Steps:
        decay = apply("exp", param("w", self.d_i)) * Integer(-1)
        shape = (k.shape[0], self.d_i)
        starts = tuple(
            remembered(f"past_{name}", *shape) if self.cached
            else table(name, lambda b, i: Integer(0), *shape, within=((Integer(2), k.shape[1]),))
            for name in SUMS
        )  # fmt: skip
        *last, y = scan(
            AverageStep(self.d_i), k.shape[1], starts, decay, param("u", self.d_i), name="step",
            over=(k, v), axis=1, shared=True, ends=True,
        )  # fmt: skip
        for each in last:
            leave_idle(state(each))
        return steps(y=y)
