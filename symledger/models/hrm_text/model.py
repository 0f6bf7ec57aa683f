"""HRM-Text: a fast stack and a slow one run in turn, and gradients of the last turns alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.nonlinearities import Plain, Seldom, gated
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    expand,
    join,
    param,
    remembered,
    repeat,
    scan,
    state,
    view,
)
from symledger.notation.view import detached
from symledger.sizes import Size

REFERENCE = "transformers 5.23, HrmTextForCausalLM"
WANG = "Wang et al., Hierarchical Reasoning Model (2025), section 2"
ATTENTION = ("Q", "K", "V", "gate", "O")
NETWORK = ("gate_ff", "up_ff", "down_ff")
Back = Literal["some", "last", "all"]
"""Through which low cycles gradients go back: the last ones of each high cycle; besides, through
all of the last high cycles; or through all."""


@dataclass(frozen=True)
class GivenLayer(Component):
    """A pre-LN block without weights of its own: gated attention, a gated network, given maps.

    Its norms have no gains. What maps add, where they do, is given behind all matrices.
    Source: transformers 5.23, ``HrmTextDecoderLayer``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    attention_bias: bool = False
    mlp_bias: bool = False
    activation: Plain = "silu"
    cached: Expr | None = None

    title: ClassVar[str] = "transformer block whose weights are given"

    def maps(self) -> dict[str, tuple[str, str]]:
        """Return the axes of every matrix by name."""
        attention = dict.fromkeys(ATTENTION, ("d", "e")) | {"O": ("e", "d")}
        return {**attention, **dict.fromkeys(NETWORK, ("d", "d_ff")), "down_ff": ("d_ff", "d")}

    def shapes(self) -> dict[str, tuple[str, ...]]:
        """Return the axes of all weights by name: matrices, then what maps add."""
        maps, biased = self.maps(), ATTENTION * self.attention_bias + NETWORK * self.mlp_bias
        return {**{f"W_{name}": axes for name, axes in maps.items()},
                **{f"b_{name}": maps[name][1:] for name in biased}}  # fmt: skip

    @property
    def signature(self) -> str:  # type: ignore[override]  # what enters depends on choices
        """The type line."""
        return f"B T d, {', '.join(' '.join(axes) for axes in self.shapes().values())} -> B T d"

    def forward(self, x: Tensor, *weights: Tensor) -> Steps:
        of = dict(zip(self.shapes(), weights, strict=True))
        attended = x + self.attend(RMSNorm(self.d, affine=False)(x, name="norm_1"), of)
        normed = RMSNorm(self.d, affine=False)(attended, name="norm_2")
        *_, z = gated(self.activation, lambda: self.mapped("gate_ff", normed, of),
                      lambda: self.mapped("up_ff", normed, of))  # fmt: skip
        return steps(attended=attended, z=z, y=attended + self.mapped("down_ff", z, of))

    def mapped(self, name: str, x: Tensor, of: dict[str, Tensor]) -> Tensor:
        """Map by weights that are given."""
        y = einsum("... i, i o -> ... o", x, of[f"W_{name}"])
        return y + of[f"b_{name}"] if f"b_{name}" in of else y

    def attend(self, x: Tensor, of: dict[str, Tensor]) -> Tensor:
        """Mix values, and let a gate multiply every element before the map back."""
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        q, k, v = (
            view("B T (h k) -> B T h k", self.mapped(name, x, of), h=self.h) for name in "QKV"
        )
        q, k = (RotaryPositions(self.d_h, offset)(each, name=f"rotary_{name}")
                for name, each in (("Q", q), ("K", k)))  # fmt: skip
        if self.cached is not None:
            shape = (x.shape[0], offset, self.h, self.d_h)
            k = join([remembered("past_k", *shape), k], axis=1)
            v = join([remembered("past_v", *shape), v], axis=1)
        k, v = state(k), state(v)
        core = ScaledDotProduct(self.h, self.h, self.d_h, self.d_h, causal=True)
        merged = view("B T h v -> B T (h v)", core(q, k, v, name="core"))
        gate = apply("sigmoid", self.mapped("gate", x, of))
        return self.mapped("O", gate * merged, of)


@dataclass(frozen=True)
class GivenStack(Component):
    """Blocks in a row whose weights are given, and a norm without gains; two states enter, added.

    Source: transformers 5.23, ``HrmTextStack``.
    """

    layer: GivenLayer
    L: Expr = sizes.L
    recompute: bool = False

    title: ClassVar[str] = "blocks in a row whose weights are given"

    @property
    def entering(self) -> str:
        """The axes of all weights, those of all blocks in one."""
        return ", ".join(f"L {' '.join(axes)}" for axes in self.layer.shapes().values())

    @property
    def signature(self) -> str:  # type: ignore[override]  # what enters depends on choices
        """The type line."""
        return f"B T d, B T d, {self.entering} -> B T d"

    def forward(self, x: Tensor, other: Tensor, *weights: Tensor) -> Steps:
        (y,) = scan(self.layer, self.L, (x + other,), name="block", over=weights,
                    recompute=self.recompute)  # fmt: skip
        return steps(y=RMSNorm(self.layer.d, affine=False)(y, name="norm"))

    def weights(self, name: str) -> Iterator[Tensor]:
        """Yield the weights of such a stack of that name."""
        lengths = {"d": self.layer.d, "e": self.layer.h * self.layer.d_h, "d_ff": self.layer.d_ff}
        for of, axes in self.layer.shapes().items():
            yield param(f"{of}_{name}", self.L, *(lengths[axis] for axis in axes))


@dataclass(frozen=True)
class HighCycle(Component):
    """N_lo runs of the fast stack, each told the slow state, then one of the slow stack.

    Gradients go back through the last ``back`` of the former, or all; with ``gives`` through what
    the fast stack leaves, too. The ``last`` cycle leaves the slow state alone.
    Source: Wang et al. (2025), section 2; transformers 5.23, ``HrmTextModel``.
    """

    stack: GivenStack
    N_lo: Expr = sizes.N_lo
    back: Expr | None = None
    gives: bool = False
    last: bool = False

    title: ClassVar[str] = "runs of a fast stack, and one of a slow stack"

    @property
    def signature(self) -> str:  # type: ignore[override]  # what enters depends on choices
        """The type line."""
        weights = self.stack.entering
        return f"B T d, B T d, {weights}, {weights} -> B T d{', B T d' * (not self.last)}"

    def forward(self, high: Tensor, low: Tensor, *weights: Tensor) -> Steps:
        half = len(weights) // 2
        fast, slow = weights[:half], weights[half:]
        number = self.N_lo
        if self.back is not None:
            held = repeat(self.stack, number - self.back, low, high, *fast, name="held",
                          average=True)  # fmt: skip
            low, number = detached(held), self.back
        low = repeat(self.stack, number, low, high, *fast, name="low",
                     average=self.back is not None)  # fmt: skip
        y = self.stack(high, low, *slow, name="high")
        if self.last:
            return steps(low=low, y=y)
        return steps(y=y, low=low if self.gives else detached(low))


@dataclass(frozen=True)
class HrmText(Decoder):
    """A decoder of two stacks of L blocks: N_hi times, the fast one runs N_lo times, the slow once.

    Both read the sum of their states; that of the fast stack begins with a vector that is not
    trained. Gradients go ``back`` through all runs of the slow stack, and through N_bp of the fast
    one, in all high cycles together; N_all cycles more may follow through all of which they go.
    Norms have no gains.
    Source: Wang et al. (2025), section 2; transformers 5.23, ``HrmTextForCausalLM``.
    """

    Y: Expr = ONE
    N_hi: Expr = sizes.N_hi
    N_lo: Expr = sizes.N_lo
    N_bp: Expr = sizes.N_bp
    N_all: Expr = sizes.N_all
    head: Literal["lm", "bare"] = "lm"
    tied: bool = False
    attention_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False
    activation: Plain = "silu"
    back: Annotated[Back, Seldom()] = "some"

    title: ClassVar[str] = "decoder of a fast and a slow stack that are run in turn"
    assumptions: ClassVar[Mapping[Size, Expr]] = {sizes.d_h: sizes.d / sizes.h}
    references: ClassVar[tuple[str, ...]] = (WANG, REFERENCE)

    def stack(self) -> GivenStack:
        """Return what both stacks are, but for their weights."""
        layer = GivenLayer(
            self.d, self.h, self.d_h, self.d_ff, self.attention_bias, self.mlp_bias,
            self.activation, self.seen,
        )  # fmt: skip
        return GivenStack(layer, self.L, self.recompute)

    def through(self, x: Tensor) -> Tensor:
        stack = self.stack()
        weights = (*stack.weights("low"), *stack.weights("high"))
        low = expand(param("z_low", self.d, trainable=False), x.shape)
        whole = HighCycle(stack, self.N_lo)
        states: tuple[Tensor, ...] = (x, low)
        giving, ending = replace(whole, gives=True), replace(whole, last=True)
        if self.back == "all":
            states = self.cycles(giving, self.N_hi - 1, "whole", states, weights)
            return ending(*states, *weights, name="last")
        cut = replace(whole, back=self.N_bp / self.N_hi)
        if self.back == "some":
            return self.cycles(cut, self.N_hi, "cycle", states, weights)[0]
        states = self.cycles(cut, self.N_hi - 1, "cycle", states, weights)
        turning = replace(cut, gives=True)
        states = turning.apply(*states, *weights, name="turning")
        states = self.cycles(giving, self.N_all - 1, "whole", states, weights)
        return ending(*states, *weights, name="last")

    def cycles(
        self, cycle: HighCycle, times: Expr, name: str, states: tuple[Tensor, ...],
        weights: tuple[Tensor, ...],
    ) -> tuple[Tensor, ...]:  # fmt: skip
        """Run a kind of high cycle several times, from both states on."""
        return scan(cycle, times, states, *weights, name=name)

    def normalize(self, x: Tensor) -> Tensor:
        """Return what the slow stack has normalized."""
        return x
