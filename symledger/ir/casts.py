"""Types that values are cast to where products are of fewer bits."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.ir.ops import Storage

TILE = 128
"""Elements of one row that share a scale."""
AFTER_ATTENTION = "O"
"""The map of what attention gives, whose operand has more bits than others have."""
CASTS: Mapping[str, Mapping[str, Storage]] = {"fp8": {"": "fp8", AFTER_ATTENTION: "e5m6"}}
"""Of each type of products, the storage class of what is multiplied, by the name of its map."""
