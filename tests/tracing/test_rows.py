"""What is multiplied by a matrix and cannot be seen as rows is kept as a copy, as PyTorch does."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.nn import functional as F  # noqa: E402, N812  # after torch is known to be there

from symledger.tracing.checking.checks import checks  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.runs.rows import is_rows  # noqa: E402
from symledger.tracing.trace import trace  # noqa: E402
from tests.traces.rules.both_ways import IDS, Tiny, X  # noqa: E402


def wrong(run, enters=X):
    """The checks of a trace that fail, of all that are made."""
    def make(values):
        return Tiny(run, values["d"]).to(torch.get_default_dtype())

    subject = Subject("Tiny", "", Tiny, {"d": 6}, make, (parse_input(enters),))
    found = checks(*trace(subject))
    assert len(found) == 5
    return [c for c in found if not c.passed]


PRODUCTS = {
    "linear": lambda m, x: F.linear((x * x)[:, 1:], m.E),
    "linear, named": lambda m, x: F.linear((x * x)[:, 1:], weight=m.E, bias=None),
    "a bias": lambda m, x: F.linear((x * x)[:, :-1], m.E, m.E[:, 0]),
    "swapped axes": lambda m, x: F.linear(x.transpose(0, 1).exp()[1:].transpose(0, 1), m.E),
    "matmul": lambda m, x: torch.matmul((x * x)[:, 1:], m.E.T),
    "@": lambda m, x: (x * x)[:, 1:] @ m.E.T,
    "frozen": lambda m, x: F.linear((x * x)[:, 1:], m.E.detach()),
    "one position": lambda m, x: F.linear((x * x)[:, -1], m.E),
    "twice": lambda m, x: F.linear((x * x)[:, 1:], m.E) + F.linear((x * x)[:, 1:], m.E),
}  # fmt: skip


@pytest.mark.parametrize("run", PRODUCTS.values(), ids=PRODUCTS)
def test_what_a_product_keeps_is_pytorchs(run):
    assert wrong(run) == []


def test_a_shifted_loss_keeps_whole_numbers_as_long_as_they_are():
    def run(m, ids):
        logits = F.linear(F.embedding(ids, m.E), m.E)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())

    assert wrong(run, IDS) == []


def test_what_a_gpu_leaves_empty_is_not_kept():
    assert wrong(lambda m, x: F.logsigmoid(x * x)) == []


def test_a_norm_that_says_no_epsilon_has_that_of_single_precision():
    assert wrong(lambda m, x: F.rms_norm(x, x.shape[-1:], m.v) + F.rms_norm(x, x.shape[-1:])) == []


@pytest.mark.parametrize(("x", "is_one"), [
    (torch.empty(2, 3, 4), True), (torch.empty(2, 3, 4)[:, 1:], False),
    (torch.empty(2, 3, 4)[1:], True), (torch.empty(3, 2, 4).transpose(0, 1), False),
    (torch.empty(1, 3, 4)[:, 1:], True),
])  # fmt: skip
def test_rows_are_seen_in_what_lies_so_in_memory(x, is_one):
    assert is_rows(x) is is_one
