"""SmolLM3: LLaMA's blocks, of which every fourth is told no positions, and may have a window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.blocks import Block
from symledger.errors import DefinitionError
from symledger.models.llama.model import Llama
from symledger.models.shared.decoder import Layers
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Component


@dataclass(frozen=True)
class SmolLM3(Llama, WindowedDecoder):
    """The decoder-only transformer of SmolLM3: L_n of its L layers do not turn queries and keys.

    Where ``some`` of its ``windows`` are there, it is those layers that look back at one.
    Source: Hugging Face, *SmolLM3* (2025); Yang et al., *Rope to Nope and Back Again* (2025).
    """

    L_n: Expr = sizes.L_n
    tied: bool = True
    without_positions: Literal["none", "some", "all"] = "some"
    windows: Windows = "none"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, some layers NoPE"
    references: ClassVar[tuple[str, ...]] = (
        "Hugging Face, SmolLM3 (2025), architecture",
        "Yang et al., Rope to Nope and Back Again (2025)",
    )

    def layers(self) -> Layers:
        turned: Component = self.block()
        unturned: Component = self.unturned_block()
        if self.windows == "all":
            turned = self.windowed(turned)
        if self.windows != "none":
            unturned = self.windowed(unturned)
        if self.without_positions == "some":
            return {"unturned_block": (unturned, self.L_n), "block": (turned, self.L - self.L_n)}
        if self.windows == "some":
            raise DefinitionError(
                "windows = some is those layers that are told no positions: with "
                f"without_positions = {self.without_positions}, choose windows = none or all."
            )
        return {"block": (turned if self.without_positions == "none" else unturned, self.L)}

    def unturned_block(self) -> Block:
        """Return the block whose queries and keys are not turned."""
        return replace(self.block(), attention=replace(self.attention(), rotary=False))
