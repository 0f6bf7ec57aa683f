"""Kimi delta attention once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.state_spaces import CausalConvolution
from symledger.checks.torch.modules.state_spaces_delta import MEMORY, of_length_one
from symledger.checks.torch.parts import EPSILON, Options, Sizes


class Inverse(torch.autograd.Function):
    """The inverse of a triangle of ones, which is all that is kept."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """Solve for it."""
        ones = torch.eye(x.shape[-1], dtype=x.dtype).expand_as(x)
        y = torch.linalg.solve_triangular(x, ones, upper=False, unitriangular=True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> Tensor:
        """Add up products."""
        (y,) = ctx.saved_tensors
        first = (y[..., :, :, None] * dy[..., :, None, :]).sum(-3)
        both = (first[..., :, None, :] * y[..., None, :, :]).sum(-1)
        return -both.tril(-1)


class KimiDeltaRule(nn.Module):
    """A memory whose rows decay by themselves, chunk after chunk, heads first."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.s = s

    def forward(self, q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor) -> Tensor:
        """Invert what ties the tokens of a chunk, then go through chunks."""
        length = v.shape[1]
        q, k = (of_length_one(x) for x in (q, k))
        q = q * self.s["d_k"] ** -0.5
        q, k, v = (self.chunks(x).contiguous() for x in (q, k, v))
        beta = self.chunks(beta[..., None])
        sums = self.chunks(g).cumsum(-2)
        hidden = torch.full((self.s["Q"],) * 2, -torch.inf).triu(1)[..., None]
        within = torch.exp(sums[..., :, None, :] - sums[..., None, :, :] + hidden)
        taken_in = k * beta
        system = (taken_in[..., :, None, :] * k[..., None, :, :] * within).sum(-1)
        A = (q[..., :, None, :] * k[..., None, :, :] * within).sum(-1)
        inverse, since = Inverse.apply(system), torch.exp(sums)
        u, w = inverse @ (v * beta), inverse @ (taken_in * since)
        q, k = q * since, k * torch.exp(sums[..., -1:, :] - sums)
        whole = torch.exp(sums[..., -1, :])[..., None]
        memory, read = k.new_zeros(*k.shape[:2], k.shape[-1], v.shape[-1]), []
        for c in range(v.shape[2]):
            new = u[:, :, c] - w[:, :, c] @ memory
            read.append(q[:, :, c] @ memory + A[:, :, c] @ new)
            memory = memory * whole[:, :, c] + k[:, :, c].transpose(-1, -2) @ new
        return torch.stack(read, 2).flatten(2, 3)[:, :, :length].transpose(1, 2)

    def chunks(self, x: Tensor) -> Tensor:
        """Cut into chunks, heads first."""
        return x.unflatten(1, (-1, self.s["Q"])).permute(0, 3, 1, 2, 4)


class KimiDelta(nn.Module):
    """Map, convolve, correct a memory, normalize, gate, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.s, self.o = s, o
        keys, values = s["h_v"] * s["d_k"], s["h_v"] * s["d_v"]
        self.parts = (keys, keys, values)
        for name, width in (*zip("QKV", self.parts, strict=True), ("write", s["h_v"])):
            self.add_module(name, nn.Linear(s["d"], width, bias=False))
        for name, width in (("decay", keys), ("gate", values)):
            if o["narrow"]:
                self.add_module(f"{name}_down", nn.Linear(s["d"], s["d_v"], bias=False))
            self.add_module(name, nn.Linear(s["d_v"] if o["narrow"] else s["d"], width, bias=False))
        self.convolution = CausalConvolution({"C": sum(self.parts), "K": s["K"]}, {"bias": False})
        self.A_log = nn.Parameter(torch.randn(s["h_v"]))
        self.dt_bias = nn.Parameter(torch.randn(keys))
        self.rule = KimiDeltaRule(s, o)
        self.norm = nn.RMSNorm(s["d_v"], eps=EPSILON)
        self.O = nn.Linear(values, s["d"], bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Mix."""
        q, k, v = (self.get_submodule(name)(x) for name in "QKV")
        q, k, v = F.silu(self.convolution(torch.cat((q, k, v), -1))).split(self.parts, -1)
        q, k, v = (u.unflatten(-1, (self.s["h_v"], -1)) for u in (q, k, v))
        moved = (self.through(x, "decay") + self.dt_bias).unflatten(-1, (self.s["h_v"], -1))
        rate = torch.exp(self.A_log)[:, None]
        g = (torch.sigmoid(moved * rate) * -5 if self.o["bounded"]
             else torch.log(torch.exp(moved) + 1) * -rate)  # fmt: skip
        read = self.rule(q, k, v, g, torch.sigmoid(self.get_submodule("write")(x)))
        gate = torch.sigmoid(self.through(x, "gate"))
        return self.O(self.norm(read.contiguous()).flatten(2) * gate)

    def through(self, x: Tensor, name: str) -> Tensor:
        """Map, by way of few numbers if there is a way."""
        x = self.get_submodule(f"{name}_down")(x) if self.o["narrow"] else x
        found: Tensor = self.get_submodule(name)(x)
        return found


CASES: Mapping[str, tuple[Case, ...]] = {
    "kimi_delta_rule": (Case(
        "torch.linalg.solve_triangular and torch.matmul", KimiDeltaRule, equal={"T": "2*Q"},
        given={"cached": False}, uses=lambda o: {"zeros": MEMORY}),),
    "kimi_delta_mixer": (Case(
        "nn.Linear around torch.linalg.solve_triangular", KimiDelta, equal={"T": "2*Q"},
        given={"cached": False}, uses=lambda o: {
            "zeros": MEMORY, "fused norm": "B*T*h_v*d_v", "groups":
            "2*B*(T + K - 1)*K*(2*h_v*d_k + h_v*d_v)*(2*h_v*d_k + h_v*d_v - 1)"}),),
}  # fmt: skip
