"""EfficientNet: MobileNetV2's blocks with scaled channels, wider and deeper by coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.models.mobilenet.model import InvertedStages
from symledger.models.shared.stages import halves
from symledger.sizes import C_i, Size


@dataclass(frozen=True)
class EfficientNet(InvertedStages):
    """An image classifier of inverted residual blocks whose channels are scaled before narrowing.

    B0 to B7 are wider, deeper and see larger images, each rounded as its authors did. Each of the
    five times that an image is halved, an odd one is rounded ``up``, or down.
    Source: Tan, Le, *EfficientNet* (2019), table 1 and section 3.3.
    """

    activation: Plain = "silu"
    up_1: Annotated[bool, Seldom(decides=True)] = True
    up_2: Annotated[bool, Seldom(decides=True)] = True
    up_3: Annotated[bool, Seldom(decides=True)] = True
    up_4: Annotated[bool, Seldom(decides=True)] = True
    up_5: Annotated[bool, Seldom(decides=True)] = True

    title: ClassVar[str] = "image classifier of inverted residual blocks with scaled channels"
    assumptions: ClassVar[dict[Size, Expr]] = {**halves(5), C_i[7]: 4 * C_i[6]}
    references: ClassVar[tuple[str, ...]] = (
        "Tan, Le, EfficientNet: Rethinking Model Scaling (2019), table 1 and section 3.3",
    )
    kernels: ClassVar[tuple[int, ...]] = (3, 3, 5, 3, 5, 5, 3)
    squeezed: ClassVar[bool] = True

    @property
    def up(self) -> tuple[bool, ...]:
        """Whether an odd image is rounded up, each time that it is halved."""
        return (self.up_1, self.up_2, self.up_3, self.up_4, self.up_5)
