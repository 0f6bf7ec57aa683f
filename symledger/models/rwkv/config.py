"""RWKV: the sizes of its mixings."""

from __future__ import annotations

from symledger.arguments.specs import SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED, affine
from symledger.config_keys.family import Built, Family, Unless

LAYER = "rwkv.blocks.*."
MIXER, NETWORK = "block.mixer.", "block.feed_forward."
PARTS = (("key", "K"), ("value", "V"), ("receptance", "gate"))
FED = (("key", "up"), ("receptance", "gate"))
SHARES = {"key": "m_K", "value": "m_V", "receptance": "m_R"}

RWKV = Family(
    "rwkv",
    {"RwkvForCausalLM": Built("rwkv", {"head": "lm"}),
     "RwkvModel": Built("rwkv", {"head": "bare"})},
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "num_hidden_layers": SizeOf("L"),
        "attention_hidden_size": Unless(SizeOf("d_i")),
        "intermediate_size": Unless(SizeOf("d_ff")),
        "tie_word_embeddings": TIED,
        **dict.fromkeys(("context_length", "rescale_every"), FREE),
    },
    (),
    {
        "rwkv.embeddings.weight": ("token_embedding.E",),
        **affine("rwkv.", {
            "blocks.*.pre_ln": "first_norm", "blocks.*.ln1": "block.norm_1",
            "blocks.*.ln2": "block.norm_2", "ln_out": "final_norm",
        }),
        f"{LAYER}attention.time_decay": (f"{MIXER}average.w",),
        f"{LAYER}attention.time_first": (f"{MIXER}average.u",),
        **{f"{LAYER}attention.time_mix_{theirs}": (MIXER + SHARES[theirs],) for theirs, _ in PARTS},
        **{f"{LAYER}attention.{theirs}.weight": (f"{MIXER}{ours}.W",)
           for theirs, ours in (*PARTS, ("output", "O"))},
        **{f"{LAYER}feed_forward.time_mix_{theirs}": (NETWORK + SHARES[theirs],)
           for theirs, _ in FED},
        **{f"{LAYER}feed_forward.{theirs}.weight": (f"{NETWORK}{ours}.W",)
           for theirs, ours in (*FED, ("value", "down"))},
        "head.weight": ("head.W",),
    },
    {"T": "1024"},
)  # fmt: skip
"""``context_length`` is how long a kernel may read at once; any sequence may be longer.

The length is the default of that key.
"""
