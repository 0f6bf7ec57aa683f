"""Values of a graph as tensors of ours: one, or the two parts of complex numbers."""

from __future__ import annotations

from symledger.ir.ops import Input
from symledger.ir.tensor import Tensor
from symledger.traces.rules.table import Complex, Value


def entered(name: str, x: Value) -> Value:
    """Return what stands for a value inside of a body that it enters."""
    if isinstance(x, Complex):
        return Complex(*(
            Tensor(Input(f"{name}_{part}"), (), t.shape)
            for part, t in (("real", x.real), ("imaginary", x.imaginary))
        ))  # fmt: skip
    return Tensor(Input(name), (), x.shape, x.storage)


def tensors_of(x: Value) -> tuple[Tensor, ...]:
    """Return the tensors that a value is: one, or the two parts of complex numbers."""
    return (x.real, x.imaginary) if isinstance(x, Complex) else (x,)
