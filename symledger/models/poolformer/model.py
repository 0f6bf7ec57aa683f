"""PoolFormer: blocks of a transformer in which each place becomes more like those around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, Piecewise, Symbol, floor

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.convolution.pooling import AvgPool2d, alone
from symledger.components.feed_forward.nonlinearities import Gating, Seldom, act
from symledger.components.image_blocks.units import centred
from symledger.components.maps.linear import Linear
from symledger.components.norms.image_norms import GroupNorm
from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import averaged, halves
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import param, repeat, table, total, view
from symledger.sizes import C_i, H_i, L_i, Size, W_i, f_i

YU = "Yu et al., MetaFormer Is Actually What You Need for Vision (2022)"
STAGES = range(4)
FIRST, TWO = Integer(4), Integer(2)


def quartered() -> dict[Size, Expr]:
    """Return the sizes of all stages.

    Windows of 7 × 7 stand 4 apart with a padding of 2, which leaves out what is over 3 of 4; those
    of 3 × 3 behind them round up. Rounding once comes to the same as rounding every time.
    """
    found, added = {}, ONE
    for i in STAGES:
        by = FIRST * 2**i
        found.update({of[i]: floor((whole + added) / by)
                      for of, whole in ((H_i, sizes.H), (W_i, sizes.W))})  # fmt: skip
        added = added + by
    return dict(reversed(found.items()))


@dataclass(frozen=True, kw_only=True)
class InnerAvgPool2d(AvgPool2d):
    """The mean of what each window shows of the image: what stands outside is not counted.

    Source: Yu et al. (2022), section 3.2, equation 4, and algorithm 1.
    """

    def forward(self, x: Tensor) -> Steps:
        seen = view(self.merged, self.windows(x))
        share = table("share", partial(self.inside, x.shape[2:]), *self.numbers)
        return steps(y=view(alone(self.places), total(seen)) * share)

    def inside(self, lengths: Shape, *places: Symbol) -> Expr:
        """One divided by how many elements of the image the window at these places shows."""
        elements = ONE
        for place, n, s in zip(places, lengths, self.slides, strict=True):
            first = place * s.stride - s.padding
            before, after = -first, first + s.kernel - n
            elements = elements * (
                s.kernel
                - Piecewise((before, before > 0), (0, True))
                - Piecewise((after, after > 0), (0, True))
            )
        return 1 / elements


@dataclass(frozen=True)
class PoolingBlock(Component):
    """The mean of neighbours less the place itself, then a network; each after a norm, beside x.

    Where they are ``scaled`` each channel of what is added is multiplied by a learned factor.
    Source: Yu et al. (2022), section 3.2, equations 2 to 4; Touvron et al., *Going deeper with
    Image Transformers* (2021), equation 2, for the factors.
    """

    C: Expr = sizes.C
    d_ff: Expr = sizes.d_ff
    K: Expr = sizes.K
    scaled: bool = True
    activation: Gating = "gelu"

    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "block whose attention is a mean over neighbours"

    def forward(self, x: Tensor) -> Steps:
        H, W = x.shape[2:]
        n = GroupNorm(self.C, ONE)(x, name="norm_1")
        pool = InnerAvgPool2d(H_o=H, W_o=W, **centred(self.K, ONE))
        middle = x + self.weighed(pool(n, name="pool") - n, "g_1")
        n = GroupNorm(self.C, ONE)(middle, name="norm_2")
        a = act(self.activation, self.mapped(n, self.d_ff, "1"))
        return steps(middle=middle, y=middle + self.weighed(self.mapped(a, self.C, "2"), "g_2"))

    def mapped(self, x: Tensor, C: Expr, name: str) -> Tensor:
        """Map the channels of every place to C others."""
        H, W = x.shape[2:]
        convolution = Conv2d(C_in=x.shape[1], C_out=C, G=ONE, H_o=H, W_o=W, **centred(ONE, ONE))
        return convolution(x, name=name)

    def weighed(self, x: Tensor, name: str) -> Tensor:
        """Multiply each channel by a learned factor, if there is one."""
        return x * view("c -> c () ()", param(name, self.C)) if self.scaled else x


@dataclass(frozen=True)
class PoolFormer(Component):
    """An image classifier of four stages, whose blocks mix places by means over K × K neighbours.

    Each stage begins with a convolution that makes the image smaller. The mean over places is
    classified after a norm; ``bare`` leaves the last image as it is. Without ``scaled`` blocks have
    no factors.
    Source: Yu et al., *MetaFormer Is Actually What You Need for Vision* (2022), section 3.2.
    """

    C_in: Expr = sizes.C_in
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    f_1: Expr = f_i[0]
    f_2: Expr = f_i[1]
    f_3: Expr = f_i[2]
    f_4: Expr = f_i[3]
    K: Expr = sizes.K
    Y: Expr = sizes.Y
    head: Literal["classes", "bare"] = "classes"
    scaled: Annotated[bool, Seldom()] = True
    activation: Gating = "gelu"

    title: ClassVar[str] = "image classifier of means over neighbours and networks"
    definitions: ClassVar[Mapping[Size, Expr]] = quartered()
    assumptions: ClassVar[dict[Size, Expr]] = {
        **halves(4, FIRST), **{f_i[i]: 4 * C_i[i] for i in STAGES},
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{YU}, section 3.2",)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        return f"B C_in H W -> {'B Y' if self.head == 'classes' else 'B C_4 H_4 W_4'}"

    def smaller(self, x: Tensor, C: Expr, at: int) -> Tensor:
        """Map windows that overlap to C channels."""
        window = {"K": Integer(7), "s": FIRST, "p": TWO} if at == 0 else {
            "K": Integer(3), "s": TWO, "p": ONE,
        }  # fmt: skip
        fields = {f"{key}_{axis}": e for key, e in {**window, "r": ONE}.items() for axis in "hw"}
        convolution = Conv2d(C_in=x.shape[1], C_out=C, G=ONE, H_o=H_i[at], W_o=W_i[at], **fields)
        return convolution(x, name=f"patches_{at + 1}")

    def forward(self, x: Tensor) -> Steps:
        widths = (self.C_1, self.C_2, self.C_3, self.C_4)
        depths = (self.L_1, self.L_2, self.L_3, self.L_4)
        hidden = (self.f_1, self.f_2, self.f_3, self.f_4)
        named = {}
        for at, (C, L, f) in enumerate(zip(widths, depths, hidden, strict=True)):
            x = self.smaller(x, C, at)
            block = PoolingBlock(C, f, self.K, self.scaled, self.activation)
            x = named[f"x_{at + 1}"] = repeat(block, L, x, name=f"block_{at + 1}")
        if self.head == "bare":
            return steps(**named)
        pooled = averaged(GroupNorm(self.C_4, ONE)(x, name="final_norm"))
        return steps(**named, pooled=pooled, logits=Linear(self.C_4, self.Y)(pooled, name="head"))
