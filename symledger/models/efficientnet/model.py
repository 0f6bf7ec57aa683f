"""EfficientNet: MobileNetV2's blocks with scaled channels, wider and deeper by coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger.components.feed_forward.nonlinearities import Plain
from symledger.models.mobilenet.model import MobileNetV2
from symledger.models.shared.stages import halves
from symledger.sizes import C_i, Size


@dataclass(frozen=True)
class EfficientNet(MobileNetV2):
    """An image classifier of inverted residual blocks whose channels are scaled before narrowing.

    B0 to B7 are wider, deeper and see larger images, each rounded as its authors did.
    Source: Tan, Le, *EfficientNet* (2019), table 1 and section 3.3.
    """

    activation: Plain = "silu"

    title: ClassVar[str] = "image classifier of inverted residual blocks with scaled channels"
    assumptions: ClassVar[dict[Size, Expr]] = {**halves(5), C_i[7]: 4 * C_i[6]}
    references: ClassVar[tuple[str, ...]] = (
        "Tan, Le, EfficientNet: Rethinking Model Scaling (2019), table 1 and section 3.3",
    )
    kernels: ClassVar[tuple[int, ...]] = (3, 3, 5, 3, 5, 5, 3)
    squeezed: ClassVar[bool] = True
