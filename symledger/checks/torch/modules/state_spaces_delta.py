"""The gated delta rule once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.state_spaces import CausalConvolution, differences
from symledger.checks.torch.parts import EPSILON, Options, Sizes


class GatedDeltaRule(nn.Module):
    """A memory that is corrected, chunk after chunk, heads first."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.s = s

    def forward(self, q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor) -> Tensor:
        """Solve for what chunks write, then go through them."""
        copies = self.s["h_v"] // self.s["h_q"]
        q, k = (of_length_one(x.repeat_interleave(copies, 2)) for x in (q, k))
        q = q * self.s["d_k"] ** -0.5
        q, k, v = (self.chunks(x).contiguous() for x in (q, k, v))
        beta, sums = self.chunks(beta[..., None]), self.chunks(g[..., None])[..., 0].cumsum(-1)
        within = torch.exp(differences(sums))
        taken_in = k * beta
        system, A = (taken_in @ k.transpose(-1, -2)) * within, (q @ k.transpose(-1, -2)) * within
        since = torch.exp(sums)[..., None]
        u, w = (torch.linalg.solve_triangular(system, x, upper=False, unitriangular=True)
                for x in (v * beta, taken_in * since))  # fmt: skip
        q, k = q * since, k * torch.exp(sums[..., -1:] - sums)[..., None]
        whole = torch.exp(sums[..., -1])[..., None, None]
        memory, read = k.new_zeros(*k.shape[:2], k.shape[-1], v.shape[-1]), []
        for c in range(v.shape[2]):
            new = u[:, :, c] - w[:, :, c] @ memory
            read.append(q[:, :, c] @ memory + A[:, :, c] @ new)
            memory = memory * whole[:, :, c] + k[:, :, c].transpose(-1, -2) @ new
        return torch.stack(read, 2).flatten(2, 3)[:, :, : g.shape[1]].transpose(1, 2)

    def chunks(self, x: Tensor) -> Tensor:
        """Cut into chunks, heads first."""
        return x.unflatten(1, (-1, self.s["Q"])).permute(0, 3, 1, 2, 4)


def of_length_one(x: Tensor) -> Tensor:
    """Divide by the length of the last axis."""
    return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6)


class GatedDelta(nn.Module):
    """Map, convolve, correct a memory, normalize, gate, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.s, self.negative = s, o["negative"]
        keys, values = s["h_q"] * s["d_k"], s["h_v"] * s["d_v"]
        self.parts = (keys, keys, values)
        widths = (*zip("QKV", self.parts, strict=True), ("gate", values), ("write", s["h_v"]),
                  ("decay", s["h_v"]))  # fmt: skip
        for name, width in widths:
            self.add_module(name, nn.Linear(s["d"], width, bias=False))
        self.convolution = CausalConvolution({"C": sum(self.parts), "K": s["K"]}, {"bias": False})
        self.A_log, self.dt_bias = (nn.Parameter(torch.randn(s["h_v"])) for _ in range(2))
        self.rule = GatedDeltaRule(s, o)
        self.norm = nn.RMSNorm(s["d_v"], eps=EPSILON)
        self.O = nn.Linear(values, s["d"], bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Mix."""
        q, k, v, z, b, a = (self.get_submodule(name)(x) for name in (
            "Q", "K", "V", "gate", "write", "decay"))  # fmt: skip
        q, k, v = F.silu(self.convolution(torch.cat((q, k, v), -1))).split(self.parts, -1)
        q, k = (u.unflatten(-1, (self.s["h_q"], -1)) for u in (q, k))
        v = v.unflatten(-1, (self.s["h_v"], -1))
        beta = torch.sigmoid(b)
        g = F.softplus(a + self.dt_bias) * -torch.exp(self.A_log)
        read = self.rule(q, k, v, g, beta * 2 if self.negative else beta)
        return self.O(self.norm(read.contiguous()).flatten(2) * F.silu(z))


MEMORY = "B*h_v*d_k*d_v"
CASES: Mapping[str, tuple[Case, ...]] = {
    "gated_delta_rule": (Case(
        "torch.linalg.solve_triangular and torch.matmul", GatedDeltaRule,
        equal={"T": "2*Q", "h_v": "2*h_q"}, given={"cached": False},
        uses=lambda o: {"zeros": MEMORY}),),
    "gated_delta_mixer": (Case(
        "nn.Linear around torch.linalg.solve_triangular", GatedDelta,
        equal={"T": "2*Q", "h_v": "2*h_q"}, given={"cached": False}, uses=lambda o: {
            "zeros": MEMORY, "fused norm": "B*T*h_v*d_v", "groups":
            "2*B*(T + K - 1)*K*(2*h_q*d_k + h_v*d_v)*(2*h_q*d_k + h_v*d_v - 1)"}),),
}  # fmt: skip
