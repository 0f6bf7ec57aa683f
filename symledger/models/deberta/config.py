"""DeBERTa-v2 and v3: BERT's keys, and what is known of distances."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import (
    BOOLS,
    Choice,
    Maybe,
    Settings,
    SizeOf,
    size,
    written,
)
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import (
    ACTIVATION,
    CLASSIFIED,
    MASKED,
    SECOND,
    TABLES,
    WIDTHS,
    Tensors,
    classes,
    maps,
    norms,
    under,
)
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.errors import BadInput

LAYER: Tensors = {
    **{f"attention.self.{name}.{x}": (f"attention.{y}_{ours}",)
       for name, ours in {"query_proj": "Q", "key_proj": "K", "value_proj": "V",
                          "pos_query_proj": "Q_P", "pos_key_proj": "K_P"}.items()
       for x, y in (("weight", "W"), ("bias", "b"))},
    **maps(attention__output__dense="attention.O", intermediate__dense="feed_forward.1",
           output__dense="feed_forward.2"),
    **norms(attention__output__LayerNorm="norm_1", output__LayerNorm="norm_2"),
}  # fmt: skip


def _distances(values: Values) -> Settings:
    """What is known of distances: how many rows their table has, and which products are made."""
    normalized = "layer_norm" in _words("norm_rel_ebd", values.get("norm_rel_ebd", "none"))
    if values["relative_attention"] is not True:
        if normalized:
            raise BadInput(
                "norm_rel_ebd = layer_norm with relative_attention = false is not supported: "
                "nothing uses such a norm, for there is no table of distances. Leave it out."
            )
        return {}
    buckets = _whole(values, "position_buckets")
    farthest = _whole(values, "max_relative_positions")
    if farthest < 1:
        farthest = size("max_position_embeddings", values["max_position_embeddings"])
    kinds = _kinds(values)
    return {
        "n_r": str(2 * (buckets if buckets > 0 else farthest)),
        **{kind: BOOLS[kind in kinds] for kind in ("c2p", "p2c")},
        "normalized": BOOLS[normalized],
    }


def _kinds(values: Values) -> set[str]:
    """Which products with distances are made: of content to distance, or the other way."""
    said = values.get("pos_att_type")
    kinds = set(said) if isinstance(said, list) else _words("pos_att_type", said or "")
    if not kinds or not kinds <= {"c2p", "p2c"}:
        raise BadInput(
            f"pos_att_type = {written(said)} with relative_attention = true is not supported: "
            "write c2p, p2c, or both as c2p|p2c."
        )
    if len(kinds) < 2 and values.get("share_att_key", False):
        raise BadInput(
            f"pos_att_type = {written(said)} with share_att_key = true is not supported: distances "
            "are mapped both ways then, and one is used. Write c2p|p2c, or share_att_key = false."
        )
    return kinds


def _whole(values: Values, name: str) -> int:
    value = values.get(name, -1)
    if type(value) is not int or value > 10**9:
        raise BadInput(f"{name} = {value!r:.80} is not a whole number of positions.")
    return value


def _words(name: str, value: object) -> set[str]:
    """Return the words of a text that lists them with bars between."""
    if not isinstance(value, str):
        raise BadInput(f"{name} = {written(value)} does not fit: a text is meant.")
    return {word.strip() for word in value.lower().split("|")}


def _convolution(values: Values) -> Settings:
    """A convolution beside the first layer, its kernel odd, for it is to keep the length."""
    kernel = values.get("conv_kernel_size", 0)
    if kernel == 0 and type(kernel) is int:
        return {"convolved": "false"}
    if size("conv_kernel_size", kernel) % 2 == 0:
        raise BadInput(f"conv_kernel_size = {kernel} is not supported: an odd one is meant.")
    return {"convolved": "true", "K": str(kernel)}


def _newer(values: Values) -> Settings:
    """The newer head scores with the table at the entrance, whatever is said of tying."""
    return {} if values.get("legacy", True) else {"tied": "true"}


def _pooled(values: Values) -> Settings:
    """Refuse a pooler of another width: its square map is given vectors of the model's."""
    width = size("hidden_size", values["hidden_size"])
    said = values.get("pooler_hidden_size", width)
    if type(said) is not int or said != width:
        raise BadInput(
            f"pooler_hidden_size = {written(said)} does not fit hidden_size = {width}: the class "
            f"maps the first token's {width} values by a matrix of pooler_hidden_size rows and as "
            "many columns, and fails. Leave it out."
        )
    return {}


def _widths(values: Values) -> Settings:
    """All heads together are as wide as the model: nothing else fits."""
    width = size("hidden_size", values["hidden_size"])
    heads = size("num_attention_heads", values["num_attention_heads"])
    if "attention_head_size" not in values:
        return {}
    head = size("attention_head_size", values["attention_head_size"])
    if head * heads != width:
        raise BadInput(
            f"attention_head_size = {head} does not fit: num_attention_heads = {heads} of them "
            f"have to make up hidden_size = {width}."
        )
    return {}


POOLED = (Rule(("hidden_size",), _pooled),)
"""Of classes that pool: others read nothing of a pooler."""

DEBERTA = Family(
    "deberta-v2",
    {
        name: replace(built, rules=POOLED) if built.options["head"] == "sequences" else built
        for name, built in classes("deberta", "DebertaV2", "ForMultipleChoice").items()
    },
    {
        **WIDTHS,
        "is_decoder": FREE,
        "type_vocab_size": Maybe("V_seg", "segments"),
        "hidden_act": ACTIVATION,
        "relative_attention": Choice("relative"),
        "max_relative_positions": Ruled(),
        "position_buckets": Ruled(),
        "pos_att_type": Ruled(),
        "norm_rel_ebd": Ruled(),
        "share_att_key": Choice("shared"),
        "position_biased_input": Choice("absolute"),
        "conv_kernel_size": Ruled(),
        "conv_groups": SizeOf("G"),
        "conv_act": Acting("convolved_by", learned=False),
        "pooler_hidden_size": FREE,
        "pooler_hidden_act": Acting("pooled_by", learned=False),
        "legacy": FREE,
        "attention_head_size": Ruled(),
    },
    rules=(
        Rule(("max_position_embeddings",), _distances), Rule((), _convolution),
        Rule(("legacy",), _newer),
        Rule(("hidden_size", "num_attention_heads"), _widths),
    ),
    tensors={
        **under("deberta.embeddings.", "", TABLES),
        **under("deberta.encoder.layer.*.", "block.", LAYER),
        **{name: (*ours, *under("", "first_", {name: ours})[name])
           for name, ours in under("deberta.encoder.layer.*.", "block.", LAYER).items()},
        "deberta.encoder.rel_embeddings.weight": (
            "P", "distance_norm.P", "first_block.attention.P",
        ),
        **norms(deberta__encoder__LayerNorm="distance_norm",
                deberta__encoder__conv__LayerNorm="convolution_norm",
                lm_predictions__lm_head__LayerNorm="masked_head.norm"),
        "deberta.encoder.conv.conv.weight": ("convolution.F",),
        "deberta.encoder.conv.conv.bias": ("convolution.b",),
        **maps(pooler__dense="pooler.map", lm_predictions__lm_head__dense="masked_head.map"),
        "lm_predictions.lm_head.bias": ("masked_head.b",),
        **under("lm_predictions.lm_head.", "", SECOND),
        **under("cls.predictions.", "", MASKED),
        **CLASSIFIED,
    },
    implied={"shared": "false"},
)
"""Of its two heads for masked tokens, old and new, one has as many weights as the other."""
