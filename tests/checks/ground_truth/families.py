"""Which target of ours a class of transformers, torchvision or torch.nn is, and its parts.

A part is written as the path of a line of the ledger; several are added up. ``every`` marks what
is meant of all layers, where a record is about one.
"""

from tests.checks.ground_truth.saved import Question


def gpt2(c):
    return Question("gpt2", {
        "V": c["vocab_size"], "d": c["n_embd"], "L": c["n_layer"], "h": c["n_head"],
        "T_max": c["n_positions"], "d_ff": c.get("n_inner") or 4 * c["n_embd"],
        "tied": c.get("tie_word_embeddings", True),
    })  # fmt: skip


def llama(c, family="llama"):
    h = c["num_attention_heads"]
    return Question(family, {
        "V": c["vocab_size"], "d": c["hidden_size"], "L": c["num_hidden_layers"], "h": h,
        "h_kv": c.get("num_key_value_heads") or h, "d_ff": c["intermediate_size"],
        "d_h": c.get("head_dim") or c["hidden_size"] // h,
        "tied": c.get("tie_word_embeddings", False),
    })  # fmt: skip


def mixtral(c):
    sparse = {"E": c["num_local_experts"], "k": c["num_experts_per_tok"]}
    return Question("mixtral", {**llama(c).settings, **sparse})


def bert(c, family="bert"):
    return Question(family, {
        "V": c["vocab_size"], "d": c["hidden_size"], "L": c["num_hidden_layers"],
        "h": c["num_attention_heads"], "d_ff": c["intermediate_size"],
        "T_max": c["max_position_embeddings"], "V_seg": c["type_vocab_size"],
    })  # fmt: skip


def vgg(c):
    size = c["image_size"]
    return Question("vgg16", {"H": size, "W": size, "Y": c["num_classes"]})


def linear(c):
    return Question(f"nn.Linear({c['in_features']}, {c['out_features']}, bias={c['bias']})", {})


def multihead(c):
    sizes = {"d": c["embed_dim"], "h": c["num_heads"], "bias": c["bias"]}
    return Question("self_attention", sizes)


def transformer(c):
    return Question("encoder_decoder", {
        "d": c["d_model"], "h": c["nhead"], "L_enc": c["num_encoder_layers"],
        "L_dec": c["num_decoder_layers"], "d_ff": c["dim_feedforward"],
    })  # fmt: skip


FAMILIES = {
    "GPT2LMHeadModel": gpt2, "LlamaForCausalLM": llama, "MistralForCausalLM": llama,
    "MixtralForCausalLM": mixtral, "BertModel": bert, "RobertaModel": bert,
    "BertForPreTraining": lambda c: bert(c, "bert_pretraining"), "torchvision:vgg16": vgg,
    "hand:linear": linear, "hand:mha": multihead, "hand:torch_transformer": transformer,
}  # fmt: skip


def under(theirs, ours, names):
    """Modules inside a module, each with its parts inside ours."""
    return {
        f"{theirs}.{name}".rstrip("."): tuple(f"{ours}.{part}" for part in parts.split()) or (ours,)
        for name, parts in names.items()
    }


LLAMA_BLOCK = {
    "": "", "self_attn": "attention", "self_attn.q_proj": "attention.Q",
    "self_attn.k_proj": "attention.K", "self_attn.v_proj": "attention.V",
    "self_attn.o_proj": "attention.O", "mlp": "feed_forward",
    **{f"mlp.{part}_proj": f"feed_forward.{part}" for part in ("gate", "up", "down")},
}  # fmt: skip
MIXTRAL_BLOCK = {
    **{name: part for name, part in LLAMA_BLOCK.items() if "mlp" not in name},
    "mlp": "feed_forward", "mlp.gate": "feed_forward.router",
    "mlp.experts": "feed_forward.experts",
}  # fmt: skip
GPT2_BLOCK = {
    "": "", "attn": "attention", "attn.c_attn": "attention.Q attention.K attention.V",
    "attn.c_proj": "attention.O", "mlp": "feed_forward", "mlp.c_fc": "feed_forward.1",
    "mlp.c_proj": "feed_forward.2",
}  # fmt: skip
BERT_BLOCK = {
    "": "", "attention": "attention",
    "attention.self": "attention.Q attention.K attention.V attention.core",
    "attention.self.query": "attention.Q", "attention.self.key": "attention.K",
    "attention.self.value": "attention.V", "attention.output": "attention.O",
    "attention.output.dense": "attention.O", "intermediate": "feed_forward.1",
    "intermediate.dense": "feed_forward.1", "output": "feed_forward.2",
    "output.dense": "feed_forward.2",
}  # fmt: skip
LAYER = {
    "": "", "self_attn": "attention", "multihead_attn": "cross_attention",
    "linear1": "feed_forward.1", "linear2": "feed_forward.2",
}  # fmt: skip
STAGES = tuple(f"stage_{i}" for i in range(1, 6))
WIDE = ("hidden_1", "hidden_2", "head")
DECODER = {"model": ("every block",), "lm_head": ("head",)}

MODULES = {
    "GPT2LMHeadModel": {"transformer": ("every block",), "lm_head": ("head",),
                        **under("transformer.h.0", "block", GPT2_BLOCK)},
    "LlamaForCausalLM": {**DECODER, **under("model.layers.0", "block", LLAMA_BLOCK)},
    "MistralForCausalLM": {**DECODER, **under("model.layers.0", "block", LLAMA_BLOCK)},
    "MixtralForCausalLM": {**DECODER, **under("model.layers.0", "block", MIXTRAL_BLOCK)},
    "BertModel": {"encoder": ("every block",), "pooler": ("pooler",), "pooler.dense": ("pooler",),
                  **under("encoder.layer.0", "block", BERT_BLOCK)},
    "torchvision:vgg16": {"features": STAGES, "features.0": ("stage_1.conv_1",),
                          "classifier": WIDE, "classifier.0": ("hidden_1",)},
    "hand:torch_transformer": {"encoder": ("every encoder",), "decoder": ("every decoder",),
                               **under("encoder.layers.0", "encoder", LAYER),
                               **under("decoder.layers.0", "decoder", LAYER)},
    "hand:linear": {}, "hand:mha": {},
}  # fmt: skip
"""The lines of our ledger that a module's FLOPs are."""

NORMS = ("every block.norm_1", "every block.norm_2")
ENCODED = {
    "embedding": ("token_embedding", "segment_embedding", "positions"),
    "attention": ("every block.attention",), "mlp": ("every block.feed_forward",),
    "norm": ("embedding_norm", *NORMS), "pooler": ("pooler",),
}  # fmt: skip
DECODED = {
    "embedding": ("token_embedding",), "attention": ("every block.attention",),
    "mlp": ("every block.feed_forward",), "norm": (*NORMS, "final_norm"), "head": ("head",),
}  # fmt: skip
KINDS = {
    "GPT2LMHeadModel": {**DECODED, "embedding": ("token_embedding", "positions")},
    "LlamaForCausalLM": DECODED, "MistralForCausalLM": DECODED,
    "MixtralForCausalLM": {**DECODED, "moe_experts": ("every block.feed_forward.experts",),
                           "moe_router": ("every block.feed_forward.router",)},
    "BertModel": ENCODED, "RobertaModel": ENCODED,
    "BertForPreTraining": {
        **ENCODED, "norm": (*ENCODED["norm"], "masked_head.norm"),
        "head": ("masked_head.map", "masked_head.table", "masked_head.b", "next_head")},
    "torchvision:vgg16": {"conv": STAGES, "head": WIDE},
    "hand:linear": {"linear": ("",)}, "hand:mha": {"attention": ("",)},
    "hand:torch_transformer": {
        "attention": ("every encoder.attention", "every decoder.attention",
                      "every decoder.cross_attention"),
        "mlp": ("every encoder.feed_forward", "every decoder.feed_forward"),
        "norm": ("encoder_norm", "decoder_norm", "every encoder.norm_1", "every encoder.norm_2",
                 *(f"every decoder.norm_{i}" for i in (1, 2, 3)))},
}  # fmt: skip
"""The lines of our ledger that parameters of a kind are."""
