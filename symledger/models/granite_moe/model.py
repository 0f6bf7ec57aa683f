"""Granite 3 with experts: a mixture of experts in LLaMA's blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symledger.models.shared.sparse_llama import SparseLlama


@dataclass(frozen=True)
class GraniteMoe(SparseLlama):
    """The decoder-only transformer of Granite 3 with experts.

    Source: Granite Team, *Granite 3.0 Language Models* (2024), section 2; transformers,
    ``GraniteMoeForCausalLM``.
    """

    title: ClassVar[str] = "decoder-only transformer, mixture of experts"
    references: ClassVar[tuple[str, ...]] = (
        "Granite Team, Granite 3.0 Language Models (2024), section 2",
    )
