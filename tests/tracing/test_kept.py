"""Bytes that are kept are those of PyTorch: cells, bags, norms, what is written in place."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch import nn  # noqa: E402  # after it is known to be there
from torch.nn import functional as F  # noqa: E402, N812

from symledger.tracing.checking.checks import checks  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.trace import trace  # noqa: E402


class Tiny(nn.Module):
    """A layer of d numbers that is made anew at every size, and a linear map before it."""

    def __init__(self, made, run, d=6):
        super().__init__()
        self.enter, self.run = nn.Linear(d, d), run
        self.inner = made(d)

    def forward(self, x):
        return self.run(self.inner, self.enter(x), x)


def weighted(d):
    return nn.utils.parametrizations.weight_norm(nn.Linear(d, d))


def quietly(m, y, x):
    z = y * 2
    with torch.no_grad():
        z.mul_(3).clamp_(min=-1)
    return z * x


def scored(q, k):
    return (q * 2) @ k.mT


KEPT = {
    "cosine": (lambda d: nn.CosineSimilarity(-1), lambda m, y, x: m(y, x)),
    "cumprod": (lambda d: nn.Sigmoid(), lambda m, y, x: m(y).cumprod(1)),
    "weight norm": (weighted, lambda m, y, x: m(y).relu()),
    "in place": (lambda d: nn.LeakyReLU(0.2, inplace=True), lambda m, y, x: m(y) * x),
    "no_grad": (lambda d: nn.Identity(), quietly),
    "last states": (lambda d: nn.LSTM(d, d), lambda m, y, x: F.linear(m(y)[1][0], x[0, :3])),
    "GRU": (lambda d: nn.GRU(d, d), lambda m, y, x: m(y)[0] * x),
    "RNN": (lambda d: nn.RNN(d, d, 2, nonlinearity="relu"), lambda m, y, x: m(y)[1].exp()),
    "layers apart": (lambda d: nn.LSTM(d, d, 2, dropout=0.1), lambda m, y, x: m(y)[0] * x),
    "LSTM cell": (lambda d: nn.LSTMCell(d, d), lambda m, y, x: m(y[0], (x[0], y[1]))[0]),
    "laid anew": (lambda d: nn.Identity(),
                  lambda m, y, x: torch.einsum("big,oig->bo", y.exp(), x.exp())),
    "parts of one": (lambda d: nn.Linear(d, 4 * d), lambda m, y, x: scored(*m(y).unflatten(
        -1, (2, 2, -1)).permute(2, 0, 3, 1, 4))),
    "places": (lambda d: nn.Identity(), lambda m, y, x: y[torch.zeros(4, dtype=torch.int64),
               torch.ones(4, dtype=torch.int64)].exp()),
    "dropped channels": (lambda d: nn.Dropout1d(0.3), lambda m, y, x: m(y) * x),
    "dropped elements of SELU": (lambda d: nn.AlphaDropout(0.3), lambda m, y, x: m(y).exp()),
    "dropped channels of SELU": (lambda d: nn.FeatureAlphaDropout(0.3), lambda m, y, x: m(y) * x),
    "bags": (lambda d: nn.EmbeddingBag(9, d),
             lambda m, y, x: y * m(torch.zeros(4, 3, dtype=torch.int64, device=x.device))[0]),
    "gather": (lambda d: nn.Linear(d, d), lambda m, y, x: m(y).gather(1, torch.zeros(
        y.shape, dtype=torch.int64, device=y.device)) * x),
    "nll": (lambda d: nn.Linear(d, d), lambda m, y, x: F.nll_loss(m(y)[0], torch.zeros(
        y.shape[1], dtype=torch.int64, device=y.device))),
    "index_copy": (lambda d: nn.Linear(d, d), lambda m, y, x: x.index_copy(
        2, torch.zeros(1, dtype=torch.int64, device=y.device), m(y)[..., :1])),
    "index_add": (lambda d: nn.Identity(), lambda m, y, x: torch.zeros_like(y).index_add(
        1, torch.zeros(y.shape[1], dtype=torch.int64, device=y.device), y * x[:, :, :1])),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_kept_bytes_are_those_of_pytorch(name):
    made, run = KEPT[name]
    subject = Subject(
        "Tiny", "", Tiny, {"d": 6}, lambda values: Tiny(made, run, values["d"]),
        (parse_input("x: float (B, T, d)"),),
    )  # fmt: skip
    failed = [str(c) for c in checks(*trace(subject)) if not c.passed]
    assert not failed
