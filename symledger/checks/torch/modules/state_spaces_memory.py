"""The matrix memory once more, written in PyTorch: chunks in products, other tokens in a loop."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case
from symledger.checks.torch.parts import Options, Sizes

Memory = tuple[Tensor, Tensor, Tensor]


class MatrixMemory(nn.Module):
    """Matrices, sums of weights and exponents, passed on from chunk to chunk or token to token."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.Q, self.rest = s["Q"], o["rest"]

    def forward(self, q: Tensor, k: Tensor, v: Tensor, i: Tensor, f: Tensor) -> Tensor:
        """Take whole chunks first, then what is left."""
        given = [x.transpose(1, 2).contiguous() for x in (q, k, v, i, f)]
        B, h, T, d_k = given[0].shape
        zeros = (q.new_zeros(B, h, d_k, v.shape[-1]), q.new_zeros(B, h, d_k), q.new_zeros(B, h))
        if self.rest == "all":
            y = self.loop(zeros, given)
        else:
            whole = T // self.Q * self.Q
            y, memory = self.chunks(zeros, [x[:, :, :whole].contiguous() for x in given])
            if whole < T:
                late = self.loop(memory, [x[:, :, whole:].contiguous() for x in given])
                y = torch.cat([y, late], 2)
        return y.transpose(1, 2)

    def loop(self, memory: Memory, given: list[Tensor]) -> Tensor:
        """Go on token by token."""
        C, n, m = memory
        read = []
        for t in range(given[0].shape[2]):
            q, k, v, i, f = (x[:, :, t] for x in given)
            log = F.logsigmoid(f)
            top = torch.maximum(log + m, i)
            left, taken = torch.exp(log + m - top), torch.exp(i - top)
            outer = k[..., None] @ v[:, :, None]
            C = left[..., None, None] * C.clone() + taken[..., None, None] * outer
            n = left[..., None] * n.clone() + taken[..., None] * k
            q, m = q * k.shape[-1] ** -0.5, top
            weights = (q[:, :, None] @ n[..., None])[:, :, 0]
            read.append((q[:, :, None] @ C)[:, :, 0] / self.divisor(weights, top[..., None]))
        return torch.stack(read, 2)

    def chunks(self, memory: Memory, given: list[Tensor]) -> tuple[Tensor, Memory]:
        """Pass the memory on, and read it and all pairs of a chunk."""
        q, k, v, i, f = (x.unflatten(2, (-1, self.Q)) for x in given)
        b = F.logsigmoid(f).cumsum(-1)
        whole = b[..., -1:]
        a = whole - b + i
        highest = a.max(-1).values
        C, n, m = memory
        began: list[Memory] = []
        for c in range(q.shape[2]):
            began.append((C, n, m))
            fading = whole[:, :, c, 0]
            top = torch.maximum(fading + m, highest[:, :, c])
            left = torch.exp(fading + m - top)
            keys = k[:, :, c] * torch.exp(a[:, :, c] - top[..., None])[..., None]
            C = left[..., None, None] * C + keys.transpose(-2, -1) @ v[:, :, c]
            n = left[..., None] * n + keys.sum(2)
            m = top
        began.append((C, n, m))  # and not read
        matrices, sums, exponents = (
            torch.stack(each, 2)[:, :, :-1] for each in zip(*began, strict=True)
        )
        hidden = torch.full((self.Q, self.Q), -torch.inf, dtype=q.dtype).triu(1)
        log = b[..., None] - b[..., None, :] + hidden + i[..., None, :]
        behind = (b + exponents[..., None])[..., None]
        over = torch.maximum(behind, log.max(-1, keepdim=True).values)
        scale = q.shape[-1] ** -0.5
        pairs = q @ k.transpose(-2, -1) * scale * torch.exp(log - over)
        asked = q * torch.exp(behind - over) * scale
        weights = asked @ sums[..., None] + pairs.sum(-1, keepdim=True)
        y = (asked @ matrices + pairs @ v) / self.divisor(weights, over)
        return y.flatten(2, 3), (C, n, m)

    def divisor(self, weights: Tensor, top: Tensor) -> Tensor:
        """Divide by the sum of weights, but not by too little."""
        return torch.maximum(weights.abs(), torch.exp(-top))


def _kept(o: Options) -> Uses:
    zeros = {} if o["rest"] == "all" else {"zeros": "B*h*d_k*(d_v + 1)"}
    return {**zeros, "exponential": "B*T*h"}


EQUAL: Mapping[str, Mapping[str, str]] = {
    "none": {"T": "2*Q"}, "some": {"Q": "3", "T": "8"}, "all": {},
}  # fmt: skip
CASES: Mapping[str, tuple[Case, ...]] = {
    "matrix_memory": tuple(
        Case("products in chunks and a loop", MatrixMemory, uses=_kept, equal=equal,
             given={"cached": False, "rest": rest})
        for rest, equal in EQUAL.items()
    ),
}  # fmt: skip
