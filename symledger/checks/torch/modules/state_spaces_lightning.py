"""Lightning attention once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import SEVERAL, Case
from symledger.checks.torch.parts import EPSILON, Options, Sizes


class Lightning(nn.Module):
    """Heads of a decaying memory, block after block, the last one shorter."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.h, self.length = s["h"], s["T"] if o["one"] else s["Q"]
        width = s["h"] * s["d_k"]
        self.QKV = nn.Linear(s["d"], 3 * width, bias=False)
        self.gate = nn.Linear(s["d"], width, bias=False)
        self.norm = nn.RMSNorm(width, eps=EPSILON)
        self.O = nn.Linear(width, s["d"], bias=False)
        at = torch.arange(self.length).double()[:, None]
        rate = 2.0 ** (-8 * torch.arange(1, s["h"] + 1).double() / s["h"])[:, None, None]
        self.register_buffer("since", torch.exp(-rate * (at + 1)))
        self.register_buffer("left", torch.exp(-rate * (self.length - 1 - at)))
        self.register_buffer("within", torch.exp(-rate * (at - at.T)).tril())
        self.register_buffer("whole", torch.exp(-rate * self.length))

    def forward(self, x: Tensor) -> Tensor:
        """Map, go through blocks, normalize, gate, return."""
        heads = F.silu(self.QKV(x)).unflatten(-1, (self.h, -1)).transpose(1, 2)
        parts = list(zip(*(u.split(self.length, 2) for u in heads.chunk(3, -1)), strict=True))
        width = heads.shape[-1] // 3
        memory, read = x.new_zeros(x.shape[0], self.h, width, width), []
        for number, (q, k, v) in enumerate(parts, 1):
            n = q.shape[2]  # of the last block fewer
            A = (q @ k.transpose(-1, -2)) * self.within[:, :n, :n]
            read.append((q * self.since[:, :n]) @ memory + A @ v)
            with torch.set_grad_enabled(number < len(parts)):  # nothing reads the last one
                memory = memory * self.whole + (k * self.left[:, -n:]).transpose(-1, -2) @ v
        merged = torch.cat(read, 2).transpose(1, 2).flatten(2)
        return self.O(torch.sigmoid(self.gate(x)) * self.norm(merged))


def _of_lightning(o: Options) -> Uses:
    return {"zeros": "B*h*d_k**2", "fused norm": "B*T*h*d_k"}


CASES: Mapping[str, tuple[Case, ...]] = {
    "lightning_attention": (Case(
        "nn.Linear around torch.matmul", Lightning,
        equal={**SEVERAL, "h": "2*h", "T": "3*Q"}, given={"cached": False}, uses=_of_lightning),),
}  # fmt: skip
