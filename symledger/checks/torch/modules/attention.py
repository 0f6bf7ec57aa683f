"""Attention once more, written in PyTorch as PyTorch's users write it."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case, Names
from symledger.checks.torch.modules.embeddings import Rotary
from symledger.checks.torch.modules.norms import inner_norm
from symledger.checks.torch.names import PACKED
from symledger.checks.torch.parts import Options, Sizes, causal_mask, dropout, seq_first
from symledger.checks.torch.uses import OWN, in_attention

MULTI_HEAD = {"S": "T", "h_kv": "h", "d_v": "d_k"}
HEADS = {**MULTI_HEAD, "d": "h*d_k"}


class DotProduct(nn.Module):
    """Scaled dot-product attention of heads, eager or by PyTorch's fused function.

    ``bias`` is a table that is added to the scores of every head, ``hidden`` one to all of them.
    Keys and values may be repeated for the query heads that share them.
    """

    def __init__(self, s: Sizes, o: Options, hidden: Tensor | None = None) -> None:
        super().__init__()
        self.flash, self.drop = o.get("flash", False), dropout(o)
        self.repeated, self.capped = o.get("repeated", False), o.get("capped", False)
        self.scaled = o.get("scaled", True)
        self.sinks = nn.Parameter(torch.randn(s["h"])) if o.get("sinks") else None
        if hidden is None and o.get("causal"):
            hidden = causal_mask(s["T"], s["S"])
        self.register_buffer("hidden", hidden)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None) -> Tensor:
        """Mix the values; query heads share key/value heads in groups."""
        if self.flash:
            q, k, v = (x.transpose(1, 2) for x in (q, k, v))
            z = F.scaled_dot_product_attention(q, k, v, self.hidden, enable_gqa=True)
            return z.transpose(1, 2)
        if self.repeated:
            k, v = (x.repeat_interleave(q.shape[2] // k.shape[2], 2) for x in (k, v))
        grouped = q.unflatten(2, (k.shape[2], -1))
        scores = torch.einsum("btgrk,bsgk->bgrts", grouped, k)
        scores = scores / q.shape[-1] ** 0.5 if self.scaled else scores
        if self.capped:
            scores = torch.tanh(scores / 50) * 50
        if bias is not None:
            scores = scores + bias.unflatten(-3, (k.shape[2], -1))
        a = self.shares(scores if self.hidden is None else scores + self.hidden)
        z = torch.einsum("bgrts,bsgv->bgrtv", self.drop(a), v)
        return z.permute(0, 3, 1, 2, 4).flatten(2, 3)

    def shares(self, scores: Tensor) -> Tensor:
        """Apply softmax; a learned score of each head takes its share away."""
        if self.sinks is None:
            return F.softmax(scores, -1)
        sinks = self.sinks.unflatten(0, scores.shape[1:3])[:, :, None, None]
        beside = sinks.expand(scores.shape[0], -1, -1, scores.shape[3], -1)
        return F.softmax(torch.cat((scores, beside), -1), -1)[..., :-1]


class Window(DotProduct):
    """Attention to the last w positions."""

    def __init__(self, s: Sizes, o: Options) -> None:
        early = torch.full((s["T"], s["T"]), -torch.inf).tril(-s["w"])
        super().__init__(s, o, early + causal_mask(s["T"], s["T"]))


class ALiBi(DotProduct):
    """Attention whose scores fall with the distance, in every head at its own rate."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s, {**o, "causal": True})
        rates = 2.0 ** (-8 * torch.arange(1, s["h"] + 1).double() / s["h"])
        behind = torch.arange(s["S"]) - torch.arange(s["T"])[:, None] + s["T"] - s["S"]
        self.register_buffer("falling", rates[:, None, None] * behind)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None) -> Tensor:
        """Mix the values."""
        return super().forward(q, k, v, self.falling)


class Relative(nn.Module):
    """Attention with a learned bias for each head and each bucket of distances."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.core = DotProduct(s, o)
        self.R = nn.Parameter(torch.randn(s["n_b"], s["h"]))

    def forward(self, q: Tensor, k: Tensor, v: Tensor, bucket: Tensor) -> Tensor:
        """Mix the values."""
        return self.core(q, k, v, F.embedding(bucket, self.R).permute(2, 0, 1))


class Attention(nn.Module):
    """Affine maps to queries, keys and values, and back; past keys and values may come first."""

    def __init__(self, s: Sizes, o: Options, past: int = 0) -> None:
        super().__init__()
        bias, self.widths = o.get("bias", False), (s["d_k"], s["d_v"])
        self.Q = nn.Linear(s["d"], s["h"] * s["d_k"], bias)
        self.K = nn.Linear(s["d"], s["h_kv"] * s["d_k"], bias)
        self.V = nn.Linear(s["d"], s["h_kv"] * s["d_v"], bias)
        self.O = nn.Linear(s["h"] * s["d_v"], s["d"], bias)
        rotary, new = o.get("rotary", False), s["T"] if past else s["S"]
        self.turn_q = Rotary(s["T"], s["d_k"], past) if rotary else nn.Identity()
        self.turn_k = Rotary(new, s["d_k"], past) if rotary else nn.Identity()
        self.core = DotProduct(s, o)
        self.inner_norm = inner_norm(s["h"] * s["d_v"], o)

    def forward(self, x: Tensor, *others: Tensor) -> Tensor:
        """Attend to x itself or to a memory, or to past keys and values as well."""
        source, (d_k, d_v) = others[0] if len(others) == 1 else x, self.widths
        q = self.turn_q(self.Q(x).unflatten(-1, (-1, d_k)))
        k = self.turn_k(self.K(source).unflatten(-1, (-1, d_k)))
        v = self.V(source).unflatten(-1, (-1, d_v))
        if len(others) == 2:
            k, v = (torch.cat((old, new), 1) for old, new in zip(others, (k, v), strict=True))
        return self.O(self.inner_norm(self.core(q, k, v).flatten(-2)))


class Cached(Attention):
    """Attention of new tokens to a cache and to themselves."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s, o, past=s["S"] - s["T"])


class MultiheadAttention(nn.MultiheadAttention):
    """PyTorch's own, of a sequence to itself."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s["d"], s["h"], bias=o["bias"], batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        """Attend, by the fused function."""
        return super().forward(x, x, x, need_weights=False)[0]


class Sourced(nn.Module):
    """Attention whose queries, keys and values come from three sequences."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.width, hidden = s["d_h"], s["h"] * s["d_h"]
        self.Q = nn.Linear(s["d"], hidden, o["bias"])
        self.K = nn.Linear(s["d_key"], hidden, o["bias"])
        self.V = nn.Linear(s["d_val"], hidden, o["bias"])
        self.O = nn.Linear(hidden, s["d"], o["bias"] or o["out_bias"])
        if o["bias_kv"]:
            self.bias_k, self.bias_v = (nn.Parameter(torch.randn(hidden)) for _ in range(2))
        self.zero, self.core = o["zero_kv"], DotProduct(s, o)

    def forward(self, x: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Attend, to one learned key and one of zeros as well."""
        k = self.longer(self.K(key), getattr(self, "bias_k", None))
        v = self.longer(self.V(value), getattr(self, "bias_v", None))
        heads = (y.unflatten(-1, (-1, self.width)) for y in (self.Q(x), k, v))
        return self.O(self.core(*heads).flatten(-2))

    def longer(self, x: Tensor, learned: Tensor | None) -> Tensor:
        """Append what is attended to besides."""
        one = x.shape[0], 1, x.shape[2]
        more = [] if learned is None else [learned.expand(one)]
        more += [torch.zeros(one, dtype=x.dtype)] * self.zero
        return torch.cat((x, *more), 1) if more else x


class SourcedMultihead(nn.MultiheadAttention):
    """PyTorch's own, not fused: the weights are asked for."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s["d"], s["h"], 0.1 * o["dropout"], o["bias"], o["bias_kv"],
                         o["zero_kv"], s["d_key"], s["d_val"])  # fmt: skip

    def forward(self, x: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Attend."""
        return super().forward(seq_first(x), seq_first(key), seq_first(value))[0].transpose(0, 1)


def _multihead_names(s: Sizes, o: Options) -> Names:
    return {**{f"{x}_proj_weight": (f"{x.upper()}.W'",) for x in "qkv"},
            "in_proj_bias": ("Q.b", "K.b", "V.b"),
            "out_proj.weight": ("O.W'",), "out_proj.bias": ("O.b",)}  # fmt: skip


def _noise(o: Options) -> Uses:
    return {"noise": f"B*T*h*(S + {o['bias_kv'] + o['zero_kv']})"} if o["dropout"] else {}


CASES: Mapping[str, tuple[Case, ...]] = {
    "attention": tuple(
        Case("four nn.Linear around it", Attention, uses=in_attention,
             equal={**({"d_v": "d_k"} if flash else {}), **({"S": "T"} if rotary else {})},
             given={"flash": flash, "rotary": rotary})
        for flash in (False, True) for rotary in (False, True)),
    "self_attention": (
        *(Case("four nn.Linear around it", Attention,
               uses=lambda o: in_attention(o, OWN), given={"flash": flash},
               equal={**({"d_v": "d_k"} if flash else {}), "S": "T"})
          for flash in (False, True)),
        Case("four nn.Linear and repeat_interleave", lambda s, o: Attention(
            s, {**o, "repeated": True}), uses=lambda o: {
                **in_attention(o, OWN), "repeated heads": "B*T*(h - h_kv)*(d_k + d_v)"},
            equal={"S": "T"}, given={"flash": False}),
        Case("nn.MultiheadAttention", MultiheadAttention, lambda s, o: PACKED,
             lambda o: in_attention(o, OWN), HEADS,
             {"flash": True, "causal": False, "inner_norm": False}),
    ),
    "cached_attention": tuple(
        Case("four nn.Linear and torch.cat", Cached, uses=in_attention,
             equal={"d_v": "d_k"} if flash else {}, given={"flash": flash})
        for flash in (False, True)),
    "sourced_attention": (
        Case("four nn.Linear around it", Sourced, uses=_noise),
        Case("nn.MultiheadAttention", SourcedMultihead, _multihead_names, _noise,
             {"d": "h*d_h"}, {"bias_kv": False, "out_bias": False}),
    ),
    "dot_product_attention": (Case("torch.einsum and F.softmax", DotProduct, uses=in_attention),),
    "flash_attention": (Case("F.scaled_dot_product_attention",
                             lambda s, o: DotProduct(s, {**o, "flash": True}),
                             uses=lambda o: in_attention({"flash": True}), equal=MULTI_HEAD),),
    "window_attention": (Case("torch.einsum and F.softmax", Window, equal={"S": "T"}),),
    "alibi_attention": (Case("torch.einsum and F.softmax", ALiBi),),
    "relative_attention": (Case("torch.einsum and F.embedding", Relative),),
}  # fmt: skip
