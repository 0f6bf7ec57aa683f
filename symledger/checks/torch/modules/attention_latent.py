"""Latent attention once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.attention import DotProduct
from symledger.checks.torch.modules.embeddings import Rotary
from symledger.checks.torch.parts import EPSILON, Options, Sizes


class Latent(nn.Module):
    """Attention whose keys and values are mapped from a latent vector, which is remembered."""

    def __init__(self, s: Sizes, o: Options, past: int = 0) -> None:
        super().__init__()
        self.s, self.o, width = s, o, s["d_h"] + s["d_rot"]
        if o["low_rank"]:
            self.Q_down = nn.Linear(s["d"], s["d_q"], o["bias"])
            self.norm_Q = nn.RMSNorm(s["d_q"], eps=EPSILON)
        self.Q = nn.Linear(s["d_q"] if o["low_rank"] else s["d"], s["h"] * width, bias=False)
        self.KV_down = nn.Linear(s["d"], s["d_c"] + s["d_rot"], o["bias"])
        self.norm_KV = nn.RMSNorm(s["d_c"], eps=EPSILON)
        self.W_K = nn.Parameter(torch.randn(s["d_c"], s["h"], s["d_h"]))
        self.W_V = nn.Parameter(torch.randn(s["d_c"], s["h"], s["d_v"]))
        self.O = nn.Linear(s["h"] * s["d_v"], s["d"], o["bias"])
        self.turn = Rotary(s["T"], s["d_rot"], past)
        self.core = DotProduct({**s, "S": s["S"] if past else s["T"]}, {"causal": True})

    def forward(self, x: Tensor, *past: Tensor) -> Tensor:
        """Map down, turn, remember, map up, mix."""
        s, low = self.s, self.norm_Q(self.Q_down(x)) if self.o["low_rank"] else x
        q, q_r = self.Q(low).unflatten(-1, (s["h"], -1)).split((s["d_h"], s["d_rot"]), -1)
        c, r = self.KV_down(x).split((s["d_c"], s["d_rot"]), -1)
        c, q_r, r = self.norm_KV(c), self.turn(q_r), self.turn(r.unsqueeze(2)).squeeze(2)
        if past:
            c, r = torch.cat((past[0], c), 1), torch.cat((past[1], r), 1)
        z = (self.absorbing if self.o["absorbed"] else self.expanding)(q, q_r, c, r)
        return self.O(z.flatten(2))

    def expanding(self, q: Tensor, q_r: Tensor, c: Tensor, r: Tensor) -> Tensor:
        """Map every latent vector to keys and values of all heads."""
        k, v = (torch.einsum("bsc,chk->bshk", c, W) for W in (self.W_K, self.W_V))
        k_r = r.unsqueeze(2).expand(-1, -1, k.shape[2], -1)
        return self.core(torch.cat((q, q_r), -1), torch.cat((k, k_r), -1), v)

    def absorbing(self, q: Tensor, q_r: Tensor, c: Tensor, r: Tensor) -> Tensor:
        """Map queries to latent vectors instead, and what was mixed to values."""
        scale = ((c.shape[-1] + r.shape[-1]) / (q.shape[-1] + r.shape[-1])) ** 0.5
        asked = torch.cat((torch.einsum("bthk,chk->bthc", q, self.W_K), q_r), -1) * scale
        z = self.core(asked, torch.cat((c, r), -1).unsqueeze(2), c.unsqueeze(2))
        return torch.einsum("bthc,chv->bthv", z, self.W_V)


class CachedLatent(Latent):
    """The same for new tokens, after what is remembered of others."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s, o, past=s["S"] - s["T"])


class Scores(nn.Module):
    """Scores of positions: a few small heads of queries, one key, a weight for each head."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.s = s
        self.Q = nn.Linear(s["d_q"], s["n_i"] * s["d_x"], bias=False)
        self.K = nn.Linear(s["d"], s["d_x"], bias=False)
        self.norm = nn.LayerNorm(s["d_x"])
        self.weights = nn.Linear(s["d"], s["n_i"], bias=False)
        self.turn = Rotary(s["T"], s["d_rot"])

    def forward(self, x: Tensor, source: Tensor) -> Tensor:
        """Map, turn, multiply, weigh."""
        q = self.turned(self.Q(source).unflatten(-1, (self.s["n_i"], -1)))
        k = self.turned(self.norm(self.K(x)).unsqueeze(2)).squeeze(2)
        scores = torch.relu(torch.einsum("bthk,bsk->bths", q, k) * self.s["d_x"] ** -0.5)
        weights = self.weights(x) * self.s["n_i"] ** -0.5
        return torch.einsum("bth,bths->bts", weights, scores)

    def turned(self, x: Tensor) -> Tensor:
        """Turn the beginning of each head."""
        d_rot = self.s["d_rot"]
        return torch.cat((self.turn(x[..., :d_rot]), x[..., d_rot:]), -1)


def _norms(o: Options) -> Uses:
    return {"fused norm": "B*T*d_c" + " + B*T*d_q" * o["low_rank"]}


CASES: Mapping[str, tuple[Case, ...]] = {
    "indexer": (Case("nn.Linear, nn.LayerNorm and torch.einsum", Scores,
                     equal={"d_x": "2*d_rot"}),),
    "latent_attention": (Case("nn.Linear, nn.RMSNorm and torch.einsum", Latent, uses=_norms),),
    "cached_latent_attention": (
        Case("nn.Linear, nn.RMSNorm, torch.einsum and torch.cat", CachedLatent, uses=_norms),),
}  # fmt: skip
