"""DETR: a residual network sees, an encoder reads, and n_q queries find one object each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.residual import BasicBlock, Bottleneck
from symledger.components.image_blocks.units import ConvolutionUnit, centred
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.resnet.model import ResNet
from symledger.models.shared.detection import (
    BOX,
    CARION,
    Boxes,
    FindingBlock,
    FixedUnit,
    QueryBlock,
)
from symledger.models.shared.places import learned, sines
from symledger.models.shared.stages import halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.leaves import held
from symledger.notation.verbs import param, repeat, table, view
from symledger.sizes import C_i, L_i, Size

Held = Literal["all", "first"]
"""What of the residual network is not trained: all of it, or its stem and first stage."""


class FixedBasicBlock(BasicBlock):
    """A block of two convolutions whose norms are fixed."""

    units: ClassVar[type[ConvolutionUnit]] = FixedUnit


class FixedBottleneck(Bottleneck):
    """A bottleneck whose norms are fixed."""

    units: ClassVar[type[ConvolutionUnit]] = FixedUnit


@dataclass(frozen=True)
class SeeingResNet(ResNet):
    """A residual network with fixed norms, whose last image is the result.

    Source: Carion et al. (2020), section 3.2, backbone.
    """

    at_rest: Held = "all"

    units: ClassVar[type[ConvolutionUnit]] = FixedUnit
    basic: ClassVar[type[BasicBlock]] = FixedBasicBlock
    narrowed: ClassVar[type[Bottleneck]] = FixedBottleneck
    title: ClassVar[str] = "residual network with fixed norms"

    @property
    def signature(self) -> str:  # type: ignore[override]  # the size of the image depends on a choice
        """The type line."""
        at = 6 if self.halved else 5
        return f"B C_in H W -> B C_4 H_{at} W_{at}"

    def forward(self, x: Tensor) -> Steps:
        with held():
            x = self.stem(x)
        named = {"x_0": x}
        for i, stage in enumerate(self.stages(), start=1):
            with held(when=i == 1 or self.at_rest == "all"):
                x = named[f"x_{i}"] = stage(x, name=f"stage_{i}")
        return steps(**named)


@dataclass(frozen=True)
class Detr(Component):
    """A residual network, an encoder of its last image, and a decoder of n_q learned queries.

    Each query gives scores of Y classes and of none, and a box; ``bare`` leaves what it has found
    as it is. The residual network's norms are fixed, and it is ``at_rest`` as a whole, or in its
    stem and first stage. Places are told by ``sines`` of rows and columns, or learned. What is said
    of the residual network is said as it says it itself; ``seen_by`` is its activation.
    Source: Carion et al., *End-to-End Object Detection with Transformers* (2020), section 3.2.
    """

    C_in: Expr = sizes.C_in
    C: Expr = sizes.C
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    d: Expr = sizes.d
    L_enc: Expr = sizes.L_enc
    L_dec: Expr = sizes.L_dec
    h: Expr = sizes.h
    h_dec: Expr = sizes.h_dec
    d_ff: Expr = sizes.d_ff
    d_dec: Expr = sizes.d_dec
    n_q: Expr = sizes.n_q
    Y: Expr = sizes.Y
    head: Literal["boxes", "bare"] = "boxes"
    at_rest: Held = "first"
    bottleneck: bool = True
    places: Annotated[Literal["sines", "learned"], Seldom()] = "sines"
    widened: Annotated[bool, Seldom()] = True
    halved: Annotated[bool, Seldom()] = False
    early: Annotated[bool, Seldom()] = False
    activation: Gating = "relu"
    seen_by: Plain = "relu"

    reading: ClassVar[type[FindingBlock]] = FindingBlock
    looking: ClassVar[type[QueryBlock]] = QueryBlock
    title: ClassVar[str] = "residual network, encoder, and a decoder of queries that find objects"
    definitions: ClassVar[dict[Size, Expr]] = halvings((True,) * 6)
    assumptions: ClassVar[dict[Size, Expr]] = {
        **halves(6), C_i[1]: 2 * C_i[0], C_i[2]: 4 * C_i[0], C_i[3]: 8 * C_i[0],
        sizes.L_dec: sizes.L_enc, sizes.h_dec: sizes.h, sizes.d_dec: sizes.d_ff,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{CARION}, section 3.2",)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        found = "B n_q classes, B n_q box" if self.head == "boxes" else "B n_q d"
        return f"B C_in H W -> {found}"

    @property
    def classes(self) -> Expr:
        """What an object may be: one of the classes, or nothing."""
        return self.Y + 1

    @property
    def box(self) -> Expr:
        """The numbers of a box."""
        return BOX

    def seen(self, x: Tensor) -> Tensor:
        """Return the last image of the residual network."""
        network = SeeingResNet(
            self.C_in, self.C, self.C_1, self.C_2, self.C_3, self.C_4,
            self.L_1, self.L_2, self.L_3, self.L_4, self.C_1 / 4, ONE,
            bottleneck=self.bottleneck, widened=self.widened, halved=self.halved,
            early=self.early, activation=self.seen_by, head=False, at_rest=self.at_rest,
        )  # fmt: skip
        return network(x, name="backbone")

    def told(self, H: Expr, W: Expr) -> Tensor:
        """Return where places stand: half of each vector is of its row, half of its column."""
        if self.places == "sines":
            return sines(H, W, self.d)
        return learned([(H, W)], self.d)[0]

    def forward(self, x: Tensor) -> Steps:
        seen = self.seen(x)
        H, W = seen.shape[2:]
        projection = Conv2d(
            C_in=self.C_4, C_out=self.d, G=ONE, H_o=H, W_o=W, **centred(ONE, ONE)
        )  # fmt: skip
        source = view("B d i j -> B (i j) d", projection(seen, name="projection"))
        told = self.told(H, W)
        memory = self.remembered(source, told)
        answered = self.answered(memory, told)
        return steps(seen=seen, memory=memory, **answered)

    def answered(self, memory: Tensor, told: Tensor) -> dict[str, Tensor]:
        """Return what queries find in a memory, and what the head says of it."""
        hidden = self.found(memory, told)
        if self.head == "bare":
            return {"hidden": hidden}
        logits, boxes = Boxes(self.d, self.Y).apply(hidden, name="boxes")
        return {"hidden": hidden, "logits": logits, "boxes": boxes}

    def remembered(self, source: Tensor, told: Tensor) -> Tensor:
        """Return what the encoder reads."""
        block = self.reading(self.d, self.h, self.d_ff, self.activation)
        return repeat(block, self.L_enc, source, told, name="encoder")

    def nothing(self, memory: Tensor) -> Tensor:
        """Return what queries begin as: zeros."""
        return table("nothing", lambda *at: Integer(0), memory.shape[0], self.n_q, self.d)

    def found(self, memory: Tensor, told: Tensor) -> Tensor:
        """Return what queries find in a memory."""
        queries, nothing = param("Q", self.n_q, self.d), self.nothing(memory)
        block = self.looking(self.d, self.h_dec, self.d_dec, self.activation)
        x = block(nothing, queries, memory, told, name="first_block")
        x = repeat(block, self.L_dec - 1, x, queries, memory, told, name="decoder")
        return LayerNorm(self.d)(x, name="decoder_norm")
