"""The encoder-decoder transformer: decoder blocks that attend to an encoder's output as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.dot_product import VASWANI
from symledger.components.blocks.blocks import Block, PostLNBlock
from symledger.components.blocks.encoder import OFTEN, Nonlinearity, Stack
from symledger.components.feed_forward.nonlinearities import Function, Seldom
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat
from symledger.sizes import Size

Own = Annotated[Literal["same", Function, "unknown"], Seldom(but=OFTEN[1:])]
SECTION = VASWANI.replace("3.2", "3.1")


@dataclass(frozen=True)
class PreLNDecoderBlock(Block):
    """Causal self-attention, attention to a memory, feed-forward; a norm before each of them.

    The memory is normalized where it was made, and not again here.
    Source: Xiong et al., *On Layer Normalization in the Transformer Architecture* (2020).
    """

    signature: ClassVar[str] = "B T d, B S d -> B T d"
    title: ClassVar[str] = "decoder block with cross-attention, norms before each part"
    references: ClassVar[tuple[str, ...]] = (
        SECTION,
        "Xiong et al., On Layer Normalization in the Transformer Architecture (2020), figure 1b",
    )

    def forward(self, x: Tensor, memory: Tensor) -> Steps:
        own = x + self.attend(self.normalize(x, 1))
        other = own + self.attend(self.normalize(own, 2), memory)
        y = other + self.feed(self.normalize(other, 3))
        return steps(own=own, other=other, y=y)


@dataclass(frozen=True)
class PostLNDecoderBlock(Block):
    """Causal self-attention, attention to a memory, feed-forward; a norm after each residual sum.

    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.1.
    """

    signature: ClassVar[str] = "B T d, B S d -> B T d"
    title: ClassVar[str] = "decoder block with cross-attention, norms after each residual sum"
    references: ClassVar[tuple[str, ...]] = (SECTION,)

    def forward(self, x: Tensor, memory: Tensor) -> Steps:
        own = self.normalize(x + self.attend(x), 1)
        other = self.normalize(own + self.attend(own, memory), 2)
        y = self.normalize(other + self.feed(other), 3)
        return steps(own=own, other=other, y=y)


@dataclass(frozen=True)
class DecoderStack(Stack):
    """What both kinds of decoder share: blocks that all attend to the same memory."""

    causal: bool = True

    signature: ClassVar[str] = "B T d, B S d -> B T d"


@dataclass(frozen=True)
class PostLNDecoder(DecoderStack):
    """A decoder whose blocks normalize after each residual sum.

    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.1.
    """

    title: ClassVar[str] = "a stack of post-norm decoder blocks with cross-attention"
    references: ClassVar[tuple[str, ...]] = PostLNDecoderBlock.references

    def forward(self, x: Tensor, memory: Tensor) -> Steps:
        return self.through(PostLNDecoderBlock, self.causal, x, memory)


@dataclass(frozen=True)
class PreLNDecoder(DecoderStack):
    """A decoder whose blocks normalize what enters their parts.

    Source: Xiong et al., *On Layer Normalization in the Transformer Architecture* (2020).
    """

    title: ClassVar[str] = "a stack of pre-norm decoder blocks with cross-attention"
    references: ClassVar[tuple[str, ...]] = PreLNDecoderBlock.references

    def forward(self, x: Tensor, memory: Tensor) -> Steps:
        return self.through(PreLNDecoderBlock, self.causal, x, memory)


@dataclass(frozen=True)
class EncoderDecoder(Component):
    """A stack of encoder blocks, and one of decoder blocks that all attend to what it gives.

    Post-LN (pre-LN blocks would come to the same counts); embeddings and head are left out. A last
    norm ends each stack, as in ``torch.nn.Transformer`` (the paper has none).
    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.1 and figure 1.
    """

    d: Expr = sizes.d
    L_enc: Expr = sizes.L_enc
    L_dec: Expr = sizes.L_dec
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    last_norm: bool = True
    dropout: bool = False
    flash: bool = False
    activation: Nonlinearity = "relu"
    bias: bool = True
    causal: bool = True
    hidden_dropout: bool = False
    encoder_activation: Own = "same"
    """The encoder's nonlinearity, where the decoder has another."""

    signature: ClassVar[str] = "B S d, B T d -> B T d"
    title: ClassVar[str] = "encoder and decoder stacks, post-LN, without embeddings and head"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.L_dec: sizes.L_enc, sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{SECTION} and figure 1",)

    def forward(self, source: Tensor, x: Tensor) -> Steps:
        own = self.activation if self.encoder_activation == "same" else self.encoder_activation
        encoder = self.block(PostLNBlock, own, causal=False)
        memory = self.ended(repeat(encoder, self.L_enc, source, name="encoder"), "encoder_norm")
        decoder = self.block(PostLNDecoderBlock, self.activation, self.causal)
        y = self.ended(repeat(decoder, self.L_dec, x, memory, name="decoder"), "decoder_norm")
        return steps(memory=memory, y=y)

    def block(self, kind: type[Block], activation: Nonlinearity, causal: bool) -> Block:
        """Return the block that a stack repeats."""
        return kind(
            self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff, activation=activation,
            causal=causal, dropout=self.dropout, flash=self.flash, bias=self.bias,
            norm_bias=self.bias, hidden_dropout=self.hidden_dropout,
        )  # fmt: skip

    def ended(self, x: Tensor, name: str) -> Tensor:
        """Normalize the result of a stack, if it ends so."""
        return LayerNorm(self.d, bias=self.bias)(x, name=name) if self.last_norm else x
