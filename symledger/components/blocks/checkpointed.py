"""A checkpointed block: of a transformer block only what enters it is kept."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from symledger.components.blocks.blocks import Block, PreLNBlock
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps


@dataclass(frozen=True)
class CheckpointedBlock(Block):
    """A pre-LN block whose forward pass is run again before its backward pass.

    All of it is run again, its last matrix product included. PyTorch stops as soon as it has what
    it needs, before that product, unless ``set_checkpoint_early_stop(False)`` says otherwise.
    Source: Chen et al. (2016), section 4; Korthikanti et al. (2022), section 5.
    """

    title: ClassVar[str] = "pre-norm transformer block, recomputed in the backward pass"
    references: ClassVar[tuple[str, ...]] = (
        "Chen et al., Training Deep Nets with Sublinear Memory Cost (2016), section 4",
        "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models "
        "(2022), section 5",
    )

    def forward(self, x: Tensor) -> Steps:
        block = PreLNBlock(**{f.name: getattr(self, f.name) for f in fields(self)})
        return steps(y=block(x, name="block", recompute=True))
