"""Attention, once: separate query and key/value heads, head widths, query and key lengths.

Multi-head, grouped, multi-query and cross-attention and decoding against a cache are cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.dot_product import AINSLIE, VASWANI, ScaledDotProduct
from symledger.components.attention.flash import FlashAttention
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.errors import DefinitionError
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, join, narrow, param, remembered, state, view
from symledger.sizes import Size

SHAZEER = "Shazeer, Fast Transformer Decoding: One Write-Head is All You Need (2019)"
QKNorm = Literal["rms", "rms without weights", "layer", "layer of each head", "rms of all heads"]
"""How queries and keys are normalized: each head by itself, with weights that all share, without
any, or (of each head) with gains of its own; or all heads together."""
Gate = Literal["elements", "heads", "elements by softplus", "heads by softplus"]
"""What a gate multiplies before the map back: every element of heads, or each head as a whole; and
through what it goes where that is no sigmoid."""


@dataclass(frozen=True)
class Attention(Component):
    """Queries from x; keys and values from x, from another sequence, or from a cache as well.

    Each is an affine map, its result split into heads; what the heads mix is mapped back to d.
    Given ``memory`` it is cross-attention; given past keys and values it decodes against a cache,
    and with ``cached`` the S − T past positions are remembered by itself, or with ``met`` the keys
    and values of a memory of that length, which was met before. A bias is added to the scores.
    A family says what differs: ``mixing`` stands in place of the scaled dot products, ``unbiased``
    names maps that have no bias though others do, ``qk_norm`` normalizes queries and keys (each
    head, or all heads together), ``d_rot`` is how much of a head is turned by its position; with
    ``inner_norm`` what the heads give is normalized together before it is mapped back, and a
    ``gate``, a sigmoid or softplus of another map of x, may multiply it.
    Source: Vaswani et al. (2017), section 3.2.2; Shazeer (2019) and Ainslie et al. (2023) for
    fewer key/value heads.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    bias: bool = False
    causal: bool = False
    rotary: bool = False
    dropout: bool = False
    flash: bool = False
    mixing: Component | None = None
    unbiased: tuple[str, ...] = ()
    qk_norm: QKNorm | None = None
    d_rot: Expr | None = None
    cached: Expr | None = None
    met: Expr | None = None
    inner_norm: Annotated[bool, Seldom()] = False
    gate: Gate | None = None

    signature: ClassVar[str] = "B T d, B S d, B P h_kv d_k, B P h_kv d_v, h T K -> B T d"
    title: ClassVar[str] = "attention with separate query and key/value heads, widths and lengths"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_k: sizes.d / sizes.h, sizes.d_v: sizes.d / sizes.h,
        sizes.S: sizes.T,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "multi-head": assumptions,
        "grouped": {k: v for k, v in assumptions.items() if k != sizes.h_kv},
        "multi-query": {**assumptions, sizes.h_kv: 1},
        "cross-attention": {k: v for k, v in assumptions.items() if k != sizes.S},
        "decoding one token": {
            sizes.T: 1, sizes.h_kv: sizes.h, sizes.d_k: sizes.d / sizes.h,
            sizes.d_v: sizes.d / sizes.h,
        },
    }
    references: ClassVar[tuple[str, ...]] = (VASWANI + ".2", SHAZEER, AINSLIE)

    def forward(
        self, x: Tensor, memory: Tensor | None = None,
        past_k: Tensor | None = None, past_v: Tensor | None = None, bias: Tensor | None = None,
    ) -> Steps:  # fmt: skip
        if (past_k is None) != (past_v is None):
            raise DefinitionError("attention takes past keys and past values together, or neither.")
        if self.cached is not None and memory is None:
            past_k, past_v = self.past(x, self.cached)
        source = x if memory is None else memory
        offset = past_k.shape[1] if past_k is not None else Integer(0)
        q, k, v = self.projected(x, source, offset)
        if past_k is not None and past_v is not None:
            k, v = join([past_k, k], axis=1), join([past_v, v], axis=1)
        if self.causal or memory is not None or past_k is not None:  # decoding meets them again
            k, v = state(k, self.window), state(v, self.window)
        z = self.core()(q, k, v, *self.beside(x, bias), name="core")
        merged = self.leaving(x, z)
        y = Linear(self.h * self.d_v, self.d, self.has_bias("O"))(merged, name="O")
        return steps(q=q, k=k, v=v, z=z, y=y)

    def projected(self, x: Tensor, source: Tensor, offset: Expr) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries of x, and keys and values of a source: x itself, or a memory."""
        q = self.heads("Q", x, self.h, self.d_k, offset)
        if self.met is not None and source is x:
            return q, *self.remembered(x.shape[0], self.met)
        k = self.heads("K", source, self.h_kv, self.d_k, offset)
        return q, k, self.heads("V", source, self.h_kv, self.d_v)

    def leaving(self, x: Tensor, z: Tensor) -> Tensor:
        """Join the heads, normalized or behind a gate if there is one, for the map back."""
        if self.gate in ("heads", "heads by softplus"):
            z = z * view("B T h -> B T h ()", self.gating(x, self.h))
        merged = view("B T h v -> B T (h v)", z)
        if self.inner_norm:
            merged = RMSNorm(self.h * self.d_v)(merged, name="inner_norm")
        if self.gate in ("elements", "elements by softplus"):
            merged = merged * self.gating(x, self.h * self.d_v)
        return merged

    def gating(self, x: Tensor, width: Expr) -> Tensor:
        """Return what heads are multiplied by: of each element, or of each head."""
        function = "softplus" if self.gate and self.gate.endswith("softplus") else "sigmoid"
        return apply(function, Linear(self.d, width, self.has_bias("gate"))(x, name="gate"))

    @property
    def window(self) -> Expr | None:
        """How many keys a query sees, where its core looks back no further."""
        return getattr(self.mixing, "w", None)

    def has_bias(self, name: str) -> bool:
        """Whether the map of that name has a bias."""
        return self.bias and name not in self.unbiased

    def past(self, x: Tensor, S: Expr) -> tuple[Tensor, Tensor]:
        """Return the keys and values of what came before: S − T positions."""
        return self.remembered(x.shape[0], S - x.shape[1])

    def remembered(self, B: Expr, length: Expr) -> tuple[Tensor, Tensor]:
        """Return keys and values that are remembered."""
        shape = (B, length, self.h_kv)
        return remembered("past_k", *shape, self.d_k), remembered("past_v", *shape, self.d_v)

    def heads(
        self, name: str, x: Tensor, heads: Expr, width: Expr, offset: Expr | None = None
    ) -> Tensor:
        """Map x affinely and split the result into heads; queries and keys have an offset.

        They are normalized first and turned then, if at all.
        """
        wide = self.mapped(name, x, heads * width)
        if offset is not None and self.qk_norm == "rms of all heads":
            wide = RMSNorm(heads * width)(wide, name=f"norm_{name}")
        split = view("B T (h k) -> B T h k", wide, h=heads, k=width)
        if offset is not None and self.qk_norm in ("rms", "layer"):
            kind = RMSNorm if self.qk_norm == "rms" else LayerNorm
            split = kind(width)(split, name=f"norm_{name}")
        elif offset is not None and self.qk_norm == "rms without weights":
            split = RMSNorm(width, affine=False)(split, name=f"norm_{name}")
        elif offset is not None and self.qk_norm == "layer of each head":
            plain = LayerNorm(width, affine=False)(split, name=f"norm_{name}")
            split = plain * param(f"g_{name}", heads, width)
        if self.rotary and offset is not None:
            return self.turned(name, split, width, offset)
        return split

    def mapped(self, name: str, x: Tensor, width: Expr) -> Tensor:
        """Map x to the queries, keys or values of all heads."""
        return Linear(self.d, width, self.has_bias(name))(x, name=name)

    def beside(self, x: Tensor, bias: Tensor | None) -> tuple[Tensor, ...]:
        """Return what the core is given besides queries, keys and values: a bias, if there is."""
        return () if bias is None else (bias,)

    def turned(self, name: str, x: Tensor, width: Expr, offset: Expr) -> Tensor:
        """Turn queries or keys by their position, or as much of each head as is to be."""
        d_rot = width if self.d_rot is None else self.d_rot
        rotary = RotaryPositions(d_rot, offset)
        if d_rot == width:
            return rotary(x, name=f"rotary_{name}")
        turned = rotary(narrow(x, -1, 0, d_rot), name=f"rotary_{name}")
        return join([turned, narrow(x, -1, d_rot, width - d_rot)])

    def core(self) -> Component:
        """Return the attention of heads: that of the family, fused, or operation by operation.

        Raises:
            DefinitionError: what is asked for cannot be done inside flash attention.
        """
        if self.flash and (self.dropout or self.mixing is not None):
            what = "dropout on its weights" if self.dropout else type(self.mixing).__name__
            raise DefinitionError(
                f"flash attention with {what} is not supported: "
                f"choose flash = false{' or dropout = false' * self.dropout}."
            )
        if self.mixing is not None:
            return self.mixing
        widths = (self.h, self.h_kv, self.d_k, self.d_v, self.causal)
        return FlashAttention(*widths) if self.flash else ScaledDotProduct(*widths, self.dropout)
