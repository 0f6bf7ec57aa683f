"""GPT-Neo."""

from __future__ import annotations

from symledger.arguments.specs import Settings, SizeOf, size, written
from symledger.config_keys.decoder_keys import ACTIVATION, HEADS, TIED, affine, head_width, heads
from symledger.config_keys.family import Family, Rule, Ruled, Unless, Values
from symledger.errors import BadInput

USUAL = [[["global", "local"], 12]]
"""The kinds of attention where none are said: these two in turn, so many times."""


def _kinds(values: Values) -> Settings:
    """How many layers see a window only: kinds in turn, each turn so many times."""
    head_width(values, "hidden_size", "num_heads")
    said = values["attention_types"]
    layers = _expanded(USUAL if said is None else said)
    if len(layers) != values["num_layers"] or set(layers) - {"global", "local"}:
        raise BadInput(
            f"attention_types = {written(said)} does not name {values['num_layers']} layers that "
            "are global or local."
        )
    if values.get("attention_layers", layers) != layers:
        raise BadInput("attention_layers and attention_types do not name the same kinds.")
    local = layers.count("local")
    kind = "none" if not local else "all" if local == len(layers) else "some"
    return {"windows": kind, **({"L_w": str(local)} if kind == "some" else {})}


def _expanded(types: object) -> list[str]:
    found: list[str] = []
    for turn in types if isinstance(types, list) else [types]:
        if not (isinstance(turn, list) and len(turn) == 2 and isinstance(turn[0], list)):
            raise BadInput(
                f"attention_types = {written(types)} does not fit: pairs of kinds in turn and how "
                'often are meant, as in [[["global", "local"], 12]].'
            )
        times = size("attention_types", turn[1])
        if times * len(turn[0]) > 10**4 or not all(isinstance(kind, str) for kind in turn[0]):
            raise BadInput(f"attention_types = {written(types)} does not name kinds of layers.")
        found += turn[0] * times
    return found


GPT_NEO = Family(
    "gpt_neo",
    heads("gpt_neo", "GPTNeo"),
    {
        "vocab_size": SizeOf("V"),
        "max_position_embeddings": SizeOf("T_max", ("T",)),
        "hidden_size": SizeOf("d"),
        "num_layers": SizeOf("L"),
        "num_heads": SizeOf("h"),
        "intermediate_size": Unless(SizeOf("d_ff")),
        "window_size": SizeOf("w_max"),
        "activation_function": ACTIVATION,
        "tie_word_embeddings": TIED,
        "attention_types": Ruled(),
        "attention_layers": Ruled(),
    },
    rules=(Rule(("hidden_size", "num_layers", "num_heads"), _kinds),),
    tensors={
        "transformer.wte.weight": ("token_embedding.E",),
        "transformer.wpe.weight": ("positions.P",),
        **{
            name: tuple(o for ours in partners for o in (ours, f"windowed_{ours}"))
            for name, partners in affine("transformer.", {
                "h.*.ln_1": "block.norm_1",
                **{f"h.*.attn.attention.{x.lower()}_proj": f"block.attention.{x}" for x in "QKV"},
                "h.*.attn.attention.out_proj": "block.attention.O",
                "h.*.ln_2": "block.norm_2",
                "h.*.mlp.c_fc": "block.feed_forward.1",
                "h.*.mlp.c_proj": "block.feed_forward.2",
            }).items()
        },
        **affine("transformer.", {"ln_f": "final_norm"}),
        **HEADS,
    },
)  # fmt: skip
