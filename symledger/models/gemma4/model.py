"""Gemma 4: heads of two widths, tables for every layer, keys and values that layers share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.gemma.model import Gemma2
from symledger.models.shared.fed import FedBlock, LayerTables, RoutedBeside
from symledger.models.shared.lending import LendingAttention
from symledger.models.shared.windows import ZERO
from symledger.notation.component import Component
from symledger.notation.verbs import narrow, repeat, scan, view
from symledger.sizes import Size

Shared = Literal["none", "full", "both"]
"""Which last layers use keys and values of earlier ones: none; some that see everything; some of
either kind."""
Alone = Literal["none", "full", "windowed", "both"]
"""Of which kinds there is a single layer that has keys and values of its own, where some share."""


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
        tables = LayerTables(self.d, self.L, self.d_ple, self.V_ple)
        rows = view("B T L p -> L B T p", tables(x, name="tables")) if self.fed else None
        return Stack(self, rows).through(x)


@dataclass
class Stack:
    """The layers of one model, and of their rows those that were not used yet."""

    model: Gemma4
    rows: Tensor | None
    first: Expr = ZERO

    def through(self, x: Tensor) -> Tensor:
        """Send vectors through all layers; of each kind that lends, the last one gives."""
        model, block = self.model, self.model.block()
        kinds: dict[str, tuple[FedBlock, Expr, Expr]] = {}
        windowed = model.L_w if model.windows == "some" else Integer(0)
        sharing = Integer(0) if model.shared == "none" else model.L_s
        near = model.L_sw if model.shared == "both" else Integer(0)
        if model.windows == "some":
            seen = model.windowed(block)
            assert isinstance(seen, FedBlock)
            kinds["windowed_block"] = (seen, windowed - near, near)
        kinds["block"] = (block, model.L - windowed - (sharing - near), sharing - near)
        lent: dict[str, list[Tensor]] = {}
        for name, (one, own, borrowing) in kinds.items():
            if borrowing == 0:
                x = self.repeated(one, own, name, x)
                continue
            if model.alone not in ("both", "full" if name == "block" else "windowed"):
                x = self.repeated(one, own - 1, name, x)
            *lent[name], x = self.once(one, f"lending_{name}", x)
        for name, kv in lent.items():
            x = self.repeated(self.borrower(kinds[name][0]), kinds[name][2], f"late_{name}", x, *kv)
        return x

    def borrower(self, block: FedBlock) -> FedBlock:
        """Return a layer that uses keys and values of another one, its network maybe doubled."""
        model = self.model
        network = GatedFeedForward(model.d, 2 * model.d_ff, model.activation)
        attention = replace(block.own, borrows=True)
        return replace(
            block, attention=attention, network=network if model.doubled else block.network
        )

    def taken(self, times: Expr) -> tuple[Tensor, ...]:
        """Return the rows of the next layers."""
        if self.rows is None:
            return ()
        self.first, start = self.first + times, self.first
        return (narrow(self.rows, 0, start, times),)

    def repeated(
        self, block: Component, times: Expr, name: str, x: Tensor, *kv: Tensor
    ) -> Tensor:  # fmt: skip
        """Apply a layer several times, each time with rows of its own."""
        recompute = self.model.recompute
        if self.rows is None:
            return repeat(block, times, x, *kv, name=name, recompute=recompute)
        (x,) = scan(block, times, (x,), *kv, name=name, over=self.taken(times),
                    recompute=recompute)  # fmt: skip
        return x

    def once(self, block: FedBlock, name: str, x: Tensor) -> tuple[Tensor, ...]:
        """Apply a layer that lends its keys and values; return these and what it gives."""
        lends = replace(block, attention=replace(block.own, lends=True))
        rows = [view("one B T p -> (one B) T p", each) for each in self.taken(Integer(1))]
        return lends.apply(x, *rows, name=name, recompute=self.model.recompute)
