"""Shapes that are said at once, beside what PyTorch computes: lengths, types, order in memory."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from symledger.tracing.runs.pointwise import ONE, POINTWISE  # noqa: E402
from symledger.tracing.runs.quick import OPERATORS, UNROLLED, is_plain, recurrent  # noqa: E402
from symledger.tracing.runs.whole import WHOLE, arguments_of  # noqa: E402

BATCH_NORM = torch.ops.aten.native_batch_norm.default
SHAPES = [(2, 3), (2, 3, 5), (2, 3, 4, 5), (2, 3, 4, 5, 6)]


def told(found):
    return [(tuple(x.shape), x.dtype, x.stride(), x.device.type) for x in found]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_norm_over_a_batch(shape, dtype, training):
    x = torch.empty(shape, dtype=dtype, device="meta")
    orders = [x, x.transpose(0, 1).contiguous().transpose(0, 1)]
    orders += [x.to(memory_format=torch.channels_last)] if len(shape) == 4 else []
    of = [torch.empty(shape[1], dtype=dtype, device="meta") for _ in range(4)]
    for y in orders:
        given = y, *of, training, 0.1, 1e-5
        assert told(OPERATORS[BATCH_NORM](*given)) == told(BATCH_NORM(*given))


def meta(*shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="meta")


WIDE = meta(2, 3, 4, 5)
OPERANDS = {
    "in order": WIDE, "as wide": meta(2, 3, 4, 5), "last": meta(5), "one": meta(2, 3, 4, 1),
    "column": meta(3, 1, 1), "longer": meta(7, 2, 3, 4, 5), "turned": WIDE.transpose(1, 2),
    "square": meta(2, 4, 4, 5).transpose(1, 2), "cut": meta(2, 3, 4, 6)[..., :5],
    "channels": meta(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "empty": meta(2, 0, 1, 5), "none": meta(), "whole": meta(2, 3, 4, 5, dtype=torch.int64),
    "narrow": meta(2, 3, 4, 5, dtype=torch.bfloat16), "wider": meta(5, dtype=torch.float64),
    "expanded": meta(5).expand(2, 3, 4, 5), "mask": meta(3, 4, 5, dtype=torch.bool),
    "elsewhere": torch.zeros(5), "alone": meta(2, 1, 3, 1, 1),
}  # fmt: skip


def outcome(operator, *given):
    try:
        return told([operator(*given)])
    except (RuntimeError, ValueError, IndexError):
        return "refused"


def given_to(operator):
    """Return what an operator of a type may be given."""
    every, numbers = OPERANDS.values(), (3, 0.5)
    tensors = [x for x in every if isinstance(x, torch.Tensor)]
    if operator is torch.ops.aten.mean.dim:
        dims = [-1], [0, 2], [], None, [9], [0, -4]
        return [(x, dim, kept) for x in tensors for dim in dims for kept in (True, False)]
    if operator is torch.ops.aten.where.self:
        masks = [x > 0 for x in tensors]
        return [(c, x, y) for c in masks for x in tensors for y in tensors if x.dtype == y.dtype]
    if operator in [o.default for o in ONE]:
        return [(x,) for x in tensors]
    return [(x, y) for x in tensors for y in (numbers if "Scalar" in str(operator) else tensors)]


@pytest.mark.parametrize("operator", POINTWISE, ids=str)
def test_what_does_each_element_by_itself(operator):
    said = POINTWISE[operator]
    for given in given_to(operator):
        assert outcome(said, *given) == outcome(operator, *given), given


NETS = [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("net", NETS)
def test_a_recurrent_network(net, both, first):
    net = net(4, 6, num_layers=2, bidirectional=both, batch_first=first, device="meta")
    calls = []

    class Noted(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func in UNROLLED:
                calls.append((func, args))
            return func(*args, **(kwargs or {}))

    x = torch.empty(3, 5, 4, device="meta")
    with Noted():
        net(x)
        net(torch.nn.utils.rnn.pack_padded_sequence(x, [5] * 3 if first else [3] * 5, first))
    (func, args), (_, packed) = calls
    given = arguments_of(WHOLE[func], args, {})
    assert is_plain(given)
    assert not is_plain(arguments_of(WHOLE[func], packed, {}))
    found, known = recurrent(func, given), func(*args)
    assert told(found) == told(known)
    assert all(x.requires_grad for x in found)
