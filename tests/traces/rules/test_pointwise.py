"""Arithmetic and activations: every operation as PyTorch does it, forward and backward."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.nn import functional as F  # noqa: E402, N812  # as everyone calls it

from tests.every import COSTLY  # noqa: E402
from tests.traces.rules.both_ways import IDS, X, check, refused  # noqa: E402


def of_name(where, name):
    return lambda m, x: getattr(where, name)(x)


def of_chances(name):
    return lambda m, x: getattr(torch, name)(x.sigmoid())


def without_gradient(m, x):
    with torch.no_grad():
        return (x * m.v).exp() + 1


ROWS = {
    **{n: of_name(torch, n) for n in (
        "exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sigmoid", "erf",
        "erfc", "relu", "abs", "neg", "square", "sign", "floor", "ceil", "trunc",
    )},
    **{n: of_chances(n) for n in (
        "log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal", "logit",
    )},
    **{n: of_name(F, n) for n in (
        "gelu", "silu", "mish", "softplus", "leaky_relu", "elu", "selu", "celu", "relu6",
        "hardswish", "hardtanh", "logsigmoid", "softsign", "tanhshrink", "hardshrink",
        "softshrink",
    )},
    "gelu by tanh": lambda m, x: F.gelu(x, approximate="tanh"),
    "glu": lambda m, x: F.glu(torch.cat([x, x * 2], -1)),
    "glu along another axis": lambda m, x: F.glu(torch.cat([x, x * 2], 1), 1),
    "softplus, scaled": lambda m, x: F.softplus(x, beta=2.0, threshold=3.0),
    "celu, scaled": lambda m, x: F.celu(x, alpha=0.5),
    "threshold": lambda m, x: F.threshold(x, 0.1, -2.0),
    "rrelu": lambda m, x: F.rrelu(x),
    "prelu": lambda m, x: F.prelu(x.transpose(1, 2), m.v),
    "logit, cut off": lambda m, x: torch.logit(x.sigmoid(), eps=0.3),
    "arithmetic": lambda m, x: (x + 1) * 2 - x / 3 + (2 - x) * (1 / (x * x + 1)) - m.v / x.exp(),
    "alpha": lambda m, x: torch.add(x, m.v, alpha=0.5) - torch.sub(x, m.v, alpha=2),
    "rsub": lambda m, x: torch.rsub(x, 1.5),
    "powers": lambda m, x: x**2 + x**3 + (x * x + 1) ** 0.5 + (x * x + 1) ** -0.5 + x**0,
    "power of a number": lambda m, x: 2**x + 0.3**x,
    "power of a tensor": lambda m, x: (x * x + 1) ** m.v,
    "maximum": lambda m, x: torch.maximum(x, m.v) + torch.minimum(x, m.v * 2),
    "clamp": lambda m, x: x.clamp(-0.5, 0.5) + x.clamp_min(0) + x.clip(max=0.3),
    "clamp by a tensor": lambda m, x: x.clamp(min=m.v, max=m.v.exp()),
    "lerp": lambda m, x: torch.lerp(x, x * 2, 0.3) + torch.lerp(x, m.v, m.v),
    "addcmul": lambda m, x: torch.addcmul(x, m.v, x, value=0.5),
    "addcdiv": lambda m, x: torch.addcdiv(x, m.v, x * x + 1, value=2),
    "remainder": lambda m, x: torch.remainder(x, 0.7) + x % 0.3,
    "rounded division": lambda m, x: torch.div(x, 0.3, rounding_mode="floor") * x,
    "xlogy": lambda m, x: torch.xlogy(x.sigmoid(), x.exp()),
    "casts": lambda m, x: x.to(torch.int64) * x + (x > 0).to(x.dtype) * m.v + x.bool() * x,
    "detach": lambda m, x: x.detach() * m.v + x * x.tanh().detach(),
    "no_grad": lambda m, x: without_gradient(m, x) * m.v + x,
    "tables like a tensor": lambda m, x: torch.ones_like(x) * m.v + x.new_zeros(x.shape) + x,
}  # fmt: skip


@COSTLY(3)
@pytest.mark.parametrize("run", ROWS.values(), ids=ROWS)
def test_is_what_pytorch_does(run):
    check(run, X)


WHOLE = {
    "arithmetic": lambda m, ids: m.E[(ids * 2 + 1) % 5] + m.E[ids // 2] + m.E[4 - ids],
    "clamp": lambda m, ids: m.E[torch.clamp(ids - 1, min=0)],
    "where": lambda m, ids: m.E[torch.where(ids > 1, ids, 0)],
    "cast": lambda m, ids: ids.to(m.v.dtype)[..., None] * m.v + ids.bool()[..., None] * m.v,
}


@pytest.mark.parametrize("run", WHOLE.values(), ids=WHOLE)
def test_whole_numbers_stay_whole(run):
    check(run, IDS)


def test_what_has_no_rule_is_refused_by_name_and_line():
    refused(lambda m, x: torch.atan2(x, m.v), X,
            why=r"aten\.atan2 in the module's own forward, test_pointwise\.py:\d+: no rule says")


def test_a_power_of_a_negative_number_is_refused():
    refused(lambda m, x: (-2.0) ** x, X, why=r"aten\.pow .* not positive")
