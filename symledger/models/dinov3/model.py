"""DINOv3: DINOv2 with registers, whose patches are turned by where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.image_blocks.patches import ImageEmbedding, PatchEmbedding
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.dinov2.model import REGISTERED, DinoV2, Registered, ScaledBlock
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, narrow, param, view
from symledger.sizes import Size

SIMEONI = "Siméoni et al., DINOv3 (2025), section 3.2"


@dataclass(frozen=True)
class PatchAttention(Attention):
    """Attention whose queries and keys are turned by their places, but for the first T_b.

    Half of a head is turned by the row and half by the column, which counts what turning by one
    position counts.
    Source: Siméoni et al. (2025), section 3.2.
    """

    T_b: Expr = ONE

    def turned(self, name: str, x: Tensor, width: Expr, offset: Expr) -> Tensor:
        patches = narrow(x, 1, self.T_b, x.shape[1] - self.T_b)
        turned = RotaryPositions(width, offset)(patches, name=f"rotary_{name}")
        return join([narrow(x, 1, 0, self.T_b), turned], axis=1)


@dataclass(frozen=True)
class ClassedPatches(Component):
    """The vectors of all patches after a learned one; another, for what is hidden, is not used.

    Source: Siméoni et al. (2025), section 3.2.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T

    signature: ClassVar[str] = "B C_in H W -> B T d"
    title: ClassVar[str] = "patches, a class vector before them"

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, (self.T - 1) / self.H_p)
        first = expand(view("d -> () () d", param("c", self.d)), (x.shape[0], ONE, self.d))
        leave_idle(param("m", self.d))
        return steps(y=join([first, cut(x, name="patches")], axis=1))


@dataclass(frozen=True)
class DinoV3(DinoV2):
    """The vision transformer of DINOv3: no table of places, for patches are turned by theirs.

    Maps of queries, keys and values each have a bias or none; networks are gated in the largest.
    T_reg learned vectors that belong to no place stand behind the class vector, unless there are
    no ``registers``.
    Source: Siméoni et al. (2025), section 3.2.
    """

    head: Literal["bare"] = "bare"
    hiding: Literal[True] = True
    qkv_bias: Literal[True] = True
    T_reg: Expr = sizes.T_reg
    activation: Gating = "gelu"
    registers: bool = True
    query_bias: Annotated[bool, Seldom()] = True
    key_bias: Annotated[bool, Seldom()] = False
    value_bias: Annotated[bool, Seldom()] = True
    out_bias: Annotated[bool, Seldom()] = True
    network_bias: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "pre-LN encoder over patches and registers, rotary, paths scaled"
    definitions: ClassVar[dict[Size, Expr]] = {}
    references: ClassVar[tuple[str, ...]] = (SIMEONI,)

    def decided(self) -> Mapping[Size, Expr]:
        """Return how many patches there are down, and vectors in all."""
        return REGISTERED if self.registers else ImageEmbedding.definitions

    @property
    def before(self) -> Expr:
        return 1 + self.T_reg if self.registers else ONE

    def block(self) -> Component:
        biased = {
            "Q": self.query_bias, "K": self.key_bias, "V": self.value_bias, "O": self.out_bias,
        }  # fmt: skip
        attention = PatchAttention(
            self.d, self.h, self.h, self.d_h, self.d_h, True, rotary=True, flash=self.flash,
            unbiased=tuple(name for name, bias in biased.items() if not bias), T_b=self.before,
        )  # fmt: skip
        kind = GatedFeedForward if self.gated else FeedForward
        network = kind(self.d, self.d_ff, self.activation, bias=self.network_bias)
        return ScaledBlock(self.d, causal=False, attention=attention, network=network)

    def embedding(self) -> Component:
        places = self.T - self.T_reg if self.registers else self.T
        placed = ClassedPatches(self.C_in, self.P, self.d, self.H_p, places)
        return Registered(placed, self.d, self.T_reg) if self.registers else placed
