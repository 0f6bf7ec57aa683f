"""Complex numbers, which are two tensors: their parts."""

from __future__ import annotations

from typing import Any

from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import apply, join, narrow, view
from symledger.traces.rules.table import COMPLEX, At, Complex, Made, Value, number, rule
from symledger.traces.rules.views import reshaped


def complex_of(x: Tensor) -> Complex:
    """Read the last axis, of length 2, as real and imaginary part."""
    return Complex(*(view("... () -> ...", narrow(x, -1, i, 1)) for i in range(2)))


@rule("aten.view_as_complex")
def view_as_complex(at: At, self: Tensor) -> Made:
    """Read the last axis, of length 2, as real and imaginary part."""
    return complex_of(self)


@rule("aten.view_as_real", into=COMPLEX)
def view_as_real(at: At, self: Complex) -> Made:
    """Write both parts side by side along a new last axis."""
    apart = (*self.shape, ONE)
    return join([reshaped(at, x, apart) for x in (self.real, self.imaginary)])


@rule("aten.complex")
def complex_(at: At, real: Tensor, imag: Tensor) -> Made:
    """Put two parts together."""
    return Complex(real, imag)


@rule("aten.polar")
def polar(at: At, abs: Tensor, angle: Tensor) -> Made:  # noqa: A002  # PyTorch's names
    """Numbers of a length and an angle."""
    return Complex(abs * apply("cos", angle), abs * apply("sin", angle))


@rule("aten.real", into=COMPLEX)
def real(at: At, self: Complex) -> Made:
    """The real part."""
    return self.real


@rule("aten.imag", into=COMPLEX)
def imag(at: At, self: Complex) -> Made:
    """The imaginary part."""
    return self.imaginary


@rule("aten._conj", "aten.conj_physical", into=COMPLEX)
def conj(at: At, self: Complex) -> Made:
    """Turn the sign of the imaginary part."""
    return Complex(self.real, -self.imaginary)


@rule("aten.abs", into=COMPLEX)
def length(at: At, self: Complex) -> Made:
    """How far from zero it is."""
    return apply("sqrt", self.real * self.real + self.imaginary * self.imaginary)


@rule("aten.add", "aten.sub", into=COMPLEX)
def added(at: At, self: Value, other: Value, alpha: Any = 1) -> Made:
    """Add, or subtract, part by part."""
    if not isinstance(self, Complex) or not isinstance(other, Complex) or number(alpha) != ONE:
        raise at.refused("sums of complex numbers and others are not understood.")
    if at.operation == "aten.sub":
        return Complex(self.real - other.real, self.imaginary - other.imaginary)
    return Complex(self.real + other.real, self.imaginary + other.imaginary)


@rule("aten.mul", into=COMPLEX)
def multiplied(at: At, self: Any, other: Any) -> Made:
    """Multiply: two products for each part."""
    if not isinstance(self, Complex):
        self, other = other, self
    if not isinstance(other, Complex):
        by = other if isinstance(other, Tensor) else number(other)
        return Complex(self.real * by, self.imaginary * by)
    a, b, c, d = self.real, self.imaginary, other.real, other.imaginary
    return Complex(a * c - b * d, a * d + b * c)
