"""Heads, softmax, noise and losses once more, in PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.embeddings import Head
from symledger.checks.torch.parts import ACTIVATIONS, EPSILON, Function, Options, Sizes


class MaskedHead(nn.Module):
    """Logits of masked tokens, from a table of its own or from the embedding's."""

    def __init__(self, s: Sizes, o: Options, tied: bool = False, width: int | None = None) -> None:
        super().__init__()
        self.act, width = ACTIVATIONS[o["activation"]], width or s["d"]
        self.map = nn.Linear(s["d"], width)
        self.norm = nn.LayerNorm(width, eps=EPSILON)
        self.b = nn.Parameter(torch.zeros(s["V"]))
        self.table = None if tied else Head({**s, "d": width})

    def forward(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        """Map, act, normalize, score."""
        z = self.norm(self.act(self.map(x)))
        return F.linear(z, rows, self.b) if self.table is None else self.table(z) + self.b


class Pooler(nn.Module):
    """The first token's vector, mapped and through tanh, or another function."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.act = ACTIVATIONS[o["activation"]]
        self.map = nn.Linear(s["d"], s["d"])

    def forward(self, x: Tensor) -> Tensor:
        """Pool."""
        return self.act(self.map(x[:, 0]))


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


CASES: Mapping[str, tuple[Case, ...]] = {
    "masked_lm_head": (Case("the head written with torch.nn", MaskedHead),),
    "pooler": (Case("nn.Linear and torch.tanh", Pooler),),
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
}  # fmt: skip
