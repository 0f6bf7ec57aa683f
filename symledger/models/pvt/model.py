"""Pyramid vision transformers: that of patches with positions, and the second, of windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger.components.convolution.convolution import Conv2d
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.pyramid import FIRST, STAGES, WANG, Pyramid
from symledger.models.shared.stages import averaged
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import expand, join, narrow, param, view
from symledger.sizes import H_i, W_i

SECOND = "Wang et al., PVT v2 (2022)"
LAST = STAGES[-1]


@dataclass(frozen=True)
class PvtV2(Pyramid):
    """The second pyramid: patches overlap, and networks convolve, so that no positions are needed.

    It scores Y classes by the mean over places; ``bare`` leaves the last image as it is. Without
    ``qkv_bias`` the maps to queries, keys and values have none.
    Source: Wang et al., *PVT v2* (2022), section 3.
    """

    head: Literal["classes", "bare"] = "classes"

    title: ClassVar[str] = "pyramid of attention, patches overlapping"
    references: ClassVar[tuple[str, ...]] = (f"{SECOND}, section 3", WANG)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        return f"B C_in H W -> {'B Y' if self.head == 'classes' else 'B C_4 H_4 W_4'}"

    def forward(self, x: Tensor) -> Steps:
        images = self.climbed(x)
        named = {f"x_{i}": x for i, x in enumerate(images, start=1)}
        if self.head == "bare":
            return steps(**named)
        pooled = averaged(images[-1])
        return steps(**named, pooled=pooled, logits=Linear(self.C_4, self.Y)(pooled, name="head"))


@dataclass(frozen=True)
class Pvt(Pyramid):
    """The first pyramid: patches lie beside each other, and each stage adds learned positions.

    In the last stage a class vector stands before the others, by which Y classes are scored;
    ``bare`` leaves all vectors as they are. Without ``qkv_bias`` the maps to queries, keys and
    values have none.
    Source: Wang et al., *Pyramid Vision Transformer* (2021), section 3.
    """

    head: Literal["classes", "bare"] = "classes"

    up: ClassVar[bool] = False
    mixed: ClassVar[bool] = False
    title: ClassVar[str] = "pyramid of attention, with positions and a class vector"
    references: ClassVar[tuple[str, ...]] = (f"{WANG}, section 3",)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        return f"B C_in H W -> {'B Y' if self.head == 'classes' else 'B T C_4'}"

    @property
    def T(self) -> Expr:  # noqa: N802  # the size of that name
        """How many vectors the last stage has."""
        return H_i[LAST] * W_i[LAST] + 1

    def cut(self, x: Tensor, at: int) -> Tensor:
        side = FIRST if at == 0 else Integer(2)
        window = {"K": side, "s": side, "p": Integer(0), "r": ONE}
        fields = {f"{key}_{axis}": e for key, e in window.items() for axis in "hw"}
        convolution = Conv2d(
            C_in=x.shape[1], C_out=self.stages("C")[at], G=ONE, H_o=H_i[at], W_o=W_i[at], **fields
        )
        return convolution(x, name=f"patches_{at + 1}")

    def entered(self, x: Tensor, at: int) -> Tensor:
        vectors, d = super().entered(x, at), self.stages("C")[at]
        if at == LAST:
            first = expand(view("d -> () () d", param("c", d)), (x.shape[0], ONE, d))
            vectors = join([first, vectors], axis=1)
        return vectors + param(f"positions_{at + 1}", vectors.shape[1], d)

    def left(self, x: Tensor, at: int) -> Tensor:
        return x

    def forward(self, x: Tensor) -> Steps:
        named = {}
        for at in STAGES:
            vectors = self.through(self.entered(x, at), at)
            if at != LAST:
                x = named[f"x_{at + 1}"] = self.laid(vectors, at)
        hidden = LayerNorm(self.C_4)(vectors, name="final_norm")
        if self.head == "bare":
            return steps(**named, hidden=hidden)
        first = view("B one d -> B (one d)", narrow(hidden, 1, 0, 1))
        return steps(**named, hidden=hidden, logits=Linear(self.C_4, self.Y)(first, name="head"))
