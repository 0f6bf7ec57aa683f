"""Identities: formulas of different owners that are the same polynomial, each proven on a grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from symledger.languages.message import Text, Verbatim, joined, message
from symledger.languages.words import named


@dataclass(frozen=True)
class Side:
    """One side of an identity: a target, its choices, and the equations under which it holds."""

    name: str
    equations: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def said(self) -> Text:
        """Its name, with its choices and equations: ``linear with d_in = d``."""
        choices = [named(k) if v is True else joined((named(k), str(v)), " ")
                   for k, v in self.options.items()]  # fmt: skip
        with_these = joined((*choices, *(e.replace("*", "") for e in self.equations)))
        name = Verbatim(self.name)
        return message("target.with", target=name, choices=with_these) if with_these else name

    def __str__(self) -> str:
        return str(self.said)


@dataclass(frozen=True)
class Identity:
    """Two formulas of different owners that are the same polynomial; proven on a grid."""

    quantity: str
    left: Side
    right: Side


MULTI_HEAD = ("h_kv = h", "d_k = d/h", "d_v = d/h")

IDENTITIES: tuple[Identity, ...] = (
    Identity("params", Side("linear", ("d_in = d", "d_out = 4*d")),
             Side("attention", MULTI_HEAD, {"bias": True})),
    Identity("params", Side("feed_forward", ("d_ff = 4*d",), {"bias": False}),
             Side("gated_feed_forward", ("d_ff = 8*d/3",))),
    Identity("params", Side("mixture_of_experts", ("E = 1", "k = 1"), {"router": False}),
             Side("gated_feed_forward")),
    Identity("flops.forward", Side("mixture_of_experts", ("E = 1", "k = 1"), {"router": False}),
             Side("gated_feed_forward")),
    Identity("params", Side("composed_rms_norm"), Side("rms_norm")),
    Identity("params", Side("self_attention"), Side("attention")),
    Identity("params", Side("cached_attention"), Side("attention")),
    Identity("params", Side("lm_head"), Side("token_embedding")),
    Identity("params", Side("tied_embedding"), Side("token_embedding")),
    Identity("params", Side("pre_ln_block"), Side("post_ln_block")),
    Identity("params", Side("pre_ln_block"), Side("reordered_block")),
    Identity("params", Side("pre_ln_block"), Side("parallel_block", (), {"two_norms": True})),
    Identity("flops.forward", Side("pre_ln_block"), Side("parallel_block")),
    Identity("flops.forward", Side("pre_ln_block"), Side("sandwich_block")),
    Identity("params", Side("pre_ln_decoder_block"), Side("post_ln_decoder_block")),
    Identity("flops.forward", Side("pre_ln_decoder_block"), Side("post_ln_decoder_block")),
    Identity("params", Side("sourced_attention", ("d_h = d/h", "d_key = d", "d_val = d")),
             Side("attention", MULTI_HEAD)),
    Identity("params", Side("cached_latent_attention"), Side("latent_attention")),
    Identity("params", Side("latent_attention", options={"absorbed": True}),
             Side("latent_attention")),
    Identity("memory.kv_cache", Side("latent_attention", ("d_c = 2*h_kv*d_h - d_rot",)),
             Side("self_attention", ("d_k = d_h", "d_v = d_h"), {"causal": True})),
    Identity("params", Side("pre_ln_decoder"), Side("post_ln_decoder")),
    Identity("flops.forward", Side("flash_attention"), Side("dot_product_attention")),
    Identity("flops.forward", Side("pre_ln_block"), Side("post_ln_block")),
    Identity("flops.forward", Side("tied_embedding"), Side("lm_head")),
    Identity("flops.forward", Side("self_attention"), Side("attention", ("S = T",))),
)  # fmt: skip
