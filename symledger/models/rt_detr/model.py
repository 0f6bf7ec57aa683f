"""RT-DETR: places of three maps are scored, and the best become queries that look again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer, Mod, Piecewise, Rational, Symbol, cos, floor, sin

from symledger import sizes
from symledger.components.attention.deformable import TWO, DeformableAttention
from symledger.components.embeddings.rotary import BASE
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.resnet.model import BAG, ResNetD
from symledger.models.shared.detection import BOX, FindingBlock, Guess
from symledger.models.shared.fused_maps import ZHAO, Pyramid, unit
from symledger.models.shared.stages import halves
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    expand,
    gather,
    indices,
    join,
    narrow,
    param,
    repeat,
    scan,
    table,
    view,
)
from symledger.notation.view import detached
from symledger.sizes import C_i, H_i, L_i, Size, W_i

LEVELS = Integer(3)
"""Maps that are looked at together."""


@dataclass(frozen=True)
class RefiningBlock(FindingBlock):
    """Queries attend to each other, then to a few places of each map, and mend their boxes.

    Where a query stands is told by two maps of its box, which all layers share.
    Source: Zhao et al. (2024), section 4.3; Zhu et al., *Deformable DETR* (2021), appendix A.4.
    """

    n_pt: Expr = sizes.n_pt
    Y: Expr = sizes.Y

    signature: ClassVar[str] = (
        "B n d, B n four, B S d, four e, e, e d, d -> B n d, B n four, B n Y, B n four"
    )
    title: ClassVar[str] = "block of queries that mend their boxes"

    @property
    def four(self) -> Expr:
        """The numbers of a box."""
        return BOX

    def told(self, box: Tensor, W_1: Tensor, b_1: Tensor, W_2: Tensor, b_2: Tensor) -> Tensor:
        """Return where queries stand."""
        hidden = apply("relu", einsum("B n c, c e -> B n e", box, W_1) + b_1)
        return einsum("B n e, e d -> B n d", hidden, W_2) + b_2

    def looked(self, x: Tensor, box: Tensor, memory: Tensor) -> Tensor:
        """Look at a few places of each map, around the middle of a box."""
        B, n = x.shape[:2]
        middle = view("B n c -> B n () c", narrow(box, 2, 0, 2))
        places = expand(middle, (B, n, LEVELS, TWO))
        corner = table("corner", lambda *at: Integer(0), B, self.h, n, LEVELS * self.n_pt, TWO)
        attention = DeformableAttention(self.d, self.h, self.d / self.h, LEVELS, self.n_pt)
        return attention(x, memory, places, corner, name="cross_attention")

    def forward(  # type: ignore[override]  # what stands where, and a memory, enter as well
        self, x: Tensor, box: Tensor, memory: Tensor, *maps: Tensor
    ) -> Steps:
        box = detached(box)
        told = self.told(box, *maps)
        own = self.itself(x, told)
        other = self.added(own, lambda own: self.looked(own + told, box, memory), 2)
        y = self.fed(other, 3)
        logits = Linear(self.d, self.Y)(y, name="classes")
        before = apply("log", box) - apply("log", 1 - box)
        mended = apply("sigmoid", Guess(self.d, BOX)(y, name="box") + before)
        return steps(y=y, box=mended, logits=logits, mended=mended)


@dataclass(frozen=True)
class RTDetr(Component):
    """A residual network, three of its maps fused, and n_q places that are looked at again.

    The smallest map is read by an encoder first. Every place of all maps is scored and has a box;
    the n_q best become queries, through which no gradient goes back. Each layer of the decoder
    gives scores of Y classes and a box, as what is trained are all of these: of the places that
    were chosen, and of every layer. Sides of images are multiples of 32. With ``noised`` there is a
    table for queries that are made of what should be found, in training; it is idle here.
    Source: Zhao et al., *DETRs Beat YOLOs on Real-time Object Detection* (2024), section 4.
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
    d_img: Expr = sizes.d_img
    L_enc: Expr = sizes.L_enc
    h: Expr = sizes.h
    f_img: Expr = sizes.f_img
    C_csp: Expr = sizes.C_csp
    d: Expr = sizes.d
    L_dec: Expr = sizes.L_dec
    h_dec: Expr = sizes.h_dec
    d_dec: Expr = sizes.d_dec
    n_pt: Expr = sizes.n_pt
    n_q: Expr = sizes.n_q
    Y: Expr = sizes.Y
    bottleneck: bool = True
    widened: Annotated[bool, Seldom()] = True
    early: Annotated[bool, Seldom()] = False
    mapped: Annotated[bool, Seldom()] = False
    noised: Annotated[bool, Seldom()] = True
    seen_by: Plain = "relu"
    read_by: Gating = "gelu"
    fused_by: Plain = "silu"
    activation: Gating = "relu"

    title: ClassVar[str] = "maps of three sizes fused, and queries made of their best places"
    signature: ClassVar[str] = (
        "B C_in H W -> B n_q Y, B n_q four, B L_dec n_q Y, B L_dec n_q four"
    )
    definitions: ClassVar[dict[Size, Expr]] = halves(5)
    assumptions: ClassVar[dict[Size, Expr]] = {
        **halves(5), C_i[1]: 2 * C_i[0], C_i[2]: 4 * C_i[0], C_i[3]: 8 * C_i[0],
        sizes.h_dec: sizes.h, sizes.d_img: sizes.d, sizes.C_csp: sizes.d_img / 2,
        sizes.d_dec: sizes.f_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{ZHAO}, section 4", BAG)

    @property
    def four(self) -> Expr:
        """The numbers of a box."""
        return BOX

    @property
    def places(self) -> Expr:
        """How many places all maps have together."""
        return sum((H_i[i] * W_i[i] for i in (2, 3, 4)), Integer(0))

    def fused(self, x: Tensor) -> list[Tensor]:
        """Return maps of three sizes, each of d channels."""
        network = ResNetD(
            self.C_in, self.C, self.C_1, self.C_2, self.C_3, self.C_4, self.L_1, self.L_2,
            self.L_3, self.L_4, bottleneck=self.bottleneck, widened=self.widened, early=self.early,
            activation=self.seen_by, head=False,
        )  # fmt: skip
        seen = network.apply(x, name="backbone")[-3:]
        maps = [unit(y, self.d_img, f"input_{i}") for i, y in enumerate(seen, start=1)]
        maps[2] = self.read(maps[2])
        inside = self.C_csp if self.mapped else self.d_img
        pyramid = Pyramid(self.d_img, inside, self.mapped, self.fused_by)
        found = pyramid.apply(*maps, name="pyramid")
        return [unit(y, self.d, f"output_{i}") for i, y in enumerate(found, start=1)]

    def read(self, x: Tensor) -> Tensor:
        """Send the smallest map through the encoder, each place told where it stands."""
        H, W = x.shape[2:]
        quarter = self.d_img / 4

        def angle(t: Symbol, i: Symbol) -> Expr:
            at = Piecewise((Mod(t, W), i < 2 * quarter), (floor(t / W), True))
            turn = at / BASE ** (Mod(i, quarter) / quarter)
            return Piecewise((sin(turn), Mod(floor(i / quarter), 2) < 1), (cos(turn), True))

        told = table("places", angle, H * W, self.d_img)
        block = FindingBlock(self.d_img, self.h, self.f_img, self.read_by)
        flat = view("B d i j -> B (i j) d", x)
        return view("B (i j) d -> B d i j", repeat(block, self.L_enc, flat, told, name="encoder"),
                    i=H)  # fmt: skip

    def chosen(self, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the vectors, scores and boxes of the places that are taken for queries."""
        inside = table("inside", lambda t, one: ONE, self.places, ONE)
        mapped = Linear(self.d, self.d)(memory * inside, name="chosen")
        mapped = LayerNorm(self.d)(mapped, name="chosen_norm")
        scores = Linear(self.d, self.Y)(mapped, name="chosen_classes")
        anchors = table("anchors", lambda t, i: Rational(-1, 2) + i / 4, self.places, BOX)
        boxes = Guess(self.d, BOX)(mapped, name="chosen_box") + anchors
        which = indices("best", self.places, memory.shape[0], self.n_q)
        x, scores, boxes = (gather(y, which, batch=1) for y in (mapped, scores, boxes))
        return x, scores, apply("sigmoid", boxes)

    def forward(self, x: Tensor) -> Steps:
        flat = [view("B d i j -> B (i j) d", y) for y in self.fused(x)]
        memory = join(flat, axis=1)
        if self.noised:
            leave_idle(param("noised", self.Y + 1, self.d))
        best, first_scores, first_boxes = self.chosen(memory)
        wide = 2 * self.d
        maps = (
            param("W_1", BOX, wide), param("b_1", wide), param("W_2", wide, self.d),
            param("b_2", self.d),
        )  # fmt: skip
        block = RefiningBlock(
            self.d, self.h_dec, self.d_dec, self.activation, n_pt=self.n_pt, Y=self.Y
        )
        states = (detached(best), detached(first_boxes))
        _, _, scores, boxes = scan(block, self.L_dec, states, memory, *maps, name="layer", axis=1)
        return steps(
            memory=memory, first_scores=first_scores, first_boxes=first_boxes, scores=scores,
            boxes=boxes,
        )  # fmt: skip
