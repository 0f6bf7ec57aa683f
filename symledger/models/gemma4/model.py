"""Gemma 4: heads of two widths, tables for every layer, keys and values that layers share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.gemma.model import Gemma2
from symledger.models.shared.fed import FedBlock, LayerTables, RoutedBeside
from symledger.models.shared.fed_stack import WINDOWED, Alone, Stack
from symledger.models.shared.lending import LendingAttention
from symledger.models.shared.windows import ZERO
from symledger.notation.verbs import view
from symledger.sizes import Size

Shared = Literal["none", "full", "both"]
"""Which last layers use keys and values of earlier ones: none; some that see everything; some of
either kind."""


@dataclass(frozen=True)
class Gemma4(Gemma2):
    """The decoder-only transformer of Gemma 4: five of six layers look back at a window only.

    The others have heads of a width of their own, d_g, with h_g heads of keys and values; where
    these are ``alike`` one map makes both. The last L_s layers, if they are ``shared``, L_sw of
    them with a window, use keys and values of the last earlier layer of their kind, and their
    networks may be ``doubled``. With ``fed``, each layer has a table of its own. Where there are
    ``experts``, they stand beside the network of every layer. That the result of a layer is
    multiplied by a constant, and that images would be seen both ways, changes no count here.
    Source: Gemma Team, *Gemma 4* (2026), model card; transformers 5.23, ``Gemma4ForCausalLM``.
    """

    Y: Expr = ONE
    d_g: Expr = sizes.d_g
    h_g: Expr = sizes.h_g
    L_s: Expr = sizes.L_s
    L_sw: Expr = sizes.L_sw
    d_ple: Expr = sizes.d_ple
    V_ple: Expr = sizes.V_ple
    E: Expr = sizes.E
    k: Expr = sizes.k
    d_exp: Expr = sizes.d_exp

    windows: Literal["none", "some"] = "some"
    head: Literal["lm", "bare"] = "lm"
    activation: Gating = "gelu_tanh"
    capped_scores: Literal[False] = False
    capped_logits: bool = False
    attention_bias: Annotated[bool, Seldom()] = False
    fed: bool = True
    shared: Shared = "none"
    alone: Annotated[Alone, Seldom(decides=True)] = "none"
    doubled: Annotated[bool, Seldom()] = False
    alike: Annotated[bool, Seldom()] = False
    experts: bool = False

    title: ClassVar[str] = "decoder-only transformer, heads of two widths, tables for every layer"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Gemma2.assumptions, sizes.d_g: sizes.d_h, sizes.h_g: sizes.h_kv, sizes.V_ple: sizes.V,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Gemma4ForCausalLM",)

    def attention(self) -> LendingAttention:
        """Return the attention of a layer that sees everything."""
        return LendingAttention(
            self.d, self.h, self.h_g, self.d_g, self.d_g, self.attention_bias, causal=True,
            rotary=True, qk_norm="rms", cached=self.seen, alike=self.alike,
        )  # fmt: skip

    def near(self, attention: Attention) -> Attention:
        """Return the attention of a windowed layer: it has other heads, and maps of its own."""
        assert isinstance(attention, LendingAttention)
        return replace(attention, h_kv=self.h_kv, d_k=self.d_h, d_v=self.d_h, alike=False)

    def block(self) -> FedBlock:
        routed = RoutedBeside(self.E, self.k, self.d, self.d_exp, self.activation)
        return FedBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network(),
            activation=self.activation, d_ple=self.d_ple, fed=self.fed,
            beside=routed if self.experts else None,
        )  # fmt: skip

    def through(self, x: Tensor) -> Tensor:
        """Send the vectors through the layers, those that share keys and values last."""
        rows = view("B T L p -> L B T p", self.tables(x)) if self.fed else None
        return Stack(self.kinds(), self.borrower, rows, self.alone, self.recompute).through(x)

    def tables(self, x: Tensor) -> Tensor:
        """Return what each layer is fed."""
        return LayerTables(self.d, self.L, self.d_ple, self.V_ple)(x, name="tables")

    def kinds(self) -> dict[str, tuple[FedBlock, Expr, Expr]]:
        """Return the kinds of layer: how many have keys and values, and how many use others'."""
        found: dict[str, tuple[FedBlock, Expr, Expr]] = {}
        block, windowed = self.block(), self.L_w if self.windows == "some" else ZERO
        sharing = ZERO if self.shared == "none" else self.L_s
        near = self.L_sw if self.shared == "both" else ZERO
        if self.windows == "some":
            seen = self.windowed(block)
            assert isinstance(seen, FedBlock)
            found[WINDOWED] = (seen, windowed - near, near)
        found["block"] = (block, self.L - windowed - (sharing - near), sharing - near)
        return found

    def borrower(self, block: FedBlock) -> FedBlock:
        """Return a layer that uses keys and values of another one, its network maybe doubled."""
        network = GatedFeedForward(self.d, 2 * self.d_ff, self.activation)
        attention = replace(block.own, borrows=True)
        return replace(
            block, attention=attention, network=network if self.doubled else block.network
        )
