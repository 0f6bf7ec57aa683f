"""What configurations of several families say in the same words."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import ONE_PIECE, Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built, Context, Rule, Unless, Values
from symledger.errors import BadInput

TIED = Choice("tied", BOOLS)

ACTIVATION = Acting(otherwise=ONE_PIECE)
"""The nonlinearity of a plain network, a GELU by tanh in one piece."""
GATE = Acting()
"""What gates go through: those in steps of their own keep more."""

WIDTHS: Mapping[str, Use] = {
    "vocab_size": SizeOf("V"),
    "hidden_size": SizeOf("d"),
    "intermediate_size": SizeOf("d_ff"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "num_key_value_heads": Unless(SizeOf("h_kv")),
    "head_dim": Unless(SizeOf("d_h")),
    "max_position_embeddings": Context(),
    "tie_word_embeddings": TIED,
    "initializer_range": FREE,
    "pretraining_tp": FREE,
}
"""The sizes of a decoder as LLaMA's configuration names them, and many after it."""

LLAMA_KEYS: Mapping[str, Use] = {**WIDTHS, "hidden_act": GATE, "attention_dropout": FREE}
"""What configurations say that were written after LLaMA's, whatever else they add."""
BIASES: Mapping[str, Use] = {
    "attention_bias": Choice("attention_bias"), "mlp_bias": Choice("mlp_bias"),
}  # fmt: skip

HEADS: Mapping[str, tuple[str, ...]] = {
    "lm_head.weight": ("head.W",),
    "lm_head.bias": ("b",),
    "score.weight": ("head.W",),
    "score.bias": ("head.b",),
    "classifier.weight": ("head.W",),
    "classifier.bias": ("head.b",),
    "qa_outputs.weight": ("head.W",),
    "qa_outputs.bias": ("head.b",),
}
"""What stands behind the weights of heads, whatever class they belong to."""


def kinds(tensors: Mapping[str, tuple[str, ...]], *others: str) -> dict[str, tuple[str, ...]]:
    """Return the weights, those of a block also in blocks of other kinds that there may be.

    The classes for question answering call the model inside them ``transformer``.
    """
    found = {
        name: tuple(o for ours in partners for o in (ours, *_alike(ours, others)))
        for name, partners in tensors.items()
    }
    answering = {name.replace("model.", "transformer.", 1): ours for name, ours in found.items()}
    return {**answering, **found}


def _alike(ours: str, others: tuple[str, ...]) -> list[str]:
    return [ours.replace("block.", f"{k}.", 1) for k in others if ours.startswith("block.")]


ATTENTION: Mapping[str, tuple[str, ...]] = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    **{
        f"model.layers.*.self_attn.{x.lower()}_proj.{weight}": (f"block.attention.{x}.{ours}",)
        for x in "QKVO" for weight, ours in (("weight", "W"), ("bias", "b"))
    },
    "model.layers.*.self_attn.q_norm.weight": ("block.attention.norm_Q.g",),
    "model.layers.*.self_attn.k_norm.weight": ("block.attention.norm_K.g",),
    "model.layers.*.input_layernorm.weight": ("block.norm_1.g",),
    "model.layers.*.post_attention_layernorm.weight": ("block.norm_2.g",),
    "model.norm.weight": ("final_norm.g",),
    **HEADS,
}  # fmt: skip
GATED: Mapping[str, tuple[str, ...]] = {
    f"model.layers.*.mlp.{name}_proj.{weight}": (f"block.feed_forward.{name}.{ours}",)
    for name in ("gate", "up", "down") for weight, ours in (("weight", "W"), ("bias", "b"))
}  # fmt: skip
EXPERTS: Mapping[str, tuple[str, ...]] = {
    "model.layers.*.mlp.gate.weight": ("block.feed_forward.router.W",),
    "model.layers.*.mlp.experts.gate_up_proj": (
        "block.feed_forward.experts.W_gate", "block.feed_forward.experts.W_up",
    ),
    "model.layers.*.mlp.experts.down_proj": ("block.feed_forward.experts.W_down",),
}  # fmt: skip
DENSE = kinds({**ATTENTION, **GATED}, "windowed_block")
"""What the weights of LLaMA and of its likes are here."""
SPARSE = kinds({**ATTENTION, **GATED, **EXPERTS}, "windowed_block", "dense_block")
"""The same where blocks have experts, or some of them have."""


def heads(
    entry: str, name: str, tokens: bool = True, spans: bool = True, sequences: bool = True
) -> dict[str, Built]:
    """Return what the classes of a decoder build, all named after it."""
    found = {
        f"{name}ForCausalLM": Built(entry, {"head": "lm"}),
        f"{name}Model": Built(entry, {"head": "bare"}),
    }
    if sequences:
        found[f"{name}ForSequenceClassification"] = Built(
            entry, {"head": "sequences"}, labels=True
        )
    if spans:
        found[f"{name}ForQuestionAnswering"] = Built(entry, {"head": "spans"})
    if tokens:
        found[f"{name}ForTokenClassification"] = Built(entry, {"head": "tokens"}, labels=True)
    return found


def turned(
    values: Values, name: str, otherwise: float, width: int, whole: bool = True
) -> Settings:
    """Return how much of a head of that width is turned: a share of it, rounded down.

    The share stands with what else is said of rotary positions, or under ``name``. Where ``whole``
    pairs are turned, an element that would be left alone is turned with the next one.

    Raises:
        BadInput: it is no share, or too little for a pair.
    """
    said = values.get("rope_scaling") or values.get("rope_parameters") or {}
    given = said.get("partial_rotary_factor") if isinstance(said, dict) else None
    share = values.get(name, otherwise) if given is None else given
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise BadInput(f"{name} = {written(share)} is not a share of a head: above 0, at most 1.")
    d_rot = int(width * share)
    if whole and d_rot < width:
        d_rot += d_rot % 2
    if d_rot % 2 or not d_rot:
        raise BadInput(
            f"{name} = {written(share)} turns {d_rot} of the {width} elements of a head; elements "
            "are turned in pairs, so an even number is needed."
        )
    return partly(d_rot, width)


MOST_LAYERS = 10**5
"""Layers that are looked at one by one; real models have a few hundred."""


def layers(values: Values) -> int:
    """Return how many layers there are, where each is looked at by itself.

    Raises:
        BadInput: there are too many.
    """
    number = size("num_hidden_layers", values["num_hidden_layers"])
    if number > MOST_LAYERS:
        raise BadInput(
            f"num_hidden_layers = {number} are too many to say of each what kind it is: "
            f"{MOST_LAYERS:,} may be."
        )
    return number


def share(otherwise: float) -> Rule:
    """Return the rule of how much of a head is turned, where its width may be a key of its own."""

    def read(values: Values) -> Settings:
        width = floored_width(values)
        found = turned(values, "partial_rotary_factor", otherwise, width)
        return {**floored(values), **found}

    return Rule(("hidden_size", "num_attention_heads", "head_dim"), read)


def partly(d_rot: int, width: int) -> Settings:
    """Return how much of a head is turned, and whether that is less than all of it."""
    return {"d_rot": str(d_rot), "partly": BOOLS[d_rot < width]}


def head_width(values: Values, d: str = "hidden_size", h: str = "num_attention_heads") -> int:
    """Return the width of a head that follows from the model's.

    Raises:
        BadInput: the heads do not divide it.
    """
    number = values[h]
    width, over = divmod(values[d], number)
    if over:
        near = " or ".join(str(number * n) for n in (width, width + 1) if n)
        raise BadInput(
            f"{d} = {values[d]} does not divide into {h} = {number} heads. Choose {d} divisible by "
            f"{number}: {near}."
        )
    return int(width)


def floored_width(values: Values) -> int:
    """Return the width of a head that is said, or as wide as it can be beside the others.

    Raises:
        BadInput: there would be more heads than elements.
    """
    if values.get("head_dim") is not None:
        return size("head_dim", values["head_dim"])
    d, h = values["hidden_size"], values["num_attention_heads"]
    if d < h:
        raise BadInput(
            f"hidden_size = {d} is less than num_attention_heads = {h}: no head would have an "
            "element. Say head_dim, or fewer heads."
        )
    return int(d // h)


def floored(values: Values) -> Settings:
    """Say the width of a head where heads do not divide that of the model."""
    width = floored_width(values)
    over = values.get("head_dim") is None and values["hidden_size"] % values["num_attention_heads"]
    return {"d_h": str(width)} if over else {}


FLOORED = Rule(("hidden_size", "num_attention_heads", "head_dim"), floored)
"""The rule of classes that round the width of a head down (transformers 5.23: ``hidden_size //
num_attention_heads`` in attention, and no check of what is left over)."""


def _divided(values: Values) -> Settings:
    """Refuse heads that do not divide the width of the model, even where theirs is said."""
    head_width(values)
    return {}


DIVIDED = Rule(("hidden_size", "num_attention_heads"), _divided)
"""The rule of classes of the implementation that refuse such heads."""

def _older_width(values: Values) -> Settings:
    """The older name of the width, which is believed where both are there."""
    older = values.get("n_embed")
    return {} if older is None else {"d": str(size("n_embed", older))}


OLDER_WIDTH = Rule(("n_embed",), _older_width)
QKV = ("block.attention.Q", "block.attention.K", "block.attention.V")


def affine(inside: str, modules: Mapping[str, str | tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weight and the bias of each module, be it a map or a norm.

    ``inside`` is what the names of all begin with; a module may be several of ours joined.
    """
    found = {}
    for name, ours in modules.items():
        parts = (ours,) if isinstance(ours, str) else ours
        weights = tuple(f"{part}.{'g' if 'norm' in part else 'W'}" for part in parts)
        found[f"{inside}{name}.weight"] = weights
        found[f"{inside}{name}.bias"] = tuple(f"{part}.b" for part in parts)
    return found


AFFINE = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    **{
        f"model.layers.*.self_attn.{x.lower()}_{norm}.weight": (f"block.attention.g_{x}",)
        for x in "QK" for norm in ("norm", "layernorm.norms.*")
    },
    **affine("model.", {
        "layers.*.input_layernorm": "block.norm_1",
        "layers.*.post_attention_layernorm": "block.norm_2",
        **{f"layers.*.self_attn.{x.lower()}_proj": f"block.attention.{x}" for x in "QKVO"},
        **{f"layers.*.mlp.{x}_proj": f"block.feed_forward.{x}" for x in ("gate", "up", "down")},
        "norm": "final_norm",
    }),
    **HEADS,
}  # fmt: skip
"""What weights are here where maps and norms may have biases, and each head a norm of its own."""
