"""Sizes that pass another argument, or are rounded down twice, and what only makes choices."""

from textwrap import dedent

import pytest

from symledger.errors import BadInput

pytest.importorskip("torch", reason="needs PyTorch")

from symledger.tracing.account import account_of, traced  # after PyTorch is known to be there

WINDOW = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, d: int = 16, h: int = 2, window: int = 8, k: int = 3):
            super().__init__()
            self.l, self.score = nn.Linear(d, d), nn.Linear(d, d)
            self.d, self.h, self.window, self.k = d, h, window, k

        def forward(self, x):
"""
FURTHER = "if x.shape[1] {} self.window:\n    x = x * 2\nreturn self.l(x)"


@pytest.fixture
def written(tmp_path):
    """Write a module of which only what it computes is said; return how it is named."""

    def write(body):
        path = tmp_path / "net.py"
        lines = "\n".join(" " * 8 + line for line in body.splitlines())
        path.write_text(dedent(WINDOW) + lines + "\n")
        return f"{path}:Net"

    return write


@pytest.mark.parametrize(
    ("relation", "window", "T", "said"),
    [
        (">", 8, 12, "T > window"), (">", 12, 12, "T ≤ window"), ("<", 8, 12, "T ≥ window"),
        (">", 13, 12, "T ≤ window"), (">=", 13, 12, "T < window"),
    ],
)  # fmt: skip
def test_a_size_stays_on_its_side_of_another_argument(written, relation, window, T, said):
    settings = {"window": str(window), "T": str(T)}
    found = traced(written(FURTHER.format(relation)), settings)
    assert all(c.passed for c in found.checks)
    fixed = {a.name: a.value for a in found.fixed}
    assert fixed["window"] == f"{window}, and {said}"
    sides = {p["T"] > window if ">" in said else p["T"] <= window for p in found.points}
    assert sides == {True} or "≥" in said
    beyond = window - 3 if said[2] in ">≥" else window + 3
    with pytest.raises(BadInput, match=f"T = {beyond}: other operations run there .* {window}"):
        account_of(found, "net").subs(T=beyond)


def test_a_size_that_passes_a_number_of_its_own_is_refused_with_the_number(written):
    with pytest.raises(BadInput, match=r"depends on a size: at T = \d+, and everywhere above 14"):
        traced(written("if x.shape[1] > 14:\n    x = x * 2\nreturn self.l(x)"), {})


def test_what_only_decides_which_are_chosen_is_counted(written):
    body = (
        "chosen = torch.topk(self.score(x), self.k, -1).indices\n"
        "return torch.gather(self.l(x), -1, chosen)"
    )
    found = traced(written(body), {})
    failed = [c.quantity for c in found.checks if not c.passed]
    assert failed in ([], ["memory.saved"])  # PyTorch keeps what it gathers from


def test_what_is_rounded_twice_is_fitted(written):
    body = (
        "n = len(torch.arange(0, int(self.d // self.h * 0.25), 2)) * 2\n"
        "return self.l(torch.cat([x[..., :n] * 2, x[..., n:]], -1))"
    )
    found = traced(written(body), {"d": "64"})
    assert all(c.passed for c in found.checks)
    assert len(found.definitions) >= 1


@pytest.mark.parametrize(("k", "said"), [(5, "T ≥ k"), (14, "T ≤ k")])
def test_as_many_as_there_are_is_one_side_of_a_border(written, k, said):
    body = "return self.l(x[:, : min(self.k, x.shape[1])] * 2)"
    found = traced(written(body), {"k": str(k)})
    assert all(c.passed for c in found.checks)
    assert {a.name: a.value for a in found.fixed}.get("k", said).endswith(said)
    assert all((p["T"] >= p.get("k", k)) == (said == "T ≥ k") or p["T"] == p.get("k", k)
               for p in found.points)  # fmt: skip


CHUNKED = """\
rest = x.shape[1] % self.window
pad = (self.window - rest) % self.window
y = nn.functional.pad(x, (0, 0, 0, pad)) if pad else x
y = self.l(y).unflatten(1, (-1, self.window)).cumsum(2).flatten(1, 2)
return y[:, : x.shape[1]] if pad else y"""


@pytest.mark.parametrize(("window", "T"), [(5, 12), (5, 22), (16, 37)])
def test_what_is_padded_to_whole_pieces_is_none_already(written, window, T):
    found = traced(written(CHUNKED), {"window": str(window), "T": str(T)})
    assert all(c.passed for c in found.checks)
    assert all(p["T"] % p.get("window", window) for p in found.points)
    assert len({-(-p["T"] // window) for p in found.points}) > 2
    assert str(found.conditions[0]) in ("window ∤ T", f"{window} ∤ T")
    account = account_of(found, "net")
    width, pieces = 16, -(-T // window)
    assert account.flops_forward.value == 2 * 2 * pieces * window * width**2
    with pytest.raises(BadInput, match="other operations run there"):
        account.subs(T=3 * window)
    assert account.subs(T=3 * window + 1).flops_forward.value == 4 * 4 * window * width**2


def test_whole_pieces_stay_whole(written):
    found = traced(written(CHUNKED), {"window": "5", "T": "20"})
    assert all(c.passed for c in found.checks)
    assert all(p["T"] % p.get("window", 5) == 0 for p in found.points)
    with pytest.raises(BadInput, match="not a positive whole number"):
        assert account_of(found, "net").subs(T=21).flops_forward.value


def test_an_argument_that_has_to_divide_others_keeps_its_value(written):
    body = (
        "_, k, d = x.shape\n"
        "return self.l(x).repeat_interleave(d // k, 1, output_size=d)"
    )
    found = traced(written(body), {"d": "12", "k": "1"}, ["x: float (B, k, d)"])
    assert all(c.passed for c in found.checks)
    assert {a.name: a.value for a in found.fixed}["k"] == "1"
    assert "d" in found.names.values()
