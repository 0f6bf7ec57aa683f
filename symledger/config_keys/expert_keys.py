"""What configurations of mixtures of experts say in the same words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, Use, among, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    ATTENTION,
    GATE,
    GATED,
    WIDTHS,
    heads,
    kinds,
    layers,
)
from symledger.config_keys.family import Built, Rule, Values
from symledger.errors import BadInput, shown

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
    number = size("num_hidden_layers", values["num_hidden_layers"])
    first = size("first_k_dense_replace", values["first_k_dense_replace"], least=0)
    if first == 0:
        return {"experts": "all"}
    return {"experts": "none"} if first >= number else {"experts": "some", "L_d": str(first)}


def grouped(judges: int) -> Rule:
    """Return the rule of groups of experts, of which a token's own are chosen from the best.

    A group is judged by so many of its experts; there are n_group, and topk_group are kept.
    """

    def read(values: Values) -> Settings:
        unused = "first_k_dense_replace" in values and dense(values)["experts"] == "none"
        if values.get("topk_method") == "greedy" or unused:
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


def listed_dense(values: Values, sparse: str = "sparse") -> list[bool]:
    """Return which layers have one network for all tokens, as ``mlp_layer_types`` lists them.

    Where it is missing, those are the first ones, as many as ``first_k_dense_replace`` says, or
    one.

    Raises:
        BadInput: it does not name the kind of every layer.
    """
    number, listed = layers(values), values.get("mlp_layer_types")
    if listed is None:
        first = values.get("first_k_dense_replace")
        first = 1 if first is None else size("first_k_dense_replace", first, least=0)
        return [i < first for i in range(number)]
    if not isinstance(listed, list) or len(listed) != number:
        raise BadInput(
            f"mlp_layer_types = {shown(written(listed))} does not name the kinds of {number} "
            "layers."
        )
    return [among("mlp_layer_types", kind, ("dense", sparse)) == "dense" for kind in listed]


def dense_or_not(values: Values) -> Settings:
    """Say how many layers are dense, of decoders that have experts in the others."""
    number = sum(listed_dense(values))
    return {"dense_layers": "true", "L_d": str(number)} if number else {"dense_layers": "false"}


def some_or_none(values: Values) -> Settings:
    """Say in which layers experts are: all, some or none."""
    number = sum(listed_dense(values))
    if number in (0, layers(values)):
        return {"experts": "none" if number else "all"}
    return {"experts": "some", "L_d": str(number)}


def layered(
    mixture: Mapping[str, tuple[str, ...]], attention: Mapping[str, tuple[str, ...]] = ATTENTION
) -> dict[str, tuple[str, ...]]:
    """Return what weights are where some layers have a window, and some a network and no experts.

    ``mixture`` says what those of experts are, ``attention`` all others but a dense network's.
    """
    return {
        **kinds(mixture, "windowed_block"),
        **kinds(attention, "windowed_block", "dense_block", "windowed_dense_block"),
        **{name: tuple(f"{kind}{ours.removeprefix('block')}" for ours in all_of
                       for kind in ("dense_block", "windowed_dense_block"))
           for name, all_of in GATED.items()},
    }  # fmt: skip


def listed_or_between(values: Values, otherwise: Sequence[int] = ()) -> list[bool]:
    """Return which layers are no mixture: those that are listed, and all between each so many.

    Raises:
        BadInput: the list is none of layers.
    """
    listed = values["mlp_only_layers"]
    listed = list(otherwise) if listed is None else listed
    if not isinstance(listed, list) or not all(type(i) is int and i >= 0 for i in listed):
        raise BadInput(f"mlp_only_layers = {written(listed)} is no list of layers, from 0 on.")
    step = size("decoder_sparse_step", values["decoder_sparse_step"])
    dense = set(listed)
    return [i in dense or (i + 1) % step != 0 for i in range(layers(values))]
