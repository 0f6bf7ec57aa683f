"""What configurations of mixtures of experts say in the same words."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, Use, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import GATE, WIDTHS, heads
from symledger.config_keys.family import Built, Rule, Values
from symledger.errors import BadInput

USES: Mapping[str, Use] = {
    **WIDTHS,
    "hidden_act": GATE,
    "attention_bias": Choice("attention_bias", BOOLS),
    "num_experts_per_tok": SizeOf("k"),
    "num_local_experts": SizeOf("E"),
    "output_router_logits": FREE,
    "norm_topk_prob": FREE,
    "router_jitter_noise": FREE,
    "input_jitter_noise": FREE,
}
LAYER, BLOCK = "model.layers.*.", "block.feed_forward."


def classes(entry: str, name: str, sequences: bool = False) -> dict[str, Built]:
    """Return what the classes that there are build: two, or a classifier of sequences as well."""
    found = heads(entry, name, tokens=False, spans=False)
    return {k: built for k, built in found.items() if sequences or "Sequence" not in k}


def dense(values: Values) -> Settings:
    """How many layers come before those with experts: none, some or all."""
    layers = size("num_hidden_layers", values["num_hidden_layers"])
    first = size("first_k_dense_replace", values["first_k_dense_replace"], least=0)
    if first == 0:
        return {"experts": "all"}
    return {"experts": "none"} if first >= layers else {"experts": "some", "L_d": str(first)}


def grouped(judges: int) -> Rule:
    """Return the rule of groups of experts, of which a token's own are chosen from the best.

    A group is judged by so many of its experts; there are n_group, and topk_group are kept.
    """

    def read(values: Values) -> Settings:
        if values.get("topk_method") == "greedy" or dense(values)["experts"] == "none":
            return {}
        number, kept = (size(name, values[name]) for name in ("n_group", "topk_group"))
        experts = size("n_routed_experts", values["n_routed_experts"])
        if experts % number or experts // number < judges or kept > number:
            raise BadInput(
                f"n_group = {number} and topk_group = {kept} do not fit n_routed_experts = "
                f"{experts}: it has to divide into n_group groups of at least {judges} experts, "
                "of which topk_group are kept."
            )
        return {}

    return Rule(("n_group", "topk_group", "n_routed_experts"), read)
