"""Attention to one vector a position and to compressed keys, once more in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.attention import DotProduct
from symledger.checks.torch.parts import EPSILON, Options, Sizes
from symledger.checks.torch.uses import counted


class Turned(nn.Module):
    """The end of each head turned by its position, or by so many times that."""

    def __init__(self, length: int, d_rot: int, every: int = 1) -> None:
        super().__init__()
        i = torch.arange(d_rot // 2).double()
        angle = torch.arange(length).double()[:, None, None] * every / 10000 ** (2 * i / d_rot)
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def forward(self, x: Tensor) -> Tensor:
        """Turn."""
        width = 2 * self.cos.shape[-1]
        a, b = x[..., -width:].chunk(2, -1)
        end = torch.cat((a * self.cos - b * self.sin, a * self.sin + b * self.cos), -1)
        return torch.cat((x[..., :-width], end), -1)


class Compressed(nn.Module):
    """One key for each group of positions, or for two groups that overlap with the next two."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.s, self.overlapping = s, o["overlapping"]
        wide = s["d_k"] * (1 + self.overlapping)
        self.KV, self.gate = (nn.Linear(s["d"], wide, bias=False) for _ in "vg")
        self.b = nn.Parameter(torch.randn(s["r_c"], wide))
        self.norm = nn.RMSNorm(s["d_k"], eps=EPSILON)
        self.turn = Turned(s["T"] // s["r_c"], s["d_rot"], s["r_c"])

    def forward(self, x: Tensor) -> Tensor:
        """Cut into groups, pool, normalize, turn."""
        r, n = self.s["r_c"], x.shape[1] // self.s["r_c"]
        kv, gate = (f(x)[:, : n * r].unflatten(1, (n, r)) for f in (self.KV, self.gate))
        gate = gate + self.b
        if self.overlapping:
            kv, gate = (self.doubled(y, v) for y, v in ((kv, 0.0), (gate, -torch.inf)))
        pooled = self.norm((kv * F.softmax(gate, 2)).sum(2))
        return self.turn(pooled[:, :, None])[:, :, 0]

    def doubled(self, y: Tensor, nothing: float) -> Tensor:
        """Put what the group before says beside what each says, and nothing before the first."""
        before, own = y.split(self.s["d_k"], -1)
        return torch.cat((F.pad(before, (0, 0, 0, 0, 1, 0), value=nothing)[:, :-1], own), 2)


class CompressedScores(nn.Module):
    """Scores of compressed keys of their own."""

    def __init__(self, s: Sizes) -> None:
        super().__init__()
        self.s = s
        self.keys = Compressed({**s, "d_k": s["d_x"]}, {"overlapping": True})
        self.Q = nn.Linear(s["d_q"], s["n_i"] * s["d_x"], bias=False)
        self.weights = nn.Linear(s["d"], s["n_i"], bias=False)
        self.turn = Turned(s["T"], s["d_rot"])

    def forward(self, x: Tensor, source: Tensor) -> Tensor:
        """Map, turn, multiply, weigh."""
        q = self.turn(self.Q(source).unflatten(-1, (self.s["n_i"], -1))).transpose(1, 2)
        scores = torch.relu(q @ self.keys(x).mT[:, None]) * self.s["d_x"] ** -0.5
        weights = self.weights(x) * self.s["n_i"] ** -0.5
        return (scores.transpose(1, 2) * weights[..., None]).sum(2)


class Grouped(nn.Module):
    """Heads mapped back in groups, then together."""

    def __init__(self, s: Sizes) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(s["G"], s["h"] * s["d_k"] // s["G"], s["d_r"]))
        self.O = nn.Linear(s["G"] * s["d_r"], s["d"], bias=False)

    def forward(self, z: Tensor) -> Tensor:
        """Map each group, then all."""
        grouped = z.flatten(2).unflatten(2, (len(self.W), -1))
        return self.O(torch.einsum("btgi,gir->btgr", grouped, self.W).flatten(2))


def hidden(s: Sizes, far: bool) -> Tensor:
    """−∞ where a query may not see a position, or a key that is not complete by then."""
    t, p = torch.arange(s["T"])[:, None], torch.arange(s["T"])
    seen = (p <= t) & (p > t - s["w"])
    if far:
        n = torch.arange(s["T"] // s["r_c"])
        seen = torch.cat((seen, n < (t + 1) // s["r_c"]), 1)
    return torch.where(seen, 0.0, -torch.inf).double()


class SharedKey(nn.Module):
    """Attention to one vector a position, and to compressed ones."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.s, far = s, o["far"]
        self.Q_down = nn.Linear(s["d"], s["d_q"], bias=False)
        self.norm_Q = nn.RMSNorm(s["d_q"], eps=EPSILON)
        self.Q = nn.Linear(s["d_q"], s["h"] * s["d_k"], bias=False)
        self.KV = nn.Linear(s["d"], s["d_k"], bias=False)
        self.norm = nn.RMSNorm(s["d_k"], eps=EPSILON)
        self.indexer = CompressedScores(s) if far == "chosen" else None
        if far != "none":
            self.compressed = Compressed(s, {"overlapping": far == "chosen"})
        self.far = far != "none"
        self.core = DotProduct(s, {"sinks": True}, hidden(s, self.far))
        self.turn, self.back = (Turned(s["T"], s["d_rot"], i) for i in (1, -1))
        self.out = Grouped(s)

    def forward(self, x: Tensor) -> Tensor:
        """Map down and up, turn, see, turn back, map back."""
        low = self.norm_Q(self.Q_down(x))
        q = self.Q(low).unflatten(-1, (self.s["h"], -1))
        q = self.turn(F.rms_norm(q, q.shape[-1:], eps=EPSILON))
        kv = self.turn(self.norm(self.KV(x))[:, :, None])
        if self.indexer is not None:
            with torch.no_grad():
                self.indexer(x, low)
        if self.far:
            kv = torch.cat((kv, self.compressed(x)[:, :, None]), 1)
        return self.out(self.back(self.core(q, kv, kv)))


def _fused_norms(o: Options) -> Uses:
    return counted(fused_norm="B*T*d_q + B*T*d_k" + " + B*S_c*d_k" * (o["far"] != "none"))


CASES: Mapping[str, tuple[Case, ...]] = {
    "compressed_keys": (Case("F.softmax between nn.Linear and nn.RMSNorm", Compressed,
                             uses=lambda o: counted(fused_norm="B*S_c*d_k")),),
    "shared_key_attention": (
        Case("nn.Linear, nn.RMSNorm, F.softmax and torch.einsum", SharedKey, uses=_fused_norms),),
}  # fmt: skip
