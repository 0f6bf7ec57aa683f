"""Table Transformer: DETR whose norms stand before what they feed, and behind the encoder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sympy import Mod

from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.detr.model import Detr
from symledger.models.shared.detection import CARION, FindingBlock, QueryBlock
from symledger.notation.leaves import table


class Early(FindingBlock):
    """A block whose norms stand before what they feed.

    Source: Smock et al. (2022), whose code sets ``pre_norm`` in that of Carion et al. (2020).
    """

    title: ClassVar[str] = "block told where its vectors stand, pre-LN"

    def added(self, x: Tensor, found: Callable[[Tensor], Tensor], number: int) -> Tensor:
        return x + found(LayerNorm(self.d)(x, name=f"norm_{number}"))


class EarlyQueryBlock(Early, QueryBlock):
    """The block of the decoder, whose norms stand before what they feed.

    Source: Smock et al. (2022), whose code sets ``pre_norm`` in that of Carion et al. (2020).
    """

    title: ClassVar[str] = "block of queries that find objects, pre-LN"


@dataclass(frozen=True)
class TableTransformer(Detr):
    """DETR that finds tables, or their rows, columns and cells, by blocks with norms in front.

    What the encoder has read is normalized once more.
    Source: Smock, Pesala, Abraham, *PubTables-1M: Towards comprehensive table extraction from
    unstructured documents* (2022), section 4.
    """

    reading: ClassVar[type[FindingBlock]] = Early
    looking: ClassVar[type[QueryBlock]] = EarlyQueryBlock
    title: ClassVar[str] = "residual network, and pre-LN blocks that find tables"
    references: ClassVar[tuple[str, ...]] = (
        "Smock et al., PubTables-1M (2022), section 4", f"{CARION}, section 3.2",
    )  # fmt: skip

    def remembered(self, source: Tensor, told: Tensor) -> Tensor:
        return LayerNorm(self.d)(super().remembered(source, told), name="encoder_norm")

    def nothing(self, memory: Tensor) -> Tensor:
        """Return what queries begin as: zeros, of which checks see nothing behind a norm.

        Which values they have changes no count: here they are zeros and ones in turn.
        """
        return table("nothing", lambda b, q, i: Mod(i, 2), memory.shape[0], self.n_q, self.d)
