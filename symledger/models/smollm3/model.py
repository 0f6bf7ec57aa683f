"""SmolLM3: LLaMA's blocks, of which every fourth is told no positions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.blocks import Block
from symledger.models.llama.model import Llama
from symledger.models.shared.decoder import Layers


@dataclass(frozen=True)
class SmolLM3(Llama):
    """The decoder-only transformer of SmolLM3: L_n of its L layers do not turn queries and keys.

    Source: Hugging Face, *SmolLM3* (2025); Yang et al., *Rope to Nope and Back Again* (2025).
    """

    L_n: Expr = sizes.L_n
    tied: bool = True
    without_positions: Literal["none", "some", "all"] = "some"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, some layers NoPE"
    references: ClassVar[tuple[str, ...]] = (
        "Hugging Face, SmolLM3 (2025), architecture",
        "Yang et al., Rope to Nope and Back Again (2025)",
    )

    def layers(self) -> Layers:
        turned, unturned = self.block(), self.unturned_block()
        if self.without_positions == "some":
            return {"unturned_block": (unturned, self.L_n), "block": (turned, self.L - self.L_n)}
        return {"block": (turned if self.without_positions == "none" else unturned, self.L)}

    def unturned_block(self) -> Block:
        """Return the block whose queries and keys are not turned."""
        return replace(self.block(), attention=replace(self.attention(), rotary=False))
