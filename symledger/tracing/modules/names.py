"""What constructors call sizes, and the symbols that the field writes for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

SYMBOLS: dict[str, tuple[str, ...]] = {
    "V": ("vocab_size", "n_vocab", "num_embeddings", "vocab", "n_tokens", "num_tokens"),
    "d": ("n_embd", "hidden_size", "d_model", "dim", "embed_dim", "emb_dim", "n_embed",
          "embedding_dim", "hidden_dim", "width", "model_dim", "embed_size"),
    "L": ("n_layer", "n_layers", "num_hidden_layers", "num_layers", "depth", "layers", "n_blocks",
          "num_blocks"),
    "h": ("n_head", "n_heads", "num_attention_heads", "num_heads", "nhead", "heads"),
    "h_kv": ("n_kv_heads", "n_kv_head", "num_key_value_heads", "num_kv_heads", "kv_heads"),
    "d_h": ("head_dim", "dim_head", "d_head", "head_size"),
    "d_ff": ("intermediate_size", "d_ff", "ffn_dim", "dim_feedforward", "n_inner", "mlp_dim",
             "ff_dim", "d_ffn", "ffn_hidden"),
    "T_max": ("block_size", "max_position_embeddings", "max_seq_len", "seq_len", "context_length",
              "n_positions", "n_ctx", "max_len", "max_length", "max_seq_length"),
    "Y": ("num_classes", "n_classes", "num_labels"),
    "C_in": ("in_channels", "in_chans", "num_channels"),
    "E": ("num_experts", "n_experts", "num_local_experts", "n_routed_experts"),
    "k": ("top_k", "num_experts_per_tok", "experts_per_token", "n_experts_per_tok"),
    "d_in": ("input_size", "in_features", "input_dim", "in_dim"),
    "d_out": ("output_size", "out_features", "output_dim", "out_dim"),
    "P": ("patch_size",),
}  # fmt: skip
"""The names of constructors' arguments, by the symbol that is written for them."""
STAGES = ("layers", "depths", "blocks", "num_blocks", "stages", "n_blocks")
"""Lists of how many layers each stage has."""
CALLED = {name: symbol for symbol, names in SYMBOLS.items() for name in names}


def symbols_for(
    arguments: Iterable[str], others: Iterable[str], asked: Mapping[str, str]
) -> dict[str, str]:
    """Return the symbol of each argument: the one asked for, the field's, else its own name.

    Two arguments have no symbol in common, and none has that of ``others``.
    """
    found: dict[str, str] = dict(asked)
    taken = {*others, *asked.values()}
    for name in arguments:
        if name not in found:
            short = CALLED.get(name, "")
            of, dot, place = name.partition(".")
            if dot and (of in STAGES or CALLED.get(of) == "L"):
                short = f"L_{int(place) + 1}"
            own = name.replace(".", "_")
            found[name] = short if short and short not in taken else own
            taken.add(found[name])
    return found
