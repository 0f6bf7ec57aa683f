"""Feed-forward networks, their nonlinearities and mixtures of experts once more, in PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.norms import inner_norm
from symledger.checks.torch.parts import ACTIVATIONS, Function, Options, Sizes, dropout
from symledger.checks.torch.uses import counted


class FeedForward(nn.Module):
    """Widen, act, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.act, self.drop = ACTIVATIONS[o["activation"]], dropout(o, "hidden_dropout")
        self.add_module("1", nn.Linear(s["d"], s["d_ff"], o["bias"]))
        self.add_module("2", nn.Linear(s["d_ff"], s["d"], o["bias"]))

    def forward(self, x: Tensor) -> Tensor:
        """Apply both maps."""
        hidden = self.act(self.get_submodule("1")(x))
        return self.get_submodule("2")(self.drop(hidden))


class GatedFeedForward(nn.Module):
    """Widen twice, multiply, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.act, self.drop = ACTIVATIONS[o["activation"]], dropout(o, "hidden_dropout")
        self.gate, self.up = (nn.Linear(s["d"], s["d_ff"], o["bias"]) for _ in range(2))
        self.inner_norm = inner_norm(s["d_ff"], o)
        self.down = nn.Linear(s["d_ff"], s["d"], o["bias"])

    def forward(self, x: Tensor) -> Tensor:
        """Apply all three maps."""
        return self.down(self.inner_norm(self.drop(self.act(self.gate(x)) * self.up(x))))


class Outstanding(nn.Module):
    """What a row has above its mean and so many standard deviations."""

    def forward(self, x: Tensor) -> Tensor:
        """Subtract the threshold, and leave out what is below it."""
        mu = x.mean(-1, keepdim=True)
        deviation = (x - mu).square().mean(-1, keepdim=True).sqrt()
        return F.relu(x - (mu + deviation * 0.5))


class Experts(nn.Module):
    """Feed-forward networks side by side, as batched products."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.act, self.gated = ACTIVATIONS[o["activation"]], o["gated"]
        self.clamped, self.bias = o.get("clamped", False), o.get("bias", False)
        if self.bias:
            self.b_up, self.b_gate = (nn.Parameter(torch.randn(s["E"], s["d_ff"])) for _ in "ug")
            self.b_down = nn.Parameter(torch.randn(s["E"], s["d"]))
        wide = (s["E"], s["d"], s["d_ff"])
        if self.gated:
            self.W_gate = nn.Parameter(torch.randn(wide))
        self.W_up = nn.Parameter(torch.randn(wide))
        self.W_down = nn.Parameter(torch.randn(s["E"], s["d_ff"], s["d"]))

    def forward(self, x: Tensor) -> Tensor:
        """Map the rows of each expert."""
        up = self.map("up", x)
        z = self.gate(self.map("gate", x), up) if self.gated else self.act(up)
        return self.map("down", z)

    def gate(self, gate: Tensor, up: Tensor) -> Tensor:
        """Multiply by the gate, both cut off first where that is chosen."""
        if not self.clamped:
            return self.act(gate) * up
        gate, up = gate.clamp(max=7), up.clamp(-7, 7)
        return gate * torch.sigmoid(gate * 1.702) * (up + 1)

    def map(self, name: str, x: Tensor) -> Tensor:
        """Map the rows of each expert by its matrix."""
        y = x @ getattr(self, f"W_{name}")
        return y + getattr(self, f"b_{name}")[:, None] if self.bias else y


class Router(nn.Module):
    """How much the experts that rows were sent to count."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(s["d"], s["E"]))
        self.b = nn.Parameter(torch.randn(s["E"])) if o.get("bias") else None

    def forward(self, x: Tensor, slots: Tensor) -> Tensor:
        """Return the weight of each slot."""
        logits = x @ self.W if self.b is None else x @ self.W + self.b
        return F.softmax(logits, -1).T.gather(1, slots)[..., None]


class Mixture(nn.Module):
    """Rows are sent to experts, and what these give is weighted and added."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.experts = Experts(s, o)
        self.router = Router(s, o) if o.get("router", True) else None
        if o.get("shared"):
            kind = GatedFeedForward if o["gated"] else FeedForward
            self.shared_experts = kind({**s, "d_ff": s["E_s"] * s["d_ff"]}, {**o, "bias": False})

    def forward(self, x: Tensor, slots: Tensor) -> Tensor:
        """Send, map, weight, add."""
        rows = x.flatten(0, 1)
        made = self.experts(rows[slots])
        if self.router:
            made = made * self.router(rows, slots)
        y = torch.zeros_like(rows).index_put((slots,), made, accumulate=True).view_as(x)
        return y + self.shared_experts(x) if hasattr(self, "shared_experts") else y


class MixtureWithIdle(nn.Module):
    """Rows are sent to experts, the last of which give them back."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.number = s["E"]
        self.experts = Experts(s, {**o, "gated": True})
        self.router = Router({**s, "E": s["E_all"]}, o)
        if o.get("spare"):
            self.W_spare = nn.Parameter(torch.randn(s["E_all"] - s["E"], s["d"], 2 * s["d_ff"]))

    def forward(self, x: Tensor, slots: Tensor) -> Tensor:
        """Send, map or give back, weight, add."""
        rows, weights = x.flatten(0, 1), self.router(x.flatten(0, 1), slots)
        given = rows[slots]
        made = self.experts(given[: self.number]) * weights[: self.number]
        kept = given[self.number :] * weights[self.number :]
        y = torch.zeros_like(rows)
        for at, rows_of in ((slots[: self.number], made), (slots[self.number :], kept)):
            y = y.index_put((at,), rows_of, accumulate=True)
        return y.view_as(x)


def _noisy(build: Any) -> Callable[[Sizes, Options], nn.Module]:
    return lambda s, o: build(s, {**o, "hidden_dropout": o["dropout"]})


def _feed_forward(o: Options) -> Uses:
    return counted(
        noise="B*T*d_ff" * o["dropout"], fused_norm="B*T*d_ff" * o.get("inner_norm", False)
    )


CASES: Mapping[str, tuple[Case, ...]] = {
    "feed_forward": (Case("two nn.Linear", _noisy(FeedForward), uses=_feed_forward),),
    "gated_feed_forward": (Case("three nn.Linear", _noisy(GatedFeedForward), uses=_feed_forward),),
    "statistical_top_k": (Case("F.relu above a threshold", lambda s, o: Outstanding()),),
    "activation": (Case(
        "the function of torch",
        lambda s, o: Function(ACTIVATIONS.get(o["function"]) or getattr(F, o["function"])),
        uses=lambda o: {"exponential": "B*T*n"} if o["function"] == "log_sigmoid" else {}),),
    "rrelu": (Case("nn.RReLU", lambda s, o: nn.RReLU()),),
    "prelu": (Case("nn.PReLU", lambda s, o: nn.PReLU(s["C"] if o["by_channel"] else 1)),),
    "glu": (Case("nn.GLU", lambda s, o: nn.GLU()),),
    "experts": (Case("torch.bmm", Experts),),
    "router": (Case("F.softmax and torch.gather", Router),),
    "mixture_of_experts": (Case("indexing and index_put", Mixture),),
    "mixture_with_idle_experts": (Case(
        "indexing and index_put", MixtureWithIdle, equal={"E_all": "2*E", "T": "4*E"}),),
}  # fmt: skip
