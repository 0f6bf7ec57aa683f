"""Gemma 3n: streams of which each layer computes one, tables for every layer, lent keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, sqrt

from symledger import sizes
from symledger.components.blocks.alternating import Streams, one_of
from symledger.components.blocks.augmented import LowRankResidual
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom, act
from symledger.components.feed_forward.statistical import StatisticalTopK
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import EPSILON
from symledger.errors import DefinitionError
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.gemma.model import Gemma2
from symledger.models.shared.fed import FedBlock, LayerTables
from symledger.models.shared.fed_stack import WINDOWED, Alone, Stack
from symledger.models.shared.lending import LendingAttention
from symledger.models.shared.windows import ZERO
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, join, mean, narrow, param, reduce, view
from symledger.sizes import Size

Shared = Literal["none", "full", "windowed", "both"]
"""Which last layers use keys and values of earlier ones: none; some that see everything; some
with a window; some of either kind."""
Sparse = Literal["none", "full", "windowed", "both", "all"]
"""Which layers keep few of their network's hidden values: none; the first of those that see
everything, of those with a window, or of either kind; all."""


@dataclass(frozen=True)
class SparseGated(GatedFeedForward):
    """A gated network of whose gate few numbers are kept, those that stand out of their row.

    Source: transformers 5.23, ``Gemma3nTextMLP``; You et al., *Spark Transformer* (2025).
    """

    def forward(self, x: Tensor) -> Steps:
        wide = Linear(self.d, self.d_ff, self.has("gate"))(x, name="gate")
        gate = act(self.activation, StatisticalTopK(self.d_ff)(wide, name="top"))
        up = Linear(self.d, self.d_ff, self.has("up"))(x, name="up")
        z = gate * up
        y = Linear(self.d_ff, self.d, self.has("down"))(z, name="down")
        return steps(gate=gate, up=up, z=z, y=y)


@dataclass(frozen=True)
class StreamsBlock(FedBlock):
    """A block that computes one of several streams, with a residual path of low rank.

    Rows of a table, behind a gate of the corrected stream, are added to the others.
    Source: Gemma Team, *Gemma 3n* (2025), model card; transformers 5.23,
    ``Gemma3nTextDecoderLayer``.
    """

    n_s: Expr = sizes.n_s
    d_r: Expr = sizes.d_r
    fed: bool = True

    title: ClassVar[str] = "transformer block that computes one of several streams"

    @property
    def signature(self) -> str:  # type: ignore[override]  # what enters depends on a choice
        """The type line."""
        kv = "B S group key, B S group value"
        entering = f"n_s B T d, B T d_ple{f', {kv}' * self.own.borrows}"
        return f"{entering} -> {f'{kv}, ' * self.own.lends}n_s B T d"

    def forward(  # type: ignore[override]  # rows enter always
        self, x: Tensor, rows: Tensor, k: Tensor | None = None, v: Tensor | None = None
    ) -> Steps:
        streams = Streams(self.n_s, self.d, routed=True)
        expected = streams.predicted(x)
        active = one_of(expected)
        normed = self.normalize(active, 1)
        residual = LowRankResidual(self.d, self.d_r, normed=True)(normed, name="residual")
        lent = [] if k is None else [k, v]
        *kv, attended = self.own.apply(normed, *lent, name="attention")
        middle = (active + self.normalize(attended, 2) + residual) * (1 / sqrt(2))
        computed = middle + self.normalize(self.feed(self.normalize(middle, 3)), 4)
        corrected = streams.corrected(expected, computed)
        given = self.given(one_of(corrected) * param("scale", self.d), rows)
        others = narrow(corrected, 0, 1, self.n_s - 1) + view("B T d -> () B T d", given)
        return steps(expected=expected, middle=middle, computed=computed, corrected=corrected,
                     **dict(zip("kv", kv, strict=False)),
                     y=join([narrow(corrected, 0, 0, 1), others], axis=0))  # fmt: skip


def alike(x: Tensor, long: Tensor) -> Tensor:
    """Make vectors as long as others: their root mean square becomes that of these."""
    size = apply("rsqrt", mean(apply("square", x)) + EPSILON)
    made: Tensor = x * apply("sqrt", mean(apply("square", long))) * size
    return made


@dataclass(frozen=True)
class WidenedStreams(Component):
    """One stream made several: itself, and maps of it that are as long as it is.

    Source: transformers 5.23, ``Gemma3nTextModel.forward``.
    """

    d: Expr = sizes.d
    n_s: Expr = sizes.n_s

    signature: ClassVar[str] = "B T d -> n_s B T d"
    title: ClassVar[str] = "one stream made several"

    def forward(self, x: Tensor) -> Steps:
        W = param("W", self.n_s - 1, self.d, self.d)
        mapped = einsum("B T d, n d e -> n B T e", x, W)
        first = view("B T d -> () B T d", x)
        return steps(mapped=mapped, y=join([first, alike(mapped, first)], axis=0))


@dataclass(frozen=True)
class JoinedStreams(Component):
    """Several streams made one: the mean of the first, and of maps of others as long as it is.

    Source: transformers 5.23, ``Gemma3nTextModel.forward``.
    """

    d: Expr = sizes.d
    n_s: Expr = sizes.n_s

    signature: ClassVar[str] = "n_s B T d -> B T d"
    title: ClassVar[str] = "several streams made one"

    def forward(self, x: Tensor) -> Steps:
        W = param("W", self.n_s - 1, self.d, self.d)
        first = narrow(x, 0, 0, 1)
        mapped = einsum("n B T d, n d e -> n B T e", narrow(x, 0, 1, self.n_s - 1), W)
        together = join([first, alike(mapped, first)], axis=0)
        return steps(mapped=mapped, y=reduce(together, (0,)) * (1 / self.n_s))


@dataclass(frozen=True)
class Gemma3n(Gemma2):
    """The decoder-only transformer of Gemma 3n: a layer computes one of n_s vectors of a token.

    What enters attention also passes a map of low rank (LAuReL); each layer has a table of its
    own; the last L_s layers, if they are ``shared``, L_sw of them with a window, use keys and
    values of the last earlier layer of their kind. Layers that are ``sparse``, L_z of those that
    see everything and L_zw with a window, keep few of their gates. That scores are not divided by
    √d_h, and which stream is computed, changes no count here.
    Source: Gemma Team, *Gemma 3n* (2025), model card; transformers 5.23, ``Gemma3nForCausalLM``.
    """

    Y: Expr = ONE
    n_s: Expr = sizes.n_s
    d_r: Expr = sizes.d_r
    L_s: Expr = sizes.L_s
    L_sw: Expr = sizes.L_sw
    L_z: Expr = sizes.L_z
    L_zw: Expr = sizes.L_zw
    d_ple: Expr = sizes.d_ple
    V_ple: Expr = sizes.V_ple

    head: Literal["lm", "bare"] = "lm"
    activation: Gating = "gelu_tanh"
    capped_scores: Literal[False] = False
    capped_logits: Literal[True] = True
    attention_bias: Annotated[bool, Seldom()] = False
    shared: Annotated[Shared, Seldom(but=("full",))] = "none"
    alone: Annotated[Alone, Seldom(decides=True)] = "none"
    sparse: Annotated[Sparse, Seldom(but=("all",))] = "none"

    title: ClassVar[str] = "decoder-only transformer, several streams, tables for every layer"
    assumptions: ClassVar[dict[Size, Expr]] = {**Gemma2.assumptions, sizes.V_ple: sizes.V}
    references: ClassVar[tuple[str, ...]] = (
        "transformers 5.23, Gemma3nForCausalLM",
        "Baykal et al., Alternating Updates for Efficient Transformers (2023), algorithm 1",
        "Menghani, Kumar, Kumar, LAuReL: Learned Augmented Residual Layer (2024), section 2.1",
    )

    def attention(self) -> LendingAttention:
        return LendingAttention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.attention_bias, causal=True,
            rotary=True, qk_norm="rms", cached=self.seen,
        )  # fmt: skip

    def block(self) -> FedBlock:
        block = StreamsBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network(),
            activation=self.activation, d_ple=self.d_ple, n_s=self.n_s, d_r=self.d_r,
        )  # fmt: skip
        return self.sparser(block) if self.sparse == "all" else block

    def sparser(self, block: FedBlock) -> FedBlock:
        """Return the same block with a network that keeps few of its gates."""
        return replace(block, network=SparseGated(self.d, self.d_ff, self.activation))

    def through(self, x: Tensor) -> Tensor:
        """Make one stream several, send them through the layers, and make them one again."""
        tables = LayerTables(self.d, self.L, self.d_ple, self.V_ple)
        rows = view("B T L p -> L B T p", tables(x, name="tables"))
        kinds = self.kinds()
        numbers = {"block": self.L_z, WINDOWED: self.L_zw}
        said = {"block": ("full", "both"), WINDOWED: ("windowed", "both")}
        first = {name: (self.sparser(one), numbers[name])
                 for name, (one, _, _) in kinds.items() if self.sparse in said[name]}  # fmt: skip
        stack = Stack(kinds, borrower, rows, self.alone, self.recompute, first)
        streams = WidenedStreams(self.d, self.n_s)(x, name="widen")
        return JoinedStreams(self.d, self.n_s)(stack.through(streams), name="join")

    def kinds(self) -> dict[str, tuple[FedBlock, Expr, Expr]]:
        """Return the kinds of layer: how many have keys and values, and how many use others'.

        Raises:
            DefinitionError: layers of a kind that there is none of are to share, or to be sparse.
        """
        block = self.block()
        there = {"none": ("full",), "some": ("full", "windowed"), "all": ("windowed",)}
        for option, value in (("shared", self.shared), ("sparse", self.sparse)):
            asked = {"both": ("full", "windowed")}.get(value, (value,))
            if value not in ("none", "all") and not {*asked} <= {*there[self.windows]}:
                raise DefinitionError(
                    f"{option} = {value} with windows = {self.windows} is not supported: there is "
                    "no such layer. Choose another of them."
                )
        late = self.L_s if self.shared != "none" else ZERO
        near = {"both": self.L_sw, "windowed": self.L_s}.get(self.shared, ZERO)
        windowed = {"some": self.L_w, "all": self.L}.get(self.windows, ZERO)
        found: dict[str, tuple[FedBlock, Expr, Expr]] = {}
        if self.windows != "none":
            seen = self.windowed(block)
            assert isinstance(seen, FedBlock)
            found[WINDOWED] = (seen, windowed - near, near)
        if self.windows != "all":
            found["block"] = (block, self.L - windowed - (late - near), late - near)
        return found


def borrower(block: FedBlock) -> FedBlock:
    """Return a layer that uses keys and values of another one."""
    return replace(block, attention=replace(block.own, borrows=True))
