"""Rows of tables, picked by whole numbers."""

from __future__ import annotations

from typing import Any

from symledger.ir.tensor import Tensor
from symledger.notation.verbs import gather
from symledger.traces.rules.table import At, Made, rule


@rule("aten.embedding")
def embedding(at: At, weight: Tensor, indices: Tensor, **others: Any) -> Made:
    """Pick rows of a table."""
    return gather(weight, indices)
