"""T5, BART, Whisper and Pegasus once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.attention import Attention
from symledger.checks.torch.modules.blocks import Block
from symledger.checks.torch.modules.blocks_stacked import DecoderBlock
from symledger.checks.torch.modules.embeddings import Head, Positions
from symledger.checks.torch.modules.feed_forward import FeedForward, GatedFeedForward
from symledger.checks.torch.modules.heads_and_losses import Pooler
from symledger.checks.torch.parts import EPSILON, Options, Sizes, recomputed
from symledger.checks.torch.uses import counted, summed


class Biased(Attention):
    """Attention whose scores are not scaled, and may have biases."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s, {**o, "scaled": False})

    def forward(
        self, x: Tensor, memory: Tensor | None = None, bias: Tensor | None = None
    ) -> Tensor:
        """Attend to x itself or to a memory."""
        source, (d_k, d_v) = x if memory is None else memory, self.widths
        q = self.Q(x).unflatten(-1, (-1, d_k))
        k = self.K(source).unflatten(-1, (-1, d_k))
        v = self.V(source).unflatten(-1, (-1, d_v))
        return self.O(self.core(q, k, v, bias).flatten(-2))


class T5Block(nn.Module):
    """A pre-norm block that is given biases, and maybe a memory."""

    def __init__(self, s: Sizes, o: Options, crossed: bool) -> None:
        super().__init__()
        plain = {**o, "bias": False}
        own = {**s, "S": s["T"]}
        norms = [nn.RMSNorm(s["d"], eps=EPSILON) for _ in range(2 + crossed)]
        for i, norm in enumerate(norms):
            self.add_module(f"norm_{i + 1}", norm)
        self.attention = Biased(own, {**plain, "causal": crossed})
        self.cross_attention = Biased(s, plain) if crossed else None
        self.feed_forward = (GatedFeedForward if o["gated"] else FeedForward)(s, plain)

    def forward(self, x: Tensor, bias: Tensor, memory: Tensor | None = None) -> Tensor:
        """Attend, to the memory too if there is one, then feed forward."""
        x = x + self.attention(self.norm_1(x), bias=bias)
        if self.cross_attention is None:
            return x + self.feed_forward(self.norm_2(x))
        x = x + self.cross_attention(self.norm_2(x), memory)
        return x + self.feed_forward(self.norm_3(x))


def stack(blocks: nn.ModuleList, recompute: bool, x: Tensor, *given: Tensor) -> Tensor:
    """Apply blocks one after the other."""
    for block in blocks:
        x = recomputed(block, x, *given) if recompute else block(x, *given)
    return x


class Pair(nn.Module):
    """What encoder-decoders share: a table of tokens, and a head."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.named = "token_embedding" if o.get("heard") else "source_embedding"
        self.add_module(self.named, nn.Embedding(s["V"], s["d"]))
        own = o.get("tables", "shared") if not o.get("heard") else "shared"
        written = s if own == "shared" else {**s, "V": s["V_dec"]}
        if own != "shared":
            self.token_embedding = nn.Embedding(written["V"], s["d"])
        if own == "spare":
            self.E_idle = nn.Parameter(torch.zeros(s["V"], s["d"]))
        self.task, self.recompute = o["head"], o["recompute"]
        if self.task == "lm":
            self.head = None if o["tied"] else Head(written)
        if self.task == "sequences":
            self.pooler = Pooler(s, {"activation": "tanh"})
        if self.task in ("sequences", "tokens"):
            self.classifier = nn.Linear(s["d"], s["Y"])

    @property
    def table(self) -> nn.Embedding:
        """The table of the source, which is that of tokens where they have none of their own."""
        return self.get_submodule(self.named)

    @property
    def words(self) -> nn.Embedding:
        """The table of tokens."""
        return getattr(self, "token_embedding", self.table)

    def answer(self, x: Tensor) -> Tensor:
        """Return what the head gives."""
        if self.task == "lm":
            return self.head(x) if self.head else F.linear(x, self.words.weight)
        if self.task == "bare":
            return x
        return self.classifier(self.pooler(x[:, -1:]) if self.task == "sequences" else x)


class T5(Pair):
    """T5, or its encoder alone."""

    def __init__(self, s: Sizes, o: Options, alone: bool = False) -> None:
        super().__init__(s, {**o, "heard": alone})
        read = s if alone else {**s, "T": s["S"]}
        number = s["L"] if alone else s["L_enc"]
        self.encoder = nn.ModuleList(T5Block(read, o, crossed=False) for _ in range(number))
        self.encoder_norm = nn.RMSNorm(s["d"], eps=EPSILON)
        self.R_enc = nn.Parameter(torch.randn(s["n_b"], s["h"]))
        if not alone:
            self.decoder = nn.ModuleList(T5Block(s, o, crossed=True) for _ in range(s["L_dec"]))
            self.decoder_norm = nn.RMSNorm(s["d"], eps=EPSILON)
            self.R_dec = nn.Parameter(torch.randn(s["n_b"], s["h"]))
        self.alone = alone

    def read(self, source: Tensor, bucket: Tensor) -> Tensor:
        """Return what the encoder gives."""
        bias = F.embedding(bucket, self.R_enc).permute(2, 0, 1)
        return self.encoder_norm(stack(self.encoder, self.recompute, self.table(source), bias))

    def forward(self, tokens: Tensor, *inputs: Tensor) -> Tensor:
        """Return what the head gives."""
        if self.alone:
            return self.answer(self.read(tokens, *inputs))
        source, near, far = inputs
        memory = self.read(source, near)
        bias = F.embedding(far, self.R_dec).permute(2, 0, 1)
        x = stack(self.decoder, self.recompute, self.table(tokens), bias, memory)
        return self.answer(self.decoder_norm(x))


class Bart(Pair):
    """BART and mBART, and what they share with Whisper."""

    def __init__(self, s: Sizes, o: Options, pre: bool) -> None:
        self.alone = o["alone"]
        super().__init__(s, {**o, "heard": o.get("heard") or self.alone})
        choices = {**o, "norm": "layer", "gated": False, "bias": True}
        d_k = s["d"] // s["h_dec"]
        read = {**s, "T": s["S"]}
        write = {**s, "h": s["h_dec"], "h_kv": s["h_dec"], "d_k": d_k, "d_v": d_k,
                 "d_ff": s["d_dec"]}  # fmt: skip
        number = 0 if self.alone else s["L_enc"]
        self.encoder = nn.ModuleList(Block(read, choices, pre) for _ in range(number))
        self.decoder = nn.ModuleList(
            DecoderBlock(write, {**choices, "causal": True}, pre) for _ in range(s["L_dec"])
        )
        self.encoder_norm, self.decoder_norm = (
            nn.LayerNorm(s["d"], EPSILON) if pre and there else nn.Identity()
            for there in (not self.alone, True)
        )
        self.enter(s)

    def enter(self, s: Sizes) -> None:
        """Make what stands at the entrances."""
        for name in ("source", "token")[self.alone :]:
            self.add_module(f"{name}_positions", Positions({**s, "T_max": s["T_max"] + 2}))
            self.add_module(f"{name}_norm", nn.LayerNorm(s["d"], EPSILON))

    def entered(self, x: Tensor, name: str) -> Tensor:
        """Add positions, from the third row on, and normalize."""
        P = self.get_submodule(f"{name}_positions").weight[2:][: x.shape[1]]
        return self.get_submodule(f"{name}_norm")(x + P)

    def hear(self, source: Tensor) -> Tensor:
        """Return what enters the encoder."""
        return self.entered(self.table(source), "source")

    def place(self, tokens: Tensor) -> Tensor:
        """Return what enters the decoder."""
        return self.entered(self.words(tokens), "token")

    def forward(self, tokens: Tensor, source: Tensor) -> Tensor:
        """Return what the head gives."""
        memory = source if self.alone else self.remember(source)
        x = stack(self.decoder, self.recompute, self.place(tokens), memory)
        return self.answer(self.decoder_norm(x))

    def remember(self, source: Tensor) -> Tensor:
        """Return what the encoder gives."""
        return self.encoder_norm(stack(self.encoder, self.recompute, self.hear(source)))


class Whisper(Bart):
    """Whisper."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s, {**o, "heard": True}, pre=True)
        for block in self.encoder:
            self.unbias(block.attention)
        for block in self.decoder:
            self.unbias(block.attention)
            self.unbias(block.cross_attention)

    def unbias(self, attention: Attention) -> None:
        """Take the bias of the keys away."""
        attention.K = nn.Linear(attention.K.in_features, attention.K.out_features, bias=False)

    def enter(self, s: Sizes) -> None:
        """Make what stands at the entrances."""
        self.positions = Positions(s)
        if not self.alone:
            self.conv_1 = nn.Conv1d(s["C"], s["d"], 3, padding=1)
            self.conv_2 = nn.Conv1d(s["d"], s["d"], 3, stride=2, padding=1)
            self.P = nn.Parameter(torch.randn(s["S"], s["d"]), requires_grad=False)

    def hear(self, source: Tensor) -> Tensor:
        """Look through windows, twice, and add positions."""
        x = F.gelu(self.conv_2(F.gelu(self.conv_1(source))))
        return x.transpose(1, 2) + self.P

    def place(self, tokens: Tensor) -> Tensor:
        """Add positions to the tokens."""
        return self.positions(self.table(tokens))


class Classifier(Whisper):
    """The encoder of Whisper, which tells sounds apart."""

    def __init__(self, s: Sizes, o: Options) -> None:
        unread = {"L_dec": 0, "h_dec": 1, "d_dec": 0, "T_max": 1, "V": 1}
        whole = {**s, **unread, "L_enc": s["L"]}
        super().__init__(whole, {**o, "alone": False, "head": "bare", "tied": True})
        for name in (self.named, "positions", "decoder_norm", "decoder"):
            delattr(self, name)
        self.projector = nn.Linear(s["d"], s["d_proj"])
        self.classifier = nn.Linear(s["d_proj"], s["Y"])

    def forward(self, source: Tensor) -> Tensor:  # type: ignore[override]  # it reads no tokens
        """Score the classes of a sound."""
        return self.classifier(self.projector(self.remember(source)).mean(1))


class Pegasus(Bart):
    """Pegasus and Marian."""

    def enter(self, s: Sizes) -> None:
        """Make what stands at the entrances."""
        for name in ("P_enc", "P_dec")[self.alone :]:
            table = torch.randn(s["T_max"], s["d"])
            self.register_parameter(name, nn.Parameter(table, requires_grad=False))

    def hear(self, source: Tensor) -> Tensor:
        """Return what enters the encoder."""
        return self.table(source) + self.P_enc[: source.shape[1]]

    def place(self, tokens: Tensor) -> Tensor:
        """Return what enters the decoder."""
        return self.words(tokens) + self.P_dec[: tokens.shape[1]]


def _normed(stacks: Mapping[str, str], o: Options) -> Uses:
    """The RMS norms of T5: in each in_block, unless it is run again, and behind each stack."""
    norms = (
        summed(f"{count}*{rows}*d" * (not o["recompute"]), f"{rows}*d")
        for count, rows in stacks.items()
    )
    return counted(fused_norm=summed(*norms))


def _read_and_written(kind: Callable[[Sizes, Options], nn.Module]) -> tuple[Case, ...]:
    """An encoder-decoder, at once on all of a source and all tokens."""
    return (Case("the model written with torch.nn", kind, given={"cached": False},
                 equal={"h_kv": "h", "d_k": "d_h", "d_v": "d_h", "T_max": "2*S"}),)  # fmt: skip


CASES: Mapping[str, tuple[Case, ...]] = {
    "t5": (Case("the model written with torch.nn", T5, given={"cached": False},
                uses=lambda o: _normed({"2*L_enc": "B*S", "3*L_dec": "B*T"}, o),
                equal={"h_kv": "h", "d_k": "d_h", "d_v": "d_h"}),),
    "t5_encoder": (Case("the model written with torch.nn",
                        lambda s, o: T5(s, o, alone=True),
                        uses=lambda o: _normed({"2*L": "B*T"}, o),
                        equal={"S": "T", "h_kv": "h", "d_k": "d_h", "d_v": "d_h"}),),
    "bart": _read_and_written(lambda s, o: Bart(s, o, pre=False)),
    "mbart": _read_and_written(lambda s, o: Bart(s, o, pre=True)),
    "pegasus": _read_and_written(lambda s, o: Pegasus(s, o, pre=True)),
    "marian": _read_and_written(lambda s, o: Pegasus(s, o, pre=False)),
    "whisper": _read_and_written(Whisper),
    "whisper_classifier": (Case("the model written with torch.nn", Classifier,
                                equal={"h_kv": "h", "d_k": "d_h", "d_v": "d_h"}),),
}  # fmt: skip
