"""The words of GPT-2's configuration and implementation, which others are written in too."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import SizeOf, Use
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ACTIVATION, HEADS, TIED
from symledger.config_keys.family import Unless

USES: Mapping[str, Use] = {
    "vocab_size": SizeOf("V"),
    "n_positions": SizeOf("T_max", ("T",)),
    "n_embd": SizeOf("d"),
    "n_layer": SizeOf("L"),
    "n_head": SizeOf("h"),
    "n_inner": Unless(SizeOf("d_ff")),
    "activation_function": ACTIVATION,
    "scale_attn_weights": FREE,
    "scale_attn_by_inverse_layer_idx": FREE,
    "reorder_and_upcast_attn": FREE,
    "tie_word_embeddings": TIED,
}

TENSORS: Mapping[str, tuple[str, ...]] = {
    "transformer.wte.weight": ("token_embedding.E",),
    "transformer.wpe.weight": ("positions.P",),
    "transformer.h.*.ln_1.weight": ("block.norm_1.g",),
    "transformer.h.*.ln_1.bias": ("block.norm_1.b",),
    "transformer.h.*.attn.c_attn.weight": tuple(f"block.attention.{x}.W" for x in "QKV"),
    "transformer.h.*.attn.c_attn.bias": tuple(f"block.attention.{x}.b" for x in "QKV"),
    "transformer.h.*.attn.c_proj.weight": ("block.attention.O.W",),
    "transformer.h.*.attn.c_proj.bias": ("block.attention.O.b",),
    "transformer.h.*.ln_2.weight": ("block.norm_2.g",),
    "transformer.h.*.ln_2.bias": ("block.norm_2.b",),
    "transformer.h.*.mlp.c_fc.weight": ("block.feed_forward.1.W",),
    "transformer.h.*.mlp.c_fc.bias": ("block.feed_forward.1.b",),
    "transformer.h.*.mlp.c_proj.weight": ("block.feed_forward.2.W",),
    "transformer.h.*.mlp.c_proj.bias": ("block.feed_forward.2.b",),
    "transformer.ln_f.weight": ("final_norm.g",),
    "transformer.ln_f.bias": ("final_norm.b",),
    **HEADS,
}
