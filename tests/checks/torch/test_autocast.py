"""Types under autocast against PyTorch 2.13: bytes that autograd really keeps, and result types."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from dataclasses import replace  # noqa: E402  # only where there is PyTorch

from sympy import Integer  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from symledger import algebra, derive  # noqa: E402
from symledger.checks.exact import value, whole  # noqa: E402
from symledger.checks.torch.cases import CASES  # noqa: E402
from symledger.checks.torch.run import Run, one_thread  # noqa: E402
from symledger.checks.torch.witness import POINTS, _artefacts, sizes_at  # noqa: E402
from symledger.checks.trial import Trial  # noqa: E402
from symledger.ir.functions import FUNCTIONS, function  # noqa: E402
from symledger.ledger.lines import total  # noqa: E402
from symledger.notation.autocast import _Walk  # noqa: E402
from symledger.notation.autocast_rules import (  # noqa: E402
    FOLLOWS,
    FULL,
    FUSED,
    LOWER,
    of_function,
)
from symledger.readings.params import is_trained  # noqa: E402
from symledger.readings.pullback import pullback  # noqa: E402
from symledger.readings.saved import saved  # noqa: E402
from tests.checks.torch.cuda_autocast import cpu_autocast, cuda_autocast, full  # noqa: E402

BYTES = {"value": 4, "statistic": 4, "mask": 1, "index": 8, "half": 2}
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


def runs(name, **choices):
    """Runs of a target at all points, and the bytes that are derived for each.

    Noise is kept as bytes: it is drawn by the operation that does it on accelerators.
    """
    account = derive(name, set=choices, recipe="autocast")
    program, options = account.program, account.target.options
    case = next(c for c in CASES[name] if c.given.items() <= options.items())
    more, _ = (0, ()) if "dropout" in choices else _artefacts(account, case, "memory.saved")
    yield from at_points(account, case, program, account["memory.saved"].expr + more)


def at_points(account, case, program, formula):
    back, options = pullback(program), account.target.options
    for seed, point in enumerate(POINTS):
        sizes = sizes_at(point, case, account.symbols, 2 + seed)
        here = {s: sizes[s.name] for s in account.symbols.values() if s not in program.definitions}
        here.update({symbol: whole(e, here) for symbol, e in program.definitions.items()})
        run = Run(Trial(program, back, here, seed), case.build(sizes, options),
                  case.names(sizes, options))  # fmt: skip
        yield run, value(formula, here)


def native(x, p, training, inplace=False):
    return torch.native_dropout(x, p, training)[0] if p else x


@pytest.mark.parametrize(("name", "choices"), [
    ("linear", {}), ("linear", {"bias": "false"}), ("feed_forward", {}), ("gated_feed_forward", {}),
    ("attention", {}), ("attention", {"flash": "true"}), ("self_attention", {"rotary": "true"}),
    ("dot_product_attention", {"causal": "true"}), ("flash_attention", {}), ("softmax", {}),
    ("log_softmax", {}), ("layer_norm", {}), ("rms_norm", {}), ("batch_norm", {}),
    ("group_norm", {}), ("cross_entropy", {}), ("conv2d", {}), ("conv_transpose2d", {}),
    ("pre_ln_block", {}), ("pre_ln_block", {"norm": "rms"}), ("post_ln_block", {}),
    ("pre_ln_block", {"gated": "true"}), ("experts", {}), ("basic_block", {}), ("bottleneck", {}),
    ("latent_attention", {}), ("mini_gpt", {}), ("gpt2", {}), ("gpt2", {"flash": "true"}),
    ("gpt2", {"recompute": "true"}), ("gpt2", {"dropout": "true"}), ("llama", {}),
    ("llama", {"flash": "true"}), ("mixtral", {}), ("bert", {}), ("t5", {}),
])  # fmt: skip
def test_kept_is_what_autograd_keeps_by_the_lists_of_cuda(name, choices, monkeypatch):
    monkeypatch.setattr(F, "scaled_dot_product_attention", unmasked)
    monkeypatch.setattr(F, "dropout", native)
    with one_thread():
        for run, expected in runs(name, **choices):
            assert run.saved(cuda_autocast) == expected


@pytest.mark.parametrize("name", ["linear", "feed_forward", "conv2d", "flash_attention", "experts"])
def test_kept_is_what_autograd_keeps_on_cpu_where_the_lists_agree(name):
    with one_thread():
        for run, expected in runs(name):
            assert run.saved(cpu_autocast) == expected


def given_half(name):
    """A target's program that is given values of 16 bits, as behind a product."""
    program = derive(name).target.program()
    walk = _Walk(lambda body, weight: is_trained(body, weight, ()), inputs=True)
    walk.made.update({x: replace(x, storage="half") for x in program.inputs if x.op.varies})
    return walk.whole(program)


@pytest.mark.parametrize("name", [
    "linear", "feed_forward", "gated_feed_forward", "attention", "dot_product_attention",
    "flash_attention", "softmax", "log_softmax", "layer_norm", "rms_norm", "batch_norm",
    "group_norm", "cross_entropy", "conv2d", "max_pool2d", "pre_ln_block", "post_ln_block",
    "basic_block", "bottleneck", "experts", "latent_attention",
])  # fmt: skip
def test_what_is_given_16_bits_is_kept_and_gives_what_pytorch_does(name):
    """The input that a pooling keeps and never reads is of 16 bits, too."""
    account, program = derive(name), given_half(name)
    found = saved(pullback(program), {s: Integer(n) for s, n in BYTES.items()})
    case = next(c for c in CASES[name] if c.given.items() <= account.target.options.items())
    more, _ = _artefacts(account, case, "memory.saved")
    beyond = more / 2 if name == "max_pool2d" else more
    with one_thread():
        for run, expected in at_points(
            account, case, program, algebra.expression(total(found)) + beyond
        ):
            types = []
            with run.module.register_forward_hook(lambda *given, types=types: types.append(given)):
                assert run.saved(cuda_autocast, torch.bfloat16) == expected
            assert NAMES[types[-1][-1].dtype] == program.outputs[0].storage


def served(kind, monkeypatch, **config):
    """What a class of transformers gives its cache: bytes and types of keys, and of values."""
    transformers = pytest.importorskip("transformers")
    own = transformers.AutoConfig.for_model(kind, vocab_size=50, **config)
    own._attn_implementation = "eager"
    model = transformers.AutoModelForCausalLM.from_config(own).eval()
    given, update = [], transformers.DynamicCache.update

    def watched(self, keys, values, *more):
        given.append((keys, values))
        return update(self, keys, values, *more)

    monkeypatch.setattr(transformers.DynamicCache, "update", watched)
    with cuda_autocast(), torch.no_grad():
        past = model(torch.zeros(2, 6, dtype=torch.long), use_cache=True).past_key_values
    kept = sum(x.numel() * x.element_size() for pair in given for x in pair)
    return kept, [x.dtype for x in given[0]], past.layers[0].values.dtype


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_keys_and_values_are_of_the_types_that_transformers_makes_them(kind, monkeypatch):
    """Its cache holds values in the type of keys, whatever theirs is."""
    config = {
        "llama": {"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2,
                  "intermediate_size": 40, "num_hidden_layers": 2, "pad_token_id": None},
        "gpt2": {"n_embd": 32, "n_head": 4, "n_layer": 2},
    }[kind]  # fmt: skip
    kept, (keys, values), held = served(kind, monkeypatch, **config)
    sizes = {"B": 2, "T": 6, "d": 32, "h": 4, "L": 2} | ({"h_kv": 2} if kind == "llama" else {})
    assert kept == derive(kind, sizes, recipe="autocast")["memory.kv_cache"].value
    assert (keys, values) == ((torch.float32 if kind == "llama" else torch.bfloat16),
                              torch.bfloat16)  # fmt: skip
    assert held == keys


@pytest.mark.parametrize(("frozen", "times"), [(False, 1), (True, 2)])
def test_a_weight_that_asks_for_a_gradient_is_cast_once_in_inference_too(frozen, times):
    module, cast = torch.nn.Linear(3, 3, bias=False).requires_grad_(not frozen), []

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            cast.append(func is torch.ops.aten._to_copy.default and args[0].shape == (3, 3))
            return func(*args, **(kwargs or {}))

    with torch.no_grad(), cuda_autocast(), Watching():
        module(module(torch.zeros(2, 3)))
    assert sum(cast) == times


@pytest.mark.parametrize(("kind", "wrong", "name"), [
    ("softmax", FOLLOWS, "dot_product_attention"), ("layer_norm", LOWER, "layer_norm"),
    ("flash_attention", FULL, "flash_attention"), ("rms_norm", LOWER, "rms_norm"),
    ("log_softmax", LOWER, "log_softmax"), ("batch_norm", FULL, "basic_block"),
])  # fmt: skip
def test_a_wrong_rule_is_found(kind, wrong, name, monkeypatch):
    monkeypatch.setitem(FUSED, kind, wrong)
    with one_thread():
        run, expected = next(runs(name))
        assert run.saved(cuda_autocast) != expected


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
