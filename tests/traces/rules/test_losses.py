"""Losses: of two numbers, and of classes."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.nn import functional as F  # noqa: E402, N812  # as everyone calls it

from tests.traces.rules.both_ways import IDS, X, check  # noqa: E402

FUNCTIONS = (
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
    "binary_cross_entropy_with_logits", "poisson_nll_loss",
)  # fmt: skip


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_of_two_numbers(name, reduction):
    loss = getattr(F, name)
    check(lambda m, x: loss(x * m.v, (x * 2).sigmoid(), reduction=reduction), X)


ROWS = {
    "smooth_l1, another bend": lambda m, x: F.smooth_l1_loss(x, x * 2, beta=0.3),
    "huber, another bend": lambda m, x: F.huber_loss(x, x * 2, delta=0.3),
    "soft margin": lambda m, x: F.soft_margin_loss(x, x.sign().detach()),
    "kl_div": lambda m, x: F.kl_div(x, (x * 2).softmax(-1), reduction="sum"),
    "kl_div of logarithms": lambda m, x: F.kl_div(
        x, (x * 2).log_softmax(-1), log_target=True, reduction="batchmean"),
    "bce": lambda m, x: F.binary_cross_entropy(x.sigmoid(), (x > 0).to(x.dtype)),
    "bce, weighted": lambda m, x: F.binary_cross_entropy_with_logits(
        x, x.sigmoid(), weight=m.v.detach(), pos_weight=m.v.detach().exp()),
    "gaussian": lambda m, x: 0.5 * (x.exp().log() + (x - m.v) ** 2 / x.exp()).mean(),
    "contrastive": lambda m, x: F.cross_entropy(
        x[:, 0] @ x[:, 1].T, torch.arange(x.size(0), device=x.device)),
    "triplet": lambda m, x: F.triplet_margin_loss(x, x * 2, x + m.v),
    "margin": lambda m, x: F.margin_ranking_loss(x, x * 2, x.sign().detach()),
    "distance": lambda m, x: F.pairwise_distance(x, x * 2),
    "cosine": lambda m, x: F.cosine_similarity(x, m.v, dim=-1),
    "cross entropy of chances": lambda m, x: F.cross_entropy(
        x.flatten(0, 1), (x * 2).softmax(-1).flatten(0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("run", ROWS.values(), ids=ROWS)
def test_is_what_pytorch_does(run):
    check(run, X)


def flat(m, x, ids):
    return (x @ m.E.T).flatten(0, 1), ids.flatten()


CLASSES = {
    "mean": lambda m, *given: F.cross_entropy(*flat(m, *given)),
    "sum": lambda m, *given: F.cross_entropy(*flat(m, *given), reduction="sum"),
    "each": lambda m, *given: F.cross_entropy(*flat(m, *given), reduction="none"),
    "ignored": lambda m, *given: F.cross_entropy(*flat(m, *given), ignore_index=1),
    "ignored sum": lambda m, *given: F.cross_entropy(
        *flat(m, *given), ignore_index=1, reduction="sum"),
    "weighted": lambda m, *given: F.cross_entropy(*flat(m, *given), m.E[:, 0].detach().exp()),
    "smoothed": lambda m, *given: F.cross_entropy(*flat(m, *given), label_smoothing=0.1),
    "smoothed and ignored": lambda m, *given: F.cross_entropy(
        *flat(m, *given), label_smoothing=0.1, ignore_index=0),
    "axis 1": lambda m, x, ids: F.cross_entropy((x @ m.E.T).transpose(1, 2), ids),
    "one position": lambda m, x, ids: F.cross_entropy((x @ m.E.T)[0, 0], ids[0, 0]),
    "shifted": lambda m, x, ids: F.cross_entropy(
        (x @ m.E.T)[:, :-1].reshape(-1, m.E.size(0)), ids[:, 1:].reshape(-1)),
    "nll": lambda m, x, ids: F.nll_loss((x @ m.E.T).log_softmax(-1).flatten(0, 1), ids.flatten()),
}  # fmt: skip


@pytest.mark.parametrize("run", CLASSES.values(), ids=CLASSES)
def test_of_classes(run):
    check(run, X, IDS)
