"""DiT: a transformer that removes noise from the patches of a latent image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Mod, Piecewise, Symbol, cos, floor, sin

from symledger import sizes
from symledger.components.blocks.conditioned import (
    PEEBLES,
    Condition,
    ConditionedBlock,
    Modulation,
    ToldBlock,
    modulated,
)
from symledger.components.blocks.step_embedding import StepEmbedding
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.embeddings.rotary import BASE
from symledger.components.feed_forward.nonlinearities import Plain
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, param, repeat, table
from symledger.sizes import Size

TWO = Integer(2)


@dataclass(frozen=True)
class DiT(Component):
    """The diffusion transformer: patches of a latent image, a step and a class in, noise out.

    The step and the class scale and shift every norm. Positions are sines and cosines, kept as a
    weight that is not trained. With ``free`` there is one class more, for no class at all; with
    ``variance`` each channel is given twice, noise and variance. The patches of the result are
    left in a sequence. With ``apart`` every block embeds the step and the class with weights of its
    own, the end of the model does so once more with those of the first block, and positions are
    no weight: so the library diffusers builds it.
    Source: Peebles, Xie (2023), section 3.2 and table 1; diffusers, DiTTransformer2DModel.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    d_f: Expr = sizes.d_f
    Y: Expr = sizes.Y
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    free: bool = True
    variance: bool = True
    apart: bool = False
    flash: bool = False
    activation: Plain = "gelu_tanh"

    signature: ClassVar[str] = "B C_in H W, B, B in rows -> B T out"
    title: ClassVar[str] = "transformer over latent patches, its norms conditioned (adaLN-Zero)"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_p: floor(sizes.H / sizes.P),
        sizes.T: floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P),
    }
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    references: ClassVar[tuple[str, ...]] = (f"{PEEBLES}, section 3.2 and table 1",)

    @property
    def rows(self) -> Expr:
        """How many rows the table of classes has."""
        return self.Y + 1 if self.free else self.Y

    @property
    def out(self) -> Expr:
        """How many numbers are given for each patch."""
        return self.P**2 * self.C_in * (TWO if self.variance else 1)

    def forward(self, x: Tensor, step: Tensor, labels: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.T / self.H_p)
        patches = cut(x, name="patches") + self.positions()
        through = self.told if self.apart else self.conditioned
        c, hidden = through(patches, step, labels)
        made = Modulation(self.d, TWO)(c, name="modulation")
        shift, scale = (narrow(made, -1, i * self.d, self.d) for i in range(2))
        y = Linear(self.d, self.out)(modulated(hidden, shift, scale), name="head")
        return steps(patches=patches, c=c, hidden=hidden, y=y)

    def positions(self) -> Tensor:
        """Return the sines and cosines of the places: a weight, or a table that is computed."""
        if not self.apart:
            return param("P", self.T, self.d, trainable=False)
        return table("P", self.angle, self.T, self.d)

    def angle(self, t: Symbol, i: Symbol) -> Expr:
        """Return element i of place t: half of them are of its column, half of its row."""
        across, quarter = self.T / self.H_p, self.d / 4
        place = Piecewise((Mod(t, across), i < self.d / 2), (floor(t / across), True))
        turn = place / BASE ** (Mod(i, quarter) / quarter)
        return Piecewise((sin(turn), Mod(i, self.d / 2) < quarter), (cos(turn), True))

    @property
    def block(self) -> ConditionedBlock:
        """A block, without what tells it the step and the class."""
        width = self.d / self.h
        return ConditionedBlock(
            self.d, self.h, width, self.d_ff, self.flash, self.activation
        )

    def conditioned(self, x: Tensor, step: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return the one condition, and what all blocks make of the patches under it."""
        rows = TokenEmbedding(self.rows, self.d)
        c = StepEmbedding(self.d_f, self.d)(step, name="step") + rows(labels, name="class")
        return c, repeat(self.block, self.L, x, c, name="block")

    def told(self, x: Tensor, step: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return the condition at the end, and what blocks make that have one each."""
        size = (self.d_f, self.d, self.rows)
        first, last = Condition(*size).apply(step, labels, name="condition")
        x = self.block(x, first, name="first_block")
        return last, repeat(ToldBlock(self.block, *size), self.L - 1, x, step, labels, name="block")
