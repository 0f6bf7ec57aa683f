"""Layers of tokens and sequences: affine maps, embeddings, norms, recurrence, attention, stacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any

from symledger.arguments.specs import Choice, Free, Maybe, Settings, SizeOf, Use, size
from symledger.languages.message import Verbatim, message
from symledger.torch_layers.argument_uses import (
    Acting,
    Chance,
    Copied,
    CopiedInDecoder,
    EntryOf,
    Function,
    Inner,
    Shape,
    Written,
)
from symledger.torch_layers.row import EPS, FACTORY, MAYBE_NONE, Arguments, Layer
from symledger.torch_layers.rules import divided, smaller, within

AFFINE = "elementwise_affine=True"
NORM: Mapping[str, Use] = {
    "normalized_shape": Shape("d"), **EPS, "elementwise_affine": Choice("affine"),
}  # fmt: skip
LOOKED_UP: Mapping[str, Use] = {
    "num_embeddings": SizeOf("V"), "embedding_dim": SizeOf("d"),
    "padding_idx": Free(MAYBE_NONE), "norm_type": Free((float,)),
}  # fmt: skip
NONLINEARITY = Choice("nonlinearity", {"tanh": "tanh", "relu": "relu"})
CELL: Mapping[str, Use] = {
    "input_size": SizeOf("d_in"), "hidden_size": SizeOf("d_s"), "bias": Choice("bias"),
}  # fmt: skip
RECURRENT: Mapping[str, Use] = {
    **CELL, "num_layers": Maybe("L", "stacked", absent=1), "dropout": Chance(("dropout",)),
    "bidirectional": Choice("bidirectional"), "batch_first": Free((bool,)),
}  # fmt: skip
OVER_TIME = "bias=True, batch_first=False, dropout=0.0, bidirectional=False"
HEADS = (divided("d_model", "nhead"),)
HIDDEN = Chance(("dropout", "hidden_dropout"))
BLOCK_ENDS = (
    "dropout=0.1, activation='relu', layer_norm_eps=1e-05, batch_first=False, norm_first=False, "
    f"bias=True, {FACTORY}"
)
BLOCK = f"d_model, nhead, dim_feedforward=2048, {BLOCK_ENDS}"
WIDTHS: Mapping[str, Use] = {
    "d_model": SizeOf("d"), "nhead": SizeOf("h"), "dim_feedforward": SizeOf("d_ff"),
    "activation": Acting("activation"), "layer_norm_eps": Free((float,)),
    "batch_first": Free((bool,)),
}  # fmt: skip
LAST_NORM = Inner(
    "LayerNorm", {"normalized_shape": Shape("d"), **EPS}, {"final_norm": "true"}, optional=True
)


def block(kind: str) -> Layer:
    """Return the row of a layer of a transformer."""
    name = f"Transformer{kind.title()}Layer"
    entry = {"encoder": "ln_block", "decoder": "ln_decoder_block"}[kind]
    uses = {
        **WIDTHS, "dropout": HIDDEN, "bias": Choice("bias", also=("norm_bias",)),
        "norm_first": EntryOf({False: f"post_{entry}", True: f"pre_{entry}"}),
    }  # fmt: skip
    return Layer(
        name, BLOCK, f"post_{entry}", f"{name}(512, 8)", uses, {"causal": "false"}, HEADS,
        **(FORGETS if kind == "decoder" else {}),
    )  # fmt: skip


def copied(which: str) -> Callable[[Arguments], str]:
    """Say where PyTorch runs ReLU though a module was given: in copies of layers of a decoder."""

    def reads(values: Arguments) -> str:
        layer = values.get("decoder_layer")
        given = (layer.values if isinstance(layer, Written) else values).get("activation")
        if given is None or isinstance(given, str | Function) or repr(given).startswith("ReLU("):
            return ""
        return message(f"reads.forgets.{which}", given=Verbatim(repr(given)))

    return reads


FORGETS: dict[str, Any] = {"reads": copied("copies")}


def stack(kind: str, more: str, uses: Mapping[str, Use], sets: Mapping[str, str]) -> Layer:
    """Return the row of a stack of such layers."""
    name, entries = f"Transformer{kind.title()}", {False: "post_ln_", True: "pre_ln_"}
    inner = Inner(f"{name}Layer", {
        **WIDTHS, "dropout": Chance(("dropout",)), "bias": Choice("bias"),
        "activation": (Copied if kind == "decoder" else Acting)("activation"),
        "norm_first": EntryOf({first: f"{ln}{kind}" for first, ln in entries.items()}),
    })  # fmt: skip
    return Layer(
        name, f"{kind}_layer, num_layers, norm=None{more}", f"post_ln_{kind}",
        f"{name}({name}Layer(512, 8), 6)",
        {f"{kind}_layer": inner, "num_layers": SizeOf("L"), "norm": LAST_NORM, **uses}, sets,
        reads=copied("layers"),
    )  # fmt: skip


PLAIN: Arguments = {"kdim": None, "vdim": None, "add_bias_kv": False, "add_zero_attn": False}


def sourced(values: Arguments) -> str:
    """Attention to keys and values of other widths, or to more of them than there are."""
    plain = all(values[name] is default for name, default in PLAIN.items())
    return "" if plain else "sourced_attention"


def sources(values: Arguments) -> Settings:
    """What such attention sets beside the rest."""
    if not sourced(values):
        return {}
    found = {}
    for name, symbol in (("kdim", "d_key"), ("vdim", "d_val")):
        width = values["embed_dim"] if values[name] is None else values[name]
        found[symbol] = str(size(name, width))
    for name, option in (("add_bias_kv", "bias_kv"), ("add_zero_attn", "zero_kv")):
        found |= Choice(option).settings(name, values[name])
    return found


SEQUENCES: tuple[Layer, ...] = (
    Layer("Linear", f"in_features, out_features, bias=True, {FACTORY}",
          "linear", "Linear(768, 3072)",
          {"in_features": SizeOf("d_in"), "out_features": SizeOf("d_out"), "bias": Choice("bias")}),
    Layer("Bilinear", f"in1_features, in2_features, out_features, bias=True, {FACTORY}",
          "bilinear", "Bilinear(256, 128, 64)",
          {"in1_features": SizeOf("d_1"), "in2_features": SizeOf("d_2"),
           "out_features": SizeOf("d_out"), "bias": Choice("bias")}),
    Layer("Embedding", "num_embeddings, embedding_dim, padding_idx=None, max_norm=None, "
          "norm_type=2.0, scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, "
          + FACTORY, "token_embedding", "Embedding(50257, 768)", LOOKED_UP,
          rules=(within("padding_idx", "num_embeddings"),)),
    Layer("EmbeddingBag", "num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, "
          "scale_grad_by_freq=False, mode='mean', sparse=False, _weight=None, "
          f"include_last_offset=False, padding_idx=None, {FACTORY}",
          "embedding_bag", "EmbeddingBag(50000, 300)",
          {**LOOKED_UP, "mode": Choice("mode", {"mean": "mean", "sum": "sum", "max": "max"}),
           "include_last_offset": Free((bool,))},
          rules=(within("padding_idx", "num_embeddings"),)),
    Layer("LayerNorm", f"normalized_shape, eps=1e-05, {AFFINE}, bias=True, {FACTORY}",
          "layer_norm", "LayerNorm(768)", {**NORM, "bias": Choice("bias")}),
    Layer("RMSNorm", f"normalized_shape, eps=None, {AFFINE}, {FACTORY}",
          "rms_norm", "RMSNorm(4096)", {**NORM, "eps": Free((float, NoneType))}),
    Layer("RNN", f"input_size, hidden_size, num_layers=1, nonlinearity='tanh', {OVER_TIME}, *, "
          + FACTORY, "rnn", "RNN(128, 256)", {**RECURRENT, "nonlinearity": NONLINEARITY}),
    Layer("GRU", f"input_size, hidden_size, num_layers=1, {OVER_TIME}, *, {FACTORY}",
          "gru", "GRU(128, 256, num_layers=2)", RECURRENT),
    Layer("LSTM", f"input_size, hidden_size, num_layers=1, {OVER_TIME}, proj_size=0, {FACTORY}",
          "lstm", "LSTM(128, 256, num_layers=2, bidirectional=True)",
          {**RECURRENT, "proj_size": Maybe("d_p", "projected")},
          rules=(smaller("proj_size", "hidden_size"),)),
    Layer("RNNCell", f"input_size, hidden_size, bias=True, nonlinearity='tanh', {FACTORY}",
          "rnn_cell", "RNNCell(128, 256)", {**CELL, "nonlinearity": NONLINEARITY}),
    Layer("GRUCell", f"input_size, hidden_size, bias=True, {FACTORY}",
          "gru_cell", "GRUCell(128, 256)", CELL),
    Layer("LSTMCell", f"input_size, hidden_size, bias=True, {FACTORY}",
          "lstm_cell", "LSTMCell(128, 256)", CELL),
    Layer("MultiheadAttention", "embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, "
          f"add_zero_attn=False, kdim=None, vdim=None, batch_first=False, {FACTORY}",
          "attention", "MultiheadAttention(768, 12)",
          {"embed_dim": SizeOf("d"), "num_heads": SizeOf("h"), "dropout": Chance(("dropout",)),
           "bias": Choice("bias"), "batch_first": Free((bool,)), "kdim": Free(MAYBE_NONE),
           "vdim": Free(MAYBE_NONE), "add_bias_kv": Free((bool,)), "add_zero_attn": Free((bool,))},
          rules=(divided("embed_dim", "num_heads"), sources), chosen=sourced),
    block("encoder"),
    block("decoder"),
    stack("encoder", ", enable_nested_tensor=True, mask_check=True",
          {"enable_nested_tensor": Free((bool,)), "mask_check": Free((bool,))}, {}),
    stack("decoder", "", {}, {"causal": "false"}),
    Layer("Transformer", "d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, "
          "dim_feedforward=2048, dropout=0.1, activation='relu', custom_encoder=None, "
          "custom_decoder=None, layer_norm_eps=1e-05, batch_first=False, norm_first=False, "
          f"bias=True, {FACTORY}", "encoder_decoder", "Transformer()",
          {**WIDTHS, "activation": CopiedInDecoder("activation", "encoder_activation"),
           "num_encoder_layers": SizeOf("L_enc"), "num_decoder_layers": SizeOf("L_dec"),
           "dropout": HIDDEN, "norm_first": Free((bool,)), "bias": Choice("bias")},
          {"causal": "false"}, HEADS, reads=copied("decoder")),
)  # fmt: skip
