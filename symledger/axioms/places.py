"""Axioms of what moves numbers: copies, views, slices, windows, rows of tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.axioms.axiom import Axiom
from symledger.ir.ops import Gather, Join, Overlap, Pad, Rearrange, Repeat, Scatter, Slice, Windows
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import expand, gather, join, narrow, pad, param, scatter, view
from symledger.notation.windows import overlap, positions, windows
from symledger.sizes import Size


@dataclass(frozen=True)
class Repeated(Axiom):
    """Copies of a row."""

    B: Expr = sizes.B

    ops: ClassVar[tuple[type[Any], ...]] = (Repeat,)
    about: ClassVar[tuple[str, ...]] = ("Repeat",)
    signature: ClassVar[str] = "d -> B d"
    title: ClassVar[str] = "copies along axes of length 1 or along new ones"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=expand(x, (self.B, *x.shape)))


@dataclass(frozen=True)
class Rearranged(Axiom):
    """An axis split into heads, which change places with the positions."""

    h: Expr = sizes.h
    d_h: Expr = sizes.d_h

    ops: ClassVar[tuple[type[Any], ...]] = (Rearrange,)
    about: ClassVar[tuple[str, ...]] = ("Rearrange",)
    signature: ClassVar[str] = "T (h d_h) -> h T d_h"
    title: ClassVar[str] = "axes split, permuted, renamed, merged"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view("t (h k) -> h t k", x, h=self.h))


@dataclass(frozen=True)
class Sliced(Axiom):
    """The first positions of a longer axis."""

    T: Expr = sizes.T

    ops: ClassVar[tuple[type[Any], ...]] = (Slice,)
    about: ClassVar[tuple[str, ...]] = ("Slice",)
    signature: ClassVar[str] = "T_max d -> T d"
    title: ClassVar[str] = "a run of positions along an axis"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=narrow(x, 0, 0, self.T))


@dataclass(frozen=True)
class Padded(Axiom):
    """Zeros before the first position."""

    S: Expr = sizes.S

    ops: ClassVar[tuple[type[Any], ...]] = (Pad,)
    about: ClassVar[tuple[str, ...]] = ("Pad",)
    signature: ClassVar[str] = "T d -> n d"
    title: ClassVar[str] = "zeros around a tensor along an axis"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=pad(x, 0, self.S, self.S + x.shape[0]))


@dataclass(frozen=True)
class Joined(Axiom):
    """Two sequences one after the other."""

    ops: ClassVar[tuple[type[Any], ...]] = (Join,)
    about: ClassVar[tuple[str, ...]] = ("Join",)
    signature: ClassVar[str] = "T d, S d -> n d"
    title: ClassVar[str] = "tensors one after the other along an axis"

    def forward(self, x: Tensor, z: Tensor) -> Steps:
        return steps(y=join([x, z], axis=0))


@dataclass(frozen=True)
class Sliding(Axiom):
    """An axis seen through a window that moves along it."""

    T_o: Expr = sizes.T_o
    K: Expr = sizes.K
    s: Expr = sizes.s

    ops: ClassVar[tuple[type[Any], ...]] = (Windows,)
    about: ClassVar[tuple[str, ...]] = ("Windows",)
    signature: ClassVar[str] = "T -> T_o K"
    title: ClassVar[str] = "an axis seen through a sliding window: positions and offsets"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.T_o: positions(sizes.T, sizes.K, sizes.s, Integer(0), Integer(1)),
    }

    def forward(self, x: Tensor) -> Steps:
        return steps(y=windows(x, 0, self.T_o, self.K, self.s))


@dataclass(frozen=True)
class Overlapped(Axiom):
    """Windows laid back over an axis; where they overlap they are added."""

    T: Expr = sizes.T
    T_o: Expr = sizes.T_o
    K: Expr = sizes.K
    s: Expr = sizes.s

    ops: ClassVar[tuple[type[Any], ...]] = (Overlap,)
    about: ClassVar[tuple[str, ...]] = ("Overlap",)
    signature: ClassVar[str] = "T_o K -> T"
    title: ClassVar[str] = "windows laid back over their axis, added where they overlap"
    definitions: ClassVar[dict[Size, Expr]] = Sliding.definitions

    def forward(self, x: Tensor) -> Steps:
        return steps(y=overlap(x, 0, self.T, self.s))


@dataclass(frozen=True)
class Looked(Axiom):
    """A row of a table for each whole number."""

    V: Expr = sizes.V
    d: Expr = sizes.d

    ops: ClassVar[tuple[type[Any], ...]] = (Gather,)
    about: ClassVar[tuple[str, ...]] = ("Gather",)
    signature: ClassVar[str] = "T in V -> T d"
    title: ClassVar[str] = "rows of a table picked by whole numbers"

    def forward(self, tokens: Tensor) -> Steps:
        return steps(y=gather(param("E", self.V, self.d), tokens))


@dataclass(frozen=True)
class Scattered(Axiom):
    """Rows added into a table of zeros."""

    V: Expr = sizes.V

    ops: ClassVar[tuple[type[Any], ...]] = (Scatter,)
    about: ClassVar[tuple[str, ...]] = ("Scatter",)
    signature: ClassVar[str] = "T d, T in V -> V d"
    title: ClassVar[str] = "rows added into a table of zeros at whole numbers"

    def forward(self, x: Tensor, places: Tensor) -> Steps:
        return steps(y=scatter(x, places, (self.V, x.shape[1])))
