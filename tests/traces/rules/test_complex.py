"""Complex numbers, which are two tensors here: rotary positions and arithmetic."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from tests.traces.rules.both_ways import X, check, refused  # noqa: E402


def pairs(x):
    return torch.view_as_complex(torch.stack([x, x * 2], -1))


def angles(x):
    T, d = x.shape[1:]
    places = torch.arange(T, device=x.device, dtype=x.dtype)[:, None]
    widths = torch.arange(d, device=x.device, dtype=x.dtype) / d
    return torch.polar(torch.ones_like(places * widths), places * 0.5**widths)


ROWS = {
    "rotary": lambda m, x: torch.view_as_real(pairs(x) * angles(x)).flatten(2),
    "rotary of heads": lambda m, x: torch.view_as_real(
        pairs(x)[:, None].transpose(1, 2) * angles(x).unsqueeze(0)[:, :, None]).flatten(3),
    "arithmetic": lambda m, x: (pairs(x) * pairs(x * 3).conj()).real + (pairs(x) - pairs(m.v)).imag,
    "length": lambda m, x: pairs(x).abs() + torch.complex(x, x * 2).abs(),
    "by a number": lambda m, x: (pairs(x) * 2).real + (pairs(x) * m.v).imag,
    "made of angles": lambda m, x: torch.view_as_real(torch.polar(x.exp(), x * m.v)),
    "views": lambda m, x: torch.view_as_real(
        torch.cat([pairs(x)[:, :1].transpose(1, 2), pairs(x)[:, -1:].mT], -1)),
}  # fmt: skip


@pytest.mark.parametrize("run", ROWS.values(), ids=ROWS)
def test_is_what_pytorch_does(run):
    check(run, X)


def test_what_is_not_understood_of_complex_numbers_is_refused():
    refused(lambda m, x: pairs(x).exp().real, X, why=r"aten\.exp .* not understood of complex")
