"""Qwen-VL, 2 to 3: Qwen's decoders, and another, with an encoder for images of any size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.granite.model import HyperClovaX
from symledger.models.qwen2.model import Qwen2
from symledger.models.qwen3.model import Qwen3
from symledger.models.qwen4.model import Qwen4
from symledger.models.qwen_moe.model import Qwen3Moe
from symledger.models.qwen_next.model import Qwen3Next, Qwen35
from symledger.models.qwen_vision.model import GRID, WANG, QwenVision
from symledger.models.shared.hybrid import Which
from symledger.models.shared.seeing import Answer, Seeing
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import pad, param, scan, view
from symledger.sizes import Size


@dataclass(frozen=True)
class QwenSeeing(Seeing):
    """What Qwen's decoders that see share: sizes of their encoder, which projects by itself."""

    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    image_activation: Plain = "quick_gelu"

    definitions: ClassVar[dict[Size, Expr]] = GRID

    def tower(self) -> QwenVision:
        """Return the encoder of images."""
        return QwenVision(
            self.C_in, self.P, self.g, self.H_g, self.W_g, self.d_img, self.L_img,
            self.h_img, self.f_img, self.d, activation=self.image_activation,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        return seen


@dataclass(frozen=True)
class Qwen2VL(Qwen2, QwenSeeing):
    """Qwen2 with images of any size, four patches of which are a token.

    Source: Wang et al., *Qwen2-VL* (2024), section 2.1.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    windows: Annotated[Windows, Seldom()] = "none"

    title: ClassVar[str] = "Qwen2 with images of any size, groups of patches a token"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Qwen2.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (WANG,)


@dataclass(frozen=True)
class Qwen25VL(Qwen2VL):
    """Qwen2.5 with images, of which all but L_f blocks of the encoder see windows by themselves.

    An image is H_g whole windows of W_g groups of patches each.
    Source: Bai et al., *Qwen2.5-VL* (2025), section 2.1.1.
    """

    L_f: Expr = sizes.L_f
    image_activation: Plain = "silu"
    image_windows: bool = True

    title: ClassVar[str] = "Qwen2.5 with images of any size, seen by windows"
    assumptions: ClassVar[dict[Size, Expr]] = Qwen2.assumptions
    references: ClassVar[tuple[str, ...]] = ("Bai et al., Qwen2.5-VL (2025), section 2.1.1",)

    def tower(self) -> QwenVision:
        return replace(super().tower(), gated=True, windowed=self.image_windows, L_f=self.L_f)


@dataclass(frozen=True)
class Among(Component):
    """A block of a decoder, after which something is added to the positions of images.

    Source: Meng et al., *DeepStack* (2024), section 3.
    """

    block: Component

    signature: ClassVar[str] = "B T d, B T_seen d -> B T d"

    def forward(self, x: Tensor, seen: Tensor) -> Steps:
        y = self.block(x, name="block")
        return steps(y=y + pad(seen, 1, 0, x.shape[1]))


@dataclass(frozen=True)
class DeepSeeing(QwenSeeing):
    """A decoder whose first L_r blocks are told what as many blocks of the encoder had seen.

    Source: Bai et al., *Qwen3-VL* (2025), section 2; Meng et al., *DeepStack* (2024), section 3.
    """

    T_max: Expr = sizes.T_max
    L_r: Expr = sizes.L_r
    image_activation: Plain = "gelu_tanh"

    def tower(self) -> QwenVision:
        return replace(super().tower(), placed=True, deep=True, T_max=self.T_max, L_r=self.L_r)

    def forward(self, tokens: Tensor, images: Tensor | None = None) -> Steps:
        """Embed words, see images, and tell the first blocks what was seen on the way."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        if images is None:
            return self.ended(x, E)
        apart = view("b n c h w -> (b n) c h w", images)
        last, read = self.tower().apply(apart, name="tower")
        x = self.among(x, last)
        deep = view("r (b n) t d -> r b (n t) d", read, b=x.shape[0])
        block, _ = next(iter(self.layers().values()))
        (x,) = scan(Among(block), self.L_r, (x,), name="first_block", over=(deep,))
        return self.scored(self.behind().through(x), E)

    def behind(self) -> DeepSeeing:
        """Return the decoder without the first blocks."""
        return replace(self, L=self.L - self.L_r)


@dataclass(frozen=True)
class Qwen3VL(Qwen3, DeepSeeing):
    """Qwen3 with images of any size; its first blocks are told what the encoder saw on the way.

    Source: Bai et al., *Qwen3-VL* (2025), section 2.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    windows: Literal["none"] = "none"

    title: ClassVar[str] = "Qwen3 with images of any size, read at several depths"
    assumptions: ClassVar[dict[Size, Expr]] = Qwen3.assumptions
    references: ClassVar[tuple[str, ...]] = ("Bai et al., Qwen3-VL (2025), section 2",)


@dataclass(frozen=True)
class Qwen3VLMoe(Qwen3Moe, DeepSeeing):
    """The same with a mixture of experts in every block.

    Source: Bai et al., *Qwen3-VL* (2025), section 2.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    windows: Literal["none"] = "none"
    dense_layers: Literal[False] = False

    title: ClassVar[str] = "Qwen3 with experts and images of any size, read at several depths"
    assumptions: ClassVar[dict[Size, Expr]] = Qwen3Moe.assumptions
    references: ClassVar[tuple[str, ...]] = ("Bai et al., Qwen3-VL (2025), section 2",)


@dataclass(frozen=True)
class PlacedSeeing(QwenSeeing):
    """A decoder whose encoder has a table of places, and is read at its end alone.

    Source: transformers 5.23, ``Qwen3_5VisionModel``.
    """

    T_max: Expr = sizes.T_max
    image_activation: Plain = "gelu_tanh"

    def tower(self) -> QwenVision:
        return replace(super().tower(), placed=True, T_max=self.T_max)


@dataclass(frozen=True)
class Qwen35VL(Qwen35, PlacedSeeing):
    """Qwen3.5 with images of any size: most layers of its decoder have a gated delta rule.

    Source: transformers 5.23, ``Qwen3_5ForConditionalGeneration``.
    """

    head: Answer = "lm"
    attending: Annotated[Which, Seldom()] = "some"
    attention_bias: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "Qwen3.5 with images of any size, groups of patches a token"
    definitions: ClassVar[dict[Size, Expr]] = {**Qwen35.definitions, **GRID}
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Qwen35.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Qwen3_5ForConditionalGeneration",)


@dataclass(frozen=True)
class Qwen35MoeVL(Qwen3Next, PlacedSeeing):
    """The same with a mixture of experts in every layer, a shared one behind a gate.

    Source: transformers 5.23, ``Qwen3_5MoeForConditionalGeneration``.
    """

    head: Answer = "lm"
    attending: Annotated[Which, Seldom()] = "some"
    dense: Annotated[Which, Seldom()] = "none"
    attention_bias: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "Qwen3.5 with experts and images of any size"
    definitions: ClassVar[dict[Size, Expr]] = {**Qwen3Next.definitions, **GRID}
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Qwen3Next.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "transformers 5.23, Qwen3_5MoeForConditionalGeneration",
    )


@dataclass(frozen=True)
class Qwen4VL(Qwen4, PlacedSeeing):
    """Qwen4-Exp with images of any size: its decoder has gated streams and an indexer.

    Source: transformers 5.23, ``Qwen4ExpForConditionalGeneration``.
    """

    head: Answer = "lm"
    attending: Annotated[Which, Seldom()] = "some"
    attention_bias: Annotated[bool, Seldom()] = False
    partly: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "Qwen4-Exp with images of any size, groups of patches a token"
    definitions: ClassVar[dict[Size, Expr]] = {**Qwen4.definitions, **GRID}
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Qwen4.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, Qwen4ExpForConditionalGeneration",)


@dataclass(frozen=True)
class HyperClovaXVision(HyperClovaX, QwenSeeing):
    """HyperCLOVA X with Qwen2.5-VL's encoder, whose vectors one more map makes as wide as words.

    Source: transformers 5.23, ``HyperCLOVAXVisionV2Model``.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    attention_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False
    post_norm: Annotated[bool, Seldom()] = True
    L_f: Expr = sizes.L_f
    d_out: Expr = sizes.d_out
    image_activation: Plain = "silu"
    image_windows: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "HyperCLOVA X with images of any size, seen by windows"
    assumptions: ClassVar[dict[Size, Expr]] = {**HyperClovaX.assumptions, sizes.d_out: sizes.d}
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, HyperCLOVAXVisionV2Model",)

    def tower(self) -> QwenVision:
        return replace(
            super().tower(), d_out=self.d_out, gated=True, windowed=self.image_windows,
            L_f=self.L_f,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        return Linear(self.d_out, self.d)(seen, name="projector")
