"""Thinkers: Qwen2.5-VL and Qwen3-VL with experts that hear, too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain
from symledger.ir.tensor import Tensor
from symledger.models.qwen2.model import Qwen2
from symledger.models.qwen_moe.model import Qwen3Moe
from symledger.models.qwen_sound.model import (
    CHUNKED,
    OMNI3,
    OMNI25,
    ChunkedSound,
    Qwen3Sound,
    Qwen25Sound,
)
from symledger.models.qwen_vision.model import GRID
from symledger.models.qwen_vl.model import Among, Qwen3VLMoe, Qwen25VL, QwenSeeing
from symledger.models.shared.listening import Answer, Listening
from symledger.notation.component import Component, Steps
from symledger.notation.verbs import join, narrow, param, scan, view
from symledger.sizes import Size


@dataclass(frozen=True)
class Sensing(QwenSeeing, Listening):
    """A decoder that sees and hears: both encoders project by themselves.

    Images stand first in a sequence here, then sounds, then words: where changes no count.
    """

    Q_f: Expr = sizes.Q_f
    n_win: Expr = sizes.n_win
    sound_activation: Plain = "gelu"

    ear_name: ClassVar[str] = "ear"
    signature: ClassVar[str] = "B T in V, B n_img C_in H W, B n_snd C frames -> B T out"
    whole: ClassVar[dict[str, str]] = {
        "tokens": "B T in V", "images": "B n_img C_in H W", "sounds": "B n_snd C frames",
    }  # fmt: skip

    def sensed(self, x: Tensor, *parts: Tensor) -> Tensor:
        """Put what was seen and heard before the words."""
        rows = [view("(b n) t d -> b (n t) d", part, b=x.shape[0]) for part in parts]
        length = sum((row.shape[1] for row in rows), start=rows[0].shape[1] * 0)
        return join([*rows, narrow(x, 1, length, x.shape[1] - length)], axis=1)

    def forward(  # type: ignore[override]  # images enter as well
        self, tokens: Tensor, images: Tensor | None = None, sounds: Tensor | None = None
    ) -> Steps:
        """Embed words, see images, hear sounds, and do with all what the decoder does."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        if images is None or sounds is None:
            return self.ended(x, E)
        return self.ended(self.sensed(x, self.look(images), self.listen(sounds)), E)


@dataclass(frozen=True)
class Qwen25Omni(Qwen25VL, Sensing):
    """The thinker of Qwen2.5-Omni: Qwen2.5-VL with Whisper's encoder by chunks.

    Source: Xu et al., *Qwen2.5-Omni Technical Report* (2025), section 2.
    """

    tied: bool = False

    title: ClassVar[str] = "Qwen2.5 with images seen by windows, and sounds heard by chunks"
    assumptions: ClassVar[dict[Size, Expr]] = {**Qwen2.assumptions, **ChunkedSound.assumptions}
    references: ClassVar[tuple[str, ...]] = (
        OMNI25, "transformers 5.23, Qwen2_5OmniThinkerForConditionalGeneration",
    )  # fmt: skip

    @property
    def frames(self) -> Expr:
        return self.n_win * self.Q_f

    def ear(self) -> Component:
        return Qwen25Sound(
            self.C, self.d_snd, self.L_snd, self.h_snd, self.f_snd, self.d, self.Q_f, self.n_win,
            self.sound_activation,
        )  # fmt: skip


@dataclass(frozen=True)
class Qwen3Omni(Qwen3VLMoe, Sensing):
    """The thinker of Qwen3-Omni: Qwen3-VL with experts, and an encoder of chunks of a spectrum.

    Source: Xu et al., *Qwen3-Omni Technical Report* (2025), section 2.
    """

    C_1: Expr = sizes.C_i[0]
    n_cw: Expr = sizes.n_cw
    tied: bool = False
    head: Answer = "lm"
    activation: Gating = "silu"
    windows: Literal["none"] = "none"
    dense_layers: Literal[False] = False

    title: ClassVar[str] = "Qwen3 with experts, images read at several depths, and sounds"
    definitions: ClassVar[dict[Size, Expr]] = {**GRID, **CHUNKED}
    assumptions: ClassVar[dict[Size, Expr]] = {**Qwen3Moe.assumptions, **ChunkedSound.assumptions}
    references: ClassVar[tuple[str, ...]] = (
        OMNI3, "transformers 5.23, Qwen3OmniMoeThinkerForConditionalGeneration",
    )  # fmt: skip

    @property
    def frames(self) -> Expr:
        return self.n_win * self.n_cw * self.Q_f

    def ear(self) -> Component:
        return Qwen3Sound(
            self.C, self.d_snd, self.L_snd, self.h_snd, self.f_snd, self.d, self.Q_f, self.n_win,
            self.sound_activation, self.C_1, self.n_cw,
        )  # fmt: skip

    def forward(  # type: ignore[override]  # images enter as well
        self, tokens: Tensor, images: Tensor | None = None, sounds: Tensor | None = None
    ) -> Steps:
        """See, hear, and tell the first blocks what was seen on the way."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        if images is None or sounds is None:
            return self.ended(x, E)
        apart = view("b n c h w -> (b n) c h w", images)
        last, read = self.tower().apply(apart, name="tower")
        x = self.sensed(x, last, self.listen(sounds))
        deep = view("r (b n) t d -> r b (n t) d", read, b=x.shape[0])
        (x,) = scan(Among(self.block()), self.L_r, (x,), name="first_block", over=(deep,))
        rest = replace(self, L=self.L - self.L_r)
        return self.scored(rest.through(x), E)
