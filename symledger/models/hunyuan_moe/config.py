"""Hunyuan-A13B: LLaMA's keys, and those of experts, which may be said layer by layer."""

from __future__ import annotations

from dataclasses import dataclass

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import LLAMA_KEYS, SPARSE
from symledger.config_keys.expert_keys import BLOCK, LAYER, classes
from symledger.config_keys.family import Family
from symledger.errors import BadInput, shown


@dataclass(frozen=True)
class Everywhere(Use):
    """A whole number, or a list of it, once for each layer: all layers have as many."""

    use: SizeOf

    def settings(self, name: str, value: object) -> Settings:
        """Return the symbol's value.

        Raises:
            BadInput: layers have different ones.
        """
        if not isinstance(value, list):
            return self.use.settings(name, value)
        if not value or any(other != value[0] for other in value):
            raise BadInput(
                f"{name} = {shown(written(value))} is not supported: layers that differ in it are "
                "not derived. Say one number."
            )
        return self.use.settings(name, value[0])


HUNYUAN_MOE = Family(
    "hunyuan_v1_moe",
    classes("hunyuan_moe", "HunYuanMoEV1", sequences=True),
    {
        **LLAMA_KEYS,
        "attention_bias": Choice("attention_bias", BOOLS),
        "num_experts": SizeOf("E"),
        "moe_topk": Everywhere(SizeOf("k")),
        "output_router_logits": FREE,
        "mlp_bias": Only((False,)),
        **dict.fromkeys(("eod_token_id", "sep_token_id"), FREE),
        **dict.fromkeys(("use_qk_norm", "use_rotary_pos_emb", "use_mixed_mlp_moe"), Only((True,))),
        **dict.fromkeys(("use_cla", "add_classification_head", "use_mla"), Only((False,))),
    },
    (),
    {
        **SPARSE,
        **{f"{LAYER}self_attn.{theirs}_layernorm.weight": (f"block.attention.norm_{x}.g",)
           for theirs, x in (("query", "Q"), ("key", "K"))},
        f"{LAYER}mlp.gate.wg.weight": (f"{BLOCK}router.W",),
        **{f"{LAYER}mlp.shared_mlp.{x}_proj.weight": (f"{BLOCK}shared_experts.{x}.W",)
           for x in ("gate", "up", "down")},
    },
)  # fmt: skip
