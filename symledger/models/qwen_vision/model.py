"""The encoder of images of Qwen2-VL, 2.5-VL and 3-VL: images of any size, four patches a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, PreLNBlock, norm
from symledger.components.convolution.convolution import Conv3d
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.seeing import grid
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import drawn, expand, gather, indices, param, repeat, scan, view
from symledger.sizes import Size

WANG = "Wang et al., Qwen2-VL (2024), section 2.1"
ZERO = Integer(0)
GRID = grid(sizes.P * sizes.g, sizes.H_g, sizes.W_g)
FRAMES = Integer(2)
"""Those that a patch spans: an image is seen as so many alike."""


def framed(x: Tensor, C_in: Expr, P: Expr, d: Expr, down: Expr, across: Expr, bias: bool) -> Tensor:
    """Map each patch of an image, which is seen as two frames alike, to a vector."""
    frames = expand(view("b c h w -> b c () h w", x), (*x.shape[:2], FRAMES, *x.shape[2:]))
    sides = {"d": FRAMES, "h": P, "w": P}
    windows = {
        f"{letter}_{axis}": n for axis, side in sides.items()
        for letter, n in {"K": side, "s": side, "p": ZERO, "r": ONE}.items()
    }  # fmt: skip
    convolution = Conv3d(
        C_in=C_in, C_out=d, G=ONE, D_o=ONE, H_o=down, W_o=across, bias=bias, **windows
    )
    return view("b d one i j -> b (one i j) d", convolution(frames, name="patches"))


@dataclass(frozen=True)
class Merger(Component):
    """A norm, the vectors of g × g patches side by side, two maps; or the norm after that.

    Source: Wang et al., *Qwen2-VL* (2024), section 2.1.
    """

    d: Expr = sizes.d
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    d_out: Expr = sizes.d_out
    kind: Norm = "layer"
    after: bool = False

    signature: ClassVar[str] = "B T_img d -> B T_tok d_out"
    title: ClassVar[str] = "groups of patches side by side, a norm, two maps"

    def forward(self, x: Tensor) -> Steps:
        wide = self.g**2 * self.d
        first = x if self.after else norm(self.kind, self.d)(x, name="norm")
        merged = PatchMerging(self.d, self.g, self.H_g, self.W_g)(first, name="merging")
        merged = norm(self.kind, wide)(merged, name="norm") if self.after else merged
        return steps(y=Projector(wide, wide, self.d_out)(merged, name="maps"))


@dataclass(frozen=True)
class WindowBlock(PreLNBlock):
    """A block in which each window of an image is seen by itself.

    Source: Bai et al., *Qwen2.5-VL* (2025), section 2.1.1.
    """

    N: Expr = sizes.H_g

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        y = super().attend(view("b (i k) d -> (b i) k d", x, i=self.N), memory)
        return view("(b i) k d -> b (i k) d", y, b=x.shape[0])


@dataclass(frozen=True)
class ReadBlock(Component):
    """A block of the encoder, and what is read of its vectors.

    Source: Meng et al., *DeepStack* (2024), section 3.
    """

    block: Component
    merger: Component

    signature: ClassVar[str] = "B T_img d -> B T_img d, B T_tok d_out"

    def forward(self, x: Tensor) -> Steps:
        x = self.block(x, name="block")
        return steps(x=x, y=self.merger(x, name="merger"))


@dataclass(frozen=True)
class QwenVision(Component):
    """Blocks over all patches of an image, whatever its size; then groups of g × g made one.

    An image is seen as two frames alike. Queries and keys are turned by where a patch stands, half
    of them by its row and half by its column, which counts what turning by one position counts.
    The second generation (``gated``) has RMS norms and gated networks, and where it is ``windowed``
    all but L_f blocks see windows of an image alone: how many there are and how many groups each
    has changes counts, and not where they lie, so that each of H_g windows is a row of W_g groups
    here. The third (``placed``) has biases for patches and a table of T_max places, of which each
    patch takes a share of four; where it is ``deep``, L_r blocks are read besides the last.
    Source: Wang et al., *Qwen2-VL* (2024), section 2.1; Bai et al., *Qwen2.5-VL* (2025), section
    2.1.1; Bai et al., *Qwen3-VL* (2025), section 2.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    d_out: Expr = sizes.d_out
    L_f: Expr = sizes.L_f
    T_max: Expr = sizes.T_max
    L_r: Expr = sizes.L_r
    activation: Plain = "quick_gelu"
    gated: bool = False
    windowed: bool = False
    placed: bool = False
    deep: bool = False

    title: ClassVar[str] = "encoder over patches of images of any size, groups of them made one"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = GRID
    references: ClassVar[tuple[str, ...]] = (
        WANG, "Bai et al., Qwen2.5-VL (2025), section 2.1.1", "Bai et al., Qwen3-VL (2025)",
    )  # fmt: skip

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on a choice
        """The type line."""
        return f"B C_in H W -> B T_tok d_out{', L_r B T_tok d_out' if self.deep else ''}"

    def forward(self, x: Tensor) -> Steps:
        x = self.embed(x)
        rest, found = self.L, dict[str, Tensor]()
        if self.deep:
            block = ReadBlock(self.block(), self.merger(after=True))
            x, found["read"] = scan(block, self.L_r, (x,), name="read_block")
            rest = rest - self.L_r
        if self.windowed:
            x = repeat(self.block(windowed=True), rest - self.L_f, x, name="windowed_block")
            rest = self.L_f
        hidden = repeat(self.block(), rest, x, name="block")
        return steps(hidden=hidden, y=self.merger()(hidden, name="merger"), **found)

    def embed(self, x: Tensor) -> Tensor:
        """Map the patches of all frames, and tell them where they stand."""
        down, across = self.g * self.H_g, self.g * self.W_g
        y = framed(x, self.C_in, self.P, self.d, down, across, self.placed)
        return y + self.places(down * across) if self.placed else y

    def places(self, T: Expr) -> Tensor:
        """Return what each patch takes of the four rows that lie around it."""
        table = param("table", self.T_max, self.d)
        parts = [
            gather(table, indices(f"row_{i}", self.T_max, T)) * drawn(f"share_{i}", T, ONE)
            for i in range(4)
        ]
        return view("t d -> () t d", parts[0] + parts[1] + parts[2] + parts[3])

    def block(self, windowed: bool = False) -> PreLNBlock:
        """Return one of the blocks."""
        width, h_kv = self.d / self.h, self.kv
        kinds = {"N": self.H_g} if windowed else {}
        return (WindowBlock if windowed else PreLNBlock)(
            self.d, self.h, h_kv, width, width, self.d_ff, self.kind, self.activation,
            gated=self.gated, causal=False, rotary=True,
            attention=Attention(self.d, self.h, h_kv, width, width, bias=True, rotary=True),
            **kinds,
        )  # fmt: skip

    @property
    def kv(self) -> Expr:
        """How many heads keys and values have."""
        return self.h

    @property
    def kind(self) -> Norm:
        """Which norms there are."""
        return "rms" if self.gated else "layer"

    def merger(self, after: bool = False) -> Merger:
        """Return what makes tokens of patches."""
        return Merger(self.d, self.g, self.H_g, self.W_g, self.d_out, self.kind, after)


@dataclass(frozen=True)
class SharingVision(QwenVision):
    """The second generation with h_kv heads of keys and values, each of which several share.

    Source: transformers 5.23, ``Exaone4_5_VisionModel``.
    """

    h_kv: Expr = sizes.h_kv
    activation: Plain = "silu"
    gated: Literal[True] = True
    windowed: Annotated[bool, Seldom()] = True
    placed: Literal[False] = False
    deep: Literal[False] = False

    title: ClassVar[str] = "encoder over patches, seen by windows, heads sharing keys and values"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d, sizes.h_kv: sizes.h}
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Exaone4_5_VisionModel",)

    @property
    def kv(self) -> Expr:
        return self.h_kv
