"""Storage classes read off a run: what is stated of an array must be able to hold its numbers.

A mask holds zeros and ones in a byte each, an index whole numbers, a value and a statistic any
number. A statistic is one number for many: sums and maxima made it, and nothing else, since what
has an entry for each element has as many bits as the values have.
"""

from __future__ import annotations

import numpy as np

from symledger.checks.trial import Array
from symledger.ir.ops import Const, Map, Max, Sum
from symledger.ir.tensor import Tensor


def unfit(t: Tensor, array: Array) -> str:
    """Return why an array cannot be stored as its tensor states; nothing where it can."""
    match t.storage:
        case "mask" if not np.isin(array, (0, 1)).all():
            return f"{t} is kept as a mask, and holds other numbers than 0 and 1"
        case "index" if array.dtype.kind not in "iu":
            return f"{t} is kept as an index, and holds no whole numbers"
        case "statistic" if array.dtype.kind != "f" or not _reduced(t):
            return f"{t} is kept as a statistic, and is not one number for many"
        case "value" if array.dtype.kind != "f":
            return f"{t} is kept as a value, and holds no real numbers"
        case _:
            return ""


def _reduced(t: Tensor) -> bool:
    """Whether sums and maxima made it, and what is computed of these alone."""
    if isinstance(t.op, Map):
        return bool(t.args) and all(isinstance(x.op, Const) or _reduced(x) for x in t.args)
    return isinstance(t.op, Sum | Max)
