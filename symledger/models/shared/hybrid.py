"""Decoders whose layers are of several kinds: some attend, others mix tokens in another way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.errors import DefinitionError
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Layers
from symledger.models.shared.gated import GatedDecoder
from symledger.notation.component import Component
from symledger.sizes import Size

Which = Literal["none", "some", "all"]
"""Which layers are of a kind."""


@dataclass(frozen=True)
class MixingBlock(PreLNBlock):
    """A block in which something else stands in the place of attention."""

    mixer: Component | None = None

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        return self.mixer(x, name="mixer") if self.mixer else super().attend(x, memory)


@dataclass(frozen=True)
class HybridDecoder(GatedDecoder):
    """A decoder of whose L layers some attend, L_a of them, and others have a mixer in its place.

    Where they stand changes no count: the closed form counts layers by kind.
    Source: Lieber et al., *Jamba* (2024).
    """

    Y: Expr = ONE
    L_a: Expr = sizes.L_a
    attending: Which = "some"
    activation: Gating = "silu"
    head: Literal["lm", "bare"] = "lm"

    def mixer(self) -> Component:
        """Return what layers have that do not attend; every family has its own."""
        raise DefinitionError(f"{type(self).__name__} has no mixer: define what does not attend.")

    def arranged(self, mixer: Component | None, network: Component) -> Component:
        """Return the block of a mixer and a network; without a mixer it attends."""
        attention = None if mixer else self.attention()
        return MixingBlock(
            self.d, norm="rms", attention=attention, network=network, mixer=mixer
        )  # fmt: skip

    def layers(self) -> Layers:
        return self.kinds("", self.network(), self.L, self.attending, self.L_a)

    def kinds(
        self, prefix: str, network: Component, number: Expr, attending: Which, L_a: Expr
    ) -> Layers:  # fmt: skip
        """Return blocks with a network, so many, of which none, some (L_a) or all attend."""
        there = {"none": Integer(0), "some": L_a, "all": number}[attending]
        found: dict[str, tuple[Component, Expr]] = {}
        if attending != "all":
            found[f"{prefix}block"] = (self.arranged(self.mixer(), network), number - there)
        if attending != "none":
            found[f"{prefix}attention_block"] = (self.arranged(None, network), there)
        return found


@dataclass(frozen=True)
class SparseHybridDecoder(HybridDecoder):
    """A hybrid decoder with k of E experts of width d_exp, but for ``dense`` layers, L_d if some.

    ``dense_attending`` says which of the dense layers attend and ``sparse_attending`` which of the
    others: where some of both do, L_ad of the dense ones. That decides how many there are of each
    kind, and no sum over all of them.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d_exp: Expr = sizes.d_exp
    L_d: Expr = sizes.L_d
    L_ad: Expr = sizes.L_ad
    dense: Which = "some"
    dense_attending: Annotated[Which, Seldom(decides=True)] = "some"
    sparse_attending: Annotated[Which, Seldom(decides=True)] = "some"

    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **GatedDecoder.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip

    def mixture(self) -> Component:
        """Return the network of layers that have experts."""
        return MixtureOfExperts(self.E, self.k, self.d, self.d_exp, activation=self.activation)

    def layers(self) -> Layers:
        if self.dense == "all":
            return self.kinds("dense_", self.network(), self.L, self.attending, self.L_a)
        if self.dense == "none":
            return self.kinds("", self.mixture(), self.L, self.attending, self.L_a)
        both = self.attending == "some"
        among_dense = self.dense_attending if both else self.attending
        among_sparse = self.sparse_attending if both else self.attending
        rest = self.L - self.L_d
        some = {"none": self.L_a, "some": self.L_ad, "all": self.L_a - rest}[among_sparse]
        inside = {"none": Integer(0), "some": some, "all": self.L_d}[among_dense]
        return {
            **self.kinds("dense_", self.network(), self.L_d, among_dense, some),
            **self.kinds("", self.mixture(), rest, among_sparse, self.L_a - inside),
        }
