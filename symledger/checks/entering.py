"""What enters a program from outside: an implementation has to be given the same."""

from __future__ import annotations

from typing import Any

from symledger.ir.ops import Input
from symledger.ir.tensor import Program


def entering(program: Program) -> tuple[Any, ...]:
    """Return what comes from outside: the inputs, then whole numbers that a body is given."""
    given = (t for body in program.bodies for t in body.tensors
             if isinstance(t.op, Input) and t.op.below is not None)  # fmt: skip
    return tuple(dict.fromkeys((*program.inputs, *given)))
