"""The bytes that an optimizer keeps for a weight, by its shape and by what is done with it."""

from __future__ import annotations

from sympy import Expr, Integer

from symledger.ir.ops import Gather
from symledger.ir.tensor import Program, Tensor
from symledger.ledger.conventions import Conventions
from symledger.readings.params import Price


def price(conventions: Conventions) -> Price:
    """Return what an optimizer keeps for a weight, in bytes."""
    kept, bytes_of = conventions.kept, conventions.value_bytes

    def each(program: Program, weight: Tensor) -> Expr:
        elements = weight.size * kept.state_bytes(bytes_of)
        scalars = kept.scalars
        if kept.form == "factored":
            elements += _factors(weight) * (4 if kept.factors_wide else bytes_of)
        elif kept.form == "matrices" and not is_hidden_matrix(program, weight):
            elements, scalars = weight.size * 2 * bytes_of, 1
        return elements + Integer(4 * scalars if conventions.counters else 0)

    return each


def _factors(weight: Tensor) -> Expr:
    """Return how many means there are: of rows and of columns, or one an element."""
    if len(weight.shape) < 2:
        return weight.size
    *_, rows, columns = weight.shape
    return weight.size / columns + weight.size / rows


def is_hidden_matrix(program: Program, weight: Tensor) -> bool:
    """Whether a weight is a matrix, and no table that rows are picked from."""
    picked = (t.args[0] for t in program.of(Gather))
    return len(weight.shape) == 2 and weight not in picked
