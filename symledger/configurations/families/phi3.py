"""Phi-3 and Phi-4, and their variants for long texts."""

from __future__ import annotations

from symledger.arguments import Only, Settings, size, written
from symledger.configurations.common import FREE
from symledger.configurations.families.shared import DENSE, WIDTHS, heads
from symledger.configurations.families.windows import ONE, windows
from symledger.configurations.family import Family, Rule, Ruled, Values
from symledger.errors import BadInput


def turned(values: Values) -> Settings:
    """How much of a head is turned: a part of its width, rounded down.

    Raises:
        BadInput: the part is no number from 0 to 1, or leaves an odd number to be turned.
    """
    ropes = values.get("rope_scaling") or values.get("rope_parameters") or {}
    if not isinstance(ropes, dict):
        raise BadInput(f"rope_scaling = {written(ropes)} is no object with settings.")
    part = ropes.get("partial_rotary_factor", values.get("partial_rotary_factor", 1.0))
    if isinstance(part, bool) or not isinstance(part, int | float) or not 0 < part <= 1:
        raise BadInput(f"partial_rotary_factor = {written(part)} is no part: from 0 to 1.")
    wide = values.get("head_dim") or size("hidden_size", values["hidden_size"]) // size(
        "num_attention_heads", values["num_attention_heads"]
    )
    turned = int(size("head_dim", wide) * part)
    if turned % 2 or not turned:
        raise BadInput(
            f"partial_rotary_factor = {written(part)} turns {turned} elements of a head; "
            "they are turned in pairs."
        )
    return {"partly": "true", "d_rot": str(turned)} if turned < wide else {"partly": "false"}


PHI3 = Family(
    "phi3",
    heads("phi3", "Phi3", spans=False),
    {
        **WIDTHS,
        "hidden_act": Only(("silu",)),
        "attention_dropout": FREE,
        "attention_bias": Only((False,)),
        "original_max_position_embeddings": FREE,
        **ONE,
        "partial_rotary_factor": Ruled(),
        "rope_scaling": Ruled(),
        "rope_parameters": Ruled(),
    },
    (*windows(), Rule(("hidden_size", "num_attention_heads", "head_dim"), turned)),
    {
        **{name: ours for name, ours in DENSE.items() if "_proj." not in name},
        "model.layers.*.self_attn.qkv_proj.weight": tuple(
            ours for x in "qkv" for ours in DENSE[f"model.layers.*.self_attn.{x}_proj.weight"]
        ),
        "model.layers.*.self_attn.o_proj.weight": DENSE["model.layers.*.self_attn.o_proj.weight"],
        "model.layers.*.mlp.gate_up_proj.weight": tuple(
            ours for x in ("gate", "up") for ours in DENSE[f"model.layers.*.mlp.{x}_proj.weight"]
        ),
        "model.layers.*.mlp.down_proj.weight": DENSE["model.layers.*.mlp.down_proj.weight"],
    },
)
