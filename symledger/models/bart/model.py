"""BART and mBART: encoder-decoders with learned positions, and norms of what enters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.blocks.blocks import Block, PostLNBlock, PreLNBlock
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Gating
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder_decoder import CrossedBlock, EncoderDecoder
from symledger.notation.component import Component
from symledger.notation.verbs import param
from symledger.sizes import Size

ROLLER = "Roller et al., Recipes for building an open-domain chatbot (2020)"
UNUSED = Integer(2)
"""Rows at the beginning of each table of positions that nothing uses."""


@dataclass(frozen=True)
class Sequential(EncoderDecoder):
    """Stacks with layer norms and biases, whose decoder may have sizes of its own.

    A family says whether norms come before the parts or after the sums (``post``), and which maps
    of an attention have no bias. Where the decoder is ``alone`` what enters beside the tokens is
    a memory that something else has made of S positions.
    """

    h_dec: Expr = sizes.h_dec
    d_dec: Expr = sizes.d_dec
    T_max: Expr = sizes.T_max
    activation: Activation = "gelu"
    alone: bool = False

    post: ClassVar[bool] = False
    heard: ClassVar[str] = EncoderDecoder.source
    unbiased: ClassVar[tuple[str, ...]] = ()
    assumptions: ClassVar[dict[Size, Expr]] = {
        **EncoderDecoder.assumptions, sizes.h_dec: sizes.h, sizes.d_dec: sizes.d_ff,
    }  # fmt: skip

    @property
    def source(self) -> str:  # type: ignore[override]  # what enters depends on a choice
        """The axes of what enters beside the tokens."""
        return "B S d" if self.alone else self.heard

    def remember(self, source: Tensor, E: Tensor) -> dict[str, Tensor]:
        """Return what is made of the source, or the memory that is given."""
        return {"memory": source} if self.alone else super().remember(source, E)

    def encoder_block(self) -> Component:
        """Return the block of the encoder."""
        kind: type[Block] = PostLNBlock if self.post else PreLNBlock
        own = self.attention(self.h, self.d_h, unbiased=self.unbiased)
        network = FeedForward(self.d, self.d_ff, self.activation)
        return kind(self.d, norm="layer", attention=own, network=network)

    def decoder_block(self) -> Component:
        """Return the block of the decoder."""
        h, d_h = self.h_dec, self.d / self.h_dec
        return CrossedBlock(
            self.d, norm="layer", post=self.post,
            attention=self.attention(h, d_h, causal=True, unbiased=self.unbiased),
            crossed=self.attention(h, d_h, crossed=True, unbiased=self.unbiased),
            network=FeedForward(self.d, self.d_dec, self.activation),
        )  # fmt: skip

    def read(self, x: Tensor) -> Tensor:
        """Send what enters the encoder through its blocks, and the last norm if there is one."""
        x = self.stack(self.encoder_block(), self.L_enc, "encoder", x)
        return x if self.post else LayerNorm(self.d)(x, name="encoder_norm")

    def write(self, x: Tensor, memory: Tensor | None) -> Tensor:
        """Send what enters the decoder through its blocks, and the last norm if there is one."""
        given = (x,) if memory is None else (x, memory)
        x = self.stack(self.decoder_block(), self.L_dec, "decoder", *given)
        return x if self.post else LayerNorm(self.d)(x, name="decoder_norm")


Tables = Literal["shared", "apart", "spare"]
"""Whose table of tokens is whose: one of both stacks, one of each, or one besides, of nothing."""


@dataclass(frozen=True)
class Tabled(Sequential):
    """Stacks whose tables of tokens may be ``apart``, and then of vocabularies of their own.

    The head is ``tied`` to that of the decoder. Where nothing is tied, implementations hold a
    ``spare`` table, which both stacks would share.
    """

    V_dec: Expr = sizes.V_dec
    tables: Tables = "shared"

    assumptions: ClassVar[dict[Size, Expr]] = {**Sequential.assumptions, sizes.V_dec: sizes.V}

    @property
    def written(self) -> str:
        """The number of words that it writes with."""
        return "V" if self.tables == "shared" or self.alone else "V_dec"

    @property
    def decoding(self) -> Mapping[str, str]:  # type: ignore[override]  # a choice decides
        """What enters in a step of decoding."""
        return {"tokens": f"B one in {self.written}"}

    def owned(self, read: bool) -> tuple[Tensor, Tensor]:
        """Return the table of the source, if that is ``read``, and that of the tokens."""
        if self.written == "V":
            return super().owned(read)
        own = param("E", self.V_dec, self.d)
        if not read:
            return own, own
        if self.tables == "spare":
            leave_idle(param("E_idle", self.V, self.d))
        return param("E", self.V, self.d), own


@dataclass(frozen=True)
class Bart(Tabled):
    """The encoder-decoder transformer of BART: post-LN, with a norm of what enters each stack.

    Both tables of positions have two rows that are never used. The biases of the logits are no
    parameters: they are zero, and are not trained.
    Source: Lewis et al., *BART* (2020), section 2.1, and its implementation.
    """

    post: ClassVar[bool] = True
    unused: ClassVar[Expr] = UNUSED
    normed: ClassVar[bool] = True
    title: ClassVar[str] = "encoder-decoder transformer, post-LN LayerNorm, learned positions"
    references: ClassVar[tuple[str, ...]] = ("Lewis et al., BART (2020), section 2.1",)

    def hear(self, source: Tensor, E: Tensor) -> Tensor:
        """Look the source up, and place it."""
        return self.enter(super().hear(source, E), "source", Integer(0))

    def place(self, x: Tensor) -> Tensor:
        """Place the tokens."""
        return self.enter(x, "token", self.first(x))

    def enter(self, x: Tensor, name: str, first: Expr) -> Tensor:
        """Add positions, and normalize."""
        places = LearnedPositions(self.T_max + self.unused, self.d, self.unused + first)
        placed = places(x, name=f"{name}_positions")
        return LayerNorm(self.d)(placed, name=f"{name}_norm") if self.normed else placed


@dataclass(frozen=True)
class MBart(Bart):
    """BART with norms before the parts, and at the end of each stack.

    Source: Liu et al., *Multilingual Denoising Pre-training* (2020), section 2.2.
    """

    post: ClassVar[bool] = False
    title: ClassVar[str] = "encoder-decoder transformer, pre-LN LayerNorm, learned positions"
    references: ClassVar[tuple[str, ...]] = (
        "Liu et al., Multilingual Denoising Pre-training (2020), section 2.2",
    )


@dataclass(frozen=True)
class BlenderbotSmall(Bart):
    """The smallest Blenderbot: BART whose tables of positions have no row too many.

    Source: Roller et al., *Recipes for building an open-domain chatbot* (2020), and its
    implementation.
    """

    activation: Gating = "gelu"

    unused: ClassVar[Expr] = Integer(0)
    title: ClassVar[str] = "encoder-decoder transformer, post-LN, every row of positions used"
    references: ClassVar[tuple[str, ...]] = (ROLLER,)


@dataclass(frozen=True)
class Blenderbot(BlenderbotSmall):
    """Blenderbot: norms before the parts and at the end of each stack, and none at the entrance.

    Source: Roller et al., *Recipes for building an open-domain chatbot* (2020), and its
    implementation.
    """

    post: ClassVar[bool] = False
    normed: ClassVar[bool] = False
    title: ClassVar[str] = "encoder-decoder transformer, pre-LN, none at the entrance"
