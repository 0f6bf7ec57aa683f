"""Zamba: Mamba's mixers of several heads, before some of which one block attends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.blocks.blocks import Norm
from symledger.components.feed_forward.nonlinearities import Plain, Seldom, act
from symledger.components.maps.linear import Linear
from symledger.components.state_spaces.selective import CausalConvolution
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import LanguageModel
from symledger.models.zamba2.model import HybridLayer, MambaLayer, SharedBlock
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    narrow,
    param,
    remembered,
    repeat,
    scan,
    table,
    view,
)
from symledger.sizes import Size

GLORIOSO = "Glorioso et al., Zamba: A Compact 7B SSM Hybrid Model (2024)"
CLASS = "transformers 5.23, ZambaForCausalLM"


@dataclass(frozen=True)
class HeadRecurrence(Component):
    """One step of all heads: the state decays, takes the input, and is read by a vector of each."""

    h_s: Expr = sizes.h_s
    d_hs: Expr = sizes.d_hs
    d_s: Expr = sizes.d_s

    signature: ClassVar[str] = "B h_s d_hs d_s, B h_s d_hs d_s, B h_s d_hs d_s, B h_s d_s -> " \
        "B h_s d_hs d_s, B h_s d_hs"  # fmt: skip

    def forward(self, state: Tensor, decay: Tensor, u: Tensor, C: Tensor) -> Steps:
        new = decay * state + u
        return steps(state=new, y=einsum("B h i n, B h n -> B h i", new, C))


@dataclass(frozen=True)
class HeadScan(Component):
    """The selective scan of several heads, each with input and reading vectors of its own.

    Source: transformers 5.23, ``ZambaMambaMixer``.
    """

    h_s: Expr = sizes.h_s
    d_hs: Expr = sizes.d_hs
    d_s: Expr = sizes.d_s
    cached: bool = False

    signature: ClassVar[str] = (
        "B T h_s d_hs, B T h_s d_hs, B T h_s d_s, B T h_s d_s -> B T h_s d_hs"
    )
    title: ClassVar[str] = "selective scan of several heads"

    def forward(self, x: Tensor, dt: Tensor, Bx: Tensor, C: Tensor) -> Steps:
        heads = (self.h_s, self.d_hs)
        A = apply("exp", param("A_log", *heads, self.d_s)) * Integer(-1)
        step, row = view("B T h i -> B T h i ()", dt), view("B T h n -> B T h () n", Bx)
        decay = apply("exp", step * A)
        u = step * row * view("B T h i -> B T h i ()", x)
        shape = (x.shape[0], *heads, self.d_s)
        empty = table("h0", lambda b, h, i, n: Integer(0), *shape)
        start = remembered("past_h", *shape) if self.cached else empty
        _, y = scan(HeadRecurrence(*heads, self.d_s), x.shape[1], (start,), name="step", axis=1,
                    over=(decay, u, C), shared=True, kept=True)  # fmt: skip
        return steps(decay=decay, u=u, y=y + x * param("D", *heads))


@dataclass(frozen=True)
class HeadedMixer(Component):
    """Mamba's mixer, whose channels are h_s heads: what a token's parameters are made of is theirs.

    Each head is told its step sizes, input and reading vectors by maps of its own. Which of the
    widened channels are gates changes no count.
    Source: Glorioso et al., *Zamba* (2024); transformers 5.23, ``ZambaMambaMixer``.
    """

    d: Expr = sizes.d
    h_s: Expr = sizes.h_s
    d_hs: Expr = sizes.d_hs
    d_s: Expr = sizes.d_s
    d_r: Expr = sizes.d_r
    K: Expr = sizes.K
    bias: bool = False
    convolution_bias: bool = True
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixer of Mamba with several heads"

    def forward(self, x: Tensor) -> Steps:
        d_i, heads = self.h_s * self.d_hs, (self.h_s, self.d_hs)
        both = Linear(self.d, 2 * d_i, self.bias)(x, name="in")
        convolution = CausalConvolution(d_i, self.K, self.convolution_bias, self.cached)
        inner = convolution(narrow(both, -1, 0, d_i), name="convolution")
        u = view("B T (h i) -> B T h i", act("silu", inner), h=self.h_s)
        W = param("W_select", *heads, self.d_r + 2 * self.d_s)
        chosen = einsum("B T h i, h i o -> B T h o", u, W)
        low, Bx, C = (narrow(chosen, -1, start, width) for start, width in (
            (Integer(0), self.d_r), (self.d_r, self.d_s), (self.d_r + self.d_s, self.d_s)))
        widened = einsum("B T h r, h r i -> B T h i", low, param("W_step", self.h_s, self.d_r,
                                                                self.d_hs))  # fmt: skip
        dt = apply("softplus", widened + param("b_step", *heads))
        y = HeadScan(*heads, self.d_s, self.cached)(u, dt, Bx, C, name="scan")
        gates = view("B T (h i) -> B T h i", narrow(both, -1, d_i, d_i), h=self.h_s)
        gated = view("B T h i -> B T (h i)", y * act("silu", gates))
        return steps(both=both, u=u, chosen=chosen, dt=dt, scanned=y, gated=gated,
                     y=Linear(d_i, self.d, self.bias)(gated, name="out"))  # fmt: skip


@dataclass(frozen=True)
class Zamba(LanguageModel):
    """The decoder of Zamba: L layers of Mamba, before L_a of which one shared block attends.

    The block reads what entered the stack beside what reached it, is told no positions, and is the
    same in all its uses, but for a map after it. Counted as the reference implementation computes
    scans where it has no kernels: token after token.
    Source: Glorioso et al., *Zamba* (2024); transformers 5.23, ``ZambaForCausalLM``.
    """

    Y: Expr = ONE
    L_a: Expr = sizes.L_a
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    h_s: Expr = sizes.h_s
    d_hs: Expr = sizes.d_hs
    d_s: Expr = sizes.d_s
    d_r: Expr = sizes.d_r
    K: Expr = sizes.K
    head: Literal["lm", "bare"] = "lm"
    projection_bias: Annotated[bool, Seldom()] = False
    convolution_bias: Annotated[bool, Seldom()] = True
    activation: Plain = "gelu"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "hybrid decoder, Mamba and one block of attention that layers share"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: 2 * sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
        sizes.d_hs: 2 * sizes.d / sizes.h_s, sizes.d_r: sizes.d / 16,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (GLORIOSO, CLASS)

    def block(self) -> MambaLayer:
        mixer = HeadedMixer(
            self.d, self.h_s, self.d_hs, self.d_s, self.d_r, self.K, self.projection_bias,
            self.convolution_bias, self.cached,
        )  # fmt: skip
        return MambaLayer(mixer, self.d)

    def through(self, x: Tensor) -> Tensor:
        layer, first = self.block(), x
        hybrid = HybridLayer(
            layer, self.d, self.h, self.h_kv, self.d_h, self.d_ff, activation=self.activation,
            cached=self.seen, narrowed=False,
        )  # fmt: skip
        x = repeat(layer, self.L - self.L_a, x, name="layer", recompute=self.recompute)
        shared: Tensor = SharedBlock(hybrid, self.L_a)(x, first, name="shared")
        return shared
