"""The feed-forward network of a transformer block, plain and gated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Activation, Seldom, act, gated
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.sizes import Size


@dataclass(frozen=True)
class FeedForward(Component):
    """Two affine maps with a nonlinearity between them: widen to d_ff, act, return to d.

    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.3, equation 2;
    GELU: Hendrycks, Gimpel (2016), exact with erf, or with tanh.
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Activation = "gelu"
    bias: bool = True
    dropout: bool = False

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "two affine maps with a nonlinearity between them"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    references: ClassVar[tuple[str, ...]] = (
        "Vaswani et al., Attention Is All You Need (2017), section 3.3, equation 2",
    )

    def forward(self, x: Tensor) -> Steps:
        u = Linear(self.d, self.d_ff, self.bias)(x, name="1")
        a = act(self.activation, u)
        if self.dropout:
            a = Dropout()(a, name="dropout")
        return steps(u=u, a=a, y=Linear(self.d_ff, self.d, self.bias)(a, name="2"))


@dataclass(frozen=True)
class GatedFeedForward(Component):
    """A feed-forward network whose hidden values are multiplied by a gate.

    The gate is an affine map through a nonlinearity: SiLU gives SwiGLU, GELU gives GeGLU. With
    ``inner_norm`` the products are normalized before they are mapped back. A family names maps
    that have no bias though others do (``unbiased``).
    Source: Shazeer, *GLU Variants Improve Transformer* (2020), equations 5 and 6.
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Activation = "silu"
    bias: bool = False
    dropout: bool = False
    inner_norm: Annotated[bool, Seldom()] = False
    unbiased: tuple[str, ...] = ()

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "a feed-forward network with a multiplied gate (SwiGLU, GeGLU)"
    references: ClassVar[tuple[str, ...]] = (
        "Shazeer, GLU Variants Improve Transformer (2020), equations 5 and 6",
    )
    corollaries: ClassVar[dict[str, dict[Size, Expr]]] = {
        "as many weights as a plain network of width 4d": {sizes.d_ff: 8 * sizes.d / 3},
    }

    def forward(self, x: Tensor) -> Steps:
        gate, up, z = gated(self.activation, lambda: self.hidden("gate", x),
                            lambda: self.hidden("up", x))  # fmt: skip
        z = Dropout()(z, name="dropout") if self.dropout else z
        z = RMSNorm(self.d_ff)(z, name="inner_norm") if self.inner_norm else z
        y = Linear(self.d_ff, self.d, self.has("down"))(z, name="down")
        return steps(gate=gate, up=up, z=z, y=y)

    def hidden(self, name: str, x: Tensor) -> Tensor:
        """Map to the hidden width."""
        return Linear(self.d, self.d_ff, self.has(name))(x, name=name)

    def has(self, name: str) -> bool:
        """Whether the map of that name has a bias."""
        return self.bias and name not in self.unbiased
