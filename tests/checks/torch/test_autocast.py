"""Types under autocast against PyTorch 2.13: bytes that autograd really keeps, and result types."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from torch.nn import functional as F  # noqa: E402, N812  # only where there is PyTorch

from symledger import derive  # noqa: E402
from symledger.checks.exact import value, whole  # noqa: E402
from symledger.checks.torch.cases import CASES  # noqa: E402
from symledger.checks.torch.run import Run, one_thread  # noqa: E402
from symledger.checks.torch.witness import POINTS, _artefacts, sizes_at  # noqa: E402
from symledger.checks.trial import Trial  # noqa: E402
from symledger.ir.functions import FUNCTIONS, function  # noqa: E402
from symledger.notation.autocast_rules import FULL, of_function  # noqa: E402
from tests.checks.torch.cuda_autocast import cpu_autocast, cuda_autocast, full  # noqa: E402

NAMES = {torch.bfloat16: "half", torch.float32: "value"}
SPELLED = {
    "abs": torch.abs, "celu": F.celu, "celu_10": F.celu, "clamp": lambda x: x.clamp(-7, 7),
    "clamp_10": lambda x: x.clamp(-10, 10), "clamp_above": lambda x: x.clamp(max=7),
    "cos": torch.cos, "cube": lambda x: x**3, "elu": F.elu, "elu_scaled": F.elu, "erf": torch.erf,
    "exp": torch.exp, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "hardshrink": F.hardshrink, "hardsigmoid": F.hardsigmoid, "hardswish": F.hardswish,
    "hardtanh": F.hardtanh, "leaky_relu": F.leaky_relu, "log": torch.log,
    "log_sigmoid": F.logsigmoid, "mish": F.mish, "relu": F.relu, "relu6": F.relu6,
    "rsqrt": torch.rsqrt, "selu": F.selu, "sigmoid": torch.sigmoid, "silu": F.silu,
    "sin": torch.sin, "softplus": F.softplus, "softplus_scaled": lambda x: F.softplus(x, 2),
    "softshrink": F.softshrink, "sqrt": torch.sqrt, "square": torch.square, "tanh": torch.tanh,
    "three_quarters": lambda x: x**0.75,
}  # fmt: skip


ATTEND = F.scaled_dot_product_attention


def unmasked(q, k, v, mask=None, **named):
    """Fused attention that is told that it is causal: a table of the mask is cast and kept."""
    return ATTEND(q, k, v, is_causal=mask is not None, **named)


def runs(name, recipe="autocast", **choices):
    """Runs of a target at all points, and the bytes that are derived for each."""
    account = derive(name, set=choices, recipe=recipe)
    program, options = account.program, account.target.options
    case = next(c for c in CASES[name] if c.given.items() <= options.items())
    more, _ = _artefacts(account, case, "memory.saved")
    formula = account["memory.saved"].expr + more
    for seed, point in enumerate(POINTS):
        sizes = sizes_at(point, case, account.symbols, 2 + seed)
        here = {s: sizes[s.name] for s in account.symbols.values() if s not in program.definitions}
        here.update({symbol: whole(e, here) for symbol, e in program.definitions.items()})
        trial = Trial(program, account.readings.back, here, seed)
        yield Run(trial, case.build(sizes, options), case.names(sizes, options)), value(
            formula, here
        )


@pytest.mark.parametrize(("name", "choices"), [
    ("linear", {}), ("linear", {"bias": "false"}), ("feed_forward", {}), ("gated_feed_forward", {}),
    ("attention", {}), ("attention", {"flash": "true"}), ("self_attention", {"rotary": "true"}),
    ("dot_product_attention", {"causal": "true"}), ("flash_attention", {}), ("softmax", {}),
    ("log_softmax", {}), ("layer_norm", {}), ("rms_norm", {}), ("batch_norm", {}),
    ("group_norm", {}), ("cross_entropy", {}), ("conv2d", {}), ("conv_transpose2d", {}),
    ("pre_ln_block", {}), ("pre_ln_block", {"norm": "rms"}), ("post_ln_block", {}),
    ("pre_ln_block", {"gated": "true"}), ("experts", {}), ("basic_block", {}), ("bottleneck", {}),
    ("latent_attention", {}), ("mini_gpt", {}), ("gpt2", {}), ("gpt2", {"flash": "true"}),
    ("gpt2", {"recompute": "true"}), ("llama", {}), ("llama", {"flash": "true"}),
    ("mixtral", {}), ("bert", {}), ("t5", {}),
])  # fmt: skip
def test_kept_is_what_autograd_keeps_by_the_lists_of_cuda(name, choices, monkeypatch):
    monkeypatch.setattr(F, "scaled_dot_product_attention", unmasked)
    with one_thread():
        for run, expected in runs(name, **choices):
            assert run.saved(cuda_autocast) == expected


@pytest.mark.parametrize("name", ["linear", "feed_forward", "conv2d", "flash_attention", "experts"])
def test_kept_is_what_autograd_keeps_on_cpu_where_the_lists_agree(name):
    with one_thread():
        for run, expected in runs(name):
            assert run.saved(cpu_autocast) == expected


def test_every_function_is_computed_in_its_type():
    assert SPELLED.keys() >= FUNCTIONS.keys()
    x = torch.rand(5, dtype=torch.bfloat16)
    with cuda_autocast():
        found = {name: SPELLED[name](x).dtype for name in FUNCTIONS}
    expected = {n: torch.float32 if of_function(function(n), "") == FULL else torch.bfloat16
                for n in FUNCTIONS}  # fmt: skip
    assert found == expected


def test_what_pytorch_registers_for_cuda_is_what_is_said():
    """A sum is in fp32 and a mean is not; so are norms and softmax, on CUDA alone."""
    assert {"softmax.int", "log_softmax.int", "layer_norm", "rms_norm", "group_norm", "sum", "exp",
            "sum.dim_IntList", "pow.Tensor_Scalar", "rsqrt", "reciprocal", "log"} <= {*full()}
    assert not {"mean", "mean.dim", "add.Tensor", "mul.Tensor", "gelu", "sqrt"} & {*full()}
