"""The catalogue: what can be derived by name, in editorial order.

An entry belongs to an owner, whose formulas it evaluates: ``gpt3-175b`` is ``gpt2`` at a
configuration. Definitions are imported when they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from symledger.errors import UnknownTarget, nearest


@dataclass(frozen=True)
class Entry:
    """A name, the definition behind it, and how it is asked about.

    ``inputs`` are the axes of its inputs where they are not those of its signature;
    ``lengths`` the lengths of free axes, in the syntax of assumptions; ``options`` its choices.
    """

    name: str
    definition: str
    kind: Literal["component", "model"] = "component"
    owner: str = ""
    title: str = ""
    inputs: Mapping[str, str] | None = None
    lengths: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    configured: bool = False

    def load(self) -> type[Any]:
        """Import the definition's class."""
        module, _, name = self.definition.partition(":")
        found: type[Any] = getattr(import_module(f"symledger.{module}"), name)
        return found

    @property
    def family(self) -> str:
        """The owner of this entry's formulas."""
        return self.owner or self.name

    def configuration(self) -> Mapping[str, int]:
        """The sizes that this entry was published with; empty for a component."""
        if not self.configured:
            return {}
        module = import_module(f"symledger.{self.definition.partition(':')[0]}")
        found: Mapping[str, int] = module.CONFIGURATIONS[self.name]
        return found


CROSS = {"x": "B T d", "memory": "B S d"}
CACHE = {"x": "B T d", "past_k": "B P h_kv d_k", "past_v": "B P h_kv d_v"}

ENTRIES: tuple[Entry, ...] = (
    Entry("linear", "components.linear:Linear", inputs={"x": "B d_in"}),
    Entry("attention", "components.attention:Attention", inputs=CROSS),
    Entry("self_attention", "components.attention:Attention",
          title="attention of a sequence to itself"),
    Entry("cached_attention", "components.attention:Attention", inputs=CACHE,
          lengths={"P": "S - T"}, options={"causal": True},
          title="attention of T new tokens to S positions, S − T of them in a cache"),
    Entry("dot_product_attention", "components.attention:ScaledDotProduct"),
    Entry("flash_attention", "components.attention:FlashAttention"),
    Entry("feed_forward", "components.feedforward:FeedForward"),
    Entry("gated_feed_forward", "components.feedforward:GatedFeedForward"),
    Entry("layer_norm", "components.norms:LayerNorm"),
    Entry("rms_norm", "components.norms:RMSNorm"),
    Entry("softmax", "components.softmax:Softmax"),
    Entry("log_softmax", "components.softmax:LogSoftmax"),
    Entry("dropout", "components.dropout:Dropout"),
    Entry("token_embedding", "components.embedding:TokenEmbedding"),
    Entry("learned_positions", "components.positions:LearnedPositions"),
    Entry("sinusoidal_positions", "components.positions:SinusoidalPositions"),
    Entry("rotary_positions", "components.positions:RotaryPositions"),
    Entry("lm_head", "components.embedding:LMHead"),
    Entry("tied_embedding", "components.embedding:TiedEmbedding"),
    Entry("cross_entropy", "components.losses:CrossEntropy"),
    Entry("pre_ln_block", "components.blocks:PreLNBlock"),
    Entry("post_ln_block", "components.blocks:PostLNBlock"),
    Entry("mini_gpt", "models.mini_gpt:MiniGPT", "model", configured=True),
    Entry("mini_gpt-small", "models.mini_gpt:MiniGPT", "model", "mini_gpt", configured=True),
    Entry("gpt2", "models.gpt2:GPT2", "model", configured=True),
    Entry("gpt3-175b", "models.gpt2:GPT2", "model", "gpt2", configured=True),
    Entry("llama", "models.llama:Llama", "model"),
    Entry("llama-7b", "models.llama:Llama", "model", "llama", configured=True),
)  # fmt: skip
BY_NAME = {entry.name: entry for entry in ENTRIES}


def find(name: str) -> Entry:
    """Return the entry of a name.

    Raises:
        UnknownTarget: there is none; the message names the nearest.
    """
    if name not in BY_NAME:
        raise UnknownTarget(
            f"{name[:80]} is not in the catalogue. {nearest(name, BY_NAME)} "
            "`symledger list` shows all; a component of your own is path/to/model.py:ClassName."
        )
    return BY_NAME[name]
