"""Single layers of torch.nn, and those that are a line or two of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case, Names
from symledger.checks.torch.modules.attention import DotProduct
from symledger.checks.torch.modules.recurrent import seq_first
from symledger.checks.torch.parts import ACTIVATIONS, Function, Options, Sizes, recomputed


class Bilinear(nn.Module):
    """A map that is affine in each of two vectors, its intermediate product made twice."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(s["d_out"], s["d_1"], s["d_2"]))
        self.b = nn.Parameter(torch.randn(s["d_out"])) if o["bias"] else 0

    def product(self, x: Tensor, z: Tensor) -> Tensor:
        """Multiply each matrix by both vectors."""
        return torch.einsum("boj,bj->bo", torch.einsum("bi,oij->boj", x, self.W), z)

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        """Map."""
        return recomputed(self.product, x, z, early=True) + self.b


class LSTMCell(nn.LSTMCell):
    """PyTorch's own, its states one by one."""

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is shown and the cell state."""
        return super().forward(x, (h, c))


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


class MultiheadAttention(nn.MultiheadAttention):
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


def _cell(kind: Any, **uses: str) -> tuple[Case, ...]:
    def build(s: Sizes, o: Options) -> nn.Module:
        chosen = {name: o[name] for name in ("bias", "nonlinearity") if name in o}
        return kind(s["d_in"], s["d_s"], **chosen)

    names = {f"{theirs}_{way}": (f"{part}.{ours}",)
             for theirs, ours in (("weight", "W'"), ("bias", "b"))
             for way, part in (("ih", "ih"), ("hh", "cell.hh"))}  # fmt: skip
    return (Case(f"nn.{kind.__name__}", build, lambda s, o: names, lambda o: uses),)


def _noise(o: Options) -> Uses:
    return {"noise": f"B*T*h*(S + {o['bias_kv'] + o['zero_kv']})"} if o["dropout"] else {}


LOSSES: Mapping[str, Any] = {
    "huber_scaled": partial(F.huber_loss, delta=0.5),
    "mse": F.mse_loss, "l1": F.l1_loss, "huber": F.huber_loss, "bce": F.binary_cross_entropy,
    "bce_with_logits": F.binary_cross_entropy_with_logits,
    "kl_div": F.kl_div, "kl_div_log": partial(F.kl_div, log_target=True),
    "poisson_nll": F.poisson_nll_loss,
    "poisson_nll_rate": partial(F.poisson_nll_loss, log_input=False),
}  # fmt: skip


def _loss(x: Tensor, y: Tensor, o: Options) -> Tensor:
    """A loss of PyTorch; that the mean of kl_div will be another one some day is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LOSSES[o["function"]](x, y, reduction=o["reduction"])


def _signed(loss: Any, *entering: Tensor) -> Tensor:
    *x, kind = entering
    return loss(*x, 2 * kind - 1)


def _signs(loss: Any, margin: float, o: Options) -> Function:
    """A loss that takes signs, 1 or -1, given ones and zeros."""
    return Function(partial(_signed, partial(loss, margin=margin, reduction=o["reduction"])))


def _classes(function: Any, x: Tensor, y: Tensor, reduction: str) -> Tensor:
    loss = function(x.flatten(0, 1), y.flatten(), reduction=reduction)
    return loss.view(y.shape) if reduction == "none" else loss



BAGS = {"sum": "3*B", "mean": "3*B + B*T + 1", "max": "2*B + B*T + 1"}
"""Whole numbers that nn.EmbeddingBag keeps beside the tokens and where the largest stand."""

CASES: Mapping[str, tuple[Case, ...]] = {
    "bilinear": (
        Case("two torch.einsum, the first one of them run again", Bilinear),
        Case("nn.Bilinear", lambda s, o: nn.Bilinear(s["d_1"], s["d_2"], s["d_out"], o["bias"]),
             uses=lambda o: {"unseen product": "B*d_out*d_2"}),
    ),
    "identity": (Case("nn.Identity", lambda s, o: nn.Identity()),),
    "activation": (Case(
        "the function of torch",
        lambda s, o: Function(ACTIVATIONS.get(o["function"]) or getattr(F, o["function"])),
        uses=lambda o: {"exponential": "B*T*n"} if o["function"] == "log_sigmoid" else {}),),
    "rrelu": (Case("nn.RReLU", lambda s, o: nn.RReLU()),),
    "prelu": (Case("nn.PReLU", lambda s, o: nn.PReLU(s["C"] if o["by_channel"] else 1)),),
    "glu": (Case("nn.GLU", lambda s, o: nn.GLU()),),
    "softmax": (Case("nn.Softmax", lambda s, o: nn.Softmax(-1)),),
    "softmin": (Case("nn.Softmin", lambda s, o: nn.Softmin(-1)),),
    "log_softmax": (Case("nn.LogSoftmax", lambda s, o: nn.LogSoftmax(-1)),),
    "dropout": (Case("nn.Dropout", lambda s, o: nn.Dropout(0.1),
                     uses=lambda o: {"noise": "B*T*n"}),),
    "channel_dropout": (Case("nn.Dropout1d", lambda s, o: nn.Dropout1d(0.1),
                             uses=lambda o: {"noise": "B*C"}),),
    "alpha_dropout": (Case("nn.AlphaDropout", lambda s, o: nn.AlphaDropout(0.1),
                           uses=lambda o: {"noise": "B*T*n"}),),
    "channel_alpha_dropout": (Case("nn.FeatureAlphaDropout", lambda s, o: nn.FeatureAlphaDropout(
        0.1), uses=lambda o: {"noise": "B*C"}),),
    "embedding_bag": (Case(
        "nn.EmbeddingBag", lambda s, o: nn.EmbeddingBag(s["V"], s["d"], mode=o["mode"]),
        uses=lambda o: {"bags": BAGS[o["mode"]]}),),
    "cross_entropy": (Case("F.cross_entropy", lambda s, o: Function(partial(
        _classes, partial(F.cross_entropy, label_smoothing=0.1 * o["smoothing"]),
        reduction=o["reduction"])),
        uses=lambda o: {"loss": "1", **({"smoothed loss": "B*T + 8"} if o["smoothing"] else {})}),),
    "negative_log_likelihood": (Case("F.nll_loss", lambda s, o: Function(
        partial(_classes, F.nll_loss, reduction=o["reduction"])),
        uses=lambda o: {"loss": "1", "unread input": "B*T*V"}),),
    "elementwise_loss": (Case("the loss of torch", lambda s, o: Function(
        partial(_loss, o=o))),),
    "margin_ranking": (Case("nn.MarginRankingLoss", lambda s, o: Function(
        partial(F.margin_ranking_loss, margin=0.5, reduction=o["reduction"]))),),
    "pairwise_distance": (Case("nn.PairwiseDistance", lambda s, o: nn.PairwiseDistance()),),
    "cosine_similarity": (Case("nn.CosineSimilarity", lambda s, o: nn.CosineSimilarity(),
                               uses=lambda o: {"lengths": "2*B"}),),
    "triplet_margin": (Case("nn.TripletMarginLoss", lambda s, o: nn.TripletMarginLoss(
        0.5, reduction=o["reduction"])),),
    "cosine_embedding": (Case("nn.CosineEmbeddingLoss", lambda s, o: _signs(
        F.cosine_embedding_loss, -0.5, o)),),
    "hinge_embedding": (Case("nn.HingeEmbeddingLoss", lambda s, o: _signs(
        F.hinge_embedding_loss, 1.0, o)),),
    "multi_margin": (Case("nn.MultiMarginLoss", lambda s, o: nn.MultiMarginLoss(
        reduction=o["reduction"])),),
    "gaussian_nll": (Case("nn.GaussianNLLLoss", lambda s, o: nn.GaussianNLLLoss(
        reduction=o["reduction"])),),
    "multi_label_soft_margin": (Case(
        "nn.MultiLabelSoftMarginLoss", lambda s, o: nn.MultiLabelSoftMarginLoss(
            reduction=o["reduction"]), uses=lambda o: {"exponential": "2*B*n"}),),
    "rnn_cell": _cell(nn.RNNCell),
    "gru_cell": _cell(nn.GRUCell),
    "lstm_cell": _cell(LSTMCell),
    "sourced_attention": (
        Case("four nn.Linear around it", Sourced, uses=_noise),
        Case("nn.MultiheadAttention", MultiheadAttention, _multihead_names, _noise,
             {"d": "h*d_h"}, {"bias_kv": False, "out_bias": False}),
    ),
}  # fmt: skip
"""What needs no more than a layer."""
