"""PyTorch as witness: its signatures are those of the rows, and its layers have the parameters."""

import contextlib
import inspect
import io
from functools import cache
from itertools import product

import pytest

from symledger import derive
from symledger.algebra.parsing import parse_expression
from symledger.checks.torch.artefacts import ARTEFACTS
from symledger.errors import BadInput
from symledger.report.figures import snippet
from symledger.torch_layers.call import read
from symledger.torch_layers.limits import Limit
from symledger.torch_layers.table import LAYERS, NAMES, REQUIRED
from tests.torch_layers.test_call import COUNTED, TOO_FEW

torch = pytest.importorskip("torch", reason="needs PyTorch")
FlopCounterMode = pytest.importorskip("torch.utils.flop_counter").FlopCounterMode

WRITTEN = [str(c) for n in LAYERS for c in (read(n.example), *read(n.example).toggled())]


@cache
def derived(written):
    """The account of a layer, which several tests ask for."""
    return derive(written)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_the_signature_is_that_of_pytorch(layer):
    stated = inspect.signature(getattr(torch.nn, layer.name)).parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in stated):
        return  # PyTorch does not say
    said = {p.name: REQUIRED if p.default is p.empty else p.default for p in stated}
    said = {name: getattr(default, "__name__", default) for name, default in said.items()}
    assert list(said.items()) == list(layer.arguments.items())


def test_every_layer_of_pytorch_has_a_row_or_is_refused_by_name():
    found = {n: c for n, c in vars(torch.nn).items() if isinstance(c, type)}
    layers = {n for n, c in found.items() if issubclass(c, torch.nn.Module)}
    assert sorted(NAMES) == sorted(layers)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_a_layer_of_pytorch(name):
    assert issubclass(getattr(torch.nn, name), torch.nn.Module)


@pytest.mark.parametrize("written", [*COUNTED, *WRITTEN])
@pytest.mark.filterwarnings("ignore")  # what PyTorch says about its fast paths
def test_the_lines_that_verify_it_print_the_number(written):
    account = derived(written)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("\n".join(snippet(account)), {})  # noqa: S102  # our own text
    assert int(printed.getvalue()) == account.params.value
    assert f"# {account.params.value}" in list(snippet(account))[-1]


# What PyTorch raises on is refused: every layer, at the least sizes and at the next ones.

ORDERED = {  # how a layer is called where that is not by its inputs one after the other
    "LSTMCell": lambda layer, x, h, c: layer(x, (h, c)),
    "MultiheadAttention": lambda layer, x, source: layer(x, source, source),
    **dict.fromkeys(("CrossEntropyLoss", "NLLLoss"),
                    lambda layer, x, y: layer(x.flatten(0, 1), y.flatten())),
    **dict.fromkeys(("BatchNorm1d", "InstanceNorm1d"), lambda layer, x: layer(x[..., 0])),
}  # fmt: skip
RECURRENT = ("RNN", "GRU", "LSTM")


def sequences_first(layer):
    """Whether the first axis of what enters is the sequence, and the second one the batch."""
    name = layer.layer.name
    batched = not name.startswith(("MultiheadAttention", "Transformer")) and name not in RECURRENT
    return not batched and not layer.values.get("batch_first")


def free_sizes(account):
    """The sizes of what enters that the layer leaves open."""
    return [s.name for s in account.program.entering if s not in account.assumed.bindings]


ON_NUMBERS = ("GaussianNLLLoss",)
"""Layers that look at numbers before they compute: whether a variance is negative."""


def device(account):
    """No device at all, where only shapes are looked at."""
    return "cpu" if account.target.constructor.layer.name in ON_NUMBERS else "meta"


def entering(account):
    """What enters a layer."""
    for x in account.program.inputs:
        shape = [int(n.xreplace(account.assumed.bindings)) for n in x.shape]
        if sequences_first(account.target.constructor):
            shape[:2] = shape[1::-1]
        kind = torch.float32 if x.op.below is None else torch.int64
        yield torch.zeros(shape, dtype=kind, device=device(account))


def built(account):
    """The layer as PyTorch has it."""
    with torch.device(device(account)):
        return eval(account.target.constructor.python(), {"nn": torch.nn})  # noqa: S307  # our own text


def called(account, module, inputs):
    """What comes out of a layer."""
    name = account.target.constructor.layer.name
    return ORDERED.get(name, lambda layer, *xs: layer(*xs))(module, *inputs)


def computes(account):
    """Whether PyTorch takes what enters a layer."""
    try:
        called(account, built(account), entering(account))
    except (RuntimeError, ValueError):
        return False
    return True


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
@pytest.mark.filterwarnings("ignore")
def test_no_number_is_given_where_pytorch_raises(layer):
    account = derive(layer.example)
    for length in (1, 2):
        with contextlib.suppress(BadInput):
            assert computes(account.subs(dict.fromkeys(free_sizes(account), length)))


@pytest.mark.parametrize("kind", ["Avg", "Max"])
@pytest.mark.parametrize("axes", ["T", "HW", "DHW"])
def test_tiles_of_any_length_are_counted(kind, axes):
    """Moved is what PyTorch moves; added or compared, each element once for each tile it is in."""
    for lengths in product((4, 6, 7), repeat=len(axes)):
        for number in (1, 3, 5):
            written = f"Adaptive{kind}Pool{len(axes)}d({number})"
            account = derive(written, {"B": 1, "C": 2, **dict(zip(axes, lengths, strict=True))})
            x = torch.zeros(1, 2, *lengths)
            y = eval(f"torch.nn.{written}")(x)  # noqa: S307  # our own text
            assert account["traffic.forward"].value == bytes_of([x, y])
            elements = 2
            for n in lengths:
                ends = [(i * n // number, -(-(i + 1) * n // number)) for i in range(number)]
                elements *= sum(last - first for first, last in ends)
            more = y.numel() if kind == "Avg" else -y.numel()
            assert account["flops.forward.pointwise"].value == elements + more


FACTORS = (0.5, 0.3, 0.29, 0.7, 1 / 3, 1.1, 2.9, 1.7, 0.57, 2)
"""Some are no floats of few digits: as PyTorch computes it, 0.29 × 100 is 28.99…, 0.7 × 10 is 7."""
MODES = {"nearest": "HW", "bilinear": "HW", "linear": "T", "trilinear": "DHW"}


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("mode", MODES)
def test_lengths_times_a_factor_are_rounded_as_pytorch_does(mode, factor):
    written, axes = f"Upsample(scale_factor={factor!r}, mode={mode!r})", MODES[mode]
    account = derive(written)
    for length in (5, 7, 10, 30, 99, 100):
        x = torch.zeros(1, 1, *(length + i for i in range(len(axes))), device="meta")
        y = torch.nn.Upsample(scale_factor=factor, mode=mode)(x)
        given = {axis: length + i for i, axis in enumerate(axes)}
        here = account.subs({"B": 1, "C": 1, **given})
        assert here["traffic.forward"].value == 4 * (x.numel() + y.numel())


FORGOTTEN = {  # what a module that is given becomes: in the encoder, in the decoder
    "TransformerDecoder(TransformerDecoderLayer(4, 2, 8, 0.0, GELU()), 2)": ("", "relu"),
    "TransformerDecoder(TransformerDecoderLayer(4, 2, 8, 0.0, Mish(), norm_first=True), 2)":
        ("", "relu"),
    "TransformerDecoder(TransformerDecoderLayer(4, 2, 8, 0.0, 'gelu'), 2)": ("", "gelu"),
    "Transformer(4, 2, 1, 1, 8, 0.0, SiLU())": ("silu", "relu"),
    "Transformer(4, 2, 1, 1, 8, 0.0, F.silu)": ("silu", "silu"),
    "Transformer(4, 2, 1, 1, 8, 0.0, ReLU())": ("relu", "relu"),
    "Transformer(4, 2, 1, 1, 8, 0.0, Hardswish())": ("hardswish", "relu"),
    "Transformer(4, 2, 1, 1, 8, 0.0, F.mish)": ("mish", "mish"),
    "TransformerDecoder(TransformerDecoderLayer(4, 2, 8, 0.0, torch.tanh), 1)": ("", "tanh"),
    "TransformerEncoder(TransformerEncoderLayer(4, 2, 8, 0.0, GELU()), 1)": ("gelu", ""),
}


@pytest.mark.parametrize("written", FORGOTTEN)
@pytest.mark.filterwarnings("ignore")  # what PyTorch says about its fast paths
def test_a_copy_of_a_decoder_layer_forgets_a_module(written):
    account, (encoder, decoder) = derive(written, {"B": 2, "T": 3}), FORGOTTEN[written]
    module = eval(written, {**vars(torch.nn), "torch": torch, "F": torch.nn.functional})  # noqa: S307  # our own text
    found = {"Encoder": set(), "Decoder": set()}
    for layer in module.modules():
        for kind, names in found.items():
            if type(layer).__name__ == f"Transformer{kind}Layer":
                names.add(getattr(layer.activation, "__name__", type(layer.activation).__name__))
    assert {kind: {n.lower() for n in names} for kind, names in found.items()} == {
        "Encoder": {encoder} - {""}, "Decoder": {decoder} - {""}
    }
    options = account.target.options
    own = options.get("encoder_activation", "same")
    assert decoder in ("", options["activation"])
    assert encoder in ("", options["activation"] if own == "same" else own)
    says = "run ReLU in PyTorch" in account.to_dict(["params"]).get("reads", "")
    assert says is (bool(decoder) and "()" in written.replace("ReLU()", ""))


# Sizes that are set of a layer are those of what enters it, and what comes out is PyTorch's.

OPEN = {"B": 2, "C": 36, "D": 14, "H": 42, "W": 84, "T": 14, "S": 4, "n": 24, "d": 6, "V": 7}
"""Sizes at which every layer below runs."""
SIZED = [
    "PixelShuffle(3)", "PixelUnshuffle(3)", "ChannelShuffle(4)", "Fold((7, 5), (2, 3), stride=2)",
    "Fold((4, 4), 2, dilation=2, padding=1)", "GLU(2)", "Unflatten(1, (-1, 4))",
    "Unflatten(1, (3, -1))", "Unflatten(1, (2, -1, 3))", "Unflatten(-1, (2, 4, -1))",
    "Unflatten(1, (3, 4))", "Conv2d(4, 8, 3, 2, padding=1)", "ConvTranspose2d(4, 8, 3, stride=2)",
    "Unfold(3, padding=1)", "MaxPool2d(3, 2, 1, ceil_mode=True)", "UpsamplingNearest2d((5, 9))",
]
"""Layers beside the examples: an axis of what enters is made of several, or of a result."""
LOOKED_UP = ("Embedding", "EmbeddingBag")
"""Layers of which rows are read, and not the table."""


def tensors(found):
    """The tensors among what a layer returns."""
    if found is None or isinstance(found, torch.Tensor):
        return [] if found is None else [found]
    return [t for part in found for t in tensors(part)]


def bytes_of(found):
    """The bytes of tensors."""
    return sum(t.numel() * t.element_size() for t in found)


@pytest.mark.parametrize("written", [*WRITTEN, *COUNTED])
def test_every_size_that_is_free_is_an_axis_of_what_enters(written):
    account = derived(written)
    axes = {n for x in account.program.inputs for n in x.shape}
    assert {*free_sizes(account)} <= {str(n) for n in axes}


@pytest.mark.parametrize("written", [*WRITTEN, *SIZED])
@pytest.mark.filterwarnings("ignore")  # what PyTorch says about its fast paths
def test_as_much_is_moved_as_pytorch_moves_at_the_sizes_of_what_enters(written):
    account = derived(written)
    account = account.subs({n: OPEN[n] for n in free_sizes(account)})
    inputs, module = [*entering(account)], built(account)
    outputs = tensors(called(account, module, inputs))
    assert sum(t.numel() for t in outputs[: len(account.program.outputs)]) == sum(
        int(t.size.xreplace(account.assumed.bindings)) for t in account.program.outputs
    )
    if account.target.constructor.layer.name not in LOOKED_UP:
        moved = bytes_of([*inputs, *module.parameters(), *outputs[: len(account.program.outputs)]])
        assert account["traffic.forward"].value == moved


@pytest.mark.parametrize("written", TOO_FEW)
def test_pytorch_raises_on_what_is_refused_for_its_size(written, monkeypatch):
    sizes = dict.fromkeys("BCDHW", 4) | TOO_FEW[written][0]
    monkeypatch.setattr(Limit, "check", lambda *known: None)
    account = derive(written)
    assert not computes(account.subs({n: sizes[n] for n in sizes if n in free_sizes(account)}))


# What the components' own witnesses do not say: layers that are read as something more general.
# Settings beside what is written, shapes of the inputs, and the artefacts of what PyTorch keeps.

IMAGE = {"B": 2, "H": 4, "W": 4}
KEPT = [
    ("Hardsigmoid()", {"B": 2, "T": 3, "n": 5}, [(2, 3, 5)], {}),
    ("Conv1d(4, 6, 3, padding='same', groups=2)", {"B": 2, "T": 8}, [(2, 4, 8)], {}),
    # an uneven padding is written down, by one more at the end than at the beginning
    ("Conv1d(4, 6, 4, padding='same', dilation=3)", {"B": 2, "T": 8}, [(2, 4, 8)], {}),
    ("Conv2d(3, 6, (3, 4), padding='same')", IMAGE, [(2, 3, 4, 4)], {}),
    ("Conv3d(3, 6, (2, 3, 1), padding='same')", {"D": 5, **IMAGE}, [(2, 3, 5, 4, 4)], {}),
    ("Conv2d(3, 6, (2, 3), padding='same', padding_mode='circular')", IMAGE, [(2, 3, 4, 4)], {}),
    ("Conv2d(3, 6, 4, padding='same', padding_mode='reflect')", IMAGE, [(2, 3, 4, 4)],
     {"unread input": "B*C_in*H*W"}),
    ("AdaptiveMaxPool2d((None, 2))", {**IMAGE, "C": 3}, [(2, 3, 4, 4)],
     {"unread input": "B*C*H*W"}),
    *((f"Adaptive{written}", {"B": 2, "C": 3, **dict(zip(axes, lengths, strict=True))},
       [(2, 3, *lengths)], {"unread input": "*".join(("B", "C", *axes))})
      for written, axes, lengths in (
          ("AvgPool1d(3)", "T", (7,)), ("MaxPool1d(9)", "T", (7,)), ("MaxPool1d(4)", "T", (6,)),
          ("AvgPool2d(3)", "HW", (7, 4)), ("MaxPool2d((None, 3))", "HW", (7, 4)),
          ("AvgPool3d((2, 3, 4))", "DHW", (5, 7, 4)), ("MaxPool3d(3)", "DHW", (5, 7, 4)),
      )),
    ("Threshold(0.1, 20)", {"B": 2, "T": 3, "n": 5}, [(2, 3, 5)], {}),
    ("InstanceNorm2d(3)", IMAGE, [(2, 3, 4, 4)], {}),
    ("GroupNorm(3, 6, affine=False)", IMAGE, [(2, 6, 4, 4)], {}),
    ("Dropout2d()", {"B": 2, "C": 3, "n": 16}, [(2, 3, 4, 4)], {"noise": "B*C"}),
    ("Softmax2d()", {"B": 2, "T": 16, "n": 3}, [(2, 3, 4, 4)], {}),
    ("BatchNorm1d(3)", {"B": 4}, [(4, 3)], {}),
    ("BatchNorm1d(3)", {"B": 2, "H": 5}, [(2, 3, 5)], {}),
    ("Dropout(0.0)", {"B": 2, "T": 3, "n": 5}, [(2, 3, 5)], {}),
    ("Dropout2d(0)", {"B": 2, "T": 3, "n": 16}, [(2, 3, 4, 4)], {}),
    ("Upsample(scale_factor=(2, 2), mode='nearest-exact')", {**IMAGE, "C": 3}, [(2, 3, 4, 4)], {}),
    ("Softmax(dim=1)", {"B": 2, "T": 5, "n": 3}, [(2, 3, 5)], {}),
    ("LogSoftmax(dim=0)", {"B": 2, "T": 5, "n": 3}, [(3, 2, 5)], {}),
    ("Softmin()", {"B": 2, "T": 5, "n": 3}, [(3, 2, 5)], {}),
    ("GLU(dim=1)", {"B": 2, "T": 5, "d": 6}, [(2, 6, 5)], {}),
    ("SmoothL1Loss(beta=0.5)", {"B": 2, "n": 5}, [(2, 5)] * 2, {}),
    ("ConstantPad2d(1, 0.5)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)], {}),
    ("ZeroPad2d((0, 1, 2, 1))", {**IMAGE, "C": 3}, [(2, 3, 4, 4)], {}),
    ("ReflectionPad1d((0, 2))", {"B": 2, "C": 3, "T": 5}, [(2, 3, 5)], {"unread input": "B*C*T"}),
    ("Upsample((6, 2), mode='bilinear', align_corners=True)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)],
     {}),
    ("Upsample(scale_factor=1.5)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)], {}),
    ("Upsample(scale_factor=0.3)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)], {}),
    ("Upsample(scale_factor=0.5, recompute_scale_factor=True)", {**IMAGE, "C": 3, "W": 5},
     [(2, 3, 4, 5)], {}),
    ("Upsample(scale_factor=0.7, mode='bicubic')", {**IMAGE, "C": 3}, [(2, 3, 4, 4)], {}),
    ("UpsamplingBilinear2d(scale_factor=2)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)], {}),
    ("Flatten(2)", {"B": 6, "C": 1, "H": 4, "W": 4}, [(2, 3, 4, 4)], {}),
    ("Unflatten(1, (3, 4))", {"B": 2}, [(2, 12)], {}),
    ("CosineSimilarity(dim=0)", {"B": 2, "n": 5}, [(5, 2)] * 2, {"lengths": "2*B"}),
    ("LocalResponseNorm(4, k=2)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)],
     {"unread input": "B*(C + 3)*H*W"}),
    *((f"LocalResponseNorm(3, beta={beta})", {**IMAGE, "C": 3}, [(2, 3, 4, 4)],
       {"unread input": "B*(C + 2)*H*W"}) for beta in (0.5, 2, 3.0, 1.5, -1, 0.3)),
    # the slope of the first power is 1, but PyTorch keeps what it is the power of
    ("LocalResponseNorm(3, 2, beta=1.0, k=0.5)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)],
     {"unread input": "B*(2*C + 2)*H*W"}),
    ("RReLU()", {"B": 2, "T": 3, "n": 5}, [(2, 3, 5)], {}),
    ("PairwiseDistance(keepdim=True)", {"B": 2, "n": 5}, [(2, 5)] * 2, {}),
    ("EmbeddingBag(7, 4, mode='max')", {"B": 2, "T": 3}, [(2, 3)], {"bags": "2*B + B*T + 1"}),
    ("UpsamplingNearest2d(scale_factor=2)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)], {}),
    ("Conv1d(4, 6, 3, padding='same', padding_mode='circular')", {"B": 2, "T": 8}, [(2, 4, 8)],
     {}),
    ("AvgPool2d(3, 2, 1, ceil_mode=True)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)],
     {"unread input": "B*C*H*W"}),
    ("AvgPool2d(3, 2, 1, divisor_override=-5)", {**IMAGE, "C": 3}, [(2, 3, 4, 4)],
     {"unread input": "B*C*H*W"}),
    ("BatchNorm2d(3, affine=False)", {**IMAGE, "training": False}, [(2, 3, 4, 4)],
     {"unread input": "B*C*H*W"}),
    ("InstanceNorm1d(3, affine=True, track_running_stats=True)", {"B": 2, "H": 5}, [(2, 3, 5)],
     {"repeated weights": "3*B*C"}),
    ("EmbeddingBag(7, 4, mode='sum')", {"B": 2, "T": 3}, [(2, 3)], {"bags": "3*B"}),
    ("EmbeddingBag(7, 4, mode='sum', padding_idx=2)", {"B": 2, "T": 3}, [(2, 3)],
     {"bags": "3*B + B*T + 1"}),
]  # fmt: skip


def kept_bytes(layer, inputs):
    """The bytes of the storages that the backward pass holds, parameters left out."""
    held, stored = [], {}
    weights = {t.untyped_storage().data_ptr() for t in (*layer.parameters(), *layer.buffers())}

    def pack(t):
        held.append(t)
        storage = t.untyped_storage()
        if storage.data_ptr() not in weights:
            stored[storage.data_ptr()] = storage.nbytes()
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        layer(*inputs)
    return sum(stored.values())


def kept_beside(account, uses):
    """The bytes that artefacts come to."""
    found = 0
    for name, count in uses.items():
        (row,) = ARTEFACTS[name]
        more = parse_expression(f"({count})*{row.more}", account.symbols)
        found += int(more.xreplace(account.assumed.bindings))
    return found


@pytest.mark.parametrize(("written", "settings", "shapes", "uses"), KEPT)
@pytest.mark.filterwarnings("ignore")  # that an axis should be said
def test_pytorch_keeps_and_counts_as_much(written, settings, shapes, uses):
    account = derive(written, settings)
    layer = eval(f"torch.nn.{written}")  # noqa: S307  # our own text
    layer.train(settings.get("training", True))
    if account.program.inputs[0].op.below is None:
        inputs = [torch.randn(*shape, requires_grad=True) for shape in shapes]
    else:
        inputs = [torch.zeros(*shape, dtype=torch.int64) for shape in shapes]
    assert kept_bytes(layer, inputs) == account.memory_saved.value + kept_beside(account, uses)
    with FlopCounterMode(display=False) as counter:
        layer(*inputs)
    if "flops.forward" in account.quantities:
        assert counter.get_total_flops() == account.flops_forward.value
