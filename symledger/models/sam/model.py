"""Segment Anything: an encoder of images, prompts that are points, and masks for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Mod, Piecewise, Symbol, floor, pi

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.sam_vision.model import SamVision
from symledger.models.shared.masks import KIRILLOV, TWO, MaskDecoder
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, expand, gather, join, narrow, param, table, view
from symledger.sizes import Size

KINDS = Integer(4)
"""A point may lie on what is meant or beside it, or be one of two corners of a box."""


@dataclass(frozen=True)
class Sam(Component):
    """Masks for n_prm prompts of an image, each of n_pnt − 1 points and a vector that is none.

    Places are told by sines and cosines of what learned directions make of them. Which points they
    are, and of which kind, changes no count; a box is two points, without a vector behind. What
    reads a mask as a prompt is there, and idle. What is said of the encoder of images is said as it
    says it itself; the decoder's vectors have C numbers, as what the encoder gives.
    Source: Kirillov et al., *Segment Anything* (2023), section 3 and appendix A.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    L_f: Expr = sizes.L_f
    M: Expr = sizes.M
    C: Expr = sizes.C
    h_dec: Expr = sizes.h_dec
    d_dec: Expr = sizes.d_dec
    L_dec: Expr = sizes.L_dec
    n_prm: Expr = sizes.n_prm
    n_pnt: Expr = sizes.n_pnt
    n_msk: Expr = sizes.n_msk
    d_iou: Expr = sizes.d_iou
    C_msk: Expr = sizes.C_msk
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    H_w: Expr = sizes.H_w
    W_w: Expr = sizes.W_w
    seen_by: Gating = "gelu"
    activation: Gating = "relu"
    qkv_bias: bool = True
    placed: bool = True

    signature: ClassVar[str] = "B C_in H W -> B n_prm n_msk, B n_prm n_msk high wide"
    title: ClassVar[str] = "encoder of images, and masks of what points in them lie on"
    definitions: ClassVar[dict[Size, Expr]] = SamVision.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        **SamVision.assumptions,
        sizes.n_prm: ONE, sizes.n_pnt: TWO, sizes.n_msk: Integer(3), sizes.L_dec: TWO,
        sizes.d_iou: sizes.C, sizes.d_dec: 8 * sizes.C, sizes.C_msk: Integer(16),
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{KIRILLOV}, section 3 and appendix A",)

    @property
    def high(self) -> Expr:
        """How high masks are: four times as high as the map of patches."""
        return 4 * self.H_p

    @property
    def wide(self) -> Expr:
        """How wide masks are."""
        return 4 * self.W_p

    def see(self, x: Tensor) -> Tensor:
        """Return the map of an image, of C channels."""
        encoder = SamVision(
            self.C_in, self.P, self.d, self.L, self.h, self.d_ff, self.L_f, self.M, self.C,
            self.H_p, self.W_p, self.H_w, self.W_w, self.seen_by, self.qkv_bias, self.placed,
        )  # fmt: skip
        return encoder(x, name="encoder")

    def told(self, directions: Tensor, places: Tensor) -> Tensor:
        """Return sines and cosines of what learned directions make of places."""
        turned = einsum("... c, c k -> ... k", places, directions) * (2 * pi)
        return join([apply("sin", turned), apply("cos", turned)])

    def prompts(self, directions: Tensor, B: Expr) -> Tensor:
        """Return the vectors of points, each with what its kind adds, and one that is none."""

        def point(b: Symbol, i: Symbol, c: Symbol) -> Expr:
            return Mod(b + i + c, 3) / Integer(2) - Integer(1) / 2

        def kind(b: Symbol, i: Symbol) -> Expr:
            return Mod(b + i, KINDS)

        N, points = B * self.n_prm, self.n_pnt - 1
        points_at = self.told(directions, table("points", point, N, self.n_pnt, TWO))
        which = table("kind", kind, N, points, storage="index")
        kinds = gather(param("kinds", KINDS, self.C), which)
        none = expand(view("d -> () () d", param("none", self.C)), (N, ONE, self.C))
        return join([narrow(points_at, 1, 0, points) + kinds, none], axis=1)

    def masked(self) -> None:
        """Leave what reads a mask idle: three convolutions, two of them normalized."""
        few, more, d = self.C_msk / 4, self.C_msk, self.C
        for i, (before, after, side) in enumerate(
            ((ONE, few, TWO), (few, more, TWO), (more, d, ONE)), start=1
        ):
            leave_idle(param(f"mask_F_{i}", after, before, side, side))
            leave_idle(param(f"mask_b_{i}", after))
            if i < 3:
                leave_idle(param(f"mask_g_{i}", after))
                leave_idle(param(f"mask_shift_{i}", after))

    def forward(self, x: Tensor) -> Steps:
        B, d, N = x.shape[0], self.C, x.shape[0] * self.n_prm
        directions = param("directions", TWO, d / 2)

        def middle(t: Symbol, c: Symbol) -> Expr:
            across, down = Mod(t, self.W_p) / self.W_p, floor(t / self.W_p) / self.H_p
            return 2 * Piecewise((across, c < 1), (down, True)) - 1

        places = self.told(directions, table("places", middle, self.H_p * self.W_p, TWO))
        self.masked()
        image = self.see(x) + view("d -> d () ()", param("no_mask", d))
        copies = expand(view("B d i j -> B () d i j", image), (B, self.n_prm, *image.shape[1:]))
        both = join([param("good", ONE, d), param("masks", self.n_msk + 1, d)], axis=0)
        learned = expand(view("m d -> () m d", both), (N, self.n_msk + 2, d))
        tokens = join([learned, self.prompts(directions, B)], axis=1)
        decoder = MaskDecoder(
            d, self.h_dec, self.d_dec, self.L_dec, self.n_msk, self.d_iou, self.activation
        )
        scores, masks = decoder.apply(
            view("B n d i j -> (B n) d i j", copies), tokens, places, name="decoder"
        )
        return steps(
            scores=view("(B n) m -> B n m", scores, B=B),
            masks=view("(B n) m i j -> B n m i j", masks, B=B),
        )
