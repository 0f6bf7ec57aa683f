"""The block of Gemma 4: a table's rows enter every layer, and experts may stand beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, sqrt

from symledger import sizes
from symledger.components.blocks.blocks import Block
from symledger.components.feed_forward.experts import Experts
from symledger.components.feed_forward.nonlinearities import Activation, act
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.shared.lending import LendingAttention
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, gather, indices, param, scatter, view


@dataclass(frozen=True)
class ScaledRouter(Component):
    """How much each expert counts: a norm, a scale of each channel, a map, softmax, a scale of it.

    Source: transformers 5.23, ``Gemma4TextRouter``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d

    signature: ClassVar[str] = "N d, E T_e in N -> E T_e one"
    title: ClassVar[str] = "weights of experts, with learned scales of what enters and leaves"

    def forward(self, x: Tensor, slots: Tensor) -> Steps:
        scaled = RMSNorm(self.d, affine=False)(x, name="norm") * param("scale", self.d)
        logits = einsum("N d, d E -> N E", scaled * (1 / sqrt(self.d)), param("W", self.d, self.E))
        p = Softmax()(logits, name="softmax")
        picked = gather(view("N E -> E N", p), slots, batch=1)
        picked = picked * view("E -> E ()", param("expert_scale", self.E))
        return steps(logits=logits, p=p, weights=view("E T_e -> E T_e ()", picked))


@dataclass(frozen=True)
class RoutedBeside(Component):
    """Experts for what was normalized, chosen by what was not.

    Source: transformers 5.23, ``Gemma4TextDecoderLayer``.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_exp: Expr = sizes.d_exp
    activation: Activation = "gelu_tanh"

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixture of experts with a norm of its own, beside a network"

    def forward(self, x: Tensor) -> Steps:
        B, T, _ = x.shape
        rows = view("B T d -> (B T) d", x)
        slots = indices("slots", B * T, self.E, self.k * B * T / self.E, average=True)
        weights = ScaledRouter(self.E, self.k, self.d)(rows, slots, name="router")
        given = gather(RMSNorm(self.d)(rows, name="norm"), slots)
        experts = Experts(self.E, self.k, self.d, self.d_exp, self.activation)
        weighted = experts(given, name="experts") * weights
        together = scatter(weighted, slots, rows.shape)
        return steps(given=given, weights=weights, weighted=weighted,
                     y=view("(B T) d -> B T d", together, B=B))  # fmt: skip


@dataclass(frozen=True)
class FedBlock(Block):
    """A block with norms on either side of each part, that rows of a table may enter at its end.

    With ``fed``, d_p numbers of each token, made for this layer alone, are multiplied by a gate
    and mapped to what is added. ``beside`` the network there may be experts. Where its attention
    lends or borrows keys and values, so does the block.
    Source: Gemma Team, *Gemma 3n* (2025), model card; transformers 5.23,
    ``Gemma4TextDecoderLayer``.
    """

    d_ple: Expr = sizes.d_ple
    activation: Activation = "gelu_tanh"
    fed: bool = False
    beside: Component | None = None

    title: ClassVar[str] = "transformer block that rows of a table enter, with norms around parts"

    @property
    def own(self) -> LendingAttention:
        """Return its attention, which says whether keys and values are lent or borrowed."""
        assert isinstance(self.attention, LendingAttention)
        return self.attention

    @property
    def signature(self) -> str:  # type: ignore[override]  # what enters depends on a choice
        """The type line."""
        kv = "B S group key, B S group value"
        entering = f"B T d{', B T d_ple' * self.fed}{f', {kv}' * self.own.borrows}"
        return f"{entering} -> {f'{kv}, ' * self.own.lends}B T d"

    def forward(
        self, x: Tensor, first: Tensor | None = None, second: Tensor | None = None,
        third: Tensor | None = None,
    ) -> Steps:  # fmt: skip
        others = [each for each in (first, second, third) if each is not None]
        lent = others[1:] if self.fed else others
        *kv, attended = self.own.apply(self.normalize(x, 1), *lent, name="attention")
        middle = x + self.normalize(attended, 2)
        fed = self.feed(self.normalize(middle, 3))
        if self.beside:
            routed = RMSNorm(self.d)(self.beside(middle, name="routed"), name="routed_norm")
            fed = RMSNorm(self.d)(fed, name="dense_norm") + routed
        y = middle + self.normalize(fed, 4)
        if self.fed:
            y = y + self.given(y, others[0])
        return steps(middle=middle, **dict(zip("kv", kv, strict=False)), y=y)

    def given(self, x: Tensor, rows: Tensor) -> Tensor:
        """Return what rows of a table, behind a gate, add to the vectors."""
        gate = act(self.activation, Linear(self.d, self.d_ple, bias=False)(x, name="fed_gate"))
        widened = Linear(self.d_ple, self.d, bias=False)(gate * rows, name="fed")
        return RMSNorm(self.d)(widened, name="fed_norm")


@dataclass(frozen=True)
class LayerTables(Component):
    """What a token has for each layer: a row of a table, and a map of its vector, normalized.

    Where nothing is ``looked`` up, the map alone.
    Source: transformers 5.23, ``Gemma4TextModel.project_per_layer_inputs`` and
    ``EmbeddingGemma2TextPLE``.
    """

    d: Expr = sizes.d
    L: Expr = sizes.L
    d_ple: Expr = sizes.d_ple
    V_ple: Expr = sizes.V_ple
    looked: bool = True

    signature: ClassVar[str] = "B T d -> B T L d_ple"
    title: ClassVar[str] = "rows of a table for every layer, beside a map of what enters"

    def forward(self, x: Tensor) -> Steps:
        width = self.L * self.d_ple
        if not self.looked:
            return steps(y=self.normed(self.split(self.mapped(x, width))))
        rows = indices("rows", self.V_ple, x.shape[0], x.shape[1])
        looked = gather(param("E", self.V_ple, width), rows) * sqrt(self.d_ple)
        mapped = self.mapped(x, width)
        looked, mapped = self.split(looked), self.split(mapped)
        normed = self.normed(mapped)
        return steps(looked=looked, normed=normed, y=(normed + looked) * (1 / sqrt(Integer(2))))

    def mapped(self, x: Tensor, width: Expr) -> Tensor:
        """Map the vector of a token to what all layers are given."""
        y: Tensor = Linear(self.d, width, bias=False)(x, name="map") * (1 / sqrt(self.d))
        return y

    def normed(self, x: Tensor) -> Tensor:
        """Normalize what each layer is given."""
        return RMSNorm(self.d_ple)(x, name="norm")

    def split(self, x: Tensor) -> Tensor:
        """Return what each layer has of it."""
        return view("B T (L p) -> B T L p", x, L=self.L)
