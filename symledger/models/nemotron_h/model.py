"""Nemotron-H and Nemotron 3: layers of one part each, a mixer, attention, a network or experts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.maps.linear import Linear
from symledger.components.state_spaces.selective import MixerBlock
from symledger.models.shared.decoder import Layers
from symledger.models.shared.mamba2_hybrid import Mamba2Hybrid
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class NemotronH(Mamba2Hybrid):
    """The decoder of Nemotron-H: each layer is one part behind a norm, added to what entered.

    L_a layers attend, without being told positions; with ``networks`` L_f are a plain network, with
    ``mixtures`` L_e are k of E plain experts beside a shared network of width d_sh. The others
    scan. With ``latent``, experts act in a width d_l of their own.
    Source: NVIDIA, *Nemotron-H* (2025); transformers 5.23, ``NemotronHForCausalLM``.
    """

    L_f: Expr = sizes.L_f
    L_e: Expr = sizes.L_e
    E: Expr = sizes.E
    k: Expr = sizes.k
    d_exp: Expr = sizes.d_exp
    d_sh: Expr = sizes.d_sh
    d_l: Expr = sizes.d_l
    tied: Literal[False] = False
    attending: Literal["none", "some"] = "some"
    activation: Gating = "relu2"  # type: ignore[assignment]
    networks: bool = True
    mixtures: bool = True
    latent: bool = False
    mlp_bias: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "hybrid decoder, layers of one part each"
    references: ClassVar[tuple[str, ...]] = ("NVIDIA, Nemotron-H (2025)",)
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **Mamba2Hybrid.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip

    def attention(self) -> Attention:
        return replace(super().attention(), rotary=False)

    def network(self) -> Component:
        return FeedForward(self.d, self.d_ff, self.activation, self.mlp_bias)

    def mixture(self) -> Component:
        """Return the network of layers that have experts."""
        shared = FeedForward(self.d, self.d_sh, self.activation, self.mlp_bias)
        around = (
            Linear(self.d, self.d_l, self.mlp_bias), Linear(self.d_l, self.d, self.mlp_bias)
        ) if self.latent else None  # fmt: skip
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, activation=self.activation, gated=False,
            beside=shared, around=around,
        )  # fmt: skip

    def layers(self) -> Layers:
        parts: dict[str, tuple[bool, Component, Expr]] = {
            "attention": (self.attending == "some", self.attention(), self.L_a),
            "network": (self.networks, self.network(), self.L_f),
            "mixture": (self.mixtures, self.mixture(), self.L_e),
        }
        there = {name: (part, n) for name, (chosen, part, n) in parts.items() if chosen}
        scanning = self.L - sum((n for _, n in there.values()), Integer(0))
        return {
            "block": (MixerBlock(self.mixer(), self.d), scanning),
            **{f"{name}_block": (MixerBlock(part, self.d), n) for name, (part, n) in there.items()},
        }
