"""Layers as people write them: what they set, what they come to, and what is refused."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symledger import derive
from symledger.errors import BadInput, SymledgerError, UnknownTarget
from symledger.torch_layers.argument_uses import SizesOf
from symledger.torch_layers.call import CALLED, read
from symledger.torch_layers.table import BY_NAME, LAYERS, NAMES
from symledger.torch_layers.table import REFUSED as WITHOUT
from tests.cli.test_bad_input import PIECES, assert_answers_or_refuses, text
from tests.invoke import assert_refuses, run

ENCODER = "TransformerEncoderLayer(512, 8)"
FUZZ = settings(max_examples=150)

# the parameters of each, counted by hand
COUNTED = {
    "Linear(768, 3072)": 768 * 3072 + 3072,
    "nn.Linear(768, 3072, bias=False)": 768 * 3072,
    "torch.nn.Linear( 768,\n 3072, False )": 768 * 3072,
    "Linear(out_features=3, in_features=2)": 9,
    "Linear(1_000, 0x10)": 16016,
    "Embedding(50257, 768, padding_idx=0)": 50257 * 768,
    "nn.Conv2d(3, 64, kernel_size=3, bias=False)": 3 * 64 * 9,
    "Conv2d(3, 64, (3, 5), stride=2, padding=(1, 0))": 3 * 64 * 15 + 64,
    "Conv2d(32, 32, 3, groups=32)": 32 * 9 + 32,
    "Conv1d(80, 512, 3, padding=1)": 80 * 512 * 3 + 512,
    "ConvTranspose2d(64, 32, 2, stride=2)": 64 * 32 * 4 + 32,
    "MaxPool2d(2)": 0,
    "AvgPool2d(3, stride=2, padding=1)": 0,
    "AdaptiveAvgPool2d((7, 7))": 0,
    "BatchNorm1d(256)": 512,
    "BatchNorm2d(64)": 128,
    "GroupNorm(32, 256)": 512,
    "TransformerDecoderLayer(512, 8)": 8 * (512**2 + 512) + 2 * 512 * 2048 + 2048 + 512 + 6 * 512,
    "LayerNorm(768)": 2 * 768,
    "LayerNorm((768,), 1e-6)": 2 * 768,
    "LayerNorm([64, 8, 8])": 2 * 64 * 8 * 8,
    "LayerNorm(768, bias=False)": 768,
    "LayerNorm(768, elementwise_affine=False)": 0,
    "RMSNorm(4096)": 4096,
    "RMSNorm(4096, elementwise_affine=False)": 0,
    "MultiheadAttention(768, 12)": 4 * (768**2 + 768),
    "MultiheadAttention(768, 12, bias=False, batch_first=True)": 4 * 768**2,
    ENCODER: 4 * (512**2 + 512) + 2 * 512 * 2048 + 2048 + 512 + 4 * 512,
    "TransformerEncoderLayer(512, 8, 1024, norm_first=True, activation='gelu')":
        4 * (512**2 + 512) + 2 * 512 * 1024 + 1024 + 512 + 4 * 512,
    "TransformerEncoderLayer(512, 8, bias=False)": 4 * 512**2 + 2 * 512 * 2048 + 2 * 512,
    f"TransformerEncoder({ENCODER}, 6)": 6 * 3152384,
    f"nn.TransformerEncoder(nn.{ENCODER}, 6, norm=nn.LayerNorm(512))": 6 * 3152384 + 1024,
    "RNN(3, 5)": 5 * (3 + 5) + 2 * 5,
    "nn.RNN(3, 5, 1, 'relu', bias=False)": 5 * (3 + 5),
    "GRU(3, 5, 2)": 3 * 5 * (3 + 5 + 2) + 3 * 5 * (5 + 5 + 2),
    "torch.nn.LSTM(128, 256, num_layers=2, bidirectional=True)":
        2 * 4 * 256 * (128 + 256 + 2) + 2 * 4 * 256 * (512 + 256 + 2),
    "LSTM(8, 6, proj_size=2)": 4 * 6 * (8 + 2 + 2) + 2 * 6,
    "Conv3d(3, 8, (1, 3, 5), groups=1, bias=False)": 3 * 8 * 15,
    "Conv2d(4, 8, 5, padding='same', dilation=3)": 4 * 8 * 25 + 8,
    "Conv2d(4, 8, 4, padding='valid')": 4 * 8 * 16 + 8,
    "Conv2d(4, 8, 4, padding='same')": 4 * 8 * 16 + 8,
    "Conv1d(4, 8, 4, padding='same', padding_mode='reflect')": 4 * 8 * 4 + 8,
    "AdaptiveAvgPool2d((None, 7))": 0, "AdaptiveMaxPool3d((None, 7, None))": 0,
    "ConvTranspose1d(6, 4, 3, 2, 1, 1, 2)": 6 * 2 * 3 + 4,
    "ConvTranspose3d(6, 4, 3, groups=2, bias=False)": 6 * 2 * 27,
    "MaxPool1d(3, 2, 1)": 0, "MaxPool3d(2)": 0, "AvgPool1d(4)": 0,
    "AvgPool3d((1, 2, 2), count_include_pad=False)": 0, "AdaptiveAvgPool1d(1)": 0,
    "AdaptiveAvgPool3d((1, 7, 7))": 0, "AdaptiveMaxPool2d(3)": 0, "AdaptiveMaxPool1d(3)": 0,
    "AdaptiveMaxPool3d(2)": 0, "Flatten()": 0, "nn.Identity()": 0, "Identity(54, u=2)": 0,
    "PixelShuffle(3)": 0,
    "BatchNorm3d(16)": 32, "BatchNorm2d(64, affine=False)": 0, "BatchNorm1d(8, bias=False)": 8,
    "SyncBatchNorm(64)": 128, "InstanceNorm1d(64)": 0, "InstanceNorm2d(64, affine=True)": 128,
    "InstanceNorm3d(6, affine=True, bias=False)": 6, "GroupNorm(2, 6, affine=False)": 0,
    "Bilinear(3, 5, 7)": 3 * 5 * 7 + 7, "Bilinear(3, 5, 7, bias=False)": 105,
    "EmbeddingBag(100, 16, mode='sum')": 1600,
    "RNNCell(3, 5)": 5 * (3 + 5) + 10, "RNNCell(3, 5, nonlinearity='relu', bias=False)": 40,
    "GRUCell(3, 5)": 3 * (40 + 10), "LSTMCell(3, 5, False)": 4 * 40,
    "LSTM(8, 6, 3, dropout=0.5)": 4 * 6 * (8 + 6 + 2) + 2 * 4 * 6 * (6 + 6 + 2),
    "RNN(8, 6, dropout=0.2)": 6 * (8 + 6 + 2),
    "MultiheadAttention(768, 12, kdim=64)": 3 * 768**2 + 64 * 768 + 4 * 768,
    "MultiheadAttention(8, 2, bias=False, vdim=3)": 3 * 64 + 24,
    "MultiheadAttention(8, 2, add_bias_kv=True)": 4 * (64 + 8) + 16,
    "MultiheadAttention(8, 2, 0.1, add_zero_attn=True, kdim=8, vdim=8)": 4 * (64 + 8),
    **dict.fromkeys(
        (f"TransformerEncoderLayer(16, 2, 8, activation={written})" for written in (
            "torch.nn.functional.gelu", "F.silu", "gelu", "torch.relu", "nn.GELU()",
            "torch.nn.GELU('tanh')", "SiLU(inplace=True)", "nn.Tanh()", "Mish()", "torch.tanh",
            "F.leaky_relu", "nn.functional.hardswish", "ELU(0.5)", "Threshold(0.1, 20)", "RReLU()",
        )), 4 * (256 + 16) + 256 + 24 + 64),
    "TransformerEncoderLayer(16, 2, 8, activation=PReLU())": 4 * (256 + 16) + 256 + 24 + 64 + 1,
    "TransformerEncoder(TransformerEncoderLayer(16, 2, 8, activation=nn.PReLU()), 3)":
        3 * (4 * (256 + 16) + 256 + 24 + 64 + 1),
    "TransformerEncoder(TransformerEncoderLayer(16, 2, 8, activation=nn.GELU('tanh')), 2)":
        2 * (4 * (256 + 16) + 256 + 24 + 64),
    "Upsample(scale_factor=2.0)": 0, "Dropout(0)": 0, "Dropout2d(0)": 0,
    "TransformerDecoder(TransformerDecoderLayer(512, 8), 6)": 6 * 4204032,
    "TransformerDecoder(TransformerDecoderLayer(16, 2, 8, bias=False), 2, LayerNorm(16))":
        2 * (8 * 256 + 2 * 128 + 3 * 16) + 32,
    "Transformer()": 6 * 3152384 + 6 * 4204032 + 2 * 1024,
    "Transformer(16, 2, 1, 3, 8, norm_first=True, activation='gelu')":
        4 * (256 + 16) + 256 + 24 + 64 + 3 * (8 * (256 + 16) + 256 + 24 + 96) + 64,
    "Transformer(16, 2, 1, 1, 8, bias=False)": 12 * 256 + 4 * 128 + 5 * 16 + 32,
    "PReLU()": 1, "PReLU(64)": 64, "GLU()": 0, "LeakyReLU(0.2)": 0, "ELU()": 0, "ELU(1)": 0,
    "CELU()": 0, "SELU()": 0, "ReLU6(True)": 0, "Mish()": 0, "Softplus()": 0, "Softsign()": 0,
    "LogSigmoid()": 0, "Tanhshrink()": 0, "Hardtanh(-2, 2)": 0, "Hardswish()": 0,
    "Threshold(0.1, 20)": 0,
    "Hardsigmoid()": 0, "Hardshrink(1)": 0, "Softshrink(0.1)": 0, "Dropout1d()": 0,
    "Dropout2d(0.2)": 0, "Dropout3d()": 0, "MSELoss()": 0, "HuberLoss('sum')": 0,
    "ELU(0.5)": 0, "CELU(alpha=2)": 0, "Softplus(beta=2.0)": 0, "HuberLoss(delta=0.5)": 0,
    "BCEWithLogitsLoss()": 0,
    "L1Loss()": 0, "SmoothL1Loss(reduction='sum')": 0, "SmoothL1Loss(beta=0.1)": 0, "BCELoss()": 0,
    "KLDivLoss(reduction='batchmean')": 0, "KLDivLoss(log_target=True)": 0, "NLLLoss()": 0,
    "MSELoss(reduction='none')": 0, "MarginRankingLoss(reduction='sum')": 0,
    "PoissonNLLLoss()": 0, "PoissonNLLLoss(False)": 0, "MarginRankingLoss(0.5)": 0,
    "CrossEntropyLoss(ignore_index=0, reduction='sum')": 0,
    "CrossEntropyLoss(label_smoothing=0.1)": 0, "NLLLoss(reduction='sum')": 0,
    "CrossEntropyLoss(reduction='none', label_smoothing=0.1)": 0, "NLLLoss(reduction='none')": 0,
    "Softmin(dim=1)": 0, "Softmax2d()": 0,
    "PixelUnshuffle(3)": 0, "ChannelShuffle(4)": 0,
    "Upsample(scale_factor=2)": 0, "UpsamplingNearest2d(scale_factor=3)": 0, "ZeroPad2d(2)": 0,
    "ConstantPad1d((3, 3), -1.5)": 0, "ReflectionPad2d((1, 1, 2, 2))": 0, "ReplicationPad3d(1)": 0,
    "ZeroPad2d((0, 1, 0, 1))": 0, "ConstantPad1d((2, 0), 0.0)": 0,
    "CircularPad1d(2)": 0, "Conv2d(4, 8, 3, padding=1, padding_mode='reflect')": 4 * 8 * 9 + 8,
    "Conv1d(4, 8, 5, padding='same', padding_mode='circular', bias=False)": 4 * 8 * 5,
    "MaxPool2d(3, 2, ceil_mode=True)": 0, "AvgPool1d(2, ceil_mode=True)": 0,
    "Upsample(size=(14, 14))": 0, "Upsample(7)": 0, "Upsample(scale_factor=(2, 3))": 0,
    "Upsample(scale_factor=0.5)": 0, "Upsample(scale_factor=2, mode='linear')": 0,
    "Upsample(scale_factor=2.0, mode='bilinear', align_corners=True)": 0,
    "Upsample((4, 6, 8), mode='trilinear')": 0, "UpsamplingBilinear2d(scale_factor=2)": 0,
    "UpsamplingNearest2d((14, 7))": 0, "Flatten(2)": 0, "Flatten(0, 1)": 0, "Flatten(-2)": 0,
    "Unflatten(1, (256, 7, 7))": 0, "Unflatten(-1, (8, -1))": 0, "Unfold(3, padding=1)": 0,
    "Fold((32, 32), (3, 2), stride=2)": 0, "EmbeddingBag(100, 16, mode='max')": 1600,
    "CosineSimilarity()": 0, "CosineSimilarity(dim=-1, eps=1e-6)": 0, "PairwiseDistance()": 0,
    "PairwiseDistance(2, keepdim=True)": 0, "TripletMarginLoss(0.2)": 0,
    "TripletMarginLoss(reduction='none')": 0, "GaussianNLLLoss()": 0,
    "GaussianNLLLoss(reduction='sum')": 0, "MultiLabelSoftMarginLoss()": 0,
    "MultiLabelSoftMarginLoss(reduction='none')": 0, "AlphaDropout(0.2)": 0, "AlphaDropout(0)": 0,
    "FeatureAlphaDropout()": 0, "RReLU()": 0, "RReLU(0.1, 0.2, inplace=True)": 0,
    "Upsample(7, mode='bicubic')": 0, "LocalResponseNorm(5)": 0, "LocalResponseNorm(2, k=2)": 0,
    "CosineEmbeddingLoss(0.5)": 0, "HingeEmbeddingLoss()": 0, "MultiMarginLoss()": 0,
    "MultiMarginLoss(reduction='none')": 0,
    "Dropout(0.5)": 0, "ReLU(inplace=True)": 0, "GELU('tanh')": 0, "SiLU()": 0, "Tanh()": 0,
    "Sigmoid()": 0, "Softmax(dim=-1)": 0, "LogSoftmax(1)": 0, "CrossEntropyLoss()": 0,
}  # fmt: skip


@pytest.mark.parametrize("written", COUNTED)
def test_parameters(written):
    assert derive(written).params.value == COUNTED[written]


def test_numbers_do_not_enter_the_component():
    account = derive("Linear(768, 3072)")
    assert account.params.id == "linear.params"
    assert account.params.text == "d_in·d_out + d_out"
    assert {str(s): n for s, n in account.assumed.bindings.items()} == {"d_in": 768, "d_out": 3072}


@pytest.mark.parametrize(
    ("written", "entry", "stated"),
    [
        ("Linear(2, 3)", "linear", {"d_in": "2", "d_out": "3", "bias": "true"}),
        ("GELU(approximate='tanh')", "activation", {"function": "gelu_tanh"}),
        ("MultiheadAttention(8, 2, 0.1)", "attention",
         {"d": "8", "h": "2", "dropout": "true", "bias": "true"}),
        ("TransformerEncoderLayer(8, 2, 16, 0.0, norm_first=True)", "pre_ln_block",
         {"d": "8", "h": "2", "d_ff": "16", "dropout": "false", "hidden_dropout": "false",
          "activation": "relu", "bias": "true", "norm_bias": "true", "causal": "false"}),
        ("TransformerEncoder(TransformerEncoderLayer(8, 2, norm_first=True), 3)", "pre_ln_encoder",
         {"d": "8", "h": "2", "L": "3", "d_ff": "2048", "dropout": "true", "activation": "relu",
          "bias": "true"}),
    ],
)  # fmt: skip
def test_a_constructor_is_an_entry_and_settings(written, entry, stated):
    found = read(written)
    assert (found.entry, found.settings) == (entry, stated)
    assert read(str(found)).settings == stated


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_a_row_is_well_formed(layer):
    assert layer.name in NAMES
    assert read(layer.example).layer is layer
    assert str(read(layer.example)) == layer.example
    assert layer.uses.keys() <= layer.arguments.keys()
    account = derive(layer.example)
    assert account.params.value is not None
    for other in read(layer.example).toggled():
        assert derive(str(other)).params.value is not None


def test_the_json_keeps_its_promise_with_the_target_as_written():
    result = run("derive", "nn.Linear(768,3072)", "--json")
    shown = json.loads(result.out)
    assert (result.code, result.err, shown["target"]) == (0, "", "nn.Linear(768,3072)")
    assert (shown["owner"], shown["schema"]) == ("linear", "symledger.derive/1")
    assert shown["bindings"] == {"d_in": "768", "d_out": "3072"}
    params = shown["formulas"]["params"]
    assert (params["id"], params["expr"], params["value"]) == (
        "linear.params", "d_in*d_out + d_out", "2362368",
    )  # fmt: skip
    assert shown["tree"]["id"] == "linear"
    assert {e["status"] for e in params["evidence"]} == {"passed"}


@pytest.mark.parametrize("form", ["latex", "markdown", "python"])
def test_every_format_takes_a_layer(form):
    result = run("derive", ENCODER, "--format", form, "--quantity", "params")
    assert (result.code, result.err) == (0, "")
    assert "params" in result.out


def test_the_text_is_shown_on_one_line():
    assert derive("Linear(1,\n  2)  # \x1b[31m").target.name == "Linear(1, 2) # [31m"


def test_what_the_layer_leaves_open_may_be_set():
    account = derive("MultiheadAttention(768, 12)", {"B": 2, "T": 16, "causal": True})
    assert account.flops_forward.value == 2 * (8 * 16 * 768**2 + 4 * 16**2 * 768)
    assert derive("Linear(768, 3072)", {"d_in": 768, "B": 2}).flops_forward.value == 2 * 4718592


FIXED = {
    "MultiheadAttention(8, 2)": ["d_k=3", "h_kv=1", "rotary=true"],
    "MultiheadAttention(8, 2, kdim=3, bias=False)": ["out_bias=true"],
    "TransformerEncoderLayer(8, 2)": ["norm=rms", "gated=true", "h_kv=1", "d_v=9"],
    "TransformerEncoder(TransformerEncoderLayer(8, 2), 2)": ["final_norm=true", "d_h=3"],
    "Transformer(8, 2, 1, 1)": ["last_norm=false", "d_h=3"],
    "MaxPool2d(2)": ["s_h=1", "H_o=3"],
    "AvgPool2d(2)": ["r_h=2"],
    "BatchNorm2d(3, track_running_stats=False)": ["training=false"],
    "AdaptiveAvgPool2d((None, 7))": ["H_o=3", "W_o=8"],
    "Conv2d(4, 8, 4, padding='same')": ["uneven=false", "q_h=2"],
    "Conv2d(4, 8, 3)": ["uneven=true"],
}


@pytest.mark.parametrize(
    ("written", "said"), [(w, said) for w, several in FIXED.items() for said in several]
)
def test_what_a_layer_of_pytorch_has_of_itself_may_not_be_set(written, said):
    assert_refuses("derive", written, "--set", said, said=said.partition("=")[0])


def test_what_follows_may_not_be_assumed_either():
    assert_refuses("derive", "MultiheadAttention(8, 2)", "--assume", "h_kv = 1",
                   said="what enters it may be set: B, S, T")  # fmt: skip
    assert derive("MultiheadAttention(8, 2)", assume=["S = 2*T"]).params.value == 288


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_every_choice_is_that_of_an_argument_or_of_a_call(layer):
    """Any other one is refused, whatever it is set to: PyTorch's layer does not have it."""
    target = derive(layer.example).target
    for name in sorted(target.choices.keys() - target.constructor.settings.keys() - set(CALLED)):
        for value in target.choices[name]:
            with pytest.raises(BadInput, match=f"has no {name}"):
                derive(layer.example, {name: str(value).lower()})


def test_a_length_that_is_rounded_follows_what_enters_and_is_refused_at_none():
    account = derive("Upsample(scale_factor=0.5)", {"H": 7}, assume=["W = 9"])
    assert [account.assumed.bindings[account.symbols[s]] for s in ("H_o", "W_o")] == [3, 4]
    assert account.to_dict(["params"])["definitions"]["H_o"] == "floor(0.5*H)"
    assert "H_o = ⌊0.5 H⌋" in run("derive", account.target.name, "--quantity", "params").out
    with pytest.raises(BadInput, match="0 is not a positive whole number with H = 1"):
        derive("Upsample(scale_factor=0.5)", {"H": 1})
    inexact = derive("Upsample(scale_factor=0.29)").target.constructor
    assert "after a product of floats" in inexact.reads


def test_tiles_are_equal_until_a_length_says_otherwise():
    account = derive("AdaptiveAvgPool2d((None, 7))")
    assert not account.target.options["uneven"]
    assert not account.subs(H=3, W=14).target.options["uneven"]
    uneven = account.subs(H=3, W=13)
    assert uneven.target.options["uneven"]
    assert uneven["traffic.forward"].corollary == account["traffic.forward"].corollary
    assert {r.status for r in uneven.evidence["memory.saved"]} == {"passed"}
    assert_refuses("derive", account.target.name, "--set", "uneven=true", said="has no uneven")
    assert "of others they overlap, which is counted" in account.target.constructor.reads
    assert not derive("AdaptiveMaxPool2d((None, 1))").target.constructor.reads


MOVED = {  # elements of what enters and of what comes out, counted by hand
    "ChannelShuffle(2)": ({"B": 1, "C": 4, "H": 6, "W": 4}, 96 + 96),
    "PixelShuffle(2)": ({"B": 1, "C": 4, "H": 6, "W": 4}, 96 + 96),
    "PixelUnshuffle(2)": ({"B": 1, "C": 4, "H": 6, "W": 4}, 96 + 96),
    "GLU()": ({"B": 2, "T": 3, "d": 8}, 48 + 24),
    "Fold((4, 4), 3)": ({"B": 1, "C": 18}, 18 * 4 + 2 * 16),
    "Unflatten(1, (-1, 4))": ({"B": 2, "n": 12}, 24 + 24),
}


@pytest.mark.parametrize("written", MOVED)
def test_sizes_of_a_layer_are_those_of_what_enters(written):
    account = derive(written, MOVED[written][0])
    assert account["traffic.forward"].value == 4 * MOVED[written][1]
    assert {r.status for q in account.quantities for r in account.evidence[q]} == {"passed"}
    plain = derive(account.target.entry)
    own = account.in_own_sizes("traffic.forward", account.conventions)
    assert own.general == plain["traffic.forward"].general != account["traffic.forward"].general


@pytest.mark.parametrize(
    ("written", "sizes", "said"),
    [
        ("ChannelShuffle(4)", {"C": 6}, "Choose C divisible by G = 4: 4 or 8"),
        ("PixelShuffle(2)", {"C": 6}, r"Choose C divisible by u\*\*2 = 4: 4 or 8"),
        ("PixelUnshuffle(2)", {"W": 7}, "Choose W divisible by u = 2: 6 or 8"),
        ("GLU()", {"d": 3}, "Choose d divisible by 2: 2 or 4"),
    ],
)
def test_what_does_not_divide_is_refused_in_sizes_of_what_enters(written, sizes, said):
    with pytest.raises(BadInput, match=said):
        derive(written, sizes)


def test_a_length_that_is_kept_follows_what_enters():
    account = derive("AdaptiveMaxPool2d((None, 2))", {"B": 1, "C": 3, "H": 7, "W": 4})
    assert account.memory_saved.value == 8 * 3 * 7 * 2
    assert account.assumed.bindings[account.symbols["H_o"]] == 7


def test_a_device_changes_nothing():
    assert derive("Linear(3, 4, device='meta')").params.value == 16


@pytest.mark.parametrize("chosen", [{"d_in": 2}, {"bias": False}])
def test_what_the_layer_states_may_not(chosen):
    with pytest.raises(BadInput, match=r"in Linear\(768, 3072\): change it there"):
        derive("Linear(768, 3072)", chosen)


AXES = {
    "Softmax(dim=-1)": "n is the last axis of what enters; B·T is the product of its other axes",
    "LogSoftmax(1)": "n is axis 1, counted from 0, of what enters",
    "Softmin()": "n is the axis that PyTorch chooses",
    "GLU(0)": "d is axis 0",
    "Softmax2d()": "n is the channels, T the places",
    "BatchNorm1d(3)": "H is the length of a sequence",
    "InstanceNorm1d(3)": "H is the length",
    "Flatten(2)": "C·H·W is the product of the axes that are merged, B that of all others",
    "Unflatten(1, (2, 3))": "C·H·W is axis 1 of what enters, B the product of its other axes",
    "Unflatten(1, (-1, 3))": "n is axis 1 of what enters, B the product of its other axes; W = 1",
    "PixelShuffle(2)": "C, H and W are those of what enters; C/u² channels of u·H × u·W come out",
    "PixelUnshuffle(2)": "C, H and W are those of what enters; C·u² channels of H/u × W/u",
    "ChannelShuffle(2)": "C, H and W are those of what enters; a group has C/G of the C channels",
    "Fold((4, 4), 3)": "C is axis 1 of what enters; C/(K_h·K_w) channels come out",
    "CosineSimilarity()": "n is axis 1, counted from 0, of what enters; B is the product",
    "HingeEmbeddingLoss()": "a target is 1 or 0 where PyTorch's is 1 or -1",
}


@pytest.mark.parametrize("written", AXES)
def test_an_answer_says_which_axis_a_layer_works_along(written):
    assert AXES[written] in derive(written).to_dict(["params"])["reads"]
    for quantity in ([], ["--quantity", "params"]):
        said = " ".join(run("derive", written, *quantity).out.split())
        assert f"note: {AXES[written]}" in said


def test_nothing_is_said_of_a_default_that_a_layer_does_not_have():
    account = derive("TransformerEncoderLayer(512, 8, 1024)")
    assert (account.assumed.dropped, account.symbols["d_ff"] in account.assumed.equations) == (
        [], False)  # fmt: skip
    usual = derive("TransformerEncoderLayer(512, 8)")
    assert usual.params.corollary == derive("post_ln_block", {"bias": True}).params.corollary
    assert derive("gpt2", {"d_ff": 7}).assumed.dropped == ["d_ff = 4*d gave way to d_ff = 7"]


def test_an_assumption_that_the_layer_contradicts_is_refused():
    assert_refuses("derive", "Linear(768, 3072)", "--assume", "d_out = 2*d_in", said="3072 was set")


SIGNATURE = r"PyTorch has Linear\(in_features, out_features, bias=True, device=None, dtype=None\)"
REFUSED = {
    "Linear(768)": f"out_features is missing. {SIGNATURE}",
    "Linear()": "in_features and out_features are missing",
    "Linear(1, 2, True, None, None, 3)": "6 arguments are given, but it takes 5",
    "Linear(768, -1)": f"out_features = -1 is not a size.*{SIGNATURE}",
    "Linear(0, 1)": f"in_features = 0 is out of range.*{SIGNATURE}",
    "Linear(1000000000000000001, 1)": "is out of range",
    f"Linear(0x{'f' * 400}, 1)": "is out of range",
    f"Linear({'9' * 450}, 1)": "is out of range",
    "Linear(768.0, 1)": "in_features = 768.0 is not a size",
    "Linear(True, 1)": "in_features = True is not a size",
    "Linear('768', 1)": "in_features = '768' is not a size",
    "Linear(None, 1)": "in_features = None is not a size",
    "Linear(10**3, 1)": r"10 \*\* 3.* is not a number.*nothing is evaluated",
    "Linear(d, 1)": r"\"d\" is not a number",
    "Linear(1j, 1)": "is not a number",
    "Linear(1e999, 1)": "a number above 1.8e308 is larger than any that PyTorch has",
    "Linear(-(1e400), 1)": "a number above 1.8e308 is larger than any that PyTorch has",
    "Linear(b'1', 1)": "is not a number",
    "Linear(..., 1)": "is not a number",
    "Linear([x for x in (1,)], 1)": "is not a number",
    "Linear(lambda: 1, 1)": "is not a number",
    "Linear(*[1, 2])": "is not a number",
    "Linear(1, 2, **{})": "is not a number",
    "Linear(1, 2, bias=1)": "bias = 1 is not supported, only True or False is",
    "Linear(1, 2, bias='no')": "only True or False is",
    "Linear(1, 2, baias=True)": "it has no argument baias. Did you mean bias",
    "Linear(1, 2, in_features=3)": "in_features is given twice",
    "Linear(1, 2, dtype=torch.float16)": "torch.float16.* is not a number",
    "Linear(1, 2, device=0.5)": "device = 0.5 does not fit: str or None is meant",
    "Linear(Linear(1, 2), 2)": r"in_features = Linear\(1, 2\) is not a size",
    "Linear(Linear(Linear(1, 2), 2), 2)": r"in_features = Linear\(.* is not a size",
    "Linear(Linear(Linear(Linear(1, 2), 2), 2), 2)": "is not a number",
    "Linear((1, (2, 3)), 2)": "is not a number",
    "LayerNorm((1000000000, 1000000001))": "is out of range",
    "LayerNorm(())": r"normalized_shape = \(\) is not a size",
    "LayerNorm(8, eps='small')": "eps = 'small' does not fit: float is meant",
    "LayerNorm(8, eps=None)": "eps = None does not fit: float is meant",
    "RMSNorm(8, eps='small')": "eps = 'small' does not fit: float or None is meant",
    "MultiheadAttention(768, 12, kdim=0)": "kdim = 0 is out of range",
    "MultiheadAttention(768, 12, vdim=0.5)": "vdim = 0.5 does not fit: int or None is meant",
    "MultiheadAttention(768, 12, add_bias_kv=1)": "add_bias_kv = 1 does not fit: bool is meant",
    "MultiheadAttention(768, 12, dropout=2)": "dropout = 2 is not a chance",
    "MultiheadAttention(768, 7)":
        "embed_dim = 768 does not fit: it has to be divisible by num_heads = 7, as 763 or 770 is",
    "LSTM(8, 6, 0)": "num_layers = 0 is out of range",
    "LSTM(8, 6, 2, dropout=1.5)": "dropout = 1.5 is not a chance",
    "LSTM(8, 6, proj_size=6)": "proj_size = 6 does not fit: it has to be smaller than hidden_size",
    "Conv2d(4, 8, 3, 2, padding='same')": "padding = 'same' is not supported by PyTorch with a str",
    "Conv2d(4, 8, 3, padding='full')": "padding = 'full' is not supported, only 'valid' or 'same'",
    "Conv2d(4, 8, 3, padding_mode='same')": "padding_mode = 'same' is not supported, only 'zeros'",
    "ConvTranspose1d(4, 8, 3, padding_mode='reflect')": "'reflect' is not supported, only 'zeros'",
    "ZeroPad2d((1, 1))": r"padding = \(1, 1\) does not fit: one whole number or 4",
    "ZeroPad1d(-1)": "padding = -1 is not a size",
    "Upsample()": "PyTorch takes either size or scale_factor",
    "Upsample(2, 2)": "PyTorch takes either size or scale_factor",
    "Upsample(scale_factor=(2, 2, 2))": "does not fit: one number or 2",
    "Upsample(7, recompute_scale_factor=True)": "recomputes no scale_factor where there is none",
    "Upsample(scale_factor=-1.5)": "scale_factor = -1.5 does not fit: a number above 0 is meant",
    "Upsample(scale_factor=(2, 2, 2), mode='bilinear')": "does not fit: one number or 2",
    "Upsample(scale_factor=2, align_corners=False)": "PyTorch takes no align_corners with mode",
    "Upsample(scale_factor=2, mode='area')": "mode = 'area' is not supported, only",
    "RReLU(0.5, 0.1)": "lower = 0.5 does not fit: it is at most upper = 0.1",
    "MultiMarginLoss(2)": "p = 2 is not supported, only 1 is",
    "LocalResponseNorm(5, beta=0)": "beta = 0 is not supported: an operation less is done",
    "TripletMarginLoss(0.0)": "margin = 0.0 does not fit: it has to be above 0",
    "Flatten(2, 1)": "start_dim = 2 does not fit: it comes after end_dim = 1",
    "Flatten(64)": "start_dim = 64 does not fit: a tensor has at most 64 axes",
    "Unflatten(1, 7)": "unflattened_size = 7 is not supported: two or three numbers are",
    "Unflatten(1, (-1, -1))": r"unflattened_size = \(-1, -1\) does not fit: one of them may be -1",
    "PairwiseDistance(1)": "p = 1 is not supported, only 2 is",
    "TripletMarginLoss(swap=True)": "swap = True is not supported, only False is",
    "GaussianNLLLoss(full=True)": "full = True is not supported, only False is: a term more",
    "GaussianNLLLoss(False)": "1 arguments are given, but it takes 0",
    "nn.AvgPool2d(3, divisor_override=0)": "divisor_override = 0 does not fit: nothing is divided",
    "Upsample(scale_factor=())": r"scale_factor = \(\) does not fit: one number or 2",
    "CrossEntropyLoss(label_smoothing=2)": "label_smoothing = 2 is not a chance",
    "KLDivLoss(reduction='all')": "only 'mean' or 'sum' or 'none' or 'batchmean' is",
    "SmoothL1Loss(beta=0)": "beta = 0 is not supported",
    "SmoothL1Loss(beta=-1)": "beta = -1 does not fit: it has to be above 0",
    "Softshrink(-0.3)": "lambd = -0.3 does not fit",
    "Hardtanh(1, -1)": "max_val = -1 does not fit: it has to be above min_val = 1",
    "Hardtanh(max_val=-1)": "it has to be above min_val",
    "LeakyReLU(-1.5, inplace=True)": "PyTorch has no gradient of it in place",
    "LSTM(8, 6, 2, dropout=1)": "dropout = 1 leaves nothing to chance",
    "MultiheadAttention(8, 2, dropout=1.0)": "leaves nothing to chance",
    "TransformerEncoderLayer(8, 2, dropout=1)": "leaves nothing to chance",
    "GRU(3, 5, 1, True, False, 0.0, False, None)": "8 arguments are given, but it takes 7",
    "MaxPool2d(3, padding=2, dilation=2)": "at most half of kernel_size = 3",
    "BatchNorm2d(3, eps=0)": "eps = 0 does not fit: it has to be above 0",
    "Softmax(dim=64)": "dim = 64 does not fit: a tensor has at most 64 axes",
    "Flatten(1.0)": "start_dim = 1.0 does not fit: int is meant",
    "Conv2d(4, 8, 3, groups=3)": "in_channels = 4 does not fit: .*divisible by groups = 3",
    "ConvTranspose1d(4, 6, 3, groups=4)": "out_channels = 6 does not fit: .*divisible by groups",
    "TransformerEncoder(TransformerEncoderLayer(8, 3), 2)": "d_model = 8 .*divisible by nhead = 3",
    "Conv2d(4, 8, (3, 3, 3))": r"kernel_size = \(3, 3, 3\) does not fit: one whole number or 2",
    "MaxPool2d(2, padding=2)": "padding = 2 does not fit: it is at most half",
    "MaxPool2d(3, ceil_mode=1)": "ceil_mode = 1 is not supported, only True or False is",
    "ConvTranspose2d(4, 8, 3, output_padding=1)": "output_padding = 1 does not fit",
    "AdaptiveAvgPool2d(None)": "output_size = None is not a size",
    "AdaptiveAvgPool1d((None,))": "output_size = None is not a size",
    "InstanceNorm2d((3, 4))": r"num_features = \(3, 4\) is not a size",
    "Linear((3, 4), 5)": r"in_features = \(3, 4\) is not a size",
    "GroupNorm(3, 8)": "num_channels = 8 does not fit: .*divisible by num_groups = 3, as 6 or 9",
    "Embedding(10, 4, padding_idx=10)": "padding_idx = 10 does not fit: num_embeddings = 10",
    "Embedding(10, 4, max_norm=1.0)": "max_norm = 1.0 is not supported, only None is",
    "Embedding(10, 4, sparse=True)": "sparse = True is not supported, only False is: a sparse gra",
    "LeakyReLU(0)": "negative_slope = 0 is not supported: an operation less is done",
    "ELU(0)": "alpha = 0 is not supported: an operation less is done",
    "ELU(True)": "alpha = True does not fit: a number is meant",
    "CELU(-0.5, inplace=True)": "alpha = -0.5 does not fit: PyTorch has no gradient of it in place",
    "HuberLoss(delta=0)": "delta = 0 does not fit: it has to be above 0",
    "Softplus(threshold='x')": "threshold = 'x' does not fit: a number is meant",
    "Identity(**2)": "\\*\\* is not evaluated",
    "Transformer(custom_encoder=1)": "custom_encoder = 1 is not supported, only None is",
    "Transformer(512, 7)": "d_model = 512 does not fit: .*divisible by nhead = 7, as 511 or 518",
    "TransformerDecoder(TransformerEncoderLayer(512, 8), 6)": "write TransformerDecoderLayer",
    "LSTM(8, 6, proj_size=-1)": "proj_size = -1 is not a size",
    "TransformerEncoderLayer(512, 8, activation='tanh')": "only 'relu' or 'gelu' is, a function of",
    "RNN(3, 5, nonlinearity=F.relu)": "nonlinearity = nn.functional.relu is not supported",
    "TransformerEncoderLayer(8, 2, activation=torch.silu)": "torch.silu.* is not a number",
    "TransformerEncoderLayer(8, 2, activation=nn.GELU)": "nn.GELU.* is not a number",
    "TransformerEncoderLayer(512, 8, activation=F.threshold)": "F.threshold.* is not a number",
    "TransformerEncoderLayer(512, 8, activation=Softmax(-1))": r"Softmax\(dim=-1\) is not suppor",
    "TransformerEncoderLayer(512, 8, activation=MSELoss())": r"MSELoss\(\) is not supported",
    "TransformerEncoderLayer(512, 8, activation=PReLU(2))": r"PReLU\(num_parameters=2\) is not sup",
    "TransformerDecoder(TransformerDecoderLayer(8, 2, activation=PReLU()), 2)": "keep a slope that",
    "Transformer(8, 2, activation=PReLU())": "keep a slope that nothing uses",
    "TransformerEncoder(6)": "num_layers is missing",
    "TransformerEncoder(6, 6)": "encoder_layer = 6 does not fit: write TransformerEncoderLayer",
    "TransformerEncoder(Linear(512, 8), 6)": "does not fit: write TransformerEncoderLayer",
    "TransformerEncoder(TransformerEncoderLayer(512, -8), 6)":
        "nhead = -8 is not a size.*PyTorch has TransformerEncoderLayer",
    f"TransformerEncoder({ENCODER}, 6, LayerNorm(256))": "norm makes d = 256, but it is 512",
    f"TransformerEncoder({ENCODER}, 6, LayerNorm(512, bias=False))": "bias = False is not supp",
    f"TransformerEncoder({ENCODER}, 6, 7)": "norm = 7 does not fit: write LayerNorm",
    "nn.Linear": r"is no call: write Linear\(in_features",
    "torch.nn.": "cannot be read as a layer",
    "Linear(1, 2).weight": "is no call: write one as in",
    "Linear(1, 2) + Linear(3, 4)": "is no call",
    "Linear(1, 2); import os": "cannot be read as a layer",
    "Linear(": "cannot be read as a layer",
    "Linear(1 2)": "cannot be read as a layer",
    "Linear(1, 2\0)": "cannot be read as a layer",
    f"Linear({'(' * 300}": "cannot be read as a layer",
    f"Linear({'-' * 450}1, 2)": "",
    f"Linear({'1,' * 400})": "a constructor of 808 characters is too long",
    "Sequential(Linear(1, 2))":
        "PyTorch has nn.Sequential, symledger does not derive it yet. Derive the layers that it",
    "nn.LazyLinear(3)": "learns a size from its first input: say that size, as in Linear.",
    "nn.LPPool2d(2, 3)": "The nearest that it derives is AvgPool2d.",
    "nn.CTCLoss()": "The nearest that it derives is CrossEntropyLoss.",
}  # fmt: skip


@pytest.mark.parametrize("written", REFUSED, ids=lambda written: written[:60])
def test_what_does_not_fit_is_refused(written):
    with pytest.raises(BadInput, match=REFUSED[written] or "."):
        derive(written)
    assert_refuses("derive", written, code=2, said=REFUSED[written])


UNKNOWN = {
    "Linaer(768, 3072)": "Linaer is not a layer of torch.nn. Did you mean Linear",
    "linear(768, 3072)": "Did you mean Linear",
    "torch.Linear(768, 3072)": "torch.Linear is not a layer of torch.nn. Did you mean Linear",
    "nn.functional.linear(1, 2)": "Did you mean Linear",
    "Qqzq(3)": "is not a layer of torch.nn.*`symledger list` shows those that are known",
    "keras.layers.Dense(3)": "is not a layer of torch.nn. Did you mean Linear?",
    "SimpleRNN(3, 4)": "Did you mean RNN?",
    "Attention(768)": "Did you mean MultiheadAttention?",
    "SwiGLU(768)": "Did you mean the component gated_feed_forward?",
    "Linear(int(4), 2)": "int is not a layer",
    "Linear(1, 2)(3)": "is not a layer of torch.nn",
    "__import__('os').system('true')": "is not a layer of torch.nn",
    "eval('1')": "is not a layer of torch.nn",
    "print(open('/etc/passwd').read())": "is not a layer of torch.nn",
}


TOO_SHORT = {
    "ReflectionPad1d(3)": r"p \+ 1 = 4, but it may not exceed T = 3",
    "ReflectionPad1d((0, 3))": r"e \+ 1 = 4, but it may not exceed T = 3",
    "CircularPad1d(4)": "p = 4, but it may not exceed T = 3",
    "Conv1d(2, 2, 3, padding=3, padding_mode='reflect')": "may not exceed T = 3",
}


@pytest.mark.parametrize("written", TOO_SHORT)
def test_what_is_shorter_than_its_padding_is_refused_where_that_repeats_elements(written):
    with pytest.raises(BadInput, match=TOO_SHORT[written]):
        derive(written, {"T": 3}).params  # noqa: B018


ONE_VALUE = "PyTorch expects more than 1 value for each"
SMALLER = "PyTorch takes no volume that is smaller than the kernel"
TOO_FEW = {  # sizes at which PyTorch raises, and why; one more is enough
    "BatchNorm1d(3)": ({"B": 1}, r"B\*H\*W = 1 is less than 2: " + ONE_VALUE),
    "BatchNorm2d(3, track_running_stats=False)": ({"B": 1, "H": 1, "W": 1}, ONE_VALUE),
    "BatchNorm3d(3)": ({"B": 1, "D": 1, "H": 1, "W": 1}, ONE_VALUE),
    "SyncBatchNorm(3)": ({"B": 1, "H": 1, "W": 1}, ONE_VALUE),
    "InstanceNorm1d(3)": ({"H": 1}, ONE_VALUE),
    "InstanceNorm2d(3)": ({"H": 1, "W": 1}, ONE_VALUE),
    "InstanceNorm3d(3)": ({"D": 1, "H": 1, "W": 1}, ONE_VALUE),
    "GroupNorm(4, 4)": ({"B": 1, "H": 1, "W": 1}, r"B\*C/G\*H\*W = 1.*for each group"),
    "AvgPool3d(3, padding=1)": ({"D": 2}, r"D = 2 is less than K_d = 3: " + SMALLER),
    "AvgPool3d((1, 1, 4), ceil_mode=True)": ({"W": 3}, SMALLER),
}  # fmt: skip


@pytest.mark.parametrize("written", TOO_FEW)
def test_sizes_that_pytorch_raises_on_are_refused(written):
    sizes, why = TOO_FEW[written]
    with pytest.raises(BadInput, match=why):
        derive(written, sizes)
    for name, n in sizes.items():
        assert derive(written, {**sizes, name: n + 1}).params.value is not None


SCALED = {
    "ELU({})": "elu elu_scaled", "CELU({})": "elu celu", "Softplus({})": "softplus softplus_scaled",
    "HuberLoss(delta={})": "huber huber_scaled", "SmoothL1Loss(beta={})": "huber huber",
}  # fmt: skip


@pytest.mark.parametrize("written", SCALED)
def test_a_constant_other_than_one_is_one_more_operation(written):
    said = [read(written.format(n)).settings["function"] for n in ("1", "1.0", "0.5")]
    plain, scaled = SCALED[written].split()
    assert said == [plain, plain, scaled]
    done = [derive(written.format(n))["flops.forward.pointwise"].general for n in ("1", "0.5")]
    assert (done[0] != done[1]) == (plain != scaled)


def test_a_length_is_one_until_another_is_set():
    assert derive("BatchNorm1d(3)", {"B": 4}).memory_saved.value == 4 * (4 * 3 + 2 * 3)
    assert derive("BatchNorm1d(3)", {"B": 4, "H": 5}).memory_saved.value == 4 * (4 * 3 * 5 + 2 * 3)
    assert derive("BatchNorm1d(3)", {"B": 1, "H": 2}).params.value == 6


def test_one_value_is_enough_where_its_variance_is_not_asked_for():
    one = {"B": 1, "H": 1, "W": 1}
    assert derive("BatchNorm2d(3)", {**one, "training": False}).memory_saved.value == 12
    with pytest.raises(BadInput, match="BatchNorm2d"):
        derive("BatchNorm2d(3)", {"B": 2}, assume=["H = 1", "W = 1"]).subs(B=1)
    assert derive("GroupNorm(2, 4)", one).memory_saved.value == 4 * (4 + 2 * 2)


@pytest.mark.parametrize(
    ("written", "length", "windows"),
    [
        ("MaxPool1d(3, 2)", 8, 3), ("MaxPool1d(3, 2, ceil_mode=True)", 8, 4),
        ("MaxPool1d(2, ceil_mode=True)", 8, 4), ("AvgPool1d(2, 3, ceil_mode=True)", 3, 1),
        ("AvgPool1d(2, 3, ceil_mode=True)", 4, 2), ("MaxPool1d(3, 3, 1, 2, ceil_mode=True)", 7, 3),
        ("AvgPool1d(2, 2, 1, ceil_mode=True)", 4, 3),
    ],
)  # fmt: skip
def test_windows_end_with_the_axis_or_reach_past_it(written, length, windows):
    """With ``ceil_mode`` the last one may reach past the end, where it starts before it."""
    bindings = {str(s): n for s, n in derive(written, {"T": length}).assumed.bindings.items()}
    assert bindings["T_o"] == windows


@pytest.mark.parametrize("written", UNKNOWN)
def test_an_unknown_layer_is_refused_with_the_nearest(written):
    with pytest.raises(UnknownTarget, match=UNKNOWN[written]):
        derive(written)
    assert_refuses("derive", written, code=3, said=UNKNOWN[written])


@pytest.mark.parametrize("name", WITHOUT)
def test_a_layer_without_a_row_is_refused_by_name_with_the_nearest(name):
    with pytest.raises(BadInput, match=f"PyTorch has nn.{name}, symledger does not derive it yet"):
        derive(f"nn.{name}(3, 64)")
    assert WITHOUT[name] in {*BY_NAME, ""}


def test_a_pair_of_sizes_is_one_number_or_two():
    use = SizesOf(("k_h", "k_w"))
    assert use.settings("kernel_size", 3) == {"k_h": "3", "k_w": "3"}
    assert use.settings("kernel_size", (3, 5)) == {"k_h": "3", "k_w": "5"}
    for value in ((3,), (1, 2, 3), (0, 1), (), "3", None, True):
        with pytest.raises(BadInput, match="kernel_size"):
            use.settings("kernel_size", value)


def test_a_layer_can_be_checked_but_not_recorded():
    result = run("check", "Linear(2, 3)")
    assert result.code == 0
    assert result.out.startswith("linear\n")
    assert_refuses("record", "Linear(2, 3)", said="no name of the catalogue", code=3)


def test_a_layer_is_checked_without_the_choices_that_only_its_entry_has():
    written = "Transformer(4, 2, 2, 2, 8, 0.0, activation=GELU())"
    assert run("check", written).code == 0


sizes = st.one_of(st.integers(1, 10**18), st.integers(-3, 10**19))


@FUZZ
@given(sizes, sizes, st.booleans(), st.booleans())
def test_a_linear_layer_is_answered_exactly_or_refused(a, b, bias, named):
    words = f"in_features={a}, out_features={b}" if named else f"{a}, {b}"
    try:
        found = derive(f"Linear({words}, bias={bias})").params.value
    except BadInput:
        assert not (1 <= a <= 10**18 and 1 <= b <= 10**18)
    else:
        assert found == a * b + bias * b


VALUES = ["768", "12", "-1", "0", "True", "None", "0.5", "1e-5", "'relu'", "(3, 4)", "[8]", "nn",
          "Linear(1, 2)", "*x", "**x", "lambda: 0", "f'{x}'",
          "1 if x else 2", "x := 1", "()", "..."]


@FUZZ
@given(
    st.sampled_from(["", "nn.", "torch.nn.", "torch."]), st.sampled_from([*BY_NAME, "Conv2d", "X"]),
    st.lists(st.sampled_from(VALUES), max_size=4),
    st.lists(st.tuples(st.sampled_from(["bias", "dropout", "norm", "eps", "p", "x", "d_model"]),
                       st.sampled_from(VALUES)), max_size=2),
)  # fmt: skip
def test_any_call_is_answered_or_refused(prefix, name, positional, named):
    arguments = [*positional, *(f"{word}={value}" for word, value in named)]
    assert_answers_or_refuses("derive", f"{prefix}{name}({', '.join(arguments)})")


@FUZZ
@given(st.one_of(text, st.lists(st.sampled_from([*PIECES, *VALUES]), max_size=6).map(" ".join)))
@example("1, 2)" + " " * 600)
@example("1if 2else 3, 4)")
@example("'\\d', 4)")
@example("/model.py:Model")
def test_any_text_after_a_layer_is_answered_or_refused(rest):
    assert_answers_or_refuses("derive", f"Linear({rest}")
    try:
        assert derive(f"Linear({rest}, 2)").params.general
    except SymledgerError as error:
        assert str(error)  # noqa: PT017  # it may be refused, but then it says why


@given(st.sampled_from(LAYERS), st.data())
def test_what_is_written_is_read_back(layer, data):
    found = read(layer.example)
    for _ in range(3):
        others = list(found.toggled())
        found = data.draw(st.sampled_from(others)) if others else found
    again = read(str(found))
    assert (str(again), again.settings, again.entry) == (str(found), found.settings, found.entry)
    assert read(found.python()).settings == found.settings
