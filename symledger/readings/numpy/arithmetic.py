"""How elementary operations are done: on floats, or on any kind of number that counts them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symledger.readings.numpy.products import contracted

Array = NDArray[Any]

FUNCTIONS: dict[str, Callable[..., Array]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "neg": np.negative,
    "power": np.power, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "exp": np.exp,
    "log": np.log, "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "floor": np.floor,
    "mod": np.mod, "erf": np.vectorize(math.erf, otypes=[float]),
    "<": lambda a, b: np.real(a) < np.real(b), "<=": lambda a, b: np.real(a) <= np.real(b),
    ">": lambda a, b: np.real(a) > np.real(b), ">=": lambda a, b: np.real(a) >= np.real(b),
    "select": np.where, "copy": np.array,
}  # fmt: skip


@dataclass(frozen=True)
class Arithmetic:
    """How elementary operations are done, and on which kind of numbers arrays are made."""

    functions: Mapping[str, Callable[..., Array]] = field(default_factory=lambda: FUNCTIONS)
    lift: Callable[[Array], Array] = np.asarray
    contract: Callable[[str, Array, Array], Array] = contracted
    skip_masked: bool = False


FLOATS = Arithmetic()
