"""xLSTM: matrices that keys write values to, and gated networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.blocks.blocks import Norm
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.components.state_spaces.matrix_memory import MatrixMemory, Rest
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import LanguageModel
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, param, view
from symledger.sizes import Size

BECK = "Beck et al., xLSTM 7B (2025)"
CLASS = "transformers 5.23, xLSTMForCausalLM"
GATE, SCORE = Integer(15), Integer(30)
"""What gates and logits stay below, as the class has it by default; no count depends on it."""


def capped(x: Tensor, most: Expr) -> Tensor:
    """Keep numbers below a bound, softly."""
    y: Tensor = apply("tanh", x * (1 / most)) * most
    return y


@dataclass(frozen=True)
class MemoryMixer(Component):
    """What stands in place of attention: a matrix memory, normalized head by head, behind a gate.

    Gates of the memory are mapped with biases, for each head, and capped softly.
    Source: Beck et al., *xLSTM 7B* (2025); transformers 5.23, ``xLSTMLayer``.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    rest: Rest = "none"
    cached: bool = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixer of xLSTM: a matrix memory behind a gate"

    def forward(self, x: Tensor) -> Steps:
        widths = {"Q": self.d_k, "K": self.d_k, "V": self.d_v}
        q, k, v = (
            view("B T (h c) -> B T h c", self.mapped(x, name, self.h * width), h=self.h)
            for name, width in widths.items()
        )
        gate = self.mapped(x, "gate", self.h * self.d_v)
        i, f = (capped(Linear(self.d, self.h)(x, name=name), GATE) for name in ("input", "forget"))
        memory = MatrixMemory(self.h, self.d_k, self.d_v, self.Q, self.n_c, self.rest, self.cached)
        read = memory(q, k, v, i, f, name="memory")
        normed = LayerNorm(self.d_v, affine=False)(read, name="norm")
        flat = view("B T h v -> B T (h v)", normed) * param("g", self.h * self.d_v)
        gated = apply("sigmoid", gate) * flat
        return steps(read=read, normed=normed, gated=gated,
                     y=Linear(self.h * self.d_v, self.d, bias=False)(gated, name="O"))  # fmt: skip

    def mapped(self, x: Tensor, name: str, width: Expr) -> Tensor:
        """Map without a bias."""
        return Linear(self.d, width, bias=False)(x, name=name)


@dataclass(frozen=True)
class MemoryBlock(Component):
    """A matrix memory and a gated network beside a residual path, each behind a norm.

    Source: Beck et al., *xLSTM 7B* (2025); transformers 5.23, ``xLSTMBlock``.
    """

    mixer: Component
    network: Component
    d: Expr = sizes.d

    signature: ClassVar[str] = "B T d -> B T d"

    def forward(self, x: Tensor) -> Steps:
        middle = x + self.mixer(RMSNorm(self.d)(x, name="norm_1"), name="mixer")
        fed = self.network(RMSNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class XLSTM(LanguageModel):
    """The recurrent language model xLSTM: matrix memories, and a state that does not grow.

    Logits are capped softly. Counted as the reference implementation computes it without kernels:
    in chunks of Q tokens, and token by token where ``rest`` says that some are in no chunk. How
    many tokens came before (S) is in no formula: what is remembered of them does not grow.
    Source: Beck et al., *xLSTM 7B* (2025); transformers 5.23, ``xLSTMForCausalLM``.
    """

    S: Expr = ONE
    Y: Expr = ONE
    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    d_ff: Expr = sizes.d_ff
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    tied: Literal[False] = False
    head: Literal["lm", "bare"] = "lm"
    rest: Rest = "none"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "recurrent language model of matrix memories"
    definitions: ClassVar[dict[Size, Expr]] = {sizes.n_c: floor(sizes.T / sizes.Q)}
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_k: sizes.d / (2 * sizes.h), sizes.d_v: sizes.d / sizes.h,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (BECK, CLASS)

    def block(self) -> Component:
        widths = (self.h, self.d_k, self.d_v, self.Q, self.n_c)
        mixer = MemoryMixer(self.d, *widths, self.rest, self.cached)
        network = GatedFeedForward(self.d, self.d_ff, "silu")
        return MemoryBlock(mixer, network, self.d)

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        y = super().score(x, E)
        return capped(y, SCORE) if self.head == "lm" else y
