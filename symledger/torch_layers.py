"""The layers of torch.nn, one row each: PyTorch's signature, and what each argument does here.

A row is the name, the signature as PyTorch has it (a test compares the two), the entry of the
catalogue that the layer is, an example, and the use of each argument, and what the layer sets in
any case. An argument without a use must have its default: that is how what would change a count is
refused by name. To add a layer, add its row; it need not be named anywhere else.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType

from symledger.arguments import Chance, Choice, Entry, Free, Inner, Maybe, Only, Size, Sizes, Use

REQUIRED = object()
"""Stands where an argument has no default."""


@dataclass(frozen=True)
class Layer:
    """One layer of torch.nn."""

    name: str
    signature: str
    entry: str
    example: str
    uses: Mapping[str, Use] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def arguments(self) -> dict[str, object]:
        """The arguments in PyTorch's order, with their defaults."""
        read = ast.parse(f"lambda {self.signature}: 0", mode="eval").body
        assert isinstance(read, ast.Lambda)
        names = [a.arg for a in read.args.args]
        stated = [ast.literal_eval(d) for d in read.args.defaults]
        by_place = zip(names, [REQUIRED] * (len(names) - len(stated)) + stated, strict=True)
        by_name = zip((a.arg for a in read.args.kwonlyargs), read.args.kw_defaults, strict=True)
        return {**dict(by_place), **{n: ast.literal_eval(d) for n, d in by_name if d}}

    @property
    def places(self) -> int:
        """How many arguments may be given by place; those after a ``*`` go by name only."""
        read = ast.parse(f"lambda {self.signature}: 0", mode="eval").body
        assert isinstance(read, ast.Lambda)
        return len(read.args.args)

    def use(self, argument: str) -> Use:
        """What an argument does; one without a use must have its default."""
        return self.uses.get(argument) or Only((self.arguments[argument],))

    def __str__(self) -> str:
        return f"{self.name}({self.signature})"


FACTORY = "device=None, dtype=None"
AFFINE = "elementwise_affine=True"
INPLACE: Mapping[str, Use] = {"inplace": Free((bool,))}
NORM: Mapping[str, Use] = {
    "normalized_shape": Size("d"), "eps": Free((float, NoneType)),
    "elementwise_affine": Choice("affine"),
}  # fmt: skip
PADDED = "padding=0"
ZEROS = "padding_mode='zeros'"
CHANNELS: Mapping[str, Use] = {
    "in_channels": Size("C_in"), "out_channels": Size("C_out"), "groups": Size("G"),
    "bias": Choice("bias"),
}  # fmt: skip
SQUARE: Mapping[str, Use] = {
    "kernel_size": Sizes(("K_h", "K_w")), "stride": Sizes(("s_h", "s_w")),
    "padding": Sizes(("p_h", "p_w"), least=0), "dilation": Sizes(("r_h", "r_w")),
}  # fmt: skip
POOL: Mapping[str, Use] = {**SQUARE, "stride": Sizes(("s_h", "s_w"), optional=True)}
BATCH_NORM = (
    "num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, "
    f"{FACTORY}, *, bias=True"
)
BATCH: Mapping[str, Use] = {
    "num_features": Size("C"), "eps": Free((float,)), "momentum": Free((float, NoneType)),
    "track_running_stats": Free((bool,)),
}  # fmt: skip
ENCODER_LAYER = (
    "d_model, nhead, dim_feedforward=2048, dropout=0.1, activation='relu', layer_norm_eps=1e-05, "
    "batch_first=False, norm_first=False, bias=True, " + FACTORY
)
ENCODERS: Mapping[object, str] = {False: "post_ln_encoder", True: "pre_ln_encoder"}
ACTIVATIONS: Mapping[object, str] = {"relu": "relu", "gelu": "gelu"}


RECURRENT: Mapping[str, Use] = {
    "input_size": Size("d_in"), "hidden_size": Size("d_s"), "bias": Choice("bias"),
    "num_layers": Maybe("L", "stacked", absent=1), "bidirectional": Choice("bidirectional"),
    "batch_first": Free((bool,)),
}  # fmt: skip
OVER_TIME = "bias=True, batch_first=False, dropout=0.0, bidirectional=False"


def _function(name: str, function: str, signature: str = "inplace=False") -> Layer:
    uses = INPLACE if signature else {}
    return Layer(name, signature, "activation", f"{name}()", uses, {"function": function})


LAYERS: tuple[Layer, ...] = (
    Layer("Linear", f"in_features, out_features, bias=True, {FACTORY}",
          "linear", "Linear(768, 3072)",
          {"in_features": Size("d_in"), "out_features": Size("d_out"), "bias": Choice("bias")}),
    Layer("Embedding", "num_embeddings, embedding_dim, padding_idx=None, max_norm=None, "
          "norm_type=2.0, scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, "
          + FACTORY, "token_embedding", "Embedding(50257, 768)",
          {"num_embeddings": Size("V"), "embedding_dim": Size("d"),
           "padding_idx": Free((int, NoneType))}),
    Layer("LayerNorm", f"normalized_shape, eps=1e-05, {AFFINE}, bias=True, {FACTORY}",
          "layer_norm", "LayerNorm(768)", {**NORM, "bias": Choice("bias")}),
    Layer("RMSNorm", f"normalized_shape, eps=None, {AFFINE}, {FACTORY}",
          "rms_norm", "RMSNorm(4096)", NORM),
    Layer("RNN", f"input_size, hidden_size, num_layers=1, nonlinearity='tanh', {OVER_TIME}, "
          + FACTORY, "rnn", "RNN(128, 256)",
          {**RECURRENT, "nonlinearity": Choice("nonlinearity", {"tanh": "tanh", "relu": "relu"})}),
    Layer("GRU", f"input_size, hidden_size, num_layers=1, {OVER_TIME}, {FACTORY}",
          "gru", "GRU(128, 256, num_layers=2)", RECURRENT),
    Layer("LSTM", f"input_size, hidden_size, num_layers=1, {OVER_TIME}, proj_size=0, {FACTORY}",
          "lstm", "LSTM(128, 256, num_layers=2, bidirectional=True)",
          {**RECURRENT, "proj_size": Maybe("d_p", "projected")}),
    Layer("MultiheadAttention", "embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, "
          f"add_zero_attn=False, kdim=None, vdim=None, batch_first=False, {FACTORY}",
          "attention", "MultiheadAttention(768, 12)",
          {"embed_dim": Size("d"), "num_heads": Size("h"), "dropout": Chance(("dropout",)),
           "bias": Choice("bias"), "batch_first": Free((bool,))}),
    Layer("TransformerEncoderLayer", ENCODER_LAYER,
          "post_ln_block", "TransformerEncoderLayer(512, 8)",
          {"d_model": Size("d"), "nhead": Size("h"), "dim_feedforward": Size("d_ff"),
           "dropout": Chance(("dropout", "hidden_dropout")),
           "activation": Choice("activation", ACTIVATIONS), "layer_norm_eps": Free((float,)),
           "bias": Choice("bias", also=("norm_bias",)), "batch_first": Free((bool,)),
           "norm_first": Entry({False: "post_ln_block", True: "pre_ln_block"})},
          {"causal": "false"}),
    Layer("TransformerDecoderLayer", ENCODER_LAYER,
          "post_ln_decoder_block", "TransformerDecoderLayer(512, 8)",
          {"d_model": Size("d"), "nhead": Size("h"), "dim_feedforward": Size("d_ff"),
           "dropout": Chance(("dropout", "hidden_dropout")),
           "activation": Choice("activation", ACTIVATIONS), "layer_norm_eps": Free((float,)),
           "bias": Choice("bias", also=("norm_bias",)), "batch_first": Free((bool,)),
           "norm_first": Entry({False: "post_ln_decoder_block", True: "pre_ln_decoder_block"})},
          {"causal": "false"}),
    Layer("TransformerEncoder", "encoder_layer, num_layers, norm=None, enable_nested_tensor=True, "
          "mask_check=True", "post_ln_encoder",
          "TransformerEncoder(TransformerEncoderLayer(512, 8), 6)",
          {"encoder_layer": Inner("TransformerEncoderLayer", {
              "d_model": Size("d"), "nhead": Size("h"), "dim_feedforward": Size("d_ff"),
              "dropout": Chance(("dropout",)), "activation": Choice("activation", ACTIVATIONS),
              "norm_first": Entry(ENCODERS), "bias": Choice("bias"),
              "layer_norm_eps": Free((float,)), "batch_first": Free((bool,))}),
           "num_layers": Size("L"),
           "norm": Inner("LayerNorm", {"normalized_shape": Size("d"), "eps": Free((float,))},
                         {"final_norm": "true"}, optional=True),
           "enable_nested_tensor": Free((bool,)), "mask_check": Free((bool,))}),
    Layer("Conv1d", f"in_channels, out_channels, kernel_size, stride=1, {PADDED}, dilation=1, "
          f"groups=1, bias=True, {ZEROS}, {FACTORY}", "conv1d", "Conv1d(80, 512, 3, padding=1)",
          {**CHANNELS, "kernel_size": Sizes(("K",)), "stride": Sizes(("s",)),
           "padding": Sizes(("p",), least=0), "dilation": Sizes(("r",))}),
    Layer("Conv2d", f"in_channels, out_channels, kernel_size, stride=1, {PADDED}, dilation=1, "
          f"groups=1, bias=True, {ZEROS}, {FACTORY}",
          "conv2d", "Conv2d(3, 64, 3, bias=False)", {**CHANNELS, **SQUARE}),
    Layer("ConvTranspose2d", f"in_channels, out_channels, kernel_size, stride=1, {PADDED}, "
          f"output_padding=0, groups=1, bias=True, dilation=1, {ZEROS}, {FACTORY}",
          "conv_transpose2d", "ConvTranspose2d(64, 32, 2, stride=2)",
          {**CHANNELS, **SQUARE, "output_padding": Sizes(("q_h", "q_w"), least=0)}),
    Layer("MaxPool2d", f"kernel_size, stride=None, {PADDED}, dilation=1, return_indices=False, "
          "ceil_mode=False", "max_pool2d", "MaxPool2d(2)", POOL),
    Layer("AvgPool2d", f"kernel_size, stride=None, {PADDED}, ceil_mode=False, "
          "count_include_pad=True, divisor_override=None", "avg_pool2d", "AvgPool2d(2)",
          {name: use for name, use in POOL.items() if name != "dilation"}),
    Layer("AdaptiveAvgPool2d", "output_size", "adaptive_avg_pool2d", "AdaptiveAvgPool2d(7)",
          {"output_size": Sizes(("H_o", "W_o"))}),
    Layer("BatchNorm1d", BATCH_NORM, "batch_norm", "BatchNorm1d(256)", BATCH,
          {"H": "1", "W": "1"}),
    Layer("BatchNorm2d", BATCH_NORM, "batch_norm", "BatchNorm2d(64)", BATCH),
    Layer("GroupNorm", f"num_groups, num_channels, eps=1e-05, affine=True, {FACTORY}, *, bias=True",
          "group_norm", "GroupNorm(32, 256)",
          {"num_groups": Size("G"), "num_channels": Size("C"), "eps": Free((float,))}),
    Layer("Dropout", "p=0.5, inplace=False", "dropout", "Dropout()", {"p": Chance(), **INPLACE}),
    _function("ReLU", "relu"),
    _function("SiLU", "silu"),
    _function("Tanh", "tanh", ""),
    _function("Sigmoid", "sigmoid", ""),
    Layer("GELU", "approximate='none'", "activation", "GELU()",
          {"approximate": Choice("function", {"none": "gelu", "tanh": "gelu_tanh"})}),
    Layer("Softmax", "dim=None", "softmax", "Softmax(dim=-1)", {"dim": Free((int, NoneType))}),
    Layer("LogSoftmax", "dim=None", "log_softmax", "LogSoftmax(dim=-1)",
          {"dim": Free((int, NoneType))}),
    Layer("CrossEntropyLoss", "weight=None, size_average=None, ignore_index=-100, reduce=None, "
          "reduction='mean', label_smoothing=0.0", "cross_entropy", "CrossEntropyLoss()",
          {"ignore_index": Free((int,))}),
)  # fmt: skip
BY_NAME = {layer.name: layer for layer in LAYERS}

_NAMES = """
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d
AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss
BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear CELU CTCLoss ChannelShuffle
CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Conv1d Conv2d
Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d CosineEmbeddingLoss CosineSimilarity
CrossEntropyLoss CrossMapLRN2d Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag
FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell
GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss
Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d
LSTM LSTMCell LayerNorm LeakyReLU Linear LocalResponseNorm LogSigmoid LogSoftmax MSELoss
MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish
ModuleDict ModuleList MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss
MultiheadAttention NLLLoss PReLU PairwiseDistance PixelShuffle PixelUnshuffle PoissonNLLLoss
RMSNorm RNN RNNCell RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d
ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss
SoftMarginLoss Softmax Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh Tanhshrink
Threshold Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
TransformerEncoderLayer TripletMarginLoss Unflatten Unfold Upsample ZeroPad1d ZeroPad2d ZeroPad3d
"""
NAMES = tuple(_NAMES.split())
"""What torch.nn has under these names: those without a row are refused as not supported yet."""
