"""MPT."""

from __future__ import annotations

from symledger.arguments.specs import Settings, SizeOf, Unread, among, written
from symledger.config_keys.common import FREE, known
from symledger.config_keys.decoder_keys import HEADS, TIED, affine, head_width, heads
from symledger.config_keys.family import Built, Context, Family, Rule, Ruled, Values
from symledger.errors import BadInput, shown

ATTENTION = {
    "attn_type": ("multihead_attention",), "alibi": (True,), "prefix_lm": (False,),
    "qk_ln": (False,), "attn_uses_sequence_id": (False,),
}  # fmt: skip
"""What may be said of attention; anything else would be another one."""
FREE_OF_ATTENTION = ("attn_pdrop", "attn_impl", "clip_qkv", "softmax_scale", "alibi_bias_max")


def _attention(values: Values) -> Settings:
    """Read what is said of attention, and refuse what is not that of MPT."""
    head_width(values, "d_model", "n_heads")
    said = values["attn_config"]
    if not isinstance(said, dict | None):
        raise BadInput(f"attn_config = {written(said)} does not fit: an object is meant.")
    for name, value in (said or {}).items():
        if name in ATTENTION:
            among(f"attn_config.{name}", value, ATTENTION[name])
        elif name not in FREE_OF_ATTENTION and not known(name) and value is not None:
            raise BadInput(
                f"the key {shown(name)} = {written(value)} in attn_config is not understood, and "
                "may change what is counted. If it changes nothing, leave it out."
            )
    return {}


BIASED = "unbiased"
"""What ``no_bias = false`` comes to: the class makes every map without a bias, and takes those of
norms away (transformers 5.23, ``MptBlock``), while llm-foundry, MPT's own program, has both."""

MPT = Family(
    "mpt",
    {**heads("mpt", "Mpt"), "MPTForCausalLM": Built("mpt", {"head": "lm"})},
    {
        "vocab_size": SizeOf("V"),
        "d_model": SizeOf("d"),
        "n_layers": SizeOf("L"),
        "n_heads": SizeOf("h"),
        "max_seq_len": Context(),
        "expansion_ratio": FREE,
        "no_bias": Unread(True, BIASED, (bool,)),
        "tie_word_embeddings": TIED,
        "attn_config": Ruled(),
        **dict.fromkeys((
            "learned_pos_emb", "init_device", "init_config", "logit_scale", "embedding_fraction",
            "norm_type", "verbose", "tokenizer_name",
        ), FREE),
    },
    rules=(Rule(("d_model", "n_heads"), _attention),),
    tensors={
        "transformer.wte.weight": ("token_embedding.E",),
        **affine("transformer.", {
            "blocks.*.norm_1": "block.norm_1",
            "blocks.*.norm_2": "block.norm_2",
            "blocks.*.attn.Wqkv": tuple(f"block.attention.{x}" for x in "QKV"),
            "blocks.*.attn.out_proj": "block.attention.O",
            "blocks.*.ffn.up_proj": "block.feed_forward.1",
            "blocks.*.ffn.down_proj": "block.feed_forward.2",
            "norm_f": "final_norm",
        }),
        **HEADS,
    },
)  # fmt: skip
"""A network is four times as wide as the model; ``expansion_ratio`` is read by nothing."""
