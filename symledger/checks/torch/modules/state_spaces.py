"""State-space models once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.parts import EPSILON, Options, Sizes


class CausalConvolution(nn.Module):
    """A convolution of channels by themselves, padded on both sides and cut off at the end."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.F = nn.Parameter(torch.randn(s["C"], s["K"]))
        self.b = nn.Parameter(torch.randn(s["C"])) if o["bias"] else None

    def forward(self, x: Tensor) -> Tensor:
        """Convolve, and cut off what lies beyond the last token."""
        C, K = self.F.shape
        y = F.conv1d(x.transpose(1, 2), self.F[:, None], padding=K - 1, groups=C)
        y = y[..., : x.shape[1]].transpose(1, 2)
        return y if self.b is None else y + self.b


class ShortConvolution(nn.Module):
    """Three vectors of each token: gate, convolve, gate, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.add_module("in", nn.Linear(s["d"], 3 * s["d"], o["bias"]))
        self.convolution = CausalConvolution({"C": s["d"], "K": s["K"]}, o)
        self.out = nn.Linear(s["d"], s["d"], o["bias"])

    def forward(self, x: Tensor) -> Tensor:
        """Mix."""
        b, c, u = self.get_submodule("in")(x).chunk(3, -1)
        return self.out((c * self.convolution(b * u)).contiguous())


class SelectiveScan(nn.Module):
    """A recurrence, step after step, of which the decays and inputs are made beforehand."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.A_log = nn.Parameter(torch.randn(s["d_i"], s["d_s"]))
        self.D = nn.Parameter(torch.randn(s["d_i"]))

    def forward(self, x: Tensor, dt: Tensor, B: Tensor, C: Tensor) -> Tensor:
        """Start from zeros, and read the state at every step."""
        decay = torch.exp(dt[..., None] * -torch.exp(self.A_log))
        u = dt[..., None] * B[:, :, None] * x[..., None]
        state, read = torch.zeros_like(u[:, 0]), []
        for t in range(x.shape[1]):
            state = decay[:, t] * state + u[:, t]
            read.append((state @ C[:, t, :, None])[..., 0])
        return torch.stack(read, 1) + x * self.D


class StateSpaceDual(nn.Module):
    """The same in chunks: products within them, and states that pass between them."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.s = s
        self.dt_bias, self.A_log, self.D = (nn.Parameter(torch.randn(s["h"])) for _ in range(3))

    def forward(self, x: Tensor, dt: Tensor, B: Tensor, C: Tensor) -> Tensor:
        """Compute everything with heads first: [B, h, chunk, position, …]."""
        dt = F.softplus(dt + self.dt_bias)
        a = self.chunks((dt * -torch.exp(self.A_log))[..., None])[..., 0].cumsum(-1)
        u, (B, C) = self.chunks(x * dt[..., None]), (self.chunks(self.heads(z)) for z in (B, C))
        within = torch.exp(differences(a))
        y = (C @ B.transpose(-1, -2) * within) @ u
        ends = (B * torch.exp(a[..., -1:] - a)[..., None]).transpose(-1, -2) @ u
        y = y + C @ self.begins(a[..., -1], ends) * torch.exp(a)[..., None]
        return y.flatten(2, 3)[:, :, : x.shape[1]].transpose(1, 2) + x * self.D[:, None]

    def heads(self, x: Tensor) -> Tensor:
        """Repeat what is given for a group."""
        return x.repeat_interleave(self.s["h"] // self.s["G"], 2)

    def chunks(self, x: Tensor) -> Tensor:
        """Cut into chunks, heads first."""
        return x.unflatten(1, (-1, self.s["Q"])).permute(0, 3, 1, 2, 4).contiguous()

    def begins(self, whole: Tensor, ends: Tensor) -> Tensor:
        """Return the state that each chunk begins with."""
        states = torch.cat((torch.zeros_like(ends[:, :, :1]), ends), 2).flatten(3)
        decay = torch.exp(differences(F.pad(whole, (1, 0)).cumsum(-1)))
        return (decay @ states)[:, :, :-1].unflatten(-1, ends.shape[3:])


def differences(a: Tensor) -> Tensor:
    """Return what lies between each position and those before it; −∞ for later ones."""
    hidden = torch.full((a.shape[-1],) * 2, -torch.inf).triu(1)
    return a[..., :, None] - a[..., None, :] + hidden


class Mamba(nn.Module):
    """Widen, convolve, scan with what the tokens choose, gate, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.parts, self.normed = (s["d_r"], s["d_s"], s["d_s"]), o["normed"]
        self.add_module("in", nn.Linear(s["d"], 2 * s["d_i"], o["bias"]))
        self.convolution = CausalConvolution(
            {"C": s["d_i"], "K": s["K"]}, {"bias": o["convolution_bias"]}
        )
        self.select = nn.Linear(s["d_i"], sum(self.parts), bias=False)
        self.step = nn.Linear(s["d_r"], s["d_i"])
        self.scan = SelectiveScan(s, o)
        self.out = nn.Linear(s["d_i"], s["d"], o["bias"])

    def forward(self, x: Tensor) -> Tensor:
        """Mix."""
        inner, gate = self.get_submodule("in")(x).chunk(2, -1)
        u = F.silu(self.convolution(inner)).contiguous()  # channels last, as nn.Linear reads them
        low, B, C = map(self.norm, self.select(u).split(self.parts, -1))
        y = self.scan(u, F.softplus(self.step(low)), B, C)
        return self.out(y * F.silu(gate))

    def norm(self, x: Tensor) -> Tensor:
        """Normalize without weights, where that is chosen."""
        return F.rms_norm(x, x.shape[-1:], eps=EPSILON) if self.normed else x


class Mamba2(nn.Module):
    """Widen, convolve, scan in chunks, gate, normalize each group, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.s, self.inner, groups = s, s["h"] * s["d_h"], s["G"] * s["d_s"]
        mixed = self.inner + 2 * groups
        self.groups, self.parts = (self.inner, groups, groups), (self.inner, mixed, s["h"])
        self.add_module("in", nn.Linear(s["d"], sum(self.parts), o["bias"]))
        self.convolution = CausalConvolution(
            {"C": mixed, "K": s["K"]}, {"bias": o["convolution_bias"]}
        )
        self.scan = StateSpaceDual(s, o)
        self.norm = o["norm"]
        self.g = None if self.norm == "none" else nn.Parameter(torch.randn(self.inner))
        self.out = nn.Linear(self.inner, s["d"], o["bias"])

    def forward(self, x: Tensor) -> Tensor:
        """Mix."""
        gate, mixed, dt = self.get_submodule("in")(x).split(self.parts, -1)
        u, B, C = F.silu(self.convolution(mixed)).split(self.groups, -1)
        u = u.unflatten(-1, (self.s["h"], -1))
        B, C = (z.unflatten(-1, (self.s["G"], -1)) for z in (B, C))
        y, gate = self.scan(u, dt, B, C).flatten(2), F.silu(gate)
        if self.norm == "first":
            return self.out(self.normed(y) * gate)
        return self.out(self.normed(y * gate))

    def normed(self, x: Tensor) -> Tensor:
        """Normalize each group by itself, if at all."""
        if self.g is None:
            return x
        grouped = x.unflatten(-1, (self.s["G"], -1))
        return F.rms_norm(grouped, grouped.shape[-1:], eps=EPSILON).flatten(2) * self.g


CASES: Mapping[str, tuple[Case, ...]] = {
    "causal_convolution": (Case(
        "F.conv1d, padded and cut off", CausalConvolution, given={"cached": False},
        uses=lambda o: {"groups": "2*B*(T + K - 1)*K*C*(C - 1)"}),),
    "short_convolution": (Case(
        "nn.Linear around F.conv1d", ShortConvolution, given={"cached": False},
        uses=lambda o: {"groups": "2*B*(T + K - 1)*K*d*(d - 1)"}),),
    "selective_scan": (Case(
        "a loop of products", SelectiveScan, given={"cached": False},
        uses=lambda o: {"zeros": "B*d_i*d_s"}),),
    "state_space_dual": (Case(
        "torch.matmul and torch.cumsum", StateSpaceDual, equal={"T": "2*Q", "h": "2*G"},
        given={"cached": False}, uses=lambda o: {"cut": "B*h*d_h*d_s"}),),
    "mamba_mixer": (Case(
        "nn.Linear around a loop of products", Mamba, given={"cached": False},
        uses=lambda o: {"groups": "2*B*(T + K - 1)*K*d_i*(d_i - 1)", "zeros": "B*d_i*d_s"}),),
    "mamba2_mixer": (Case(
        "nn.Linear around torch.matmul and torch.cumsum", Mamba2,
        equal={"T": "2*Q", "h": "2*G"}, given={"cached": False}, uses=lambda o: {
            "cut": "B*h*d_h*d_s", "groups": "2*B*(T + K - 1)*K*"
            "(h*d_h + 2*G*d_s)*(h*d_h + 2*G*d_s - 1)"}),),
}  # fmt: skip
