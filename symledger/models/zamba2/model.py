"""Zamba2: Mamba-2's mixers, before some of which one block of attention is used again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.blocks.blocks import Norm
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.nonlinearities import Plain, Seldom, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import EPSILON, RMSNorm
from symledger.components.state_spaces.dual import Mamba2Mixer, StateSpaceDual
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import LanguageModel
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    join,
    mean,
    narrow,
    param,
    remembered,
    repeat,
    state,
    statistic,
    view,
)
from symledger.sizes import Size

GLORIOSO = "Glorioso et al., The Zamba2 Suite: Technical Report (2024)"


@dataclass(frozen=True)
class GivenRMSNorm(RMSNorm):
    """An RMS norm whose gains are given: several places use them."""

    signature: ClassVar[str] = "... d, d -> ... d"

    def forward(self, x: Tensor, g: Tensor) -> Steps:  # type: ignore[override]  # gains enter
        r = statistic(apply("rsqrt", mean(apply("square", x)) + EPSILON))
        return steps(r=r, y=x * r * g)


@dataclass(frozen=True)
class MambaLayer(Component):
    """A norm and a mixer beside the residual path, before which something may be added."""

    mixer: Component
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d, B T d -> B T d"
    title: ClassVar[str] = "mixer beside the residual path"

    def forward(self, x: Tensor, added: Tensor | None = None) -> Steps:
        entering = x if added is None else x + added
        normed = RMSNorm(self.d)(entering, name="norm")
        return steps(y=x + self.mixer(normed, name="mixer"))


@dataclass(frozen=True)
class HybridLayer(Component):
    """A mixer that hears of a block of attention, whose weights are given, and maps of its own.

    The block reads what enters beside what entered the stack; where it is ``narrowed``, low-rank
    maps of this use are added to that of its network and, with ``adapted``, to those of queries,
    keys and values. Elsewhere gates have a map of their own.
    Source: Glorioso et al., *The Zamba2 Suite* (2024), section 2; transformers 5.23,
    ``Zamba2HybridLayer``.
    """

    layer: MambaLayer
    d: Expr = sizes.d
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    d_r: Expr = sizes.d_r
    adapted: bool = False
    rotary: bool = False
    activation: Plain = "gelu"
    cached: Expr | None = None
    narrowed: bool = True

    title: ClassVar[str] = "mixer behind a block that layers share"

    @property
    def signature(self) -> str:  # type: ignore[override]  # what enters depends on a choice
        """The type line."""
        network = "d two" if self.narrowed else "d d_ff, d d_ff"
        return f"B T d, B T d, both, both q, both kv, both kv, q d, d, {network}, d_ff d -> B T d"

    def forward(
        self, x: Tensor, first: Tensor, g: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
        W_O: Tensor, g_ff: Tensor, W_in: Tensor, W_next: Tensor, W_last: Tensor | None = None,
    ) -> Steps:  # fmt: skip
        entered = GivenRMSNorm(2 * self.d)(join([x, first]), g, name="norm_1")
        attended = self.attend(entered, W_Q, W_K, W_V, W_O)
        normed = GivenRMSNorm(self.d)(attended, g_ff, name="norm_2")
        if W_last is None:
            wide = self.mapped(normed, W_in, "in", True)
            gate, up = (narrow(wide, -1, start, self.d_ff) for start in (Integer(0), self.d_ff))
        else:
            gate, up = (self.mapped(normed, W, "in", False) for W in (W_in, W_next))
        z = act(self.activation, gate) * up
        fed = einsum("... i, i o -> ... o", z, W_next if W_last is None else W_last)
        added = Linear(self.d, self.d, bias=False)(fed, name="map")
        return steps(attended=attended, fed=fed, y=self.layer(x, added, name="layer"))

    def mapped(self, x: Tensor, W: Tensor, name: str, adapted: bool) -> Tensor:
        """Map by weights that are given, and by narrow ones of this use."""
        y = einsum("... i, i o -> ... o", x, W)
        if not adapted:
            return y
        inner = Linear(x.shape[-1], self.d_r, bias=False)(x, name=f"{name}_down")
        adapter: Tensor = y + Linear(self.d_r, W.shape[1], bias=False)(inner, name=f"{name}_up")
        return adapter

    def attend(self, x: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor) -> Tensor:
        """Attend as heads do that are twice as wide as the model allows."""
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        q, k, v = (
            view("B T (h k) -> B T h k", self.mapped(x, W, name, self.adapted), h=number)
            for name, W, number in (
                ("Q", W_Q, self.h), ("K", W_K, self.h_kv), ("V", W_V, self.h_kv),
            )
        )  # fmt: skip
        if self.rotary:
            q, k = (RotaryPositions(self.d_h, offset)(each, name=f"rotary_{name}")
                    for name, each in (("Q", q), ("K", k)))  # fmt: skip
        if self.cached is not None:
            shape = (x.shape[0], offset, self.h_kv, self.d_h)
            k = join([remembered("past_k", *shape), k], axis=1)
            v = join([remembered("past_v", *shape), v], axis=1)
        k, v = state(k), state(v)
        core = ScaledDotProduct(self.h, self.h_kv, self.d_h, self.d_h, causal=True)
        merged = view("B T h v -> B T (h v)", core(q, k, v, name="core"))
        return einsum("... i, i o -> ... o", merged, W_O)


@dataclass(frozen=True)
class SharedBlock(Component):
    """The weights of one block, and all layers that use it, so many on average."""

    hybrid: HybridLayer
    times: Expr

    signature: ClassVar[str] = "B T d, B T d -> B T d"
    title: ClassVar[str] = "a block of attention that several layers use"

    @property
    def d(self) -> Expr:
        """The width of the model."""
        return self.hybrid.d

    def forward(self, x: Tensor, first: Tensor) -> Steps:
        use, d = self.hybrid, self.hybrid.d
        heads, shared = use.h * use.d_h, use.h_kv * use.d_h
        weights = (
            param("g_1", 2 * d), param("W_Q", 2 * d, heads), param("W_K", 2 * d, shared),
            param("W_V", 2 * d, shared), param("W_O", heads, d), param("g_2", d),
            *([param("W_in", d, 2 * use.d_ff)] if use.narrowed else
              [param(f"W_{x}", d, use.d_ff) for x in ("gate", "up")]),
            param("W_out", use.d_ff, d),
        )  # fmt: skip
        y = repeat(use, self.times, x, first, *weights, name="use", average=True)
        return steps(y=y)


@dataclass(frozen=True)
class Zamba2(LanguageModel):
    """The decoder of Zamba2: L layers of Mamba-2, before L_a of which a shared block attends.

    There are n_m shared blocks, used in turn, L_a/n_m times each on average. They read what entered
    the stack beside what reached them, and are ``rotary`` or told no positions. A use has narrow
    maps of its own, of rank d_r, beside the network's, and if ``adapted`` beside those of queries,
    keys and values.
    Source: Glorioso et al., *The Zamba2 Suite* (2024), section 2; transformers 5.23,
    ``Zamba2ForCausalLM``.
    """

    Y: Expr = ONE
    L_a: Expr = sizes.L_a
    n_m: Expr = sizes.n_m
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    d_r: Expr = sizes.d_r
    h_s: Expr = sizes.h_s
    d_hs: Expr = sizes.d_hs
    d_s: Expr = sizes.d_s
    G: Expr = sizes.G
    K: Expr = sizes.K
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    head: Literal["lm", "bare"] = "lm"
    adapted: Annotated[bool, Seldom()] = False
    rotary: Annotated[bool, Seldom()] = False
    activation: Plain = "gelu"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "hybrid decoder, Mamba-2 and blocks of attention that layers share"
    definitions: ClassVar[dict[Size, Expr]] = StateSpaceDual.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.n_m: Integer(1), sizes.h_kv: sizes.h, sizes.d_h: 2 * sizes.d / sizes.h,
        sizes.d_ff: 4 * sizes.d, sizes.G: Integer(1), sizes.h_s: 2 * sizes.d / sizes.d_hs,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        f"{GLORIOSO}, section 2", "transformers 5.23, Zamba2ForCausalLM",
    )  # fmt: skip

    def block(self) -> MambaLayer:
        mixer = Mamba2Mixer(
            self.d, self.h_s, self.d_hs, self.d_s, self.G, self.K, self.Q, self.n_c, False,
            cached=self.cached,
        )  # fmt: skip
        return MambaLayer(mixer, self.d)

    def through(self, x: Tensor) -> Tensor:
        layer, first = self.block(), x
        hybrid = HybridLayer(
            layer, self.d, self.h, self.h_kv, self.d_h, self.d_ff, self.d_r, self.adapted,
            self.rotary, self.activation, self.seen,
        )  # fmt: skip
        again = self.recompute
        x = repeat(layer, self.L - self.L_a, x, name="layer", recompute=again)
        shared = SharedBlock(hybrid, self.L_a / self.n_m)
        return repeat(shared, self.n_m, x, first, name="shared", recompute=again)
