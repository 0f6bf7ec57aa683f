"""What detectors of objects share: a class and a box for each vector that looks for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply

CARION = "Carion et al., End-to-End Object Detection with Transformers (2020)"
BOX = Integer(4)
"""The middle of a box, its width and its height."""


@dataclass(frozen=True)
class Guess(Component):
    """Three affine maps, two of them rectified.

    Source: Carion et al. (2020), section 3.2.
    """

    d: Expr = sizes.d
    d_out: Expr = sizes.d_out

    signature: ClassVar[str] = "... d -> ... d_out"
    title: ClassVar[str] = "three affine maps"

    def forward(self, x: Tensor) -> Steps:
        for i in (1, 2):
            x = apply("relu", Linear(self.d, self.d)(x, name=str(i)))
        return steps(y=Linear(self.d, self.d_out)(x, name="3"))


@dataclass(frozen=True)
class Boxes(Component):
    """Scores of Y classes and of none, and the four numbers of a box, by three maps.

    Where it is ``deep``, scores are made by three maps too.
    Source: Carion et al. (2020), section 3.2, prediction feed-forward networks.
    """

    d: Expr = sizes.d
    Y: Expr = sizes.Y
    deep: bool = False

    signature: ClassVar[str] = "... d -> ... classes, ... box"
    title: ClassVar[str] = "a class and a box for each vector"
    references: ClassVar[tuple[str, ...]] = (f"{CARION}, section 3.2",)

    @property
    def classes(self) -> Expr:
        """What an object may be: one of the classes, or nothing."""
        return self.Y + 1

    @property
    def box(self) -> Expr:
        """The numbers of a box."""
        return BOX

    def forward(self, x: Tensor) -> Steps:
        kind = Guess if self.deep else Linear
        logits = kind(self.d, self.classes)(x, name="classes")
        return steps(logits=logits, boxes=apply("sigmoid", Guess(self.d, BOX)(x, name="box")))
