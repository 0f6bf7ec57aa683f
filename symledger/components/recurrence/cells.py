"""What recurrent networks do in one step: from the state before and the mapped input, a new state.

A cell gets u, the affine map of its input, and maps the state itself. Its gates are fused, as
implementations do: between the affine maps and the new state there is one operation, which keeps
the gates and states its own pull-back. What a cell gives out, y, is its (projected) new state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, join, narrow

Nonlinearity = Literal["tanh", "relu"]


def parts(x: Tensor, width: Expr, number: int) -> list[Tensor]:
    """Cut the last axis into so many parts of a width."""
    return [narrow(x, -1, i * width, width) for i in range(number)]


def through_sigmoid(dy: Tensor, y: Tensor) -> Tensor:
    """Send dy back through y = sigmoid(x): dx = dy (y − y²)."""
    return dy * (y - y * y)


def through_tanh(dy: Tensor, y: Tensor) -> Tensor:
    """Send dy back through y = tanh(x): dx = dy − dy y²."""
    return dy - dy * (y * y)


@dataclass(frozen=True)
class RNNCell(Component):
    """The new state is a nonlinearity of the mapped input and the mapped state, added up."""

    d_s: Expr = sizes.d_s
    nonlinearity: Nonlinearity = "tanh"
    bias: bool = True

    signature: ClassVar[str] = "B d_s, B d_s -> B d_s, B d_s"

    def forward(self, h: Tensor, u: Tensor) -> Steps:
        new = apply(self.nonlinearity, u + Linear(self.d_s, self.d_s, self.bias)(h, name="hh"))
        return steps(h=new, y=new)


@dataclass(frozen=True)
class GRUGates(Component):
    """Reset r, update z, candidate n: the new state lies between n (z = 0) and h (z = 1).

    u and v are the affine maps of input and state, each a part for r, for z and for n. Fused: it
    keeps r, z, n, the state, and v, of which it needs the last part.
    """

    d_s: Expr = sizes.d_s

    signature: ClassVar[str] = "B d_s, B gates, B gates -> B d_s"

    def forward(self, h: Tensor, u: Tensor, v: Tensor) -> Steps:
        (u_r, u_z, u_n), (v_r, v_z, v_n) = parts(u, self.d_s, 3), parts(v, self.d_s, 3)
        r = apply("sigmoid", u_r + v_r)
        z = apply("sigmoid", u_z + v_z)
        n = apply("tanh", u_n + r * v_n)
        return steps(r=r, z=z, n=n, y=n + z * (h - n))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dh = z dy, dn = (1 − z) dy, dz = (h − n) dy; then through each gate."""
        v_n = parts(at.v, self.d_s, 3)[2]
        dh = dy * at.z
        dn = through_tanh(dy - dh, at.n)
        dz = through_sigmoid(dy * (at.h - at.n), at.z)
        dr = through_sigmoid(dn * v_n, at.r)
        return {"h": dh, "u": join([dr, dz, dn]), "v": join([dr, dz, dn * at.r])}


@dataclass(frozen=True)
class GRUCell(Component):
    """A state that is updated by as much as a gate says; no cell state beside it."""

    d_s: Expr = sizes.d_s
    bias: bool = True

    signature: ClassVar[str] = "B d_s, B gates -> B d_s, B d_s"

    def forward(self, h: Tensor, u: Tensor) -> Steps:
        v = Linear(self.d_s, 3 * self.d_s, self.bias)(h, name="hh")
        new = GRUGates(self.d_s)(h, u, v, name="gates")
        return steps(h=new, y=new)


@dataclass(frozen=True)
class LSTMGates(Component):
    """Input i, forget f, candidate g, output o: c' = f c + i g, and what is shown is o tanh(c').

    Fused: it keeps the four gates and both cell states; tanh(c') is computed again.
    """

    d_s: Expr = sizes.d_s

    signature: ClassVar[str] = "B d_s, B gates -> B d_s, B d_s"

    def forward(self, c: Tensor, z: Tensor) -> Steps:
        z_i, z_f, z_g, z_o = parts(z, self.d_s, 4)
        i, f, o = (apply("sigmoid", part) for part in (z_i, z_f, z_o))
        g = apply("tanh", z_g)
        c_new = f * c + i * g
        return steps(i=i, f=f, g=g, o=o, c_new=c_new, h=o * apply("tanh", c_new))

    def pullback(self, at: Values, dc_new: Tensor, dh: Tensor) -> Mapping[str, Tensor]:
        """Send both back: with t = tanh(c'), dc' grows by what dh sends through o t."""
        t = apply("tanh", at.c_new)
        dc = dc_new + through_tanh(dh * at.o, t)
        dz = [
            through_sigmoid(dc * at.g, at.i), through_sigmoid(dc * at.c, at.f),
            through_tanh(dc * at.i, at.g), through_sigmoid(dh * t, at.o),
        ]  # fmt: skip
        return {"c": dc * at.f, "z": join(dz)}


@dataclass(frozen=True)
class LSTMCell(Component):
    """A cell state c that gates write and forget, and a state h that shows it, maybe projected."""

    d_s: Expr = sizes.d_s
    d_p: Expr = sizes.d_p
    bias: bool = True
    projected: bool = False

    signature: ClassVar[str] = "B width, B d_s, B gates -> B width, B d_s, B width"

    def forward(self, h: Tensor, c: Tensor, u: Tensor) -> Steps:
        z = u + Linear(h.shape[-1], 4 * self.d_s, self.bias)(h, name="hh")
        c_new, y = LSTMGates(self.d_s).apply(c, z, name="gates")
        if self.projected:
            y = Linear(self.d_s, self.d_p, bias=False)(y, name="hr")
        return steps(h=y, c=c_new, y=y)
