"""Deformable DETR: every place of several maps looks at a few others, and so do queries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, Mod, Piecewise, Rational, Symbol, floor

from symledger import sizes
from symledger.components.attention.deformable import TWO, ZHU
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.units import centred
from symledger.components.maps.linear import Linear
from symledger.components.norms.image_norms import GroupNorm
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.detr.model import Held, SeeingResNet
from symledger.models.shared.deformable import (
    DeformableBlock,
    LookingBlock,
    MendingBlock,
    unbounded,
)
from symledger.models.shared.detection import BOX, Guess
from symledger.models.shared.places import learned, sines, waves
from symledger.models.shared.stages import halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
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

Levels = Literal["one", "three", "four"]
LEVELS = {"one": 1, "three": 3, "four": 4}
HALF = Rational(1, 2)
Asked = tuple[dict[str, Tensor], tuple[Tensor, Tensor, Tensor]]
"""Results beside those of queries; what queries begin as, their boxes, and what they are told."""


class SeeingMaps(SeeingResNet):
    """A residual network with fixed norms, whose last three images are read.

    Source: Zhu et al. (2021), appendix A.2.
    """

    @property
    def signature(self) -> str:  # type: ignore[override]  # images of three sizes come out
        """The type line."""
        return "B C_in H W -> B C_2 H_3 W_3, B C_3 H_4 W_4, B C_4 H_5 W_5"


@dataclass(frozen=True)
class DeformableDetr(Component):
    """A residual network, its maps read by deformable attention, and n_q queries that look at them.

    Three maps of the network are read and, with four ``levels``, one more, convolved from the last;
    or the last alone. Queries, and the places that they look around, are learned. Behind each layer
    they give scores of Y classes and a box, as what is trained are all of these. Where boxes are
    ``refined``, each layer mends those of the one before, and the next looks around them; where
    they are ``chosen``, every place of all maps is scored and has a box first, and the best become
    queries, through which no gradient goes back. ``bare`` leaves what queries have found as it is.
    The residual network's norms are fixed, and it is ``at_rest`` as a whole, or in its stem and
    first stage.
    Source: Zhu et al., *Deformable DETR* (2021), section 4 and appendices A.2 and A.4.
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
    G: Expr = sizes.G
    L_enc: Expr = sizes.L_enc
    L_dec: Expr = sizes.L_dec
    h: Expr = sizes.h
    h_dec: Expr = sizes.h_dec
    d_ff: Expr = sizes.d_ff
    d_dec: Expr = sizes.d_dec
    n_pt: Expr = sizes.n_pt
    n_ptd: Expr = sizes.n_ptd
    n_q: Expr = sizes.n_q
    Y: Expr = sizes.Y
    head: Literal["boxes", "refined", "chosen", "bare"] = "boxes"
    levels: Annotated[Levels, Seldom()] = "four"
    at_rest: Held = "first"
    bottleneck: bool = True
    places: Annotated[Literal["sines", "learned"], Seldom()] = "sines"
    widened: Annotated[bool, Seldom()] = True
    early: Annotated[bool, Seldom()] = False
    activation: Gating = "relu"
    seen_by: Plain = "relu"

    title: ClassVar[str] = "several maps and queries that look at a few places of each"
    definitions: ClassVar[dict[Size, Expr]] = halvings((True,) * 6)
    assumptions: ClassVar[dict[Size, Expr]] = {
        **halves(6), C_i[1]: 2 * C_i[0], C_i[2]: 4 * C_i[0], C_i[3]: 8 * C_i[0],
        sizes.L_dec: sizes.L_enc, sizes.h_dec: sizes.h, sizes.d_dec: sizes.d_ff,
        sizes.n_ptd: sizes.n_pt,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{ZHU}, section 4 and appendices A.2 and A.4",)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        if self.head == "bare":
            return "B C_in H W -> B n_q d"
        first = "B S Y, B S box, " if self.head == "chosen" else ""
        return f"B C_in H W -> {first}B L_dec n_q Y, B L_dec n_q box"

    @property
    def box(self) -> Expr:
        """The numbers of a box."""
        return BOX

    @property
    def shapes(self) -> list[tuple[Expr, Expr]]:
        """How high and wide each map is."""
        first, number = (4, 1) if self.levels == "one" else (2, LEVELS[self.levels])
        return list(zip(H_i, W_i, strict=True))[first : first + number]

    @property
    def S(self) -> Expr:  # noqa: N802  # the size of that name
        """How many places all maps have together."""
        return sum((H * W for H, W in self.shapes), Integer(0))

    def forward(self, x: Tensor) -> Steps:
        maps = {f"map_{i}": y for i, y in enumerate(self.mapped(x), start=1)}
        source = join([view("B d i j -> B (i j) d", y) for y in maps.values()], axis=1)
        memory = self.remembered(source)
        found, given = (self.chosen if self.head == "chosen" else self.asked)(memory)
        answered = self.answered(memory, *given)
        return steps(**maps, source=source, memory=memory, **found, **answered)

    def mapped(self, x: Tensor) -> list[Tensor]:
        """Return maps of all levels, each of d channels and normalized."""
        network = SeeingMaps(
            self.C_in, self.C, self.C_1, self.C_2, self.C_3, self.C_4,
            self.L_1, self.L_2, self.L_3, self.L_4, self.C_1 / 4, ONE,
            bottleneck=self.bottleneck, widened=self.widened, early=self.early,
            activation=self.seen_by, head=False, at_rest=self.at_rest,
        )  # fmt: skip
        seen = list(network.apply(x, name="backbone")[-3:])
        seen = seen[-1:] if self.levels == "one" else seen
        found = [self.projected(y, i, ONE) for i, y in enumerate(seen, start=1)]
        return [*found, self.projected(seen[-1], 4, TWO)] if self.levels == "four" else found

    def projected(self, x: Tensor, number: int, stride: Expr) -> Tensor:
        """Map the channels of an image, place by place, or by windows of 3 × 3 that halve it."""
        H, W = self.shapes[number - 1]
        window = centred(2 * stride - 1, stride)
        convolution = Conv2d(C_in=x.shape[1], C_out=self.d, G=ONE, H_o=H, W_o=W, **window)
        y = convolution(x, name=f"projection_{number}")
        return GroupNorm(self.d, self.G)(y, name=f"projection_norm_{number}")

    def told(self) -> Tensor:
        """Return where places stand: on which map, how far down and how far across."""
        if self.places == "sines":
            each = [sines(H, W, self.d, f"places_{i}") for i, (H, W) in enumerate(self.shapes, 1)]
        else:
            each = learned(self.shapes, self.d)
        level = param("levels", Integer(len(each)), self.d)
        return join([x + narrow(level, 0, i, 1) for i, x in enumerate(each)], axis=0)

    def remembered(self, source: Tensor) -> Tensor:
        """Return what the encoder reads."""
        middles = [middle(H, W, f"middles_{i}") for i, (H, W) in enumerate(self.shapes, 1)]
        block = DeformableBlock(
            self.d, self.h, self.d_ff, self.activation,
            n_lev=Integer(len(self.shapes)), n_pt=self.n_pt,
        )  # fmt: skip
        given = (self.told(), join(middles, axis=0))
        return repeat(block, self.L_enc, source, *given, name="encoder")

    def asked(self, memory: Tensor) -> Asked:
        """Return what queries begin as, the boxes that they look around, and what they are told.

        These are learned, and a box is of half the image's sides at first.
        """
        B = memory.shape[0]
        both = param("Q", self.n_q, 2 * self.d)
        told, target = (
            expand(view("n d -> () n d", narrow(both, 1, at, self.d)), (B, self.n_q, self.d))
            for at in (Integer(0), self.d)
        )
        place = apply("sigmoid", Linear(self.d, TWO)(told, name="place"))
        sides = table("sides", lambda *at: HALF, B, self.n_q, TWO)
        return {"place": place}, (target, join([place, sides]), told)

    def chosen(self, memory: Tensor) -> Asked:
        """Return scores and boxes of all places, and queries that are told the best boxes."""
        inside = table("inside", lambda t, one: ONE, self.S, ONE)
        mapped = LayerNorm(self.d)(
            Linear(self.d, self.d)(memory * inside, name="chosen"), name="chosen_norm"
        )
        scores = Linear(self.d, self.Y)(mapped, name="chosen_classes")
        anchors = table("anchors", lambda t, i: i / 4 - HALF, self.S, BOX)
        boxes = Guess(self.d, BOX)(mapped, name="chosen_box") + anchors
        which = indices("best", self.S, memory.shape[0], self.n_q)
        box = apply("sigmoid", detached(gather(boxes, which, batch=1)))
        told = view("B n c k -> B n (c k)", waves(box, self.d / 2))
        told = Linear(2 * self.d, 2 * self.d)(told, name="told")
        both = LayerNorm(2 * self.d)(told, name="told_norm")
        told, target = (narrow(both, 2, at, self.d) for at in (Integer(0), self.d))
        return {"first_logits": scores, "first_boxes": boxes}, (target, box, told)

    def answered(self, memory: Tensor, x: Tensor, box: Tensor, told: Tensor) -> dict[str, Tensor]:
        """Return what queries find in a memory, and what the head says of it."""
        sizes = (self.d, self.h_dec, self.d_dec, self.activation)
        looks = (Integer(len(self.shapes)), self.n_ptd)
        if self.head in ("bare", "boxes"):
            block = LookingBlock(*sizes, *looks)
            x, found = scan(block, self.L_dec, (x,), box, told, memory, name="layer", axis=1)
            return {"hidden": x} if self.head == "bare" else self.headed(found, box)
        given = (told, memory)
        if self.head == "chosen":
            block = MendingBlock(*sizes, *looks, self.Y, sorting=True)
            _, _, scores, boxes = scan(block, self.L_dec, (x, box), *given, name="layer", axis=1)
            return {"scores": scores, "boxes": boxes}
        block = MendingBlock(*sizes, *looks, self.Y, first=True)
        x, box, *begun = block.apply(x, box, *given, name="first_block")
        block = replace(block, first=False)
        _, _, *rest = scan(block, self.L_dec - 1, (x, box), *given, name="layer", axis=1)
        found, boxes = (
            join([view("B n k -> B () n k", first), further], axis=1)
            for first, further in zip(begun, rest, strict=True)
        )
        return {"scores": self.sorted(found), "boxes": boxes}

    def headed(self, found: Tensor, box: Tensor) -> dict[str, Tensor]:
        """Return scores and boxes of all layers, by maps that they share."""
        before = expand(view("B n c -> B () n c", unbounded(box)), (*found.shape[:-1], BOX))
        boxes = apply("sigmoid", Guess(self.d, BOX)(found, name="box") + before)
        return {"scores": self.sorted(found), "boxes": boxes}

    def sorted(self, found: Tensor) -> Tensor:
        """Return scores of classes, by a map that all layers share."""
        return Linear(self.d, self.Y)(found, name="classes")


def middle(H: Expr, W: Expr, name: str) -> Tensor:
    """Return where the middle of each place of a map is, from 0 to 1 down and across."""

    def at(t: Symbol, i: Symbol) -> Expr:
        down, across = (floor(t / W) + HALF) / H, (Mod(t, W) + HALF) / W
        return Piecewise((down, i < 1), (across, True))

    return table(name, at, H * W, TWO)
