"""Types that values are cast to where products are of fewer bits."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.ir.ops import Storage

TILE = 128
"""Elements of one row that share a scale."""
USUAL, ATTENDED = "usual", "attended"
"""What maps are given: anything, or what attention gives, which has more bits."""
CASTS: Mapping[str, Mapping[str, Storage]] = {"fp8": {USUAL: "fp8", ATTENDED: "e5m6"}}
"""Of each type of products, the storage class of what is multiplied, by what that is."""
HALVES = ("bf16", "fp16")
"""Types of 16 bits in which products are computed while weights, and other values, are in fp32."""
FLOATS: tuple[Storage, ...] = ("value", "half")
"""The storage classes of values, the wider one first."""
