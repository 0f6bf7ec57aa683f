"""xLSTM: widths as shares of the model's, and which kernels compute."""

from __future__ import annotations

from math import inf

from symledger.arguments.specs import Number, Only, Settings, SizeOf, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput

LAYER = "backbone.blocks.*."
MIXER = f"{LAYER}mlstm_layer."
NETWORK = f"{LAYER}ffn."
PARTS = (("q", "Q"), ("k", "K"), ("v", "V"), ("ogate_preact", "gate"), ("out_proj", "O"))


def _share(values: Values, name: str) -> float:
    """Return a width that is a share of the model's, before it is rounded.

    Raises:
        BadInput: the share is no number, or nothing is that wide.
    """
    share, d = values[name], size("hidden_size", values["hidden_size"])
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share * d < inf:
        raise BadInput(
            f"{name} = {written(share)} does not fit: it is a share of {d} channels. Choose a "
            "number above 0, such as 0.5."
        )
    return d * share


def _widths(values: Values) -> Settings:
    """Return how wide heads are, and networks, which are rounded up.

    Raises:
        BadInput: heads do not divide a width, or one would have no element.
    """
    h, found = size("num_heads", values["num_heads"]), {}
    for name, symbol in (("qk_dim_factor", "d_k"), ("v_dim_factor", "d_v")):
        width = int(_share(values, name))  # rounded down, as the class does
        if width < 1 or width % h:
            raise BadInput(
                f"{name} = {written(values[name])} of hidden_size = {values['hidden_size']} are "
                f"{width} channels, which num_heads = {h} do not divide."
            )
        found[symbol] = str(width // h)
    step = size("ffn_round_up_to_multiple_of", values["ffn_round_up_to_multiple_of"])
    width = int(((_share(values, "ffn_proj_factor") + step - 1) // step) * step)
    return {**found, "d_ff": str(size("ffn_proj_factor", width))}


def _layers(values: Values) -> Settings:
    """Return the number of layers, which has an older name that is believed where it is there."""
    name = "num_hidden_layers" if values["num_blocks"] is None else "num_blocks"
    return {"L": str(size(name, values[name]))}


def _table(values: Values) -> Settings:
    """Refuse a table of another width than the model's: nothing is between them."""
    width = values["embedding_dim"]
    if width not in (None, values["hidden_size"]):
        raise BadInput(
            f"embedding_dim = {written(width)} does not fit hidden_size = {values['hidden_size']}: "
            "they are one width. Leave it out."
        )
    return {}


XLSTM = Family(
    "xlstm",
    {"xLSTMForCausalLM": Built("xlstm", {"head": "lm"}),
     "xLSTMModel": Built("xlstm", {"head": "bare"})},
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "embedding_dim": Ruled(),
        "num_hidden_layers": Ruled(),
        "num_blocks": Ruled(),
        "num_heads": SizeOf("h"),
        "chunk_size": SizeOf("Q"),
        "use_bias": Only((False,), "maps and norms would have biases"),
        "tie_word_embeddings": FREE,
        "mode": Only(("inference",), "only there are tokens after the last chunk taken as well"),
        "chunkwise_kernel": Only(("chunkwise--native_autograd",)),
        "sequence_kernel": Only(("native_sequence__native",)),
        "step_kernel": Only(("native",)),
        "weight_mode": Only(("single", "fused")),
        **dict.fromkeys(("qk_dim_factor", "v_dim_factor", "ffn_proj_factor"), Number(above=0)),
        "ffn_round_up_to_multiple_of": Ruled(),
        **dict.fromkeys(("gate_soft_cap", "output_logit_soft_cap"), Number(above=0)),
        **dict.fromkeys(
            ("norm_reduction_force_float32", "add_out_norm", "return_last_states",
             "autocast_kernel_dtype", "inference_state_dtype", "eps", "max_inference_chunksize"),
            FREE,
        ),
    },
    (
        Rule(("hidden_size", "num_heads", "qk_dim_factor", "v_dim_factor", "ffn_proj_factor"),
             _widths),
        Rule((), _layers),
        Rule(("hidden_size",), _table),
    ),
    {
        "backbone.embeddings.weight": ("token_embedding.E",),
        "backbone.out_norm.weight": ("final_norm.g",),
        **HEADS,
        f"{LAYER}norm_mlstm.weight": ("block.norm_1.g",),
        f"{LAYER}norm_ffn.weight": ("block.norm_2.g",),
        **{f"{MIXER}{theirs}.weight": (f"block.mixer.{ours}.W",) for theirs, ours in PARTS},
        f"{MIXER}qkv_opreact.weight": tuple(f"block.mixer.{x}.W" for x in ("Q", "K", "V", "gate")),
        **{f"{MIXER}{theirs}gate_preact.{weight}": (f"block.mixer.{ours}.{w}",)
           for theirs, ours in (("i", "input"), ("f", "forget"))
           for weight, w in (("weight", "W"), ("bias", "b"))},
        **{f"{MIXER}ifgate_preact.{weight}": tuple(f"block.mixer.{x}.{w}" for x in
           ("input", "forget")) for weight, w in (("weight", "W"), ("bias", "b"))},
        f"{MIXER}multihead_norm.weight": ("block.mixer.g",),
        **{f"{NETWORK}proj_{theirs}.weight": (f"block.feed_forward.{ours}.W",)
           for theirs, ours in (("up_gate", "gate"), ("up", "up"), ("down", "down"))},
        f"{NETWORK}proj_up_gate_z.weight": (
            "block.feed_forward.gate.W", "block.feed_forward.up.W"),
    },
    {"T": "8192"},
)  # fmt: skip
"""No class ties the head to the table, or leaves the last norm out, whatever is said.

The length is that of which xLSTM 7B was trained (Beck et al., *xLSTM 7B* (2025)).
"""
