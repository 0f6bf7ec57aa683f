"""The mixtures of experts of Qwen: Qwen2's blocks with a shared expert, Qwen3's without."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.qwen2.model import Qwen2
from symledger.models.qwen3.model import Qwen3
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply
from symledger.sizes import Size


@dataclass(frozen=True)
class SharedAndRouted(Component):
    """A mixture of experts beside one network for every token, which a gate lets through in part.

    The gate is one number for each token, through a sigmoid.
    Source: Qwen Team, *Qwen1.5-MoE* (2024), architecture; ``Qwen2MoeSparseMoeBlock`` of
    transformers.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_exp: Expr = sizes.d_exp
    d_sh: Expr = sizes.d_sh
    activation: Activation = "silu"

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "routed experts, and a shared one behind a gate"

    def forward(self, x: Tensor) -> Steps:
        network = GatedFeedForward(self.d, self.d_sh, self.activation)
        shared = network(x, name="shared_expert")
        gate = apply("sigmoid", Linear(self.d, 1, bias=False)(x, name="shared_gate"))
        widths = (self.E, self.k, self.d, self.d_exp)
        routed = MixtureOfExperts(*widths, activation=self.activation)(x, name="mixture")
        return steps(shared=shared, gate=gate, routed=routed, y=routed + gate * shared)


@dataclass(frozen=True)
class Qwen2Moe(Qwen2, WindowedSparseDecoder):
    """The decoder-only transformer of Qwen1.5-MoE and Qwen2-57B-A14B.

    Source: Yang et al., *Qwen2 Technical Report* (2024), section 2.2.2.
    """

    d_sh: Expr = sizes.d_sh
    qkv_bias: bool = True

    title: ClassVar[str] = "decoder-only transformer, QKV biases, experts routed and shared"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **GatedDecoder.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Yang et al., Qwen2 Technical Report (2024), section 2.2.2",
    )

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.qkv_bias)

    def network(self) -> Component:
        widths = (self.E, self.k, self.d, self.d_exp, self.d_sh)
        return SharedAndRouted(*widths, self.activation)


@dataclass(frozen=True)
class Qwen3Moe(Qwen3, WindowedSparseDecoder):
    """The decoder-only transformer of Qwen3-30B-A3B and Qwen3-235B-A22B: no shared expert.

    Source: Yang et al., *Qwen3 Technical Report* (2025), section 2 and table 2.
    """

    title: ClassVar[str] = "decoder-only transformer, QK norms, mixture of SwiGLU experts"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **GatedDecoder.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Yang et al., Qwen3 Technical Report (2025), section 2 and table 2",
    )

    def network(self) -> Component:
        return MixtureOfExperts(self.E, self.k, self.d, self.d_exp, activation=self.activation)
