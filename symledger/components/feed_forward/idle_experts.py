"""A mixture some of whose experts compute nothing: they return what they are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.feed_forward.experts import SHAZEER, Experts, Router
from symledger.components.feed_forward.nonlinearities import Activation, Seldom
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import gather, indices, narrow, param, scatter, view

MEITUAN = "Meituan LongCat Team, LongCat-Flash (2025)"


@dataclass(frozen=True)
class MixtureWithIdleExperts(Component):
    """A router sends each token to k of E_all experts: E networks, and others that give it back.

    How many networks a token meets depends on what it is. Counted is what they come to where all
    experts are chosen alike: each is given T_e = k·B·T/E_all rows, so that a token is sent to
    k·E/E_all networks on average, and uses as much of their weights. What an expert gives back is
    weighted and added as any other result. With ``spare``, as in the implementation, those that
    compute nothing have the first maps of a network all the same, which nothing uses.
    Source: Meituan LongCat Team, *LongCat-Flash* (2025); transformers 5.23, ``LongcatFlashMoE``.
    """

    E: Expr = sizes.E
    E_all: Expr = sizes.E_all
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Activation = "silu"
    spare: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixture of experts, some of which return what they are given"
    references: ClassVar[tuple[str, ...]] = (SHAZEER, MEITUAN)

    def forward(self, x: Tensor) -> Steps:
        B, T, _ = x.shape
        rows = view("B T d -> (B T) d", x)
        each = self.k * B * T / self.E_all
        slots = indices("slots", B * T, self.E_all, each, average=True)
        given = gather(rows, slots)
        weights = Router(self.E_all, self.d)(rows, slots, name="router")
        widths = (self.E, self.k, self.d, self.d_ff)
        experts = Experts(*widths, self.activation, among=self.E_all)
        made = experts(self.first(given), name="experts") * self.first(weights)
        kept = self.last(given) * self.last(weights)
        computed = scatter(made, self.first(slots), rows.shape)
        together = computed + scatter(kept, self.last(slots), rows.shape)
        if self.spare:
            shape = (self.idle, self.d, 2 * self.d_ff)
            leave_idle(param("W_spare", *shape, used=(Integer(0), self.idle)))
        return steps(given=given, weights=weights, weighted=made, kept=kept,
                     y=view("(B T) d -> B T d", together, B=B))  # fmt: skip

    @property
    def idle(self) -> Expr:
        """How many experts compute nothing."""
        return self.E_all - self.E

    def first(self, x: Tensor) -> Tensor:
        """Return what belongs to experts that compute."""
        return narrow(x, 0, 0, self.E)

    def last(self, x: Tensor) -> Tensor:
        """Return what belongs to experts that compute nothing."""
        return narrow(x, 0, self.E, self.idle)
