"""ALBERT: BERT with narrow tables, and layers that share their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.bert.model import SegmentedEncoder
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat
from symledger.sizes import Size

LAN = "Lan et al., ALBERT (2020), section 3"


@dataclass(frozen=True)
class Narrow(SegmentedEncoder):
    """BERT whose tables may be narrower than its blocks: an affine map leads from them to those.

    Source: Lan et al., *ALBERT* (2020), section 3.1.
    """

    d_e: Expr = sizes.d_e

    @property
    def d_table(self) -> Expr:
        """The width of the tables at the entrance."""
        return self.d_e

    def widen(self, x: Tensor) -> Tensor:
        """Map what the tables gave to the width of the blocks."""
        return Linear(self.d_e, self.d)(x, name="projection")


@dataclass(frozen=True)
class Group(Component):
    """Layers in a row, each with weights of its own, that are used again and again."""

    layer: Component
    L_in: Expr = sizes.L_in

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "layers in a row"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=repeat(self.layer, self.L_in, x, name="layer"))


@dataclass(frozen=True)
class Groups(Component):
    """A group of layers that is used several times with the same weights, on average."""

    group: Component
    times: Expr
    recompute: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "a group of layers, used several times"

    def forward(self, x: Tensor) -> Steps:
        y = repeat(
            self.group, self.times, x, name="group", shared=True, recompute=self.recompute,
            average=True,
        )  # fmt: skip
        return steps(y=y)


@dataclass(frozen=True)
class Albert(Narrow):
    """BERT with tables of their own width, and L_g groups of layers, used L times in all.

    In everything published there is one group of one layer. Where groups do not divide the layers,
    some are used once more than others, and each L/L_g times on average. Besides unmasking tokens
    it was trained to tell which of two segments came first.
    Source: Lan et al., *ALBERT* (2020), section 3.
    """

    L_g: Expr = sizes.L_g
    L_in: Expr = sizes.L_in

    title: ClassVar[str] = "BERT with narrow tables and shared layers"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **SegmentedEncoder.assumptions, sizes.L_g: Integer(1), sizes.L_in: Integer(1),
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (LAN,)

    @property
    def relations(self) -> Expr:
        """How many ways there are for one segment to stand to another."""
        return self.Y

    def through(self, x: Tensor) -> Tensor:
        """Let every token see all others, L times, with the weights of L_g groups."""
        group = Group(self.block(), self.L_in)
        groups = Groups(group, self.L / self.L_g, self.recompute)
        return repeat(groups, self.L_g, self.widen(x), name="groups")

