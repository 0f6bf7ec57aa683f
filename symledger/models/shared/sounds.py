"""What reads a sound as it was recorded: convolutions one after the other, and positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.convolution.convolution import Conv1d
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.norms.image_norms import GroupNorm
from symledger.components.norms.norms import LayerNorm
from symledger.components.norms.weight_norm import WeightNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, view
from symledger.sizes import Size, T_i, T_w

Windows = Sequence[tuple[int, int]]
"""The length of windows, and how far apart they start, of each convolution."""
SEVEN: Windows = ((10, 5), (3, 2), (3, 2), (3, 2), (3, 2), (2, 2), (2, 2))
Norming = Literal["none", "each channel", "layer"]


def lengths(windows: Windows, last: Size = sizes.T) -> dict[Size, Expr]:
    """Return how many positions there are after each convolution that makes them fewer.

    A quotient that is rounded down and divided again comes to the same as dividing once. The last
    one is said first: where it fits, so do all before it.

    >>> lengths(((10, 5), (3, 2)))
    {T: floor(T_w/10) - 1, T_1: floor(T_w/5) - 1}
    """
    moving = [(K, s) for K, s in windows if (K, s) != (1, 1)]
    found, less, by = dict[Size, Expr](), 0, 1
    for symbol, (K, s) in zip((*T_i[: len(moving) - 1], last), moving, strict=True):
        less, by = less + by * (K - s), by * s
        found[symbol] = floor((T_w - less) / by)
    return dict(reversed(found.items()))


@dataclass(frozen=True)
class HeardLayer(Component):
    """A convolution of a sound, maybe normalized, through a nonlinearity.

    Channels are normalized each by itself over the whole sound, or at each position together.
    Source: Baevski et al., *wav2vec 2.0* (2020), section 2, and its implementation.
    """

    K: Expr
    s: Expr
    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    T_o: Expr = sizes.T_o
    norm: Norming = "none"
    bias: bool = False
    activation: Plain = "gelu"

    signature: ClassVar[str] = "B C_in T -> B C_out T_o"

    def forward(self, x: Tensor) -> Steps:
        seen = Conv1d(
            C_in=self.C_in, C_out=self.C_out, G=ONE, K=self.K, s=self.s, p=Integer(0), r=ONE,
            T_o=self.T_o, bias=self.bias,
        )(x, name="convolution")  # fmt: skip
        return steps(seen=seen, y=act(self.activation, self.normalized(seen)))

    def normalized(self, x: Tensor) -> Tensor:
        """Normalize what was seen, if it is to be."""
        if self.norm == "each channel":
            row = view("b c t -> b c () t", x)
            return view("b c one t -> b c (one t)",
                        GroupNorm(self.C_out, self.C_out)(row, name="norm"))  # fmt: skip
        if self.norm == "layer":
            rows = LayerNorm(self.C_out)(view("b c t -> b t c", x), name="norm")
            return view("b t c -> b c t", rows)
        return x


@dataclass(frozen=True, kw_only=True)
class NormedConv1d(Conv1d):
    """A convolution of sequences whose kernel has a length of each offset."""

    def filters(self) -> Tensor:
        """Return directions, each with its length."""
        return WeightNorm(self.C_out, self.C_in / self.G, self.K)(
            super().filters(), name="weight_norm"
        )


@dataclass(frozen=True)
class ConvolvedPositions(Component):
    """Positions from a wide convolution over what stands around, in groups of channels.

    As many zeros as half a window stand on either side: a window of ``even`` length fits once more
    than there are positions, and what it gives there is thrown away. Windows may start s apart.
    Without ``weights`` of a norm, the kernel is as it is, and channels are normalized after it.
    Source: Baevski et al., *wav2vec 2.0* (2020), section 2, and its implementation.
    """

    d: Expr = sizes.d
    G: Expr = sizes.G
    K: Expr = sizes.K
    s: Expr = ONE
    T_o: Expr | None = None
    even: bool = True
    weights: bool = True
    activation: Plain = "gelu"

    @property
    def signature(self) -> str:  # type: ignore[override]  # windows may start apart
        """The type line."""
        return "B T d -> B T d" if self.T_o is None else "B T d -> B T_o d"

    def forward(self, x: Tensor) -> Steps:
        T = x.shape[1] if self.T_o is None else self.T_o
        more = 1 if self.even else 0
        seen = (NormedConv1d if self.weights else Conv1d)(
            C_in=self.d, C_out=self.d, G=self.G, K=self.K, s=self.s, r=ONE, T_o=T + more,
            p=(self.K if self.even else self.K - 1) / 2,
        )(view("b t d -> b d t", x), name="convolution")  # fmt: skip
        rows = view("b d t -> b t d", narrow(seen, 2, 0, T) if more else seen)
        if not self.weights:
            rows = LayerNorm(self.d, affine=False)(rows, name="norm")
        return steps(seen=seen, y=act(self.activation, rows))
