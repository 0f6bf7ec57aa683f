"""Gemma, Gemma 2 and 3 as language models, and VaultGemma."""

from __future__ import annotations

from dataclasses import dataclass

from symledger.arguments.specs import BOOLS, Choice, Number, Only, Settings, Use
from symledger.config_keys import window_keys as windows
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, DIVIDED, GATE, WIDTHS, heads, kinds
from symledger.config_keys.family import Built, Family, Ruled
from symledger.errors import BadInput


@dataclass(frozen=True)
class Cap(Use):
    """A number that scores stay below, or null: whether they are capped."""

    option: str

    def settings(self, name: str, value: object) -> Settings:
        """Return the option."""
        if value is None:
            return {self.option: "false"}
        Number().settings(name, value)
        if value == 0:
            raise BadInput(f"{name} = {value} does not fit: what is capped is divided by it.")
        return {self.option: "true"}


SEEN = "every token would see those after it too, which is derived of Gemma 3 alone"
KEYS = {
    **WIDTHS,
    "attention_bias": Choice("attention_bias"),
    "attention_dropout": FREE,
    "use_bidirectional_attention": Only((None, False), SEEN),
}
LATER = {
    **KEYS,
    "hidden_activation": GATE,
    "hidden_act": FREE,
    "query_pre_attn_scalar": Number(above=0),
    "cache_implementation": FREE,
    "sliding_window_size": FREE,
    **windows.LISTED,
    "attn_logit_softcapping": Cap("capped_scores"),
    "final_logit_softcapping": Cap("capped_logits"),
}
"""``hidden_act`` and ``sliding_window_size`` stand in some files, and are read by nothing."""

GEMMA = Family(
    "gemma",
    heads("gemma", "Gemma", spans=False),
    {
        **KEYS,
        "hidden_act": Acting(otherwise={"gelu": "gelu_tanh"}),
        "hidden_activation": FREE,
    },
    tensors=DENSE,
)
"""The class reads ``hidden_act`` alone, where ``gelu`` means the approximation by tanh
(transformers 5.23, ``GemmaMLP`` and ``GemmaConfig``)."""

NORMS = {
    f"model.layers.*.{name}.weight": (f"block.norm_{i + 1}.g", f"windowed_block.norm_{i + 1}.g")
    for i, name in enumerate((
        "input_layernorm", "post_attention_layernorm",
        "pre_feedforward_layernorm", "post_feedforward_layernorm",
    ))
}  # fmt: skip

GEMMA2 = Family(
    "gemma2",
    heads("gemma2", "Gemma2", spans=False),
    LATER,
    (DIVIDED, *windows.windows(windows.all_but_each(2), asked=True)),
    {**DENSE, **NORMS},
)

VAULT_GEMMA = Family(
    "vaultgemma",
    heads("vaultgemma", "VaultGemma", tokens=False, spans=False, sequences=False),
    LATER,
    (DIVIDED, *windows.windows(windows.all_but_each(2), asked=True)),
    {**DENSE, **kinds({
        "model.layers.*.pre_feedforward_layernorm.weight": ("block.norm_2.g",),
    }, "windowed_block")},
)  # fmt: skip

GEMMA3 = Family(
    "gemma3_text",
    {
        "Gemma3ForCausalLM": Built("gemma3", {"head": "lm"}),
        "Gemma3TextModel": Built("gemma3", {"head": "bare"}),
        "Gemma3TextForSequenceClassification": Built("gemma3", {"head": "sequences"}, labels=True),
    },
    {
        **LATER,
        "sliding_window_pattern": Ruled(),
        "use_bidirectional_attention": Choice("both_ways", {**BOOLS, None: "false"}),
    },
    (DIVIDED, *windows.windows(
        windows.all_but_each(6, "sliding_window_pattern"), asked=True,
        halved="use_bidirectional_attention",
    )),
    {**DENSE, **NORMS},
)
