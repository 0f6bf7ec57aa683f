"""What encoder-decoder transformers share: a source is read once, and tokens are written with it.

S are the positions of the source, T those of the tokens that are written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block
from symledger.components.embeddings.embedding import LMHead, TokenEmbedding
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.heads_and_losses.heads import Pooler
from symledger.components.maps.linear import Linear
from symledger.errors import DefinitionError
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, param, repeat
from symledger.sizes import Size

Task = Literal["lm", "bare", "sequences", "tokens"]
"""What is made of the decoder's vectors: scores of the next token; nothing; scores of classes, of
the whole sequence (read at one position) or of each token (a span's beginning and end are two)."""


@dataclass(frozen=True)
class PartedBlock(Block):
    """A block whose parts are given: attention to itself, maybe ``crossed`` to a memory, a network.

    Norms stand before the parts, or with ``post`` after the sums.
    """

    crossed: Component | None = None
    post: bool = False

    def beside(
        self, x: Tensor, number: int, name: str, part: Component | None,
        memory: Tensor | None = None, bias: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        """Apply a part beside the residual path, a norm before it or after the sum."""
        assert part is not None
        entered = x if self.post else self.normalize(x, number)
        found = x + part(entered, *trimmed(memory, None, None, bias), name=name)
        return self.normalize(found, number) if self.post else found


@dataclass(frozen=True)
class CrossedBlock(PartedBlock):
    """A decoder block; in decoding the keys and values of the memory are remembered, none is given.

    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.1.
    """

    signature: ClassVar[str] = "B T d, B S d -> B T d"

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Steps:
        own = self.beside(x, 1, "attention", self.attention)
        other = self.beside(own, 2, "cross_attention", self.crossed, memory)
        return steps(own=own, other=other, y=self.beside(other, 3, "feed_forward", self.network))


def trimmed(*inputs: Tensor | None) -> tuple[Tensor | None, ...]:
    """Return inputs without those at the end that are not there."""
    last = max((i + 1 for i, x in enumerate(inputs) if x is not None), default=0)
    return inputs[:last]


@dataclass(frozen=True)
class EncoderDecoder(Component):
    """An encoder-decoder transformer; a family says what enters both stacks, and their blocks.

    One table of tokens serves both, and the head where it is ``tied``. With ``cached`` the T tokens
    come after others, T_k in all, whose keys and values are remembered; where no source is given,
    so are those of the source, and the encoder does not run.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    L_enc: Expr = sizes.L_enc
    L_dec: Expr = sizes.L_dec
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    S: Expr = sizes.S
    T_k: Expr = sizes.T_k
    Y: Expr = sizes.Y

    head: Task = "lm"
    tied: bool = True
    activation: Activation = "relu"
    recompute: bool = False
    cached: bool = False

    source: ClassVar[str] = "B S in V"
    decoding: ClassVar[dict[str, str]] = {"tokens": "B one in V"}
    seen_size: ClassVar[str] = "T_k"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.L_dec: sizes.L_enc, sizes.d_h: sizes.d / sizes.h,
    }  # fmt: skip

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        V = self.written
        given = {"lm": f"B T {V}", "bare": "B T d", "sequences": "B Y", "tokens": "B T Y"}
        return f"B T in {V}, {self.source} -> {given[self.head]}"

    @property
    def written(self) -> str:
        """The number of words that it writes with."""
        return "V"

    @property
    def whole(self) -> dict[str, str]:  # type: ignore[override]  # a family says what its source is
        """What enters where nothing is remembered."""
        return {"tokens": f"B T in {self.written}", "source": self.source}

    def forward(self, tokens: Tensor, source: Tensor | None = None) -> Steps:
        """Encode the source, decode the tokens with it, and answer."""
        if source is None and not self.cached:
            raise DefinitionError(f"{type(self).__name__} is given a source, or has met it before.")
        heard, E = self.owned(read=source is not None)
        found = {} if source is None else self.remember(source, heard)
        found["placed"] = self.place(self.look_up(tokens, E, "token_embedding"))
        found["x"] = self.write(found["placed"], found.get("memory"))
        return steps(**found, **self.answer(found["x"], E))

    def owned(self, read: bool) -> tuple[Tensor, Tensor]:
        """Return the table of the source, if that is ``read``, and that of the tokens: one."""
        E = param("E", self.V, self.d)
        return E, E

    def remember(self, source: Tensor, E: Tensor) -> dict[str, Tensor]:
        """Return what is made of the source, the memory last."""
        heard = self.hear(source, E)
        return {"heard": heard, "memory": self.read(heard)}

    def look_up(self, tokens: Tensor, E: Tensor, name: str) -> Tensor:
        """Look tokens up in the table."""
        return TokenEmbedding(E.shape[0], self.d)(tokens, E, name=name)

    def hear(self, source: Tensor, E: Tensor) -> Tensor:
        """Return what enters the encoder; here, rows for the tokens of the source."""
        return self.look_up(source, E, "source_embedding")

    def place(self, x: Tensor) -> Tensor:
        """Tell where each token stands; here, that is left to the blocks."""
        return x

    def read(self, x: Tensor) -> Tensor:
        """Return what the encoder makes of the source; every family has its own blocks."""
        raise DefinitionError(f"{type(self).__name__} has no encoder: define what it does.")

    def write(self, x: Tensor, memory: Tensor | None) -> Tensor:
        """Return what the decoder makes of the tokens; every family has its own blocks."""
        raise DefinitionError(f"{type(self).__name__} has no decoder: define what it does.")

    def answer(self, x: Tensor, E: Tensor) -> dict[str, Tensor]:
        """Make of the decoder's vectors what the head is for."""
        if self.head == "bare":
            return {}
        if self.head == "lm":
            head = LMHead(E.shape[0], self.d)
            return {"logits": head(x, E if self.tied else None, name="head")}
        if self.head == "sequences":
            last = narrow(x, 1, x.shape[1] - 1, 1)  # the first sees nothing but itself
            x = Pooler(self.d)(last, name="pooler")
        return {"logits": Linear(self.d, self.Y)(x, name="classifier")}

    @property
    def seen(self) -> Expr | None:
        """The tokens that are attended to, where some of them are remembered."""
        return self.T_k if self.cached else None

    @property
    def met(self) -> Expr | None:
        """The positions of the source, where its keys and values are remembered."""
        return self.S if self.cached else None

    def first(self, x: Tensor) -> Expr:
        """Return the position of the first token."""
        return self.T_k - x.shape[1] if self.cached else Integer(0)

    def stack(self, block: Component, times: Expr, name: str, *inputs: Tensor) -> Tensor:
        """Apply a block several times."""
        return repeat(block, times, *inputs, name=name, recompute=self.recompute)

    def attention(
        self, h: Expr, d_h: Expr, causal: bool = False, crossed: bool = False,
        mixing: Component | None = None, bias: bool = True, unbiased: tuple[str, ...] = (),
    ) -> Component:  # fmt: skip
        """Return an attention of the encoder, or of the decoder to itself or to the source."""
        return Attention(
            self.d, h, h, d_h, d_h, bias, causal=causal, mixing=mixing, unbiased=unbiased,
            cached=self.seen if causal else None, met=self.met if crossed else None,
        )  # fmt: skip
