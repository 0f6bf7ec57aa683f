"""OWL: CLIP whose image encoder says of every patch what is there, and where it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Mod, Piecewise, Symbol, floor, log

from symledger import sizes
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.image_blocks.patches import ImageEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.clip.model import Clip, ClipText, TwoEncoders, unit
from symledger.models.shared.detection import BOX
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, narrow, param, repeat, table, view
from symledger.notation.view import detached
from symledger.sizes import Size

MINDERER = "Minderer et al., Simple Open-Vocabulary Object Detection (2022)"
SCALING = "Minderer et al., Scaling Open-Vocabulary Object Detection (2023)"


@dataclass(frozen=True)
class Maps(Component):
    """Three affine maps, a GELU behind two of them.

    Source: Minderer et al. (2022), section 3.1.
    """

    d: Expr
    d_out: Expr

    signature: ClassVar[str] = "... d -> ... d_out"
    title: ClassVar[str] = "three affine maps"

    def forward(self, x: Tensor) -> Steps:
        for i in (1, 2):
            x = apply("gelu", Linear(self.d, self.d)(x, name=str(i)))
        return steps(y=Linear(self.d, self.d_out)(x, name="3"))


@dataclass(frozen=True)
class Owl(TwoEncoders):
    """Boxes for n_lab names of things: each patch has one, and is compared with every name.

    A name is a text of T tokens. Vectors of patches are multiplied with that of the class, and
    normalized; they are compared with names by cosines, which each patch shifts and scales itself.
    How alike whole images and names are is computed as CLIP does, and read by nothing. With
    ``sure`` a patch also says whether anything is there, which trains nothing behind it.
    Source: Minderer et al., *Simple Open-Vocabulary Object Detection* (2022), section 3.1, and
    *Scaling Open-Vocabulary Object Detection* (2023), section 3.2, for ``sure``.
    """

    n_lab: Expr = sizes.n_lab
    sure: bool = True
    activation: Activation = "quick_gelu"
    image_activation: Activation = "quick_gelu"

    definitions: ClassVar[dict[Size, Expr]] = Clip.definitions
    title: ClassVar[str] = "an encoder of names, and one of images whose patches find them"
    references: ClassVar[tuple[str, ...]] = (f"{MINDERER}, section 3.1", f"{SCALING}, section 3.2")

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on a choice
        """The type line."""
        entering = "B n_lab T in V, B C_in H W"
        return f"{entering} -> B places n_lab, B places box{', B places' * self.sure}"

    @property
    def places(self) -> Expr:
        """How many patches there are."""
        return self.T_img - 1

    @property
    def box(self) -> Expr:
        """The numbers of a box."""
        return BOX

    def named(self, tokens: Tensor) -> Tensor:
        """Return the direction of each name."""
        text = ClipText(
            self.d, self.L, self.h, self.d_ff, self.d, True, self.activation, self.flash,
            V=self.V, T_max=self.T_max,
        )  # fmt: skip
        return unit(text(view("B n T -> (B n) T", tokens), name="text"))

    def seen(self, x: Tensor) -> Tensor:
        """Return the normalized vectors of the class and of all patches."""
        d, width = self.d_img, self.d_img / self.h_img
        embedding = ImageEmbedding(self.C_in, self.P, d, self.H_p, self.T_img, bias=False)
        hidden = LayerNorm(d)(embedding(x, name="embedding"), name="first_norm")
        block = PreLNBlock(
            d, self.h_img, self.h_img, width, width, self.f_img, causal=False,
            activation=self.image_activation, flash=self.flash,
        )  # fmt: skip
        hidden = repeat(block, self.L_img, hidden, name="block")
        return LayerNorm(d)(hidden, name="final_norm")

    def unread(self, seen: Tensor, names: Tensor) -> None:
        """Compare whole images with names, as CLIP does: nothing reads it."""
        first = view("B one d -> B (one d)", narrow(seen, 1, 0, 1))
        whole = Linear(self.d_img, self.d, bias=False)(first, name="projection")
        alike = einsum("t e, i e -> t i", names, unit(whole))
        leave_idle(alike * apply("exp", param("scale")))

    def scored(self, patches: Tensor, names: Tensor) -> Tensor:
        """Compare each patch with each name."""
        classes = unit(Linear(self.d_img, self.d)(patches, name="classes"))
        names = view("(B n) e -> B n e", names, n=self.n_lab)
        alike = einsum("B p e, B n e -> B p n", classes, names)
        shift = Linear(self.d_img, ONE)(patches, name="shift")
        scale = apply("elu", Linear(self.d_img, ONE)(patches, name="scaling")) + 1
        scored: Tensor = (alike + shift) * scale
        return scored

    def bounded(self, patches: Tensor) -> Tensor:
        """Return the box of each patch, told where that stands."""
        across = self.places / self.H_p

        def at(t: Symbol, i: Symbol) -> Expr:
            beside = (Mod(t, across) + 1) / (across + 1)
            down = (floor(t / across) + 1) / (self.H_p + 1)
            share = Piecewise((beside, i < 1), (down, i < 2), (1 / (1 + self.H_p), True))
            return log(share / (1 - share))

        box = Maps(self.d_img, BOX)(patches, name="box")
        return apply("sigmoid", box + table("at", at, self.places, BOX))

    def forward(self, tokens: Tensor, x: Tensor) -> Steps:
        names, seen = self.named(tokens), self.seen(x)
        self.unread(seen, names)
        both = narrow(seen, 1, 1, self.places) * narrow(seen, 1, 0, 1)
        patches = LayerNorm(self.d_img)(both, name="merged_norm")
        found = {"scores": self.scored(patches, names), "boxes": self.bounded(patches)}
        if self.sure:
            there = Maps(self.d_img, ONE)(detached(patches), name="there")
            found["there"] = view("B p one -> B (p one)", there)
        return steps(**found)
