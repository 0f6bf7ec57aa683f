"""Mixture of experts: many feed-forward networks, of which every token is sent to a few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Rational

from symledger import sizes
from symledger.components.attention.dot_product import OPENAI
from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Seldom, act, gated
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.norms.norms import RMSNorm
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, gather, indices, param, scatter, view
from symledger.sizes import Size

SHAZEER = "Shazeer et al., Outrageously Large Neural Networks (2017), section 2"
FEDUS = "Fedus et al., Switch Transformers (2022), section 2.1"
JIANG = "Jiang et al., Mixtral of Experts (2024), section 2.1"
WANG = "Wang et al., Auxiliary-Loss-Free Load Balancing Strategy for Mixture-of-Experts (2024)"


@dataclass(frozen=True)
class Experts(Component):
    """E feed-forward networks side by side, each on the T_e tokens that it is given.

    Every network has weights of its own: slices of [E, d, d_ff], and of [E, d_ff] and [E, d] where
    there is a ``bias``. A row uses those of one expert; of the E experts, k are used for a token,
    or, where these are some ``among`` more, k of all of them.
    With ``clamped``, gate and gated values are cut off at 7, the gate goes through
    x·sigmoid(1.702x), and one is added to what it multiplies; with ``cut`` they are cut off alone.
    Source: Shazeer et al. (2017), section 2; Jiang et al. (2024), section 2.1, for gated ones;
    OpenAI, *gpt-oss* (2025), section 2.2, and transformers, ``GptOssExperts``, for clamped ones.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Activation = "silu"
    gated: bool = True
    bias: bool = False
    clamped: bool = False
    among: Expr | None = None
    cut: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "E T_e d -> E T_e d"
    title: ClassVar[str] = "feed-forward networks side by side, each with rows of its own"
    references: ClassVar[tuple[str, ...]] = (SHAZEER, JIANG, OPENAI)

    def forward(self, x: Tensor) -> Steps:
        if self.gated and self.clamped:
            gate = clamped_gate(self.hidden("gate", x))
            z = gate * (apply("clamp", self.hidden("up", x)) + 1)
        elif self.gated and self.cut:
            gate, up = cut_off(self.hidden("gate", x), self.hidden("up", x))
            z = act(self.activation, gate) * up
        elif self.gated:
            _, _, z = gated(self.activation, lambda: self.hidden("gate", x),
                            lambda: self.hidden("up", x))  # fmt: skip
        else:
            z = act(self.activation, self.hidden("up", x))
        return steps(z=z, y=self.map("down", z, self.d_ff, self.d))

    def hidden(self, name: str, x: Tensor) -> Tensor:
        """Map each expert's rows to its hidden width."""
        return self.map(name, x, self.d, self.d_ff)

    def map(self, name: str, x: Tensor, d_in: Expr, d_out: Expr) -> Tensor:
        """Map each expert's rows by its own matrix."""
        used = (self.k, self.among or self.E)
        W = param(f"W_{name}", self.E, d_in, d_out, used=used)
        y = einsum("E T_e i, E i o -> E T_e o", x, W)
        if not self.bias:
            return y
        return y + view("E o -> E () o", param(f"b_{name}", self.E, d_out, used=used))


def cut_off(gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor]:
    """Cut a gate off above, and what it multiplies on both sides; where changes no count.

    Source: transformers 5.23, ``DeepseekV4Experts`` and ``HYV4Experts``.
    """
    return apply("clamp_above", gate), apply("clamp", up)


def clamped_gate(x: Tensor) -> Tensor:
    """Cut off at 7, and multiply by sigmoid(1.702x), operation by operation."""
    gate = apply("clamp_above", x)
    product: Tensor = gate * apply("sigmoid", gate * Rational(1702, 1000))
    return product


@dataclass(frozen=True)
class Router(Component):
    """How much each expert counts for each of the T_e tokens that it is given.

    A linear map, without bias unless there is to be one, and softmax over all experts; what was
    not chosen is not used. Where experts are ``balanced``, each has a number that is added to its
    scores before the choice, and that no gradient reaches.
    Source: Shazeer et al. (2017), section 2.1; Fedus et al. (2022), section 2.1, equation 1; Wang
    et al., *Auxiliary-Loss-Free Load Balancing* (2024), section 3, for balanced ones.
    """

    E: Expr = sizes.E
    d: Expr = sizes.d
    bias: bool = False
    balanced: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "N d, E T_e in N -> E T_e one"
    title: ClassVar[str] = "weights of the experts that tokens were sent to"
    references: ClassVar[tuple[str, ...]] = (SHAZEER, f"{FEDUS}, equation 1", WANG)

    def forward(self, x: Tensor, slots: Tensor) -> Steps:
        logits = einsum("N d, d E -> N E", x, param("W", self.d, self.E))
        logits = logits + param("b", self.E) if self.bias else logits
        p = Softmax()(logits, name="softmax")
        if self.balanced:
            leave_idle(p + param("balance", self.E, trainable=False))
        picked = gather(view("N E -> E N", p), slots, batch=1)
        return steps(logits=logits, p=p, weights=view("E T_e -> E T_e ()", picked))


@dataclass(frozen=True)
class MixtureOfExperts(Component):
    """A router sends each token to k of E experts, and adds up what they give, weighted.

    Which tokens an expert is given is an input of whole numbers, as token ids are: T_e = k·B·T/E
    for each expert on average, none dropped. The choice itself has no gradient; the router's
    comes through the weights. Shared experts are one network more, E_s times as wide, for every
    token; a family may put a network of its own ``beside``. With ``bias`` all maps but theirs
    have one; ``clamped`` experts cut their values off, ``balanced`` ones have numbers that move the
    choice alone, and with ``last_norm`` the sum of everything is normalized. With ``cut`` gates and
    what they multiply are cut off, and nothing else is done to them. Where there are maps
    ``around`` them, what experts are given was mapped by the first, and what they give together is
    by the second.
    Source: Shazeer et al. (2017), section 2; Fedus et al. (2022), section 2.1, for one expert a
    token; Dai et al., *DeepSeekMoE* (2024), section 3.2, for shared ones.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k
    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    E_s: Expr = sizes.E_s
    activation: Activation = "silu"
    gated: bool = True
    router: bool = True
    shared: bool = False
    bias: bool = False
    clamped: bool = False
    beside: Component | None = None
    balanced: Annotated[bool, Seldom()] = False
    last_norm: Annotated[bool, Seldom()] = False
    around: tuple[Component, Component] | None = None
    cut: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "mixture of experts: a router sends each token to k of E networks"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "one expert a token": {sizes.k: 1},
        "dense": {sizes.E: 1, sizes.k: 1},
    }
    references: ClassVar[tuple[str, ...]] = (
        SHAZEER, FEDUS, JIANG, "Dai et al., DeepSeekMoE (2024), section 3.2", OPENAI,
    )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        B, T, _ = x.shape
        rows = view("B T d -> (B T) d", x)
        slots = indices("slots", B * T, self.E, self.k * B * T / self.E, average=True)
        inner = self.around[0](rows, name="narrow") if self.around else rows
        given = gather(inner, slots)
        widths = (self.E, self.k, inner.shape[-1], self.d_ff)
        experts = Experts(*widths, self.activation, self.gated, self.bias, self.clamped,
                          cut=self.cut)  # fmt: skip
        made = experts(given, name="experts")
        named = {"rows": rows, "given": given, "made": made}
        if self.router:
            weights = Router(self.E, self.d, self.bias, self.balanced)(rows, slots, name="router")
            made = made * weights
            named.update(weights=weights, weighted=made)
        together = scatter(made, slots, inner.shape)
        together = self.around[1](together, name="widen") if self.around else together
        y = view("(B T) d -> B T d", together, B=B)
        if network := self.beside or self.together():
            y = y + network(x, name="shared_experts")
        if self.last_norm:
            y = RMSNorm(self.d)(y, name="last_norm")
        return steps(**named, y=y)

    def together(self) -> Component | None:
        """Return the network that the shared experts are, if there are any."""
        kind = GatedFeedForward if self.gated else FeedForward
        width = self.E_s * self.d_ff
        return kind(self.d, width, self.activation, bias=False) if self.shared else None
